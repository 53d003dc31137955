"""Fault: a request in, a failure on schedule out."""
