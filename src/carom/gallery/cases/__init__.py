"""One case, one file."""
