"""Drawing of a planar mechanism into Matplotlib axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon

from carom.errors import ModelError
from carom.geometry.drawing import GROUND, Symbol
from carom.geometry.marker import as_marker
from carom.model.system import System
from carom.plot import symbols
from carom.plot.style import FAINT, INK
from carom.result.result import Result
from carom.scene.colours import body_colours
from carom.scene.mechanism_layout import DrawingLayout, SampledPoses
from carom.scene.planar_primitives import (
    HATCH_DEPTH,
    POINT_RADIUS,
    Primitive,
    Role,
    planar_primitives,
    two_body_line,
)
from carom.scene.symbol_geometry import circle
from carom.solve.drawing_builder import drawing_data

GHOSTS = 6
"""Default number of faint poses."""
GROUND_ORDER, GHOST_ORDER, POSE_ORDER = 2.0, 3.0, 5.0
"""Drawing order (zorder) of the ground, of faint poses, and of the opaque pose."""
GHOST_WIDTH, POSE_WIDTH = 1.4, 2.6
"""Line width of bars [points]."""
NOT_IN_GHOSTS = (Role.CENTRE_MARK, Role.BEARING, Role.JOURNAL, Role.PIN)


class PlanarDrawing(DrawingLayout):
    """Planar mechanism with its run, ready to be drawn."""

    projection = "rectilinear"

    def __init__(self, system: System, result: Result, trace: Sequence[Any] = ()):
        missing = [body.name for body in system.bodies if body not in result]
        if missing:
            raise ModelError(
                f"plot: result {result.name!r} does not belong to this system, it has no body {missing[0]!r}; "
                f"use the result of system {system.name!r}"
            )
        super().__init__([body.name for body in system.bodies], drawing_data(system), result, trace)
        self.trace = [as_marker("plot", item) for item in trace]
        self.colours = body_colours(self.geometry.bodies)

    @property
    def aspect(self) -> float:
        """Ratio of width to height [-]."""
        width, height = self.high - self.low
        return float(width / height)

    def draw(self, axes: Axes, pose: float = 0.0, ghosts: Sequence[float] | None = None) -> None:
        """Draw into ``axes``: opaque at the time ``pose`` [s], faint at the times ``ghosts`` [s]."""
        t = self.result.t
        times = np.linspace(t[0], t[-1], GHOSTS + 1)[1:] if ghosts is None else np.sort(np.asarray(ghosts, float))
        primitives = planar_primitives(self)
        for primitive in (item for item in primitives if item.body == GROUND):
            self._draw_primitive(axes, primitive, primitive.points, 1.0, GROUND_ORDER)
        for marker in self.trace:
            path = self.poses.point(marker.body, (marker.at[0], marker.at[1]))
            axes.plot(*path.T, color=FAINT, linewidth=0.7, zorder=2.5)
        moving = [item for item in primitives if item.body != GROUND]
        if len(times):
            poses = SampledPoses(self.result.sample(times))
            faint = [item for item in moving if item.role not in NOT_IN_GHOSTS]
            for k in range(len(times)):
                self._draw_pose(axes, faint, poses, k, 0.2 + 0.25 * (k + 1) / len(times), GHOST_ORDER)
        opaque_pose = SampledPoses(self.result.sample(pose))
        self._draw_pose(axes, moving, opaque_pose, 0, 1.0, POSE_ORDER)
        for marker in self.trace:
            at = opaque_pose.point(marker.body, (marker.at[0], marker.at[1]))[0]
            symbols.draw_point(axes, at, POINT_RADIUS * self.size)
        axes.set_aspect("equal")
        axes.set_xlim(self.low[0], self.high[0])
        axes.set_ylim(self.low[1], self.high[1])
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")

    def _draw_pose(
        self, axes: Axes, primitives: list[Primitive], poses: SampledPoses, k: int, alpha: float, order: float
    ) -> None:
        """Draw all moving parts at node ``k`` of ``poses``."""
        width = 0.7 if order == GHOST_ORDER else 1.1
        for link in self.geometry.links:
            line = two_body_line(link, self.size)
            if line is not None:
                start, end = poses.point(link.a, link.at_a)[k], poses.point(link.b, link.at_b)[k]
                dashes = "--" if link.symbol is Symbol.LIGAMENT else "-"
                symbols.draw_two_body_line(axes, line, start, end, color=INK, alpha=alpha, linewidth=width,
                                           linestyle=dashes, zorder=order - 0.2)  # fmt: skip
        for primitive in primitives:
            points = poses.points(primitive.body, primitive.points, k)
            self._draw_primitive(axes, primitive, points, alpha, order)

    def _draw_primitive(self, axes: Axes, primitive: Primitive, points: np.ndarray, alpha: float, order: float) -> None:
        """Draw a primitive with its ``points`` (n, 2) in global axes [m]."""
        colour = primitive.colour or self.colours.get(primitive.body, INK)
        alpha *= primitive.opacity
        width = GHOST_WIDTH if order == GHOST_ORDER else POSE_WIDTH
        line: dict[str, Any] = {"color": colour, "alpha": alpha, "zorder": order, "solid_capstyle": "round"}
        fill: dict[str, Any] = {"facecolor": colour, "edgecolor": colour, "alpha": alpha, "zorder": order + 0.1}
        contour_width = 0.8 if primitive.body == GROUND else 0.7 * width
        match primitive.role:
            case Role.SUPPORT:
                axes.add_patch(Polygon(points, facecolor="#eeeeee", edgecolor=INK, linewidth=0.8, zorder=order))
            case Role.HATCHED_LINE:
                symbols.draw_hatched_line(axes, points, HATCH_DEPTH * self.size, order)
            case Role.SLOT:
                axes.plot(*points.T, color=FAINT, linewidth=1.2, alpha=alpha, zorder=min(order, GHOST_ORDER) - 0.1)
            case Role.PLANE:
                self._draw_plane(axes, points, line | {"linewidth": contour_width})
            case Role.CONTOUR:
                axes.plot(*points.T, linewidth=contour_width, **line)
            case Role.AREA:
                symbols.draw_area(axes, points, colour, alpha, order - 0.1)
            case Role.POINT | Role.CENTRE_MARK:
                symbols.draw_point(axes, points[0], primitive.radius)
            case Role.BOX:
                axes.add_patch(Polygon(points, linewidth=0.8, **fill))
            case Role.SLIDER:
                symbols.draw_block(axes, points[:-1], colour, alpha, 0.7 * width, order)
            case Role.DISC:
                axes.add_patch(Circle(tuple(points[0]), primitive.radius, linewidth=0.0, **fill))
            case Role.BAR:
                axes.plot(*points.T, linewidth=width, **line)
            case Role.PINION:
                axes.plot(*circle(points[0], primitive.radius, 99).T, linewidth=0.6 * width, **line)
            case Role.GUIDE:
                axes.plot(*points.T, linewidth=0.5 * width, **line)
            case Role.BEARING:
                symbols.draw_circle(axes, points[0], primitive.radius, "#dddddd", 5.9)
            case Role.JOURNAL | Role.PIN:
                symbols.draw_circle(axes, points[0], primitive.radius, "white", 6.0)

    def _draw_plane(self, axes: Axes, line: np.ndarray, style: dict[str, Any]) -> None:
        """Draw the visible segment of a plane, hatched unless it is faint."""
        segment = self.visible_segment(line)
        if segment is None:
            return
        axes.plot(*segment.T, **style)
        if style["alpha"] == 1.0:
            symbols.draw_hatched_line(axes, segment, HATCH_DEPTH * self.size, style["zorder"])
