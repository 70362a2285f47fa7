"""Triangles and poses of glyphs: spheres, force arrows and parts between two bodies."""

from __future__ import annotations

import numpy as np

from carom.geometry.rotation import matrix_of
from carom.geometry.tessellation import Triangles, grid_triangles
from carom.scene.scene import GROUND, Scene, SphereGroup, TwoBodyPart

LONGEST_ARROW = 0.25
"""Length of the longest arrow relative to the diagonal of the scene [-]; lengths vary with the root of the force."""
SMALLEST_FORCE = 1e-4
"""Ratio to the largest force below which no arrow is drawn [-]."""


def unit_sphere(n_segments: int) -> Triangles:
    """Return a sphere of radius 1 with ``n_segments`` along the equator."""
    polar = np.linspace(0.0, np.pi, n_segments // 2 + 1)[:, None]
    azimuth = np.linspace(0.0, 2.0 * np.pi, n_segments, endpoint=False)[None, :]
    points = np.stack(
        [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar) + 0.0 * azimuth], axis=2
    )
    vertices, faces = grid_triangles(points, closed_v=True)
    return vertices.astype(np.float32), faces.astype(np.uint32)


def unit_arrow(n_segments: int = 12) -> Triangles:
    """Return an arrow of length 1 along x with a head of radius 1."""
    profile = np.array([(0.0, 0.0), (0.0, 0.25), (0.7, 0.25), (0.7, 1.0), (1.0, 0.0)])
    angle = np.linspace(0.0, 2.0 * np.pi, n_segments, endpoint=False)
    x, r = profile[:, :1], profile[:, 1:]
    points = np.stack([x + 0.0 * angle, r * np.cos(angle), r * np.sin(angle)], axis=2)
    vertices, faces = grid_triangles(points, closed_v=True)
    return vertices.astype(np.float32), faces.astype(np.uint32)


def end_points(part: TwoBodyPart, poses: np.ndarray) -> list[np.ndarray]:
    """Return both ends of a part in global axes [m] for the poses (b, 7) of a frame."""
    ends = ((part.a, part.at_a), (part.b, part.at_b))
    return [at if body == GROUND else poses[body, :3] + matrix_of(poses[body, 3:]) @ at for body, at in ends]


def sphere_centres(group: SphereGroup, poses: np.ndarray) -> np.ndarray:
    """Return the centres (n, 3) of spheres in global axes [m] for the poses (b, 7) of a frame."""
    bodies = np.vstack([poses, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)])[group.bodies]  # the ground is the last one
    return np.asarray(bodies[:, :3] + np.einsum("nij,nj->ni", matrix_of(bodies[:, 3:]), group.centres))


def quaternions_from_x(directions: np.ndarray) -> np.ndarray:
    """Return unit quaternions (n, 4) that rotate x into the directions (n, 3) by the smallest angle."""
    length = np.linalg.norm(directions, axis=1, keepdims=True)
    unit = np.where(length > 0.0, directions / np.where(length > 0.0, length, 1.0), [1.0, 0.0, 0.0])
    # (1 + x·d, x × d) is the quaternion of the rotation from x to d, up to its norm.
    quaternion = np.column_stack([1.0 + unit[:, 0], np.zeros(len(unit)), -unit[:, 2], unit[:, 1]])
    quaternion[1.0 + unit[:, 0] < 1e-12] = (0.0, 0.0, 0.0, 1.0)  # d = −x: half a revolution about z
    return quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)


def arrow_lengths(scene: Scene, frame: int) -> np.ndarray:
    """Return the lengths (c,) of the arrows of the contact forces in a frame [m]; 0 without a force."""
    contacts = scene.contacts
    if contacts is None:
        return np.zeros(0)
    return force_lengths(contacts.forces[frame], contacts.largest_force, scene.diagonal)


def force_lengths(forces: np.ndarray, largest: float, diagonal: float) -> np.ndarray:
    """Return the lengths (c,) of the arrows of forces (c, 3) in a scene with this diagonal [m]."""
    force = np.linalg.norm(forces.astype(float), axis=1)
    ratio = np.where(force > SMALLEST_FORCE * largest, force / largest, 0.0) if largest > 0.0 else np.zeros(len(force))
    return LONGEST_ARROW * diagonal * np.sqrt(ratio)
