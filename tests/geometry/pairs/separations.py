"""Separation of convex shapes along directions, and the largest of all by brute force."""

from __future__ import annotations

import numpy as np

from carom.geometry.shapes import Box, Cone, Disc, Ellipsoid, Rectangle, Segment, Shape, Sphere, Triangle


def corners(shape: Shape) -> tuple[np.ndarray, float]:
    """Vertices of a polytope in body axes, and the radius around it."""
    if isinstance(shape, Sphere):
        return np.array([shape.at]), shape.radius
    if isinstance(shape, Segment):
        return np.array([shape.start, shape.end]), shape.radius
    if isinstance(shape, Triangle):
        return np.array([shape.a, shape.b, shape.c]), 0.0
    if isinstance(shape, Rectangle):
        u, v = shape.half_u * np.array(shape.axis_u), shape.half_v * np.array(shape.axis_v)
        return shape.at + np.array([u + v, u - v, v - u, -u - v]), 0.0
    return (shape.corners if isinstance(shape, Box) else shape.vertices), 0.0


def furthest(shape: Shape, p: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Support function of a shape in a pose, for many unit vectors."""
    rotation = p[3:].reshape(3, 3)
    d = directions @ rotation
    if isinstance(shape, Ellipsoid):
        own = d @ shape.at + np.linalg.norm(d @ shape.axes * shape.semi_axes, axis=-1)
    elif isinstance(shape, Cone | Disc):
        start, end = shape.radius, getattr(shape, "end_radius", shape.radius)
        half = getattr(shape, "half_length", 0.0)
        height = d @ np.array(shape.axis)
        across = np.linalg.norm(d - height[..., None] * np.array(shape.axis), axis=-1)
        own = d @ shape.at + np.maximum(start * across - half * height, end * across + half * height)
    else:
        points, radius = corners(shape)
        own = np.max(d @ points.T, axis=-1) + radius
    return directions @ p[:3] + own


def separation(a: Shape, b: Shape, p: np.ndarray, q: np.ndarray, n: np.ndarray) -> np.ndarray:
    return -furthest(a, p, -n) - furthest(b, q, n)


def largest_separation(a: Shape, b: Shape, p: np.ndarray, q: np.ndarray) -> float:
    """The largest separation along any direction: ever smaller steps from the best of many directions."""
    rng = np.random.default_rng(1)
    n = rng.normal(size=(1500, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    n = n[np.argsort(-separation(a, b, p, q, n))[:48:6]]
    best, step = separation(a, b, p, q, n), np.full(8, 0.1)
    for _ in range(120):
        near = n[:, None] + step[:, None, None] * rng.normal(size=(8, 48, 3))
        near /= np.linalg.norm(near, axis=2)[..., None]
        found = separation(a, b, p, q, near)
        k, row = np.argmax(found, axis=1), np.arange(8)
        better = found[row, k] > best
        n = np.where(better[:, None], near[row, k], n)
        best = np.where(better, found[row, k], best)
        step *= np.where(better, 1.1, 0.7)
    return float(best.max())
