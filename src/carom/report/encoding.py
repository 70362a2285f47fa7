"""Encoding of scenes and curves as JSON, with arrays in base64."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from carom.scene.scene import GROUND, Scene

MAX_FULL_POSES = 400
"""Number of bodies beyond which poses are quantised, positions to 1/65535 of the box they move in.

Only those bodies then have orientations of which more than a sphere about their centre of mass is drawn."""
KINDS: dict[str, str] = {"f32": "<f4", "f64": "<f8", "u16": "<u2", "u32": "<u4", "i32": "<i4"}


def encode_array(values: Any, kind: str) -> dict[str, Any]:
    """Return an array as little-endian bytes in base64; numbers as JSON text would be four times as long."""
    array = np.ascontiguousarray(values, KINDS[kind])
    return {"kind": kind, "count": int(array.size), "data": base64.b64encode(array.tobytes()).decode("ascii")}


def scene_data(scene: Scene) -> dict[str, Any]:
    """Return the data of the animation."""
    data: dict[str, Any] = {
        "dim": scene.dim, "bodies": scene.bodies, "colours": scene.colours, "frames": len(scene.t),
        "low": single_precision(scene.low), "high": single_precision(scene.high), "up": single_precision(scene.up),
        "size": float(scene.size),
        "parts": [
            {"body": part.body, "vertices": encode_array(part.vertices, "f32"),
             "faces": encode_array(part.faces, "u32"), "colour": part.colour, "opacity": part.opacity,
             "flat": part.flat, "layer": part.layer, "one_sided": part.one_sided}
            for part in scene.parts
        ],
        "spheres": [
            {"bodies": encode_array(group.bodies, "i32"), "centres": encode_array(group.centres, "f32"),
             "radii": encode_array(group.radii, "f32"), "colours": group.colours}
            for group in scene.spheres
        ],
        "two_body_parts": [
            {"a": part.a, "at_a": single_precision(part.at_a), "b": part.b, "at_b": single_precision(part.at_b),
             "vertices": encode_array(part.vertices, "f32"), "faces": encode_array(part.faces, "u32"),
             "colour": part.colour}
            for part in scene.two_body_parts
        ],
        "traces": [{"body": trace.body, "points": encode_array(trace.points, "f32"), "colour": trace.colour}
                   for trace in scene.traces],
        "contacts": None,
        "quantised": None,
    }  # fmt: skip
    contacts = scene.contacts
    if contacts is not None:
        points, forces = encode_array(contacts.points, "f32"), encode_array(contacts.forces, "f32")
        data["contacts"] = {
            "names": contacts.names, "points": points, "forces": forces, "largest_force": contacts.largest_force
        }  # fmt: skip
    if len(scene.bodies) > MAX_FULL_POSES:
        data |= quantised_poses(scene)
    else:
        data["poses"] = encode_array(scene.poses, "f32")
    return data


def quantised_poses(scene: Scene) -> dict[str, Any]:
    """Return the positions of all bodies and the quaternions of those whose orientation is visible, as integers."""
    positions = scene.poses[:, :, :3].astype(float)
    low, high = positions.min(axis=(0, 1)), positions.max(axis=(0, 1))
    steps = np.round((positions - low) / np.maximum(high - low, 1e-300) * 65535.0)
    turning = turning_bodies(scene)
    quaternions = np.round((scene.poses[:, turning, 3:].astype(float) + 1.0) * 32767.0)
    quantised = {
        "low": single_precision(low), "high": single_precision(high), "turning": encode_array(turning, "i32"),
        "quaternions": encode_array(quaternions, "u16"),
    }  # fmt: skip
    return {"poses": encode_array(steps, "u16"), "quantised": quantised}


def turning_bodies(scene: Scene) -> np.ndarray:
    """Return the indices of the bodies with parts or with spheres beside their centre of mass."""
    bodies = {part.body for part in scene.parts}
    bodies |= {body for part in scene.two_body_parts for body in (part.a, part.b)}
    for group in scene.spheres:
        bodies |= set(group.bodies[group.centres.any(axis=1)].tolist())
    return np.array(sorted(bodies - {GROUND}), np.int32)


def single_precision(values: Any) -> list[float]:
    """Return values rounded to single precision."""
    return [float(np.float32(value)) for value in values]


def json_in_page(data: Any) -> str:
    """Return JSON text that cannot close the HTML element which contains it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
