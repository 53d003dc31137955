"""Stats: numbers in, estimates with their intervals out."""
