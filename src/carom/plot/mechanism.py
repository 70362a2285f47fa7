"""A planar mechanism as a drawing: its bodies in several poses of a run, its bearings, and paths of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.geometry.marker import place
from carom.model.system import System
from carom.plot import symbols
from carom.plot.outline import outline
from carom.plot.page import Page, new_page
from carom.plot.plan import Plan
from carom.plot.scene import Scene
from carom.plot.skeleton import Poses, axis_of
from carom.plot.skins import draw_skin
from carom.plot.style import FAINT, INK, line_look
from carom.result.result import Result
from carom.result.sketch import GROUND, Skin
from carom.solve.sketch import sketch

GHOSTS = 6
_WIDTH = 7.0
"""Of a figure [inches]."""


def plot_mechanism(
    system: System,
    result: Result,
    *,
    pose: float = 0.0,
    ghosts: Sequence[float] | None = None,
    trace: Sequence[Any] = (),
    **page: Unpack[Page],
) -> Figure:
    """A drawing of ``system`` as it moved in ``result``.

    Bodies are lines (or plates) through the points where joints hold them, with the shapes of their contacts, in full
    at the time ``pose`` [s], faint at the times ``ghosts`` (default: six along the run). ``trace`` lists markers
    (``rod.point(x, y)``) or bodies whose path is drawn. ``page`` is as in `plot_result`. A spatial system is drawn
    by the skins of its contacts.
    """
    drawing: Drawing | Scene = Drawing(system, result, trace) if system.dim == 2 else Scene(system, result, trace)
    height = min(max(_WIDTH / drawing.aspect + 0.8, 3.0), 8.0)
    with new_page(_WIDTH, height, system.name, **page) as figure:
        drawing.draw(figure.subplots(subplot_kw={"projection": drawing.projection}), pose, ghosts)
    return figure


class Drawing(Plan):
    """A planar mechanism with its run, ready to be drawn."""

    projection = "rectilinear"

    def __init__(self, system: System, result: Result, trace: Sequence[Any] = ()):
        missing = [body.name for body in system.bodies if body not in result]
        if missing:
            raise ModelError(f"plot: the result {result.name!r} is not of this system: it has no body {missing[0]!r}")
        super().__init__([body.name for body in system.bodies], sketch(system), result, trace)
        self.trace = [place("plot", item) for item in trace]

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
                self._draw_pose(axes, poses, k, alpha=alpha, ghost=True)
        now = Poses(self.result.sample(pose))
        self._draw_pose(axes, now, 0, alpha=1.0, ghost=False)
        for marker in self.trace:
            symbols.dot(axes, now.point(marker.body, (marker.at[0], marker.at[1]))[0], self.size)
        axes.set_aspect("equal")
        axes.set_xlim(self.low[0], self.high[0])
        axes.set_ylim(self.low[1], self.high[1])
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")

    def _draw_ground(self, axes: Axes) -> None:
        for skin in self.bones.skins_on(GROUND):
            self._draw_skin(axes, skin, self.smooth, 0, INK, linewidth=0.8, zorder=2.0)
        for link in self.bones.links:
            if link.slot is not None and link.a == GROUND:
                axes.plot(*link.slot.T, color=FAINT, linewidth=1.2, zorder=2)
        for at in self.supports():
            symbols.bearing(axes, at, self.size)
        for rail in self.rails():
            symbols.hatch(axes, rail.line, 0.4 * self.size)

    def _draw_skin(self, axes: Axes, skin: Skin, poses: Poses, k: int, colour: Any, **look: Any) -> None:
        line = poses.points(skin.body, np.asarray(skin.line), k)
        if not skin.wall:
            draw_skin(axes, skin, line, self.size, color=colour, **look)
            return
        seen = self.in_picture(line)
        if seen is not None:
            axes.plot(*seen.T, color=colour, **look)
            if look.get("alpha", 1.0) == 1.0:
                symbols.hatch(axes, seen, 0.4 * self.size, zorder=look["zorder"])

    def _draw_pose(self, axes: Axes, poses: Poses, k: int, alpha: float, ghost: bool) -> None:
        """Everything that moves, at the ``k``-th of ``poses``."""
        bones, size = self.bones, self.size
        order = 3.0 if ghost else 5.0
        width = 1.4 if ghost else 2.6
        colours = {body: line_look(i, len(bones.bodies))["color"] for i, body in enumerate(bones.bodies)}
        for link in bones.links:
            ends = [poses.point(link.a, link.at_a)[k], poses.point(link.b, link.at_b)[k]]
            thin: dict[str, Any] = {"color": INK, "alpha": alpha, "linewidth": 0.7 if ghost else 1.1}
            thin["zorder"] = order - 0.2
            if link.kind == "SpringDamper":
                symbols.spring(axes, ends[0], ends[1], size, **thin)
            elif link.kind in ("Distance", "Ligament"):
                axes.plot(*np.array(ends).T, linestyle="-" if link.kind == "Distance" else "--", **thin)
        boxed = {link.b: link for link in bones.links if link.kind == "Prismatic"}
        blocks = {link.b: link.corners for link in bones.links if link.corners}
        for body in bones.bodies:
            colour = colours[body]
            drawn = poses.points(body, outline(bones.outlines[body]), k)
            face = {"facecolor": colour, "edgecolor": colour, "alpha": alpha, "zorder": order + 0.1}
            skins = bones.skins_on(body)
            if body in boxed:
                link = boxed[body]
                angle = float(poses.angle(link.a)[k]) + axis_of(link)
                box = self.box_size(body)
                symbols.box(axes, poses.point(body, link.at_b)[k], angle, box, linewidth=0.8, **face)
            elif body in blocks:
                corners = poses.points(body, np.array(blocks[body]), k)
                symbols.block(axes, corners, colour, alpha, 0.7 * width, order)
            elif not skins and self.is_bob(body):
                symbols.bob(axes, poses.point(body, (0.0, 0.0))[k], size, linewidth=0.0, **face)
            if len(drawn) > 1:
                axes.plot(*drawn.T, color=colour, alpha=alpha, linewidth=width, solid_capstyle="round", zorder=order)
            elif skins and not ghost:
                symbols.dot(axes, drawn[0], size)
            if len(drawn) > 3 and np.array_equal(drawn[0], drawn[-1]):
                symbols.plate(axes, drawn, colour, alpha, order - 0.1)
            for skin in skins:
                self._draw_skin(axes, skin, poses, k, colour, alpha=alpha, linewidth=0.7 * width, zorder=order)
        for link in bones.links:
            at = poses.point(link.b, link.at_b)[k]
            if link.kind == "RackPinion":
                rim = np.linspace(0.0, 2.0 * np.pi, 100)
                wheel = at + abs(link.sizes[0]) * np.column_stack([np.cos(rim), np.sin(rim)])
                colour = colours.get(link.b, INK)
                axes.plot(*wheel.T, color=colour, alpha=alpha, linewidth=0.6 * width, zorder=order)
            elif link.kind == "PrismaticClearance" and link.a != GROUND:
                for side in self.guide(link):
                    line = poses.points(link.a, side.line, k)
                    axes.plot(*line.T, color=colours[link.a], alpha=alpha, linewidth=0.5 * width, zorder=order)
            elif not ghost and link.kind == "RevoluteClearance":
                radii = link.sizes
                symbols.play(axes, poses.point(link.a, link.at_a)[k], radii[0], at, radii[1], size)
            elif not ghost and link.kind in ("Revolute", "PointOnLine", "PointOnCurve"):
                symbols.pin(axes, at, size)
