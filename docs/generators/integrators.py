"""Pages of integrators: work over precision on a pendulum, and stability regions of Runge–Kutta methods."""

from __future__ import annotations

import importlib
import inspect
import math
from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import carom as cm
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.options import VERLET
from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.registry import TABLEAUS
from generators.page_figures import BLUE, FAINT, INK, keep, picture, sheet
from generators.page_text import Entry, block, markdown, page, summary

TITLE = "Integrators"
INTRO = (
    "Integrators of compliant runs: `cm.simulate(…, integrator=…)`. Between contact events the motion is smooth; see "
    "[the theory](../../theory.md#integration)."
)
END = 2.0
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)
STEPS = (0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3)
SWITCHING = {
    "auto": "The default: steps of `dopri5` through flight and impacts, implicit steps through lasting contact. "
    "Implicit steps are tried where contact lasts and stay if they are much longer; `result.stats` counts them. See "
    "[Which method, which tolerance?](../../methods.md).",
    "implicit": "Radau IIA with three stages, for the whole run: implicit in the contact forces, for bodies that "
    "stay pressed together. Impacts and flight cost more than with `auto`. See "
    "[the theory](../../theory.md#implicit-steps).",
}
IMPLICIT_FACTS = (
    "| | |\n|---|---|\n| order | 5 |\n| stages | 3 |\n| step | adaptive, by its error estimate |\n"
    "| stability | L-stable |\n"
    "| reference | E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.8 |"
)
MULTISTEP = {
    "adams": "Adams–Moulton methods of variable order 1 to 12 and variable step, by CVODE of SUNDIALS: few "
    "evaluations a step, "
    "for smooth motion with expensive forces.",
    "bdf": "Backward differentiation formulas of variable order 1 to 5 and variable step, by CVODE of SUNDIALS: "
    "implicit, for "
    "stiff springs and dampers. Short contacts are better followed by `dopri5`.",
}


def names() -> list[str]:
    return [*INTEGRATORS, VERLET]


def make(name: str, folder: Path) -> Entry:
    if name == VERLET:
        return make_verlet(folder)
    if name in SWITCHING:
        return make_switching(name, folder)
    tableau = TABLEAUS.get(name)
    with sheet(8.0, 3.5) as figure:
        if tableau is None:
            draw_work(figure.subplots(), name)
        else:
            left, right = figure.subplots(1, 2)
            draw_work(left, name)
            draw_stability(right, tableau)
    keep(figure, folder / name)
    if tableau is None:
        module = importlib.import_module("carom.solve.compliant.cvode")
        text = f"{MULTISTEP.get(name, '')}\n\n{markdown(inspect.getdoc(module) or '')}"
        facts = ""
        caption = "*Error of the angle of a pendulum after 2 s over the evaluations that it took.*"
    else:
        module = importlib.import_module(f"carom.solve.runge_kutta.{name}")
        text = markdown(inspect.getdoc(module) or "")
        facts = (
            f"| | |\n|---|---|\n| order | {tableau.order} |\n| stages | {tableau.stages} |\n"
            f"| step | {'adaptive, by its error estimate' if tableau.adaptive else 'fixed: `max_step`'} |\n"
            f"| reference | {tableau.reference or '—'} |"
        )
        caption = (
            "*Left: error of the angle of a pendulum after 2 s over the evaluations that it took. Right: where "
            "the method is "
            "stable, for y′ = λ y with steps h.*"
        )
    more = "" if tableau is None or tableau.adaptive else ", max_step=1e-3"
    example = (
        f'import carom as cm\n\nresult = cm.gallery.pendulum().run(t_end=1.0, integrator="{name}"{more})\n'
        'result.stats["evaluations"]'
    )
    return Entry(name, f'"{name}"', summary(text), page(
        f'"{name}"', text, facts, picture(name, f"Work and precision of {name}"), caption, block(example)))  # fmt: skip


def make_switching(name: str, folder: Path) -> Entry:
    """Steps over the tolerance while a ball stays pressed on a floor, beside those of `dopri5`."""
    with sheet(8.0, 3.5) as figure:
        left, right = figure.subplots(1, 2)
        draw_work(left, name)
        for other in ("dopri5", name):
            steps = [pressed_ball(integrator=other, rtol=tol, atol=1e-2 * tol) for tol in TOLERANCES[:6]]
            own = other == name
            right.loglog(TOLERANCES[:6], steps, "o-", ms=4, color=BLUE if own else FAINT, label=other)
        right.invert_xaxis()
        right.legend()
        right.set_xlabel("rtol")
        right.set_ylabel("steps")
    keep(figure, folder / name)
    text = SWITCHING[name]
    facts = IMPLICIT_FACTS if name == "implicit" else ""
    caption = (
        "*Left: error of the angle of a pendulum after 2 s over the evaluations that it took, without contact. Right: "
        "steps for 1 s of a ball that is pressed on a floor by a force that varies at 5 Hz.*"
    )
    example = (
        f'import carom as cm\n\nresult = cm.gallery.cam_follower().run(t_end=0.2, integrator="{name}")\n'
        'result.stats["implicit_steps"], result.stats["implicit_time"]'
    )
    return Entry(name, f'"{name}"', summary(text), page(
        f'"{name}"', text, facts, picture(name, f"Work of {name}"), caption, block(example)))  # fmt: skip


def pressed_ball(**options: object) -> int:
    """Return the number of steps for 1 s of a ball under a varying load."""
    mass, radius, stiffness = 0.0327, 0.01, 1e9
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", mass, 1.3e-6, position=(0.0, radius - (50.0 / stiffness) ** (2 / 3))))
    floor = cm.Plane(system.ground, (0.0, 0.0), (0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, radius), floor, cm.laws.Flores(stiffness, 0.7)))
    system.add(cm.PointForce(ball, lambda t: (0.0, -50.0 - 20.0 * math.sin(10.0 * math.pi * t))))
    return int(cm.simulate(system, 1.0, output=1.0, **options).stats["steps"])


def pendulum(**options: object) -> tuple[int, float]:
    case = cm.gallery.pendulum()
    run = case.run(t_end=END, **options)
    return int(run.stats["evaluations"]), float(run[case.system.bodies[0]].angle[-1])


@cache
def work() -> dict[str, tuple[list[int], list[float]]]:
    """Evaluations and errors, by integrator."""
    _, exact = pendulum(integrator="dop853", rtol=1e-13, atol=1e-14)
    found = {}
    for name in INTEGRATORS:
        adaptive = name not in TABLEAUS or TABLEAUS[name].adaptive
        choices = [{"rtol": tol, "atol": tol} for tol in TOLERANCES] if adaptive else [{"max_step": h} for h in STEPS]
        runs = [pendulum(integrator=name, **choice) for choice in choices]
        found[name] = ([count for count, _ in runs], [max(abs(angle - exact), 1e-15) for _, angle in runs])
    return found


def draw_work(axes: Axes, name: str) -> None:
    for other, (counts, errors) in work().items():
        own = other == name
        colour = BLUE if own else FAINT
        axes.loglog(
            errors, counts, "o-", ms=4 if own else 2.5, color=colour, lw=1.8 if own else 0.8, zorder=3 if own else 2
        )
        axes.annotate(
            other,
            (errors[-1], counts[-1]),
            xytext=(0, 5),
            textcoords="offset points",
            fontsize=7,
            color=colour,
            ha="center",
        )
    axes.invert_xaxis()
    axes.margins(0.08)
    axes.set_xlabel("error [rad]")
    axes.set_ylabel("evaluations")


def draw_stability(axes: Axes, tableau: Tableau) -> None:
    """|R(z)| ≤ 1 with R(z) = 1 + z bᵀ (I − z A)⁻¹ 1."""
    s = tableau.stages
    moments = [float(tableau.b @ np.linalg.matrix_power(tableau.a, k) @ np.ones(s)) for k in range(s)]
    reach = 3.5 if tableau.order < 8 else 7.0
    x, y = np.meshgrid(np.linspace(-1.6 * reach, 0.5 * reach, 301), np.linspace(-1.3 * reach, 1.3 * reach, 301))
    z = x + 1j * y
    growth = np.abs(1.0 + sum(c * z ** (k + 1) for k, c in enumerate(moments)))
    axes.contourf(x, y, growth, levels=[0.0, 1.0], colors=[BLUE], alpha=0.25)
    axes.contour(x, y, growth, levels=[1.0], colors=[BLUE], linewidths=1.2)
    axes.axhline(0.0, color=FAINT, lw=0.6)
    axes.axvline(0.0, color=FAINT, lw=0.6)
    axes.set_aspect("equal")
    axes.set_xlabel("Re hλ")
    axes.set_ylabel("Im hλ")
    axes.tick_params(labelcolor=INK)


def make_verlet(folder: Path) -> Entry:
    """Energy of a ball that bounces elastically, over the step."""
    radius, mass = 0.01, 0.0105
    law = cm.laws.Hertz(1e6)
    duration = law.impact(mass, math.sqrt(2.0 * 9.81 * 0.05)).duration
    parts = np.array([5, 10, 20, 30, 60, 120])
    errors = []
    for part in parts:
        system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
        ball = system.add(cm.Body("ball", mass, 4.2e-7, position=(0.0, 0.0, radius + 0.05)))
        system.add(cm.Contact(cm.Sphere(ball, radius), cm.Plane(system.ground), law))
        run = cm.simulate(system, 0.18, integrator=VERLET, max_step=duration / part, output=1e-3)
        after = run[ball].z[run.t > 0.12].max()
        errors.append(max(abs(after - radius - 0.05) / 0.05, 1e-12))
    with sheet(5.5, 3.5) as figure:
        axes = figure.subplots()
        axes.loglog(parts, errors, "o-", color=BLUE)
        axes.axvline(30, color=FAINT, lw=0.8, ls="--")
        axes.set_xlabel("steps in a contact (dashed: the default)")
        axes.set_ylabel("error of the height after a bounce [1]")
    keep(figure, folder / VERLET)
    text = (
        "Velocity Verlet with a fixed step, for systems with large groups of contacts (`system.add_contacts`), "
        "where it is the "
        "default: one evaluation of the forces per step, neighbour lists that are rebuilt when needed, and results "
        "that are bit-identical for any number of threads. `max_step` is its step, by default 1/30 of the shortest "
        "contact. Onsets are not located."
    )
    example = (
        "import carom as cm\n\nresult = "
        'cm.gallery.box_of_spheres(balls=64).run(t_end=0.05)\nresult.settings["integrator"], '
        'result.stats["steps"]'
    )
    return Entry(VERLET, f'"{VERLET}"', summary(text), page(
        f'"{VERLET}"', text, "| | |\n|---|---|\n| order | 2 |\n| step | fixed: `max_step` |\n"
        "| reference | L. Verlet, Computer experiments on classical fluids, Phys. Rev. 159 (1967) 98–103 |",
        picture(VERLET, "Error of a bounce over the steps in a contact"),
        "*Elastic ball released at 50 mm: error of its height after one bounce.*",
        block(example),
    ))  # fmt: skip
