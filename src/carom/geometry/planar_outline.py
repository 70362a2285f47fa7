"""Outlines of planar solids as their pairs read them: cells of a path, corners between them, and a tree of both.

A cell is a part of the outline with little turning, a straight side, or a convex corner, at which the outward normal
turns on the spot. Nodes of the tree are discs around consecutive cells, with the range of their normals: two nodes can
contain a contact only if they are close to each other and have opposite normals.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from carom.geometry.planar_path import PATH, Path
from carom.kernels import FLOAT, record

OUTLINE = record(
    side=FLOAT,  # 1.0 if the solid is to the right of growing s, −1.0 if it is to the left
    is_convex=FLOAT,  # 1.0 if convex everywhere
    is_smooth=FLOAT,  # 1.0 without corners and straight sides
    size=FLOAT,  # longest side of its bounding box [m]; infinite for a plane
    radius=FLOAT,  # the surface is this far outside the path [m]
    first_leaf=FLOAT,  # index of the first leaf among the nodes; node k has the children 2 k + 1 and 2 k + 2
    nodes_offset=FLOAT,  # where the nodes begin, in numbers
    path=PATH,
)
"""Head of the parameters of an outline; then knots and coefficients of its path, and the nodes."""

OUTLINE_NODE = record(
    x=FLOAT,  # disc around the cells [m]; the radius is negative without cells
    y=FLOAT,
    radius=FLOAT,
    nx=FLOAT,  # normal in the middle of their range
    ny=FLOAT,
    half_range=FLOAT,  # half of the range [rad]
    cos_half_range=FLOAT,
    sin_half_range=FLOAT,
    kind=FLOAT,  # of a leaf: SMOOTH, STRAIGHT or CORNER
    low=FLOAT,  # range of the parameter of a leaf
    high=FLOAT,
    first_segment=FLOAT,  # segments of the path it lies on
    n_segments=FLOAT,
    thickness=FLOAT,  # of the solid behind it [m]
    least_curvature=FLOAT,  # of a smooth leaf [1/m], positive where convex; −NO_LIMIT at the end of an open path
    largest_curvature=FLOAT,
    joins_smoothly_before=FLOAT,  # 1.0 if a straight side has no corner at its ends
    joins_smoothly_behind=FLOAT,
)
"""Node of the tree of an outline."""

SMOOTH, STRAIGHT, CORNER = 0.0, 1.0, 2.0
"""Kinds of leaves."""
CELLS_PER_RADIAN = 10.0
"""Cells per radian of turning, so that a cell is nearly straight."""
CELLS_PER_LENGTH = 48
"""Cells of a whole smooth outline by its length."""
CURVATURE_MARGIN = 0.2
"""Margin of the range of curvatures of a cell, relative to their difference [-]."""
SAMPLES = 9
"""Points at which a cell is sampled."""
CORNER_ANGLE = 1e-6
"""Turning at a joint of two pieces above which it is a corner [rad]."""
STRAIGHT_ANGLE = 1e-9
"""Turning of a piece below which it is straight [rad]."""
FLUSH_ANGLE = 0.2
"""Angle up to which two straight sides may touch along their length [rad]."""
NORMAL_MARGIN = 1e-3
"""Margin of the ranges of normals [rad]."""
DISC_MARGIN = 1.03
"""Ratio of the discs to the samples of their cells."""
HALF_PLANE = 1e9
"""Half of the length of the side of a half plane [m]."""
NO_LIMIT = 1e30
"""Thickness of a solid without a far side [m]."""


@dataclass
class Leaf:
    """Cell of an outline; ``normals`` is the range of the angle of its outward normal [rad]."""

    kind: float
    low: float
    high: float
    first_segment: int
    n_segments: int
    points: np.ndarray
    normals: tuple[float, float]
    joins_smoothly: tuple[bool, bool] = (False, False)
    thickness: float = NO_LIMIT
    curvatures: tuple[float, float] = (-NO_LIMIT, NO_LIMIT)


def outline_parameters(
    path: Path, side: float, pieces: Sequence[tuple[int, int]], radius: float = 0.0, has_far_side: bool = True
) -> tuple[float, ...]:
    """Return the parameters (`OUTLINE`) of the solid beside ``path``.

    ``pieces`` are the ranges of segments between which the path may have corners, in its order. Without
    ``has_far_side`` the thickness of the solid does not limit the depth of a contact.
    """
    leaves = _leaves(path, side, pieces)
    convex = _is_convex(path, side, pieces)
    points = np.vstack([leaf.points for leaf in leaves])
    if has_far_side:
        _set_thickness(leaves)
    smooth = all(leaf.kind == SMOOTH for leaf in leaves)
    return _pack(path, side, convex, smooth, float(np.ptp(points, axis=0).max()), radius, leaves)


def disc_parameters(x: float, y: float, radius: float) -> tuple[float, ...]:
    """Return the parameters of a disc: its centre as a corner with normals of all directions."""
    leaf = Leaf(CORNER, 0.0, 0.0, 0, 1, np.array([[x, y]]), (-math.pi, math.pi))
    return _pack(_line((x, y), (1.0, 0.0)), 1.0, True, False, 2.0 * radius, radius, [leaf])


def half_plane_parameters(at: Sequence[float], normal: Sequence[float]) -> tuple[float, ...]:
    """Return the parameters of a half plane: one straight side without ends."""
    tangent = np.array([normal[1], -normal[0]])
    ends = np.array(at) + np.outer([-HALF_PLANE, HALF_PLANE], tangent)
    angle = math.atan2(normal[1], normal[0])
    leaf = Leaf(STRAIGHT, -HALF_PLANE, HALF_PLANE, 0, 1, ends, (angle, angle))
    return _pack(_line(at, tangent), 1.0, True, False, NO_LIMIT, 0.0, [leaf])


def _line(at: Sequence[float], tangent: Sequence[float] | np.ndarray) -> Path:
    from scipy.interpolate import PPoly

    return Path(PPoly(np.array([tangent, at], float)[:, None], [0.0, 1.0]))


# ---- cells


def end_tangents(path: Path, segment: int) -> tuple[float, float]:
    """Return the angles of the tangents at the start and the end of a segment [rad]."""
    coefficients = path.spline.c[:, segment]
    degree = len(coefficients) - 1
    h = path.knots[segment + 1] - path.knots[segment]
    powers = np.arange(degree, 0, -1)
    end = (powers * h ** (powers - 1.0)) @ coefficients[:-1]
    start = coefficients[-2]
    return math.atan2(start[1], start[0]), math.atan2(end[1], end[0])


def joint_turnings(path: Path, side: float, pieces: Sequence[tuple[int, int]]) -> list[float]:
    """Return the turning at the start of each piece [rad], positive to the left; at a fold the solid is convex."""
    turnings = []
    for k, (first, _) in enumerate(pieces):
        before, behind = end_tangents(path, pieces[k - 1][1] - 1)[1], end_tangents(path, first)[0]
        turning = (behind - before + math.pi) % (2.0 * math.pi) - math.pi
        turnings.append(-side * math.pi if abs(turning) > math.pi - 1e-9 else turning)
    if not path.closed:
        turnings[0] = 0.0
    return turnings


def _leaves(path: Path, side: float, pieces: Sequence[tuple[int, int]]) -> list[Leaf]:
    """Return cells and corners in the order of the path; angles are continuous along it."""
    turnings = joint_turnings(path, side, pieces)
    length = sum(_length(path, first, last) for first, last in pieces)
    leaves: list[Leaf] = []
    angle = end_tangents(path, pieces[0][0])[0] - turnings[0]
    for k, (first, last) in enumerate(pieces):
        if -side * turnings[k] > CORNER_ANGLE:
            low, high = sorted((angle + 0.5 * side * math.pi, angle + turnings[k] + 0.5 * side * math.pi))
            start = float(path.knots[first])
            leaves.append(Leaf(CORNER, start, start, first, 1, path.spline.c[-1, first][None], (low, high)))
        angle += turnings[k]
        joins = (
            abs(turnings[k]) <= CORNER_ANGLE and (k > 0 or path.closed),
            abs(turnings[(k + 1) % len(pieces)]) <= CORNER_ANGLE and (k + 1 < len(pieces) or path.closed),
        )
        cells, angle = _cells(path, side, first, last, angle, length, joins)
        leaves += cells
    return leaves


def _length(path: Path, first: int, last: int) -> float:
    s = np.linspace(path.knots[first], path.knots[last], 8 * (last - first) + 1)
    return float(np.hypot(*np.diff(_on_segments(path, first, last, s), axis=0).T).sum())


def _on_segments(path: Path, first: int, last: int, s: np.ndarray, derivative: int = 0) -> np.ndarray:
    """Return points or derivatives of some segments only, also at their ends."""
    segment = np.clip(np.searchsorted(path.knots[first:last], s, side="right") - 1, 0, last - first - 1) + first
    h = s - path.knots[segment]
    values = np.zeros((*s.shape, 2))
    terms = len(path.spline.c)
    for power in range(terms - 1, derivative - 1, -1):
        factor = math.perm(power, derivative)
        values = values * h[..., None] + factor * path.spline.c[terms - 1 - power][segment]
    return values


def _angles(path: Path, first: int, last: int, s: np.ndarray) -> np.ndarray:
    """Return the angles of the tangents, continuous along the path [rad]."""
    velocity = _on_segments(path, first, last, s, 1)
    return np.asarray(np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0])))


def _cells(
    path: Path, side: float, first: int, last: int, angle: float, length: float, joins: tuple[bool, bool]
) -> tuple[list[Leaf], float]:
    """Return the cells of a piece with an equal share of length and turning, and the angle of the tangent at its end.

    ``angle`` is that at its start [rad].
    """
    low, high = path.knots[first], path.knots[last]
    s = np.unique(np.concatenate([
        np.linspace(path.knots[k], path.knots[k + 1], SAMPLES) for k in range(first, last)
    ]))  # fmt: skip
    if len(s) < 256:
        s = np.unique(np.concatenate([s, np.linspace(low, high, 257)]))
    angles = _angles(path, first, last, s)
    angles += angle - angles[0]
    turning, steps = np.abs(np.diff(angles)), np.hypot(*np.diff(_on_segments(path, first, last, s), axis=0).T)
    half = 0.5 * side * math.pi
    if np.ptp(angles) <= STRAIGHT_ANGLE:
        ends = _on_segments(path, first, last, np.array([low, high]))
        middle = angle + half
        return [Leaf(STRAIGHT, low, high, first, last - first, ends, (middle, middle), joins)], angle
    count = math.ceil(CELLS_PER_RADIAN * turning.sum() + CELLS_PER_LENGTH * steps.sum() / length)
    share = np.concatenate([[0.0], np.cumsum(steps / steps.sum() + turning / turning.sum())])
    borders = np.interp(np.linspace(0.0, share[-1], count + 1), share, s)
    borders[0], borders[-1] = low, high
    cells = []
    for start, end in itertools.pairwise(borders):
        within = np.concatenate([[start, end], s[(s > start) & (s < end)], np.linspace(start, end, SAMPLES)])
        tangents = np.interp(within, s, angles)
        begin = int(np.searchsorted(path.knots[first : last + 1], start, side="right")) - 1 + first
        stop = int(np.searchsorted(path.knots[first : last + 1], end, side="left")) + first
        points = _on_segments(path, first, last, np.sort(within))
        normals = float(tangents.min()) + half - NORMAL_MARGIN, float(tangents.max()) + half + NORMAL_MARGIN
        cells.append(Leaf(SMOOTH, start, end, begin, max(stop - begin, 1), points, normals))
        if path.closed or (start > path.knots[0] and end < path.knots[-1]):
            cells[-1].curvatures = _curvature_range(path, side, first, last, np.sort(within))
    return cells, float(angles[-1])


def _curvatures(path: Path, side: float, first: int, last: int, s: np.ndarray) -> np.ndarray:
    """Return the curvatures at points of some segments [1/m], positive where the solid is convex."""
    x1, y1 = _on_segments(path, first, last, s, 1).T
    x2, y2 = _on_segments(path, first, last, s, 2).T
    return np.asarray(-side * (x1 * y2 - y1 * x2) / np.hypot(x1, y1) ** 3)


def _curvature_range(path: Path, side: float, first: int, last: int, s: np.ndarray) -> tuple[float, float]:
    """Return bounds of the curvatures at and between points of some segments [1/m]."""
    curvatures = _curvatures(path, side, first, last, s)
    margin = CURVATURE_MARGIN * float(np.ptp(curvatures))
    return float(curvatures.min()) - margin, float(curvatures.max()) + margin


def _is_convex(path: Path, side: float, pieces: Sequence[tuple[int, int]]) -> bool:
    """Return True if no piece and no joint of pieces is concave."""
    if any(side * turning > 1e-9 for turning in joint_turnings(path, side, pieces)):
        return False
    size = float(np.ptp(path.spline(path.knots), axis=0).max())
    for first, last in pieces:
        s = np.linspace(path.knots[first], path.knots[last], 8 * (last - first) + 65)
        if np.any(_curvatures(path, side, first, last, s) * size < -1e-9):
            return False
    return True


def _set_thickness(leaves: list[Leaf]) -> None:
    """Set the thickness of the solid behind each leaf: the length of a ray along its inward normal."""
    chain = np.vstack([leaf.points[[0, -1]] if leaf.kind != CORNER else leaf.points[:1] for leaf in leaves])
    chain = np.vstack([chain, chain[:1]])
    starts, along = chain[:-1], np.diff(chain, axis=0)
    size = float(np.ptp(chain, axis=0).max())
    for leaf in leaves:
        middle = 0.5 * sum(leaf.normals)
        d = -np.array([math.cos(middle), math.sin(middle)])
        origin = leaf.points[len(leaf.points) // 2] if leaf.kind == SMOOTH else leaf.points.mean(axis=0)
        cross = d[0] * along[:, 1] - d[1] * along[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            w = starts - origin
            distance = (w[:, 0] * along[:, 1] - w[:, 1] * along[:, 0]) / cross
            fraction = (w[:, 0] * d[1] - w[:, 1] * d[0]) / cross
        hits = distance[(fraction >= 0.0) & (fraction <= 1.0) & (distance > 1e-3 * size)]
        leaf.thickness = float(hits.min()) if len(hits) else NO_LIMIT


# ---- tree


def _pack(
    path: Path, side: float, convex: bool, smooth: bool, size: float, radius: float, leaves: list[Leaf]
) -> tuple[float, ...]:
    values = path.parameters()
    first_leaf = (1 << max(len(leaves) - 1, 0).bit_length()) - 1
    head = [side, convex, smooth, size, radius, first_leaf, len(OUTLINE) - 1 + len(values)]
    return (*(float(value) for value in head), *values, *_tree(leaves, first_leaf).ravel().tolist())


def _tree(leaves: list[Leaf], first_leaf: int) -> np.ndarray:
    """Return the nodes of the tree, one row each."""
    nodes = OUTLINE_NODE.zeros(2 * first_leaf + 1)
    nodes["radius"] = -1.0
    normals = np.full((len(nodes), 2), np.nan)
    clouds: list[np.ndarray | None] = [None] * len(nodes)
    for k, leaf in enumerate(leaves, start=first_leaf):
        margin = 0.5 * FLUSH_ANGLE if leaf.kind == STRAIGHT else 0.0
        normals[k] = leaf.normals[0] - margin, leaf.normals[1] + margin
        clouds[k] = leaf.points
        node = nodes[k]
        node["kind"], node["low"], node["high"], node["thickness"] = leaf.kind, leaf.low, leaf.high, leaf.thickness
        node["least_curvature"], node["largest_curvature"] = leaf.curvatures
        node["first_segment"], node["n_segments"] = leaf.first_segment, leaf.n_segments
        node["joins_smoothly_before"], node["joins_smoothly_behind"] = leaf.joins_smoothly
    for k in range(len(nodes) - 1, -1, -1):
        if k < first_leaf:
            children = [points for points in clouds[2 * k + 1 : 2 * k + 3] if points is not None]
            if not children:
                continue
            clouds[k] = _extremes(np.vstack(children))
            pair = normals[2 * k + 1 : 2 * k + 3]
            normals[k] = np.nanmin(pair[:, 0]), np.nanmax(pair[:, 1])
        cloud = clouds[k]
        if cloud is None:
            continue
        centre = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
        nodes["x"][k], nodes["y"][k] = centre
        nodes["radius"][k] = DISC_MARGIN * float(np.hypot(*(cloud - centre).T).max())
        middle = 0.5 * normals[k].sum()
        nodes["nx"][k], nodes["ny"][k] = math.cos(middle), math.sin(middle)
        half = min(0.5 * float(normals[k, 1] - normals[k, 0]), math.pi)
        nodes["half_range"][k], nodes["cos_half_range"][k], nodes["sin_half_range"][k] = (
            half, math.cos(half), math.sin(half),
        )  # fmt: skip
    return np.asarray(nodes.view(float).reshape(len(nodes), -1))


def _extremes(points: np.ndarray) -> np.ndarray:
    """Return the points of a cloud that are farthest out in sixteen directions."""
    angles = np.arange(16) * (math.pi / 8.0)
    return points[np.unique(np.argmax(points @ np.array([np.cos(angles), np.sin(angles)]), axis=0))]
