"""From a result to the scene that renderers show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.geometry.marker import Marker
from carom.plot.plan import Plan
from carom.plot.style import COLOURS, line_look
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.result.sketch import Sketch
from carom.solve.sketch import sketch as sketch_of
from carom.view.frames import drawable, frame_times, poses_of, touches_of
from carom.view.planar import PlanarParts
from carom.view.scene import INK, Scene, Trace
from carom.view.spatial import SpatialParts

MANY = 40
"""Bodies beyond which they get colours by turns; of up to so many the path is shown where none is asked for."""
PATH = 800
"""Points of a path."""
BLACK = "#000000"


def describe(result: Result, system: Any = None, *, frames: int | None = None, trace: Sequence[Any] = ()) -> Scene:
    """What is seen of ``result``: bodies as their contacts and joints show them, contacts, and paths.

    ``system`` is needed only where the result has no sketch of its own (a run in generalised coordinates). ``frames``
    is how many there are at most (default: 600, fewer of very many bodies). ``trace`` lists bodies, their names, or
    markers whose paths are drawn.
    """
    sketch = sketch_of(system) if system is not None else result.sketch
    result = drawable(result)
    times = frame_times(result, frames)
    sampled = result.sample(times)
    names = tuple(body.name for body in result.bodies)
    colours = colours_of(names)
    drawn: Any
    if result.dim == 2:
        plan = Plan(names, sketch, result, [item for item in trace if isinstance(item, Marker)])
        drawn = PlanarParts(plan, colours)
        low, high = np.array([*plan.low, 0.0]), np.array([*plan.high, 0.0])
    else:
        drawn = SpatialParts(sketch or Sketch(3, (0.0, 0.0, 0.0)), result, colours)
        low, high = drawn.low, drawn.high
    return Scene(
        result.name, result.dim, names, tuple(colours.values()), times, poses_of(sampled), low, high,
        up_of(result.dim, sketch), drawn.size, drawn.parts, getattr(drawn, "balls", []), drawn.struts,
        traces_of(result, trace, colours), touches_of(result, times),
    )  # fmt: skip


def colours_of(names: Sequence[str]) -> dict[str, str]:
    """A colour for each body, the same as in figures; what is black there is ink, that can be seen at night."""
    from matplotlib.colors import to_hex

    if len(names) > MANY:
        shades = [colour for colour in COLOURS if colour != BLACK]
        return {name: shades[k % len(shades)] for k, name in enumerate(names)}
    hexes = [to_hex(line_look(k, len(names))["color"]) for k in range(len(names))]
    return {name: INK if colour == BLACK else colour for name, colour in zip(names, hexes, strict=True)}


def up_of(dim: int, sketch: Sketch | None) -> np.ndarray:
    """Against gravity, along the nearest axis; y in the plane, z in space where there is none."""
    up = np.array([0.0, 1.0, 0.0] if dim == 2 else [0.0, 0.0, 1.0])
    if dim == 3 and sketch is not None and any(sketch.gravity):
        k = int(np.argmax(np.abs(sketch.gravity)))
        up = np.zeros(3)
        up[k] = -np.sign(sketch.gravity[k])
    return up


def traces_of(result: Result, trace: Sequence[Any], colours: dict[str, str]) -> list[Trace]:
    """Paths of bodies' centres of mass, and of markers."""
    if not trace:
        return []
    t = np.linspace(result.t[0], result.t[-1], PATH)
    sampled = result.sample(t)
    numbers = {body.name: k for k, body in enumerate(result.bodies)}
    found = []
    for item in trace:
        body, at = (item.body, item.at) if isinstance(item, Marker) else (item, (0.0,) * result.dim)
        series = sampled[body]
        points = np.zeros((len(t), 3), np.float32)
        points[:, : result.dim] = series.point(*at[: result.dim])
        found.append(Trace(numbers[name_of(body)], points, colours[name_of(body)]))
    return found
