"""Failover: a scenario of faults in, a timeline of who served out."""
