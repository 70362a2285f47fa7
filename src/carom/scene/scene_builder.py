"""Builder of the scene of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.geometry.marker import Marker
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.drawing_data import DrawingData
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.scene.colours import BLACK, INK, body_colours
from carom.scene.frames import body_poses, contact_frames, finite_result, frame_times
from carom.scene.mechanism_layout import DrawingLayout
from carom.scene.planar_discs import MANY_DISCS, disc_group, extent_of, separate_discs
from carom.scene.planar_parts import PlanarParts
from carom.scene.scene import GROUND, Scene, SphereGroup, Trace
from carom.scene.spatial_layout import SpatialLayout, up_direction
from carom.scene.spatial_parts import SpatialParts
from carom.solve.drawing_builder import drawing_data

PATH_POINTS = 800
"""Number of points of a path."""


def describe(
    result: Result,
    system: System | GeneralizedSystem | None = None,
    *,
    frames: int | None = None,
    trace: Sequence[Any] = (),
) -> Scene:
    """Return the scene of ``result``: bodies with the shapes of their contacts and joints, contacts, and paths.

    ``system`` is needed only if the result has no drawing data (a run in generalised coordinates). ``frames`` is the
    largest number of frames (default: 600, fewer for very many bodies). ``trace`` lists bodies, their names, or markers
    whose paths are drawn.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.falling_ball()
    >>> cm.view.describe(case.run(), case.system, frames=10).bodies
    ('ball',)
    """
    data = drawing_data(system) if system is not None else result.sketch
    return build_scene(result, data, frames, trace)


def build_scene(
    result: Result,
    data: DrawingData | None,
    frames: int | None = None,
    trace: Sequence[Any] = (),
    most_discs: int = MANY_DISCS,
    times: Sequence[float] = (),
) -> Scene:
    """Return the scene of ``result``; more than ``most_discs`` discs of a planar system are spheres of the scene.

    The scene has frames at ``times`` [s] beside its regular ones.
    """
    result = finite_result(result)
    t = np.union1d(frame_times(result, frames), np.asarray(times, float))
    names = tuple(body.name for body in result.bodies)
    colours = scene_colours(names)
    spheres: list[SphereGroup] = []
    parts: PlanarParts | SpatialParts
    if result.dim == 2:
        others, discs = separate_discs(data, most_discs)
        layout = DrawingLayout(names, others, result, [item for item in trace if isinstance(item, Marker)])
        if discs:
            spheres = [disc_group(discs, names, colours, GROUND)]
            layout.include(*extent_of(result, spheres[0]))
        parts = PlanarParts(layout, colours, {disc.body for disc in discs})
        low, high = np.array([*layout.low, 0.0]), np.array([*layout.high, 0.0])
    else:
        spatial_layout = SpatialLayout(data, result)
        parts = SpatialParts(spatial_layout, colours)
        low, high, spheres = spatial_layout.low, spatial_layout.high, parts.spheres
    return Scene(
        result.name, result.dim, names, tuple(colours.values()), t, body_poses(result.sample(t)), low, high,
        up_direction(result.dim, (data or DrawingData(result.dim, ())).gravity), parts.size, parts.parts, spheres,
        parts.two_body_parts, paths(result, trace, colours), contact_frames(result, t),
    )  # fmt: skip


def scene_colours(names: Sequence[str]) -> dict[str, str]:
    """Return the colours of the bodies; black becomes `INK`, which is visible in the dark theme, too."""
    return {name: INK if colour == BLACK else colour for name, colour in body_colours(names).items()}


def paths(result: Result, trace: Sequence[Any], colours: dict[str, str]) -> list[Trace]:
    """Return the paths of markers and of the centres of mass of bodies."""
    if not trace:
        return []
    t = np.linspace(result.t[0], result.t[-1], PATH_POINTS)
    sampled = result.sample(t)
    indices = {body.name: k for k, body in enumerate(result.bodies)}
    traces = []
    for item in trace:
        body, at = (item.body, item.at) if isinstance(item, Marker) else (item, (0.0,) * result.dim)
        points = np.zeros((len(t), 3), np.float32)
        points[:, : result.dim] = sampled[body].point(*at[: result.dim])
        traces.append(Trace(indices[name_of(body)], points, colours[name_of(body)]))
    return traces
