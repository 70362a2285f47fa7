"""Figures 11 to 16 and Table 4 of Machado et al. (2014)."""

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
"""Step and duration of the runs whose CPU times Table 4 compares [s]; those of the paper last 5 s."""


def extra_figures(variant: Callable[..., Any]) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by their number in the paper; ``variant`` builds the case with other parameters."""

    def runs_with_laws(result: Result) -> dict[str, Result]:
        return {label: variant(law=name).run(t_end=float(result.t[-1])) for name, label in LAWS.items()}

    return {
        "L11": lambda result: contact_paths(runs_with_laws(result), "y", "Contact points of the marble from above"),
        "L12": lambda result: contact_paths(runs_with_laws(result), "z", "Contact points of the marble from the side"),
        "L13": lambda result: indentations(runs_with_laws(result)),
        "L14": lambda result: hysteresis_loops(runs_with_laws(result)),
        "L15": lambda result: centre_paths(runs_with_laws(result)),
        "L16": lambda result: window_records(variant, result),
        "LTable4": lambda result: window_table(variant, result),
    }


def in_contact(result: Result) -> np.ndarray:
    """Return True for the nodes with contact."""
    return result["touch"].indentation > 0.0


def contact_paths(runs_with_laws: dict[str, Result], coordinate: str, title: str) -> Figure:
    """Plot the contact points of the marble in global axes."""
    from carom.plot.figure_options import open_figure

    with open_figure(5.6, 4.0, title) as figure:
        axes = figure.subplots()
        for name, result in runs_with_laws.items():
            touching, touch = in_contact(result), result["touch"]
            axes.plot(1e3 * touch.x[touching], 1e3 * getattr(touch, coordinate)[touching], ".", ms=3.0, label=name)
        axes.set_xlabel("x [mm]")
        axes.set_ylabel(f"{coordinate} [mm]")
        axes.legend()
    return figure


def indentations(runs_with_laws: dict[str, Result]) -> Figure:
    """Plot the indentation over time."""
    from carom.plot.figure_options import open_figure

    with open_figure(7.0, 4.4, "Indentation of the marble") as figure:
        for axes, (name, result) in zip(
            figure.subplots(len(runs_with_laws), 1, sharex=True), runs_with_laws.items(), strict=True
        ):
            axes.plot(result.t, 1e6 * np.maximum(result["touch"].indentation, 0.0))
            axes.set_ylabel("indentation [µm]")
            axes.set_title(f"{name}: {len(result.impacts)} impacts", loc="left")
        axes.set_xlabel("t [s]")
    return figure


def hysteresis_loops(runs_with_laws: dict[str, Result]) -> Figure:
    """Plot the force over the indentation of all impacts."""
    from carom.plot.figure_options import open_figure

    with open_figure(8.0, 3.6, "Force over indentation") as figure:
        for axes, (name, result) in zip(
            figure.subplots(1, len(runs_with_laws), sharey=True), runs_with_laws.items(), strict=True
        ):
            touching, touch = in_contact(result), result["touch"]
            for impact in result.impacts:
                inside = touching & (result.t >= impact.t_start) & (result.t <= impact.t_end)
                axes.plot(1e6 * touch.indentation[inside], touch.normal_force[inside], lw=1.0)
            axes.set_title(name, loc="left")
            axes.set_xlabel("indentation [µm]")
        figure.axes[0].set_ylabel("normal force [N]")
    return figure


def centre_paths(runs_with_laws: dict[str, Result]) -> Figure:
    """Plot the centre of the marble and its contact points."""
    from carom.plot.figure_options import open_figure

    with open_figure(8.0, 3.8, "Centre of the marble and contact points, in the axes of the cup") as figure:
        for axes, (name, result) in zip(
            figure.subplots(1, len(runs_with_laws), sharey=True), runs_with_laws.items(), strict=True
        ):
            touch, touching = result["touch"], in_contact(result)
            ball = result.sample(np.linspace(0.0, float(result.t[-1]), 1001))["ball"]
            axes.plot(1e3 * ball.y, 1e3 * ball.z, lw=0.9, label="centre")
            axes.plot(1e3 * touch.y[touching], 1e3 * touch.z[touching], ".", ms=3.0, label="contact points")
            axes.set_title(name, loc="left")
            axes.set_xlabel("y [mm]")
            axes.set_aspect("equal", "datalim")
        figure.axes[0].set_ylabel("z [mm]")
        figure.axes[0].legend()
    return figure


def window_records(variant: Callable[..., Any], result: Result) -> Figure:
    """Plot the records of both tables, the windows at the end of the run and the records in contact."""
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
            u, v = contact_records(run, shape).T
            axes.plot(v, u, ".", ms=4.0, color="#D55E00", label="contact records")
            axes.set_aspect("equal")
            axes.set_title(f"{name}: {shape.window.updates} updates", loc="left")
            axes.set_xlabel("record along v")
        figure.axes[0].set_ylabel("record along u")
        figure.axes[0].legend(loc="upper right")
    return figure


def contact_records(result: Result, shape: Any) -> np.ndarray:
    """Return the positions (u, v) of the contact points of a sphere, in units of records."""
    from carom.geometry.rotation import matrix_of

    touching, touch, body = in_contact(result), result["touch"], result[shape.body]
    point = np.column_stack([touch.x, touch.y, touch.z])[touching] - body.position[touching]
    axes = matrix_of(shape.orientation)
    x, y, z = (np.einsum("nji,nj->ni", body.rotation[touching], point) @ axes).T
    header = shape.surface.header
    angles = np.column_stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)])
    return (angles - header.low) / np.array(header.increment) / np.array(header.record)


def window_table(variant: Callable[..., Any], result: Result) -> Figure:
    """Draw Table 4 of the paper: sizes and updates of the windows, and the CPU time at a fixed step."""
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
        start = time.process_time()
        case.run(t_end=end, integrator="rk4", max_step=FIXED_STEP, onset="none", output=end)
        cpu_time = time.process_time() - start
        blocks = [shape.surface.header.blocks for shape in contact.shapes]
        sizes = [
            shape.window.size if shape.window is not None else block for shape, block in zip(contact.shapes, blocks)
        ]
        updates = [shape.window.updates if shape.window is not None else 0 for shape in contact.shapes]
        settings = [f"{end:g}", f"{FIXED_STEP:g}", f"{cpu_time:.3f}"]
        columns.append([*(f"{a} × {b}" for a, b in sizes), *map(str, updates), *settings])
    names = ["window of the marble (u × v)", "window of the cup (u × v)", "updates of the marble's window",
             "updates of the cup's window", "simulated time [s]", "step [s]", "CPU time [s]"]  # fmt: skip
    with open_figure(6.4, 2.6, "Window sizes and CPU time") as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        rows = [[name, *(column[k] for column in columns)] for k, name in enumerate(names)]
        table = axes.table(rows, colLabels=["run", "whole table", "window"], colWidths=[0.56, 0.22, 0.22], loc="center")
        table.scale(1.0, 1.3)
    return figure
