"""Cassette: an HTTP request in, its recorded response out."""
