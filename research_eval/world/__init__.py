"""World: the bundled web: pages and searches in, HTTP on 127.0.0.1 out."""
