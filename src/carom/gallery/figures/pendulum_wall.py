"""Figures 5 to 7 of Flores and Ambrósio 2010."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.gallery.compare import ONSETS, controlled
from carom.model.system import System
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Runs = Callable[[tuple[str, ...], Result], dict[str, Result]]

WALL = "wall"
STEPS = (0.0200, 0.0175, 0.0150)
"""Longest steps [s] of the runs that go wrong."""
BEFORE, AFTER = 1e-3, 6e-3
"""Time before and after the touch in which they do [s]."""
FRAME = 1.5e-4
"""Between the poses after the touch [s]."""


def drawings(system: System, runs: Runs, coarse: Callable[[float], Result]) -> dict[str, Callable[[Result], Figure]]:
    """Figures by their ids; ``runs`` gives the runs of several onsets, ``coarse`` that of a long step uncontrolled."""
    return {
        "T5": lambda result: motions(runs((controlled(result), "none"), result)),
        "T6": lambda result: steps(runs(("reject", "none"), result)),
        "T7": lambda result: sequences(system, result, {step: coarse(step) for step in STEPS}),
    }


def motions(runs: dict[str, Result]) -> Figure:
    """Height and speed along x of the sphere."""
    from carom.plot import plot_comparison

    return plot_comparison(runs, "bob.y", "bob.vx", title="Pendulum and wall, with and without control of the onset")


def steps(runs: dict[str, Result]) -> Figure:
    """Step size and indentation about the touch."""
    from carom.plot import plot_steps

    impact = 0 if all(result.impacts for result in runs.values()) else None
    return plot_steps(runs, WALL, impact=impact, margin=2.0, title="Pendulum and wall: steps about the touch")


def sequences(system: System, result: Result, coarse: dict[float, Result]) -> Figure:
    """Poses of the runs with long steps, and the height of the sphere about the touch."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 6.2, "Pendulum and wall: long steps without control of the onset") as figure:
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(3.4, 2.4)).ravel()
        for axes, (step, run) in zip(above.subplots(1, len(coarse), sharey=True), coarse.items(), strict=True):
            draw_sequence(axes, system, run)
            touch = run.impacts[0]
            axes.set_title(
                f"step {step:.4f} s: {1e3 * touch.initial_indentation:.0f} mm deep,\n"
                f"leaves at {touch.separation_speed:.0f} m/s",
                loc="left",
            )
            axes.label_outer()
        draw_heights(below.subplots(), result, coarse)
    return figure


def draw_sequence(axes: Axes, system: System, run: Result) -> None:
    """Poses up to the touch, and a few of those after it, up to the next one."""
    import numpy as np

    from carom.plot.mechanism import PlanarDrawing

    touch = run.impacts[0]
    after = touch.t_end + FRAME * np.arange(1, 7)
    poses = [*np.linspace(0.0, touch.t_start, 8), *after[after <= next_touch(run)]]
    PlanarDrawing(system, run).draw(axes, pose=touch.t_start, ghosts=poses)


def draw_heights(axes: Axes, result: Result, coarse: dict[float, Result]) -> None:
    """Height of the sphere against the time since its first touch."""
    import numpy as np

    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.overlay import with_line_styles
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import FAINT

    runs = {f"step {step:.4f} s": run for step, run in coarse.items()}
    if result.impacts:
        runs[ONSETS[result.settings["onset"]]] = result
    axes.axhline(0.0, color=FAINT, linewidth=0.8, linestyle="--")
    for run, look in with_line_styles(runs):
        zero = run.impacts[0].t_start
        t = np.linspace(max(zero - BEFORE, 0.0), min(zero + AFTER, next_touch(run)), 1500)
        axes.plot(t - zero, run.sample(t)["bob"].y, **look)
    axes.set_ylabel("position y [m]")
    axes.set_title("height up to the next touch; dashed: that of the release", loc="right")
    label_time(axes, TIME_SINCE_ONSET)
    curve_legend(axes)


def next_touch(run: Result) -> float:
    """When the sphere touches for the second time, or the run ends [s]."""
    return run.impacts[1].t_start if len(run.impacts) > 1 else float(run.t[-1])
