"""Report: records in, pages out."""
