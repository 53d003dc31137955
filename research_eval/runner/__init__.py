"""Runner: an experiment in, a record of every trial out."""
