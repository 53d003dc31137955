"""Model: a conversation in, one reply out."""
