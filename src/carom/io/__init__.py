"""Input and output files: results, unfinished runs and models."""
