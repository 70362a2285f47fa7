"""Figures 5 to 7 of Flores and Ambrósio (2010)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from carom.gallery.case_variants import ONSETS, onset_method
from carom.model.system import System
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Runs = Callable[[tuple[str, ...], Result], dict[str, Result]]

WALL = "wall"
LARGE_STEPS = (0.0200, 0.0175, 0.0150)
"""Largest steps of the runs that miss the onset [s]."""
BEFORE, AFTER = 1e-3, 6e-3
"""Time before and after the onset in the detail [s]."""
POSE_INTERVAL = 1.5e-4
"""Time between the poses after the onset [s]."""


def extra_figures(
    system: System, runs: Runs, coarse: Callable[[float], Result]
) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures by name.

    ``runs`` returns the runs with several onset methods, ``coarse`` the run with a large step and no onset control.
    """
    return {
        "T5": lambda result: motions(runs((onset_method(result), "none"), result)),
        "T6": lambda result: steps(runs(("reject", "none"), result)),
        "T7": lambda result: sequences(system, result, {step: coarse(step) for step in LARGE_STEPS}),
    }


def motions(runs: dict[str, Result]) -> Figure:
    """Plot height and horizontal speed of the sphere."""
    from carom.plot import plot_comparison

    return plot_comparison(runs, "bob.y", "bob.vx", title="Pendulum and wall, with and without control of the onset")


def steps(runs: dict[str, Result]) -> Figure:
    """Plot step size and indentation around the onset."""
    from carom.plot import plot_steps

    impact = 0 if all(result.impacts for result in runs.values()) else None
    return plot_steps(runs, WALL, impact=impact, margin=2.0, title="Pendulum and wall: steps around the onset")


def sequences(system: System, result: Result, coarse: dict[float, Result]) -> Figure:
    """Plot poses of the runs with large steps, and the height of the sphere around the onset."""
    from carom.plot.figure_options import open_figure

    with open_figure(9.0, 6.2, "Pendulum and wall: large steps without onset control") as figure:
        above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(3.4, 2.4)).ravel()
        for axes, (step, run) in zip(above.subplots(1, len(coarse), sharey=True), coarse.items(), strict=True):
            draw_sequence(axes, system, run)
            first_impact = run.impacts[0]
            axes.set_title(
                f"step {step:.4f} s: {1e3 * first_impact.initial_indentation:.0f} mm deep,\n"
                f"leaves at {first_impact.separation_speed:.0f} m/s",
                loc="left",
            )
            axes.label_outer()
        draw_heights(below.subplots(), result, coarse)
    return figure


def draw_sequence(axes: Axes, system: System, run: Result) -> None:
    """Draw poses up to the onset and a few after it, up to the next contact."""
    import numpy as np

    from carom.plot.planar_drawing import PlanarDrawing

    first_impact = run.impacts[0]
    later_times = first_impact.t_end + POSE_INTERVAL * np.arange(1, 7)
    poses = [*np.linspace(0.0, first_impact.t_start, 8), *later_times[later_times <= second_contact_time(run)]]
    PlanarDrawing(system, run).draw(axes, pose=first_impact.t_start, ghosts=poses)


def draw_heights(axes: Axes, result: Result, coarse: dict[float, Result]) -> None:
    """Draw the height of the sphere over the time since its first contact."""
    import numpy as np

    from carom.plot.contact_history import TIME_SINCE_ONSET
    from carom.plot.overlay import with_line_styles
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import FAINT

    runs = {f"step {step:.4f} s": run for step, run in coarse.items()}
    if result.impacts:
        runs[ONSETS[result.settings["onset"]]] = result
    axes.axhline(0.0, color=FAINT, linewidth=0.8, linestyle="--")
    for run, style in with_line_styles(runs):
        t_contact = run.impacts[0].t_start
        t = np.linspace(max(t_contact - BEFORE, 0.0), min(t_contact + AFTER, second_contact_time(run)), 1500)
        axes.plot(t - t_contact, run.sample(t)["bob"].y, **style)
    axes.set_ylabel("position y [m]")
    axes.set_title("height up to the next contact; dashed: initial height", loc="right")
    label_time(axes, TIME_SINCE_ONSET)
    curve_legend(axes)


def second_contact_time(run: Result) -> float:
    """Return the time of the second contact or of the end of the run [s]."""
    return run.impacts[1].t_start if len(run.impacts) > 1 else float(run.t[-1])
