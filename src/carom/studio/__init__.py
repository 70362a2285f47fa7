"""A page on this computer: choose a model, change its parameters, run it, look at it, compare."""
