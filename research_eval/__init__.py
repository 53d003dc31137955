"""Measure whether research agents cite only pages that they really opened."""
