"""Geometry: shapes on bodies, closest points of pairs of shapes, curves, surfaces, markers and rotations."""
