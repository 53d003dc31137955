"""Gate: an answer and a ledger in, a verdict out."""
