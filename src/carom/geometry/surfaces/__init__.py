"""Parametric surfaces s(u, v), in axes of their own: what a `Surface` on a body is made of."""
