"""Ledger: what a trial touched in, what it really opened out."""
