"""Scenes and curves as JSON, with arrays as base64."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from carom.view.scene import Scene

MANY = 400
"""Bodies beyond which only positions are kept, in steps of 1/65535 of the box they move in."""
KINDS: dict[str, str] = {"f32": "<f4", "f64": "<f8", "u16": "<u2", "u32": "<u4", "i32": "<i4"}


def packed(values: Any, kind: str) -> dict[str, Any]:
    """An array of numbers in little-endian bytes; JSON would be four times as long."""
    array = np.ascontiguousarray(values, KINDS[kind])
    return {"kind": kind, "count": int(array.size), "data": base64.b64encode(array.tobytes()).decode("ascii")}


def scene_data(scene: Scene) -> dict[str, Any]:
    """What the animation needs."""
    data: dict[str, Any] = {
        "dim": scene.dim, "bodies": scene.bodies, "colours": scene.colours, "frames": len(scene.t),
        "low": rounded(scene.low), "high": rounded(scene.high), "up": rounded(scene.up), "size": float(scene.size),
        "parts": [
            {"body": part.body, "vertices": packed(part.vertices, "f32"), "faces": packed(part.faces, "u32"),
             "colour": part.colour, "opacity": part.opacity, "flat": part.flat, "layer": part.layer,
             "one_sided": part.one_sided}
            for part in scene.parts
        ],
        "balls": [
            {"bodies": packed(balls.bodies, "i32"), "at": packed(balls.at, "f32"),
             "radius": packed(balls.radius, "f32"), "colours": balls.colours}
            for balls in scene.balls
        ],
        "struts": [
            {"a": strut.a, "at_a": rounded(strut.at_a), "b": strut.b, "at_b": rounded(strut.at_b),
             "vertices": packed(strut.vertices, "f32"), "faces": packed(strut.faces, "u32"), "colour": strut.colour}
            for strut in scene.struts
        ],
        "traces": [{"body": one.body, "points": packed(one.points, "f32"), "colour": one.colour}
                   for one in scene.traces],
        "touches": None,
        "quantised": None,
    }  # fmt: skip
    touches = scene.touches
    if touches is not None:
        points, forces = packed(touches.points, "f32"), packed(touches.forces, "f32")
        data["touches"] = {"names": touches.names, "points": points, "forces": forces, "largest": touches.largest}
    if len(scene.bodies) > MANY:
        places = scene.poses[:, :, :3].astype(float)
        low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
        steps = np.round((places - low) / np.maximum(high - low, 1e-300) * 65535.0)
        data["poses"], data["quantised"] = packed(steps, "u16"), {"low": rounded(low), "high": rounded(high)}
    else:
        data["poses"] = packed(scene.poses, "f32")
    return data


def rounded(values: Any) -> list[float]:
    return [float(np.float32(value)) for value in values]


def json_in_page(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
