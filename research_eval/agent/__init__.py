"""Agent: a question in, a checked answer and its transcript out."""
