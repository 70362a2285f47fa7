"""Integration of smooth motion: one file an integrator, one loop for all that are explicit Runge–Kutta."""
