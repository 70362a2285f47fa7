"""Contact problem of a time step or an impact: linear and cone complementarity solvers."""
