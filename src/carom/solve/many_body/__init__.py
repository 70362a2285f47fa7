"""Many bodies in contact: neighbour lists, pair forces and velocity-Verlet steps, shared by several threads."""
