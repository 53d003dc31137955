"""Search: a query in, hits and who served them out."""
