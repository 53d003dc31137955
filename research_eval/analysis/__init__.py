"""Analysis: scored trials in; one table, summaries, paired differences and rulings out."""
