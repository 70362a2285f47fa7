"""Closest points of pairs of shapes: one file per pair."""
