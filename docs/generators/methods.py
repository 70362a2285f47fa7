"""Figure of the page "Which method, which tolerance?": step sizes of explicit and automatic integration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import carom as cm
from generators.page_figures import BLUE, RED, keep, sheet

STEP_SIZES = "step_sizes"
RADIUS, DENSITY, HEIGHT, END = 0.01, 7800.0, 0.02, 0.6
"""Radius [m], density [kg/m³] and drop height [m] of the ball; length of the run [s]."""
WINDOWS = 100
"""Parts of the time axis, each with the mean of its steps."""


def names() -> list[str]:
    return [STEP_SIZES]


def make(name: str, folder: Path) -> str:
    """Draw the height of a ball that bounces to rest, and the steps of both integrators."""
    with sheet(8.0, 4.6) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2))
        for integrator, colour, width, label in (
            ("dopri5", RED, 3.0, '"dopri5": explicit'),
            ("auto", BLUE, 1.4, '"auto": explicit, then implicit'),
        ):
            run = cm.simulate(bouncing_ball(), END, integrator=integrator)
            draw_steps(lower, run.t, colour, width, f"{label}, {run.stats['steps']} steps")
        times = np.linspace(0.0, END, 3001)
        upper.plot(1e3 * times, 1e3 * (run.sample(times)["ball"].y - RADIUS), color=BLUE, lw=1.2)
        upper.set_ylabel("height [mm]")
        lower.set_yscale("log")
        lower.set_xlabel("time [ms]")
        lower.set_ylabel("step [s]")
        lower.legend(loc="lower right")
    keep(figure, folder / name)
    return name


def bouncing_ball() -> cm.System:
    """Return a steel ball above a steel plate."""
    mass = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
    system = cm.System(gravity=(0.0, -9.81), name="bouncing ball")
    ball = system.add(cm.Body("ball", mass, 0.4 * mass * RADIUS**2, position=(0.0, RADIUS + HEIGHT)))
    law = cm.laws.Flores(cm.hertz_stiffness(RADIUS), 0.6)
    floor = cm.Plane(system.ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, RADIUS), floor, law, name="touch"))
    return system


def draw_steps(axes: Axes, t: np.ndarray, colour: str, width: float, label: str) -> None:
    """Draw the mean step in each part of the time axis in which a step begins."""
    t = np.unique(t)
    steps, ends = np.diff(t), np.linspace(0.0, t[-1], WINDOWS + 1)
    part = np.minimum(np.searchsorted(ends, t[:-1], side="right") - 1, WINDOWS - 1)
    covered = np.unique(part)
    mean = [steps[part == k].mean() for k in covered]
    axes.step(1e3 * ends[covered], mean, where="post", color=colour, lw=width, label=label)
