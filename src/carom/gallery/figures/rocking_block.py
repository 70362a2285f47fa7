"""Figure of the rocking block and its closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def extra_figures(theory: Any, angle0: float, width: float) -> dict[str, Callable[[Result], Figure]]:
    """Return the figures of a block of ``width`` [m] released at ``angle0`` [rad], with its closed form ``theory``."""
    return {"impacts": lambda result: impacts(result, theory, angle0, width)}


def impacts(result: Result, theory: Any, angle0: float, width: float) -> Figure:
    """Plot the angle with the turning points of the closed form, and the angular velocities before the impacts."""
    import numpy as np

    from carom.plot.figure_options import open_figure
    from carom.plot.panels import curve_legend, label_time
    from carom.plot.style import COLOURS, FAINT

    times, speeds = theory.impacts(angle0, float(result.t[-1]), 2e-3 * float(result.t[-1]))
    amplitudes = [theory.amplitude_after(theory.ratio * speed) for speed in speeds]
    amplitude_times = [t + theory.quarter_period(angle) for t, angle in zip(times, amplitudes, strict=True)]
    sides = (-1.0) ** np.arange(len(times) + 1)
    with open_figure(9.0, 3.8, "Rocking block: turning points and impacts") as figure:
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        left.axhline(0.0, color=FAINT, linewidth=0.8)
        left.plot(result.t, -result["block"].angle / theory.alpha, color=COLOURS[0], label="run")
        left.plot(
            [0.0, *amplitude_times], sides * np.array([angle0, *amplitudes]) / theory.alpha,
            label="turning points, closed form",
            color=COLOURS[1], linestyle="none", marker="o", markersize=4.0, fillstyle="none",
        )  # fmt: skip
        left.set_xlim(-0.02 * result.t[-1], result.t[-1])
        left.set_ylabel("angle θ/α [-]")
        label_time(left)
        curve_legend(left)
        draw_speeds(right, result, theory, angle0, width)
    return figure


def draw_speeds(axes: Axes, result: Result, theory: Any, angle0: float, width: float) -> None:
    """Draw the angular velocity before each impact; the closed form is a straight line."""
    import numpy as np

    from carom.plot.panels import curve_legend
    from carom.plot.style import COLOURS

    first_rate = theory.impact_rate(angle0)
    angular_velocities = np.array([impact.approach_speed / width for impact in result.impacts])
    angular_velocities = angular_velocities[angular_velocities > 1e-2 * first_rate]
    numbers = 1 + np.arange(max(len(angular_velocities), 2))
    label = f"1 − (3/2) sin² α = {theory.ratio:.3f} per impact"
    axes.plot(numbers, first_rate * theory.ratio ** (numbers - 1.0), color=COLOURS[1], label=label)
    axes.plot(
        numbers[: len(angular_velocities)],
        angular_velocities,
        color=COLOURS[0],
        linestyle="none",
        marker="o",
        markersize=4.0,
        label="run",
    )
    axes.set_yscale("log")
    axes.set_xlabel("impact [number]")
    axes.set_ylabel("angular velocity before it [rad/s]")
    curve_legend(axes)
