"""The frames of an animation: evenly spaced in time, with the contacts that were felt between them."""

from __future__ import annotations

from copy import copy

import numpy as np

from carom.result.plain_data import read_only
from carom.result.result import Result
from carom.view.scene import Touches

MOST, FEWEST = 600, 60
"""Frames of a run with few bodies, and of one with very many."""
BUDGET = 5_000_000
"""Bytes that the positions of all frames may take, two for a coordinate, before there are fewer of them."""
MOST_CONTACTS = 64
"""Contacts shown: those with the largest forces."""
LARGEST = 1e30
"""Of a coordinate, velocity or force in a picture, which has single precision."""
AFTERGLOW = 0.75
"""Of a force that is left in the next frame."""
FAINTEST = 0.02
"""Of the largest force of a contact: less than that is not left."""


def frame_times(result: Result, frames: int | None = None) -> np.ndarray:
    """Times of the frames [s]; ``frames`` is how many at most."""
    first, last = float(result.t[0]), float(result.t[-1])
    if last <= first:
        return np.array([first])
    if frames is None:
        frames = min(MOST, max(FEWEST, BUDGET // (6 * max(len(result.bodies), 1))))
    return np.linspace(first, last, max(frames, 2))


def drawable(result: Result) -> Result:
    """Return ``result`` with the numbers that no picture can show replaced by the last ones before them."""
    other = copy(result)
    for name in ("q", "v", "a", "signals"):
        values = getattr(result, name)
        if values.size and not max(-values.min(), values.max()) < LARGEST:  # not a number is not less, either
            shown = np.abs(values) < LARGEST
            rows = np.maximum.accumulate(np.where(shown, np.arange(len(values))[:, None], 0), axis=0)
            setattr(other, name, read_only(np.nan_to_num(np.take_along_axis(np.where(shown, values, 0.0), rows, 0))))
    return other


def poses_of(sampled: Result) -> np.ndarray:
    """(f, b, 7) positions and quaternions at the nodes of a run."""
    count = len(sampled.bodies)
    if sampled.dim == 3:
        return sampled.q.reshape(len(sampled.t), count, 7).astype(np.float32)
    q = sampled.q.reshape(len(sampled.t), count, 3)
    poses = np.zeros((len(sampled.t), count, 7), np.float32)
    poses[:, :, :2] = q[:, :, :2]
    poses[:, :, 3], poses[:, :, 6] = np.cos(0.5 * q[:, :, 2]), np.sin(0.5 * q[:, :, 2])
    return poses


def touches_of(result: Result, times: np.ndarray) -> Touches | None:
    """What the contacts did between the frames; None where no contact says where it is."""
    axes = "xyz"[: result.dim]
    wanted = {*axes, *(f"f{axis}" for axis in axes)}
    found = [result[info.name] for info in result.elements if wanted <= set(info.signals)]
    peaks = np.array([np.nanmax(np.abs(series.force), initial=0.0) for series in found])
    order = [k for k in np.argsort(-peaks, kind="stable")[:MOST_CONTACTS] if peaks[k] > 0.0]
    if not order:
        return None
    points = np.zeros((len(times), len(order), 3))
    forces = np.zeros((len(times), len(order), 3))
    bins = np.searchsorted(times, result.t, side="left")  # a node belongs to the first frame not before it
    sampled = result.sample(times)
    for column, k in enumerate(sorted(order)):
        series, held = found[k], sampled[found[k].name]
        for values, mark in ((points, ""), (forces, "f")):
            values[:, column, : result.dim] = np.stack([getattr(held, mark + axis) for axis in axes], axis=1)
        where = np.stack([getattr(series, axis) for axis in axes], axis=1)
        force = np.stack([getattr(series, f"f{axis}") for axis in axes], axis=1)
        _keep_peaks(points[:, column], forces[:, column], bins, where, np.nan_to_num(force))
    names = tuple(found[k].name for k in sorted(order))
    largest = float(np.linalg.norm(forces, axis=2).max())
    return Touches(names, points.astype(np.float32), forces.astype(np.float32), largest)


def _keep_peaks(points: np.ndarray, forces: np.ndarray, bins: np.ndarray, where: np.ndarray, force: np.ndarray) -> None:
    """Put the largest force of the nodes before each frame into it, then let it fade."""
    size = np.linalg.norm(force, axis=1)
    order = np.lexsort((size, bins))
    last = order[np.append(np.diff(bins[order]) > 0, True)]  # the largest of each frame
    frames = np.minimum(bins[last], len(points) - 1)
    more = size[last] > np.linalg.norm(forces[frames], axis=1)
    points[frames[more], : force.shape[1]] = where[last[more]]
    forces[frames[more], : force.shape[1]] = force[last[more]]
    now = np.linalg.norm(forces, axis=1)
    least = FAINTEST * float(now.max())
    for frame in range(1, len(points)):
        left = AFTERGLOW * now[frame - 1]
        if left > max(now[frame], least):
            points[frame], forces[frame], now[frame] = points[frame - 1], AFTERGLOW * forces[frame - 1], left
