"""Frames of an animation: times, poses and contact forces."""

from __future__ import annotations

from copy import copy

import numpy as np

from carom.result.plain_data import read_only
from carom.result.result import Result
from carom.scene.scene import ContactFrames

MAX_FRAMES, MIN_FRAMES = 600, 60
"""Default number of frames of a run with few bodies, and of one with very many."""
POSE_BYTES = 5_000_000
"""Size of the positions of all frames, two bytes per coordinate, beyond which the number of frames is reduced."""
MAX_CONTACTS = 64
"""Number of contacts shown: those with the largest forces."""
MAX_VALUE = 1e30
"""Limit of coordinates, velocities and forces; pictures use single precision."""
FORCE_DECAY = 0.75
"""Ratio of the shown force to that of the previous frame after an impact [-]."""
DECAY_LIMIT = 0.02
"""Ratio to the largest force of a contact below which a decayed force is not shown [-]."""


def frame_times(result: Result, frames: int | None = None) -> np.ndarray:
    """Return the times of at most ``frames`` frames [s]."""
    first, last = float(result.t[0]), float(result.t[-1])
    if last <= first:
        return np.array([first])
    if frames is None:
        frames = min(MAX_FRAMES, max(MIN_FRAMES, POSE_BYTES // (6 * max(len(result.bodies), 1))))
    return np.linspace(first, last, max(frames, 2))


def finite_result(result: Result) -> Result:
    """Return ``result`` with NaN and too large values replaced by the last valid values before them."""
    other = copy(result)
    for name in ("q", "v", "a", "signals"):
        values = getattr(result, name)
        # The negated comparison is also true for NaN.
        if values.size and not max(-values.min(), values.max()) < MAX_VALUE:
            valid = np.abs(values) < MAX_VALUE
            rows = np.maximum.accumulate(np.where(valid, np.arange(len(values))[:, None], 0), axis=0)
            setattr(other, name, read_only(np.nan_to_num(np.take_along_axis(np.where(valid, values, 0.0), rows, 0))))
    return other


def body_poses(sampled: Result) -> np.ndarray:
    """Return positions [m] and quaternions (f, b, 7) of the bodies at the nodes of ``sampled``."""
    n_bodies = len(sampled.bodies)
    if sampled.dim == 3:
        return sampled.q.reshape(len(sampled.t), n_bodies, 7).astype(np.float32)
    q = sampled.q.reshape(len(sampled.t), n_bodies, 3)
    poses = np.zeros((len(sampled.t), n_bodies, 7), np.float32)
    poses[:, :, :2] = q[:, :, :2]
    poses[:, :, 3], poses[:, :, 6] = np.cos(0.5 * q[:, :, 2]), np.sin(0.5 * q[:, :, 2])
    return poses


def contact_frames(result: Result, times: np.ndarray) -> ContactFrames | None:
    """Return the contact points and forces in each frame; None without a contact that has a point and a force."""
    axes = "xyz"[: result.dim]
    required = {*axes, *(f"f{axis}" for axis in axes)}
    contacts = [result[info.name] for info in result.elements if required <= set(info.signals)]
    peaks = np.array([np.nanmax(np.abs(series.force), initial=0.0) for series in contacts])
    strongest = [k for k in np.argsort(-peaks, kind="stable")[:MAX_CONTACTS] if peaks[k] > 0.0]
    if not strongest:
        return None
    points = np.zeros((len(times), len(strongest), 3))
    forces = np.zeros((len(times), len(strongest), 3))
    frame_of_node = np.searchsorted(times, result.t, side="left")  # the first frame not before the node
    sampled = result.sample(times)
    for column, k in enumerate(sorted(strongest)):
        series, at_frames = contacts[k], sampled[contacts[k].name]
        for values, prefix in ((points, ""), (forces, "f")):
            values[:, column, : result.dim] = np.stack([getattr(at_frames, prefix + axis) for axis in axes], axis=1)
        node_points = np.stack([getattr(series, axis) for axis in axes], axis=1)
        node_forces = np.nan_to_num(np.stack([getattr(series, f"f{axis}") for axis in axes], axis=1))
        _store_peaks(points[:, column], forces[:, column], frame_of_node, node_points, node_forces)
    names = tuple(contacts[k].name for k in sorted(strongest))
    largest = float(np.linalg.norm(forces, axis=2).max())
    return ContactFrames(names, points.astype(np.float32), forces.astype(np.float32), largest)


def _store_peaks(
    points: np.ndarray, forces: np.ndarray, frame_of_node: np.ndarray, node_points: np.ndarray, node_forces: np.ndarray
) -> None:
    """Store the largest force of the nodes before each frame in that frame, and let it decay in later frames."""
    size = np.linalg.norm(node_forces, axis=1)
    order = np.lexsort((size, frame_of_node))
    peaks = order[np.append(np.diff(frame_of_node[order]) > 0, True)]  # the node with the largest force of each frame
    frames = np.minimum(frame_of_node[peaks], len(points) - 1)
    larger = size[peaks] > np.linalg.norm(forces[frames], axis=1)
    points[frames[larger], : node_forces.shape[1]] = node_points[peaks[larger]]
    forces[frames[larger], : node_forces.shape[1]] = node_forces[peaks[larger]]
    magnitude = np.linalg.norm(forces, axis=1)
    limit = DECAY_LIMIT * float(magnitude.max())
    for frame in range(1, len(points)):
        decayed = FORCE_DECAY * magnitude[frame - 1]
        if decayed > max(magnitude[frame], limit):
            points[frame], forces[frame], magnitude[frame] = points[frame - 1], FORCE_DECAY * forces[frame - 1], decayed
