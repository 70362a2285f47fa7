"""Non-smooth dynamics: contacts that are closed or open, impacts without duration, time stepping, complementarity."""
