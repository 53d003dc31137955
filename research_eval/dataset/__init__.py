"""Dataset: a file in, cases out."""
