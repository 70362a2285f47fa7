"""Drawing of a mechanism: its bodies at several times of a run, its joints, and paths of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from matplotlib.figure import Figure

from carom.errors import ModelError
from carom.model.system import System
from carom.plot.figure_options import FigureOptions, open_figure
from carom.plot.planar_drawing import PlanarDrawing
from carom.plot.rendered_drawing import RenderedDrawing
from carom.plot.scene_renderer import can_render
from carom.plot.spatial_drawing import SpatialDrawing
from carom.result.result import Result
from carom.scene.snapshot import snapshot

_WIDTH = 7.0
"""Width of the figure [inches]."""


def plot_mechanism(
    system: System,
    result: Result,
    *,
    pose: float = 0.0,
    ghosts: Sequence[float] | None = None,
    trace: Sequence[Any] = (),
    focus: Sequence[Any] = (),
    **options: Unpack[FigureOptions],
) -> Figure:
    """Draw ``system`` as it moved in ``result``.

    Bodies are lines (or polygons) through their joints, with the shapes of their contacts: opaque at the time ``pose``
    [s], faint at the times ``ghosts`` [s] (default: six times of the run). ``trace`` lists markers
    (``rod.point(x, y)``) or bodies whose path is drawn. ``options`` are those of `plot_result`. A system in 3D is
    rendered (extra ``render``), with the forces of its contacts; the camera is fitted to the bodies ``focus``.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.falling_ball()
    >>> figure = cm.plot.plot_mechanism(case.system, case.run())
    >>> len(figure.axes)
    1
    """
    drawing = mechanism_drawing(system, result, trace, focus, [pose, *(ghosts or ())])
    height = min(max(_WIDTH / drawing.aspect + 0.8, 3.0), 8.0)
    with open_figure(_WIDTH, height, system.name, **options) as figure:
        drawing.draw(figure.subplots(subplot_kw={"projection": drawing.projection}), pose, ghosts)
    return figure


def plot_system(system: System, **options: Unpack[FigureOptions]) -> Figure:
    """Draw ``system`` as it is now; ``options`` are those of `plot_result`.

    Examples
    --------
    >>> import carom as cm
    >>> figure = cm.gallery.falling_ball().system.plot()
    >>> len(figure.axes)
    1
    """
    return plot_mechanism(system, snapshot(system), ghosts=(), **options)


def mechanism_drawing(
    system: System,
    result: Result,
    trace: Sequence[Any] = (),
    focus: Sequence[Any] = (),
    times: Sequence[float] = (),
) -> PlanarDrawing | RenderedDrawing | SpatialDrawing:
    """Return the drawing of a planar or spatial system; ``focus`` and ``times`` are those of `RenderedDrawing`."""
    if system.dim == 2:
        if focus:
            raise ModelError(f"plot: focus is for pictures in 3D, but system {system.name!r} is planar; leave it out")
        return PlanarDrawing(system, result, trace)
    if not can_render():
        return SpatialDrawing(system, result, trace)
    return RenderedDrawing(system, result, trace, focus, times)
