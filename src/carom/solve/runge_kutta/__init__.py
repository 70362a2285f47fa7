"""Explicit Runge–Kutta methods: tableaus, stages, error estimate, dense output and step control."""
