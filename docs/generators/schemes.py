"""Pages of time-stepping schemes: error over step, with and without impacts."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np

import carom as cm
from carom.solve.timestepping.schemes import SCHEMES
from generators.page_figures import BLUE, FAINT, keep, picture, sheet
from generators.page_text import Entry, block, page

TITLE = "Non-smooth schemes"
INTRO = (
    'Time-stepping schemes of non-smooth runs: `cm.simulate(…, method="nonsmooth", scheme=…)`. The '
    "[theory](../../theory.md#time-stepping) contains the equations."
)
STEPS = (8e-3, 4e-3, 2e-3, 1e-3, 5e-4)
RESTITUTION = 0.8
WORDS = {
    "midpoint": (
        "Moreau's midpoint rule, of second order between impacts; the default.",
        "Forces at the mean velocity of the step, closed contacts at the velocities of both its ends, joints "
        "exact after "
        "every step, overlaps removed by projection. Of second order between impacts, of first order across them. "
        "Explicit: the "
        "step must be short beside the periods of stiff springs.",
    ),
    "moreau": (
        "Moreau's midpoint rule as printed by Flores, Leine and Glocker (2010).",
        "Forces at the velocity before the step, contact velocities along the directions in the middle of the step, no "
        "projection by default. Of first order if forces depend on velocities. For the reproduction of published "
        "results.",
    ),
    "theta": (
        "The θ-method of Moreau and Jean, implicit in the forces.",
        "`theta` from 0.5 (second order, keeps the energy of linear springs) to 1 (first order, damps most). "
        "Stiff springs "
        "and dampers do not limit the step. Newton's method solves each step.",
    ),
    "event-driven": (
        "Event-driven integration with `rtol` and `atol`.",
        "Modes (open, sliding, sticking) are fixed between events, the motion is integrated by the method of "
        "order 8 of "
        "Dormand and Prince, events are located to rounding. For few contacts in 2D; a reference for the "
        "others. Its error does not depend on `step`.",
    ),
}


def names() -> list[str]:
    return list(SCHEMES)


def make(name: str, folder: Path) -> Entry:
    head, text = WORDS[name]
    smooth, bouncing = errors()
    with sheet(8.0, 3.4) as figure:
        axes = figure.subplots(1, 2)
        for panel, found, title in zip(
            axes, (smooth, bouncing), ("double pendulum, no contact", "ball, three bounces")
        ):
            for (other, values), mark in zip(found.items(), "osd^"):
                own = other == name
                panel.loglog(
                    STEPS,
                    values,
                    f"{mark}-",
                    ms=6 if own else 4,
                    color=BLUE if own else FAINT,
                    lw=1.8 if own else 0.9,
                    label=other,
                    zorder=3 if own else 2,
                )
            panel.set_xticks(STEPS, [f"{1e3 * step:g}" for step in STEPS])
            panel.minorticks_off()
            panel.set_xlabel("step [ms]")
            panel.set_title(title)
        axes[0].legend()
        axes[0].set_ylabel("error of the angle after 1 s [rad]")
        axes[1].set_ylabel("error of the height after 1 s [m]")
    keep(figure, folder / name)
    example = (
        "import carom as cm\n\n"
        f"case = cm.gallery.bouncing_ball(restitution={RESTITUTION})\n"
        f'result = case.run(t_end=1.0, step=1e-3, scheme="{name}")\n'
        "result.impacts[0].t_start"
    )
    return Entry(name, f'"{name}"', head, page(
        f'"{name}"', head, text, picture(name, f"Error over step of {name}, beside the other schemes"),
        "*Error over step, beside the other schemes. Left without contacts, right across impacts.*", block(example),
    ))  # fmt: skip


@cache
def errors() -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Errors by scheme and step, of a double pendulum and of a bouncing ball."""
    pendulum = double_pendulum()
    exact = cm.simulate(pendulum, 1.0, method="nonsmooth", scheme="event-driven", rtol=1e-12, atol=1e-13)["a"].value[-1]
    ball = cm.System(gravity=(0.0, -9.81))
    bead = ball.add(cm.Body("ball", 1.0, 1.0, position=(0.0, 0.25)))
    ball.add(cm.Contact(cm.Point(bead), cm.Plane(ball.ground), impact=cm.ImpactLaw(RESTITUTION)))
    height = bounced(0.25, 1.0)
    smooth: dict[str, list[float]] = {}
    bouncing: dict[str, list[float]] = {}
    for scheme in SCHEMES:
        options = {"method": "nonsmooth", "scheme": scheme}
        runs = [cm.simulate(pendulum, 1.0, step=step, **options) for step in STEPS]  # type: ignore[arg-type]
        smooth[scheme] = [max(abs(run["a"].value[-1] - exact), 1e-14) for run in runs]
        runs = [cm.simulate(ball, 1.0, step=step, **options) for step in STEPS]  # type: ignore[arg-type]
        bouncing[scheme] = [max(abs(run[bead].y[-1] - height), 1e-14) for run in runs]
    return smooth, bouncing


def double_pendulum() -> cm.GeneralizedSystem:
    """Two equal masses on rods of 1 m, in angles: their forces depend on velocities."""
    import sympy as sp

    (a, b), (p, q) = sp.symbols("a b"), sp.symbols("p q")
    kinetic = p**2 + q**2 / 2 + p * q * sp.cos(a - b)
    potential = -9.81 * (2 * sp.cos(a) + sp.cos(b))
    return cm.GeneralizedSystem.from_lagrangian(
        [a, b], kinetic, potential, [a + 100.0], velocities=[p, q], q0=[1.0, 0.5], u0=[0.0, 0.0], impact=cm.ImpactLaw()
    )


def bounced(height: float, time: float) -> float:
    """Where a point is that fell from ``height`` [m], after ``time`` [s]."""
    speed = math.sqrt(2.0 * 9.81 * height)
    time -= speed / 9.81
    while True:
        speed *= RESTITUTION
        flight = 2.0 * speed / 9.81
        if time < flight:
            return float(speed * time - 0.5 * 9.81 * np.square(time))
        time -= flight
