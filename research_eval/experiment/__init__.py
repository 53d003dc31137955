"""Experiment: a TOML file in, validated settings out."""
