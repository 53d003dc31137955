"""Cli: words in, an exit status out."""
