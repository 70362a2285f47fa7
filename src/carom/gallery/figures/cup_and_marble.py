"""Figures 11 to 16 and Table 4 of Machado et al. 2014."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAWS = {"hertz": "Hertz", "flores": "Flores et al."}
FIXED_STEP, FIXED_END = 1e-6, 0.1
"""Step and length [s] of the runs whose times Table 4 compares; L's are of 5 s."""


def drawings(variant: Callable[..., Any]) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids; ``variant`` makes the case with other parameters."""

    def runs(result: Result) -> dict[str, Result]:
        return {label: variant(law=name).run(t_end=float(result.t[-1])) for name, label in LAWS.items()}

    return {
        "L11": lambda result: paths(runs(result), "y", "Contact points of the marble from above"),
        "L12": lambda result: paths(runs(result), "z", "Contact points of the marble from the side"),
        "L13": lambda result: indentations(runs(result)),
        "L14": lambda result: loops(runs(result)),
        "L15": lambda result: centres(runs(result)),
        "L16": lambda result: windows(variant, result),
        "LTable4": lambda result: times(variant, result),
    }


def in_contact(result: Result) -> np.ndarray:
    return result["touch"].indentation > 0.0


def paths(runs: dict[str, Result], across: str, title: str) -> Figure:
    """Where the marble was touched, in the axes of the ground."""
    from carom.plot.figure_options import open_figure

    with open_figure(5.6, 4.0, title) as figure:
        axes = figure.subplots()
        for name, result in runs.items():
            here, touch = in_contact(result), result["touch"]
            axes.plot(1e3 * touch.x[here], 1e3 * getattr(touch, across)[here], ".", ms=3.0, label=name)
        axes.set_xlabel("x [mm]")
        axes.set_ylabel(f"{across} [mm]")
        axes.legend()
    return figure


def indentations(runs: dict[str, Result]) -> Figure:
    from carom.plot.figure_options import open_figure

    with open_figure(7.0, 4.4, "Indentation of the marble") as figure:
        for axes, (name, result) in zip(figure.subplots(len(runs), 1, sharex=True), runs.items(), strict=True):
            axes.plot(result.t, 1e6 * np.maximum(result["touch"].indentation, 0.0))
            axes.set_ylabel("indentation [µm]")
            axes.set_title(f"{name}: {len(result.impacts)} impacts", loc="left")
        axes.set_xlabel("t [s]")
    return figure


def loops(runs: dict[str, Result]) -> Figure:
    """Force over indentation, all impacts."""
    from carom.plot.figure_options import open_figure

    with open_figure(8.0, 3.6, "Force over indentation") as figure:
        for axes, (name, result) in zip(figure.subplots(1, len(runs), sharey=True), runs.items(), strict=True):
            here, touch = in_contact(result), result["touch"]
            for impact in result.impacts:
                inside = here & (result.t >= impact.t_start) & (result.t <= impact.t_end)
                axes.plot(1e6 * touch.indentation[inside], touch.normal_force[inside], lw=1.0)
            axes.set_title(name, loc="left")
            axes.set_xlabel("indentation [µm]")
        figure.axes[0].set_ylabel("normal force [N]")
    return figure


def centres(runs: dict[str, Result]) -> Figure:
    """The centre of the marble and the points where it was touched, seen from the cup."""
    from carom.plot.figure_options import open_figure

    with open_figure(8.0, 3.8, "Centre of the marble and contact points, in the axes of the cup") as figure:
        for axes, (name, result) in zip(figure.subplots(1, len(runs), sharey=True), runs.items(), strict=True):
            touch, here = result["touch"], in_contact(result)
            ball = result.sample(np.linspace(0.0, float(result.t[-1]), 1001))["ball"]
            axes.plot(1e3 * ball.y, 1e3 * ball.z, lw=0.9, label="centre")
            axes.plot(1e3 * touch.y[here], 1e3 * touch.z[here], ".", ms=3.0, label="contact points")
            axes.set_title(name, loc="left")
            axes.set_xlabel("y [mm]")
            axes.set_aspect("equal", "datalim")
        figure.axes[0].set_ylabel("z [mm]")
        figure.axes[0].legend()
    return figure


def windows(variant: Callable[..., Any], result: Result) -> Figure:
    """The records of both tables, the windows at the end of the run and the records that were touched."""
    from matplotlib.patches import Rectangle

    from carom.plot.figure_options import open_figure

    case = variant(surface="table", window=((5, 11), (5, 7)))
    run = case.run(t_end=float(result.t[-1]))
    (contact,) = case.system.contacts
    with open_figure(8.0, 4.2, "Records of the tables and storage windows") as figure:
        for axes, shape, name in zip(figure.subplots(1, 2), contact.shapes, ("marble", "cup"), strict=True):
            table = shape.surface
            rows, columns = table.header.blocks
            axes.set_xlim(0, columns)
            axes.set_ylim(0, rows)
            axes.set_xticks(range(0, columns + 1, max(columns // 6, 1)))
            axes.set_yticks(range(0, rows + 1, max(rows // 6, 1)))
            axes.grid(False)
            for k in range(columns + 1):
                axes.axvline(k, color="#cccccc", lw=0.4)
            for k in range(rows + 1):
                axes.axhline(k, color="#cccccc", lw=0.4)
            if shape.window.first is not None:
                (u, v), (height, width) = shape.window.first, shape.window.size
                axes.add_patch(Rectangle((v, u), width, height, alpha=0.25, label="window"))
            u, v = touched(run, shape).T
            axes.plot(v, u, ".", ms=4.0, color="#D55E00", label="contact records")
            axes.set_aspect("equal")
            axes.set_title(f"{name}: {shape.window.updates} updates", loc="left")
            axes.set_xlabel("record along v")
        figure.axes[0].set_ylabel("record along u")
        figure.axes[0].legend(loc="upper right")
    return figure


def touched(result: Result, shape: Any) -> np.ndarray:
    """Records (u, v), in parts of one, of the points at which a sphere was touched."""
    from carom.geometry.rotation import matrix_of

    here, touch, body = in_contact(result), result["touch"], result[shape.body]
    point = np.column_stack([touch.x, touch.y, touch.z])[here] - body.position[here]
    axes = matrix_of(shape.orientation)
    x, y, z = (np.einsum("nji,nj->ni", body.rotation[here], point) @ axes).T
    header = shape.surface.header
    angles = np.column_stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)])
    return (angles - header.low) / np.array(header.increment) / np.array(header.record)


def times(variant: Callable[..., Any], result: Result) -> Figure:
    """L's Table 4: sizes of the windows, their updates, CPU time at a fixed step."""
    from carom.plot.figure_options import open_figure

    columns = []
    end = min(float(result.t[-1]), FIXED_END)
    for window in (None, ((5, 11), (5, 7))):
        case = variant(surface="table", window=window)
        case.run(t_end=min(end, 1e-3), integrator="rk4", max_step=FIXED_STEP, onset="none", output=end)
        (contact,) = case.system.contacts
        for shape in contact.shapes:
            if shape.window is not None:
                shape.window.reset()
        began = time.process_time()
        case.run(t_end=end, integrator="rk4", max_step=FIXED_STEP, onset="none", output=end)
        spent = time.process_time() - began
        blocks = [shape.surface.header.blocks for shape in contact.shapes]
        sizes = [shape.window.size if shape.window is not None else own for shape, own in zip(contact.shapes, blocks)]
        moved = [shape.window.updates if shape.window is not None else 0 for shape in contact.shapes]
        about = [f"{end:g}", f"{FIXED_STEP:g}", f"{spent:.3f}"]
        columns.append([*(f"{a} × {b}" for a, b in sizes), *map(str, moved), *about])
    names = ["window of the marble (u × v)", "window of the cup (u × v)", "updates of the marble's window",
             "updates of the cup's window", "simulated time [s]", "step [s]", "CPU time [s]"]  # fmt: skip
    with open_figure(6.4, 2.6, "Window sizes and CPU time") as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        rows = [[name, *(column[k] for column in columns)] for k, name in enumerate(names)]
        table = axes.table(rows, colLabels=["run", "whole", "window"], colWidths=[0.56, 0.22, 0.22], loc="center")
        table.scale(1.0, 1.3)
    return figure
