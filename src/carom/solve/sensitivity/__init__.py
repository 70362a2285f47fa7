"""Derivatives of runs with respect to parameters, through their contact events."""
