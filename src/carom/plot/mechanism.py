"""A planar mechanism as a drawing: its bodies in several poses of a run, its bearings, and paths of points."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.forces.registry import Ligament, SpringDamper
from carom.geometry.marker import place
from carom.joints.registry import Distance, PointOnCurve, PointOnLine, Prismatic, RackPinion, Revolute
from carom.model.system import System
from carom.plot import symbols
from carom.plot.outline import outline
from carom.plot.skeleton import Link, Poses, Skeleton, skeleton
from carom.plot.style import FAINT, INK, line_look, new_figure, save_figure, style
from carom.result.result import Result

GHOSTS = 6
SYMBOL = 0.028
"""Size of pins and bearings, relative to the diagonal of the drawing."""
_SMOOTH, _WIDTH = 1500, 7.0
"""Points of a path; width of a figure [inches]."""


def plot_mechanism(
    system: System,
    result: Result,
    *,
    pose: float = 0.0,
    ghosts: Sequence[float] | None = None,
    trace: Sequence[Any] = (),
    title: str | None = None,
    size: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """A drawing of ``system`` as it moved in ``result``.

    Bodies are lines (or plates) through the points where joints hold them, in full at the time ``pose`` [s], faint at
    the times ``ghosts`` (default: six along the run). ``trace`` lists markers (``rod.point(x, y)``) or bodies whose
    path is drawn. ``title``, ``size`` and ``path`` are those of `plot_result`.
    """
    with style():
        drawing = Drawing(system, result, trace)
        size = size or (_WIDTH, min(max(_WIDTH / drawing.aspect + 0.8, 3.0), 8.0))
        figure = new_figure(*size, system.name if title is None else title)
        drawing.draw(figure.subplots(), pose, ghosts)
    if path is not None:
        save_figure(figure, path)
    return figure


class Drawing:
    """A mechanism with its run, ready to be drawn."""

    def __init__(self, system: System, result: Result, trace: Sequence[Any] = ()):
        missing = [body.name for body in system.bodies if body not in result]
        if missing:
            raise ModelError(f"plot: the result {result.name!r} is not of this system: it has no body {missing[0]!r}")
        self.result = result
        self.ground = system.ground
        self.trace = [place("plot", item) for item in trace]
        self.smooth = Poses(result.sample(np.linspace(result.t[0], result.t[-1], _SMOOTH)))
        self.bones = skeleton(system, self.smooth, trace)
        low, high = self.bones.extent(self.smooth)
        self.size = SYMBOL * max(float(np.hypot(*(high - low))), 1e-9)
        """Of pins and bearings [m]."""
        self.low, self.high = low - 2.2 * self.size, high + 2.2 * self.size

    @property
    def aspect(self) -> float:
        """Width over height."""
        width, height = self.high - self.low
        return float(width / height)

    def draw(self, axes: Axes, pose: float = 0.0, ghosts: Sequence[float] | None = None) -> None:
        """Into ``axes``: in full at the time ``pose`` [s], faint at ``ghosts``."""
        t = self.result.t
        times = np.linspace(t[0], t[-1], GHOSTS + 1)[1:] if ghosts is None else np.sort(np.asarray(ghosts, float))
        self._draw_ground(axes)
        for marker in self.trace:
            path = self.smooth.point(marker.body, (marker.at[0], marker.at[1]))
            axes.plot(*path.T, color=FAINT, linewidth=0.7, zorder=2.5)
        if len(times):
            poses = Poses(self.result.sample(times))
            for k in range(len(times)):
                alpha = 0.2 + 0.25 * (k + 1) / len(times)
                _draw_pose(axes, self.bones, poses, k, self.size, alpha=alpha, ghost=True)
        now = Poses(self.result.sample(pose))
        _draw_pose(axes, self.bones, now, 0, self.size, alpha=1.0, ghost=False)
        for marker in self.trace:
            symbols.dot(axes, now.point(marker.body, (marker.at[0], marker.at[1]))[0], self.size)
        axes.set_aspect("equal")
        axes.set_xlim(self.low[0], self.high[0])
        axes.set_ylim(self.low[1], self.high[1])
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")

    def _draw_ground(self, axes: Axes) -> None:
        for link in self.bones.links:
            if self.ground not in (link.a, link.b):
                continue
            if link.kind in (Prismatic, PointOnLine, RackPinion) and link.a is self.ground:
                ways = self.smooth.seen_from(link)
                below = link.element.radius if link.kind is RackPinion else 0.6 * self.size
                symbols.rail(axes, link.at_a, link.axis, float(ways.min()), float(ways.max()), below, self.size)
            elif link.kind is PointOnCurve and link.a is self.ground:
                axes.plot(*_slot(link).T, color=FAINT, linewidth=1.2, zorder=2)
            else:
                symbols.bearing(axes, link.at_a if link.a is self.ground else link.at_b, self.size)


def _slot(link: Link) -> np.ndarray:
    """Points of a curved slot in the axes of its body."""
    curve = link.element.curve
    c, s = link.element.parameters[2:4]
    points = curve.spline(np.linspace(0.0, curve.length, 300))
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + np.array(link.at_a))


def _draw_pose(axes: Axes, bones: Skeleton, poses: Poses, k: int, size: float, alpha: float, ghost: bool) -> None:
    """Everything that moves, at the ``k``-th of ``poses``."""
    order = 3.0 if ghost else 5.0
    width = 1.4 if ghost else 2.6
    colours = {body.name: line_look(i, len(bones.bodies))["color"] for i, body in enumerate(bones.bodies)}
    for link in bones.links:
        ends = [poses.point(link.a, link.at_a)[k], poses.point(link.b, link.at_b)[k]]
        thin: dict[str, Any] = {"color": INK, "alpha": alpha, "linewidth": 0.7 if ghost else 1.1, "zorder": order - 0.2}
        if link.kind is SpringDamper:
            symbols.spring(axes, ends[0], ends[1], size, **thin)
        elif link.kind in (Distance, Ligament):
            axes.plot(*np.array(ends).T, linestyle="-" if link.kind is Distance else "--", **thin)
    boxed = {link.b.name: link for link in bones.links if link.kind is Prismatic}
    for body in bones.bodies:
        colour = colours[body.name]
        local = outline(bones.outlines[body.name])
        drawn = np.array([poses.point(body, (x, y))[k] for x, y in local])
        face = {"facecolor": colour, "edgecolor": colour, "alpha": alpha, "zorder": order + 0.1}
        if body.name in boxed:
            link = boxed[body.name]
            angle = float(poses.angle(link.a)[k]) + link.axis
            symbols.box(axes, poses.point(body, link.at_b)[k], angle, size, linewidth=0.8, **face)
        if len(drawn) > 1:
            axes.plot(*drawn.T, color=colour, alpha=alpha, linewidth=width, solid_capstyle="round", zorder=order)
        if len(drawn) > 3 and np.array_equal(drawn[0], drawn[-1]):
            axes.fill(*drawn.T, color=colour, alpha=0.25 * alpha, linewidth=0.0, zorder=order - 0.1)
        if _is_bob(bones, body.name) and body.name not in boxed:
            symbols.bob(axes, poses.point(body, (0.0, 0.0))[k], size, linewidth=0.0, **face)
    for link in bones.links:
        at = poses.point(link.b, link.at_b)[k]
        if link.kind is RackPinion:
            rim = np.linspace(0.0, 2.0 * np.pi, 100)
            wheel = at + abs(link.element.radius) * np.column_stack([np.cos(rim), np.sin(rim)])
            axes.plot(*wheel.T, color=colours.get(link.b.name, INK), alpha=alpha, linewidth=0.6 * width, zorder=order)
        elif not ghost and link.kind in (Revolute, PointOnLine, PointOnCurve):
            symbols.pin(axes, at, size)


def _is_bob(bones: Skeleton, name: str) -> bool:
    """Whether the body is held at one point at most, and so outlined by its centre of mass."""
    points = bones.outlines[name]
    return points[-1] == (0.0, 0.0) and len(points) <= 2
