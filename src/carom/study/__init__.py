"""Studies: the same model run many times, to compare, to sweep, to identify parameters and to see what matters."""
