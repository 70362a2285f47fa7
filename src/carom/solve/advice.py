"""What a run tells its user before it begins and after it ended: each thing once, with what to do about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import notify
from carom.geometry.shapes import Sphere
from carom.model.system import System
from carom.model.units import slips
from carom.result.result import Result
from carom.solve.mechanism import Mechanism

DRIFT = 1e-3
"""Of the energy that moved, which may get lost unnoticed."""
UNMOVED = 1e-6
"""Of the potential energy: what moves less is rounding, in a system at rest."""
APART = 1e-6
"""Of the size of the system, by which joints may come apart unnoticed."""
DEEP = 0.1
"""Indentation over the radius of a ball, above which contact theory is no theory of it."""
LOOKS = 20
"""Times of a run at which joints are examined."""


def before(system: Any) -> None:
    """Numbers that look like other units."""
    if isinstance(system, System):
        for text in slips(system):
            notify(text)


def after(system: Any, result: Result) -> None:
    """Results that should not be trusted as they are."""
    if not result.outcome.ok or len(result.t) < 2:  # what ended it early has its own message
        return
    if isinstance(system, System):  # in coordinates of their own, users need not say what energy there is
        _energy(result)
        _indentation(system, result)


def _energy(result: Result) -> None:
    drift = float(result.energy.drift)
    unmoved = UNMOVED * float(np.abs(result.energy.potential).max())
    if not drift > DRIFT or drift * float(result.energy.scale) < unmoved:  # not-a-number has its own message
        return
    settings = result.settings
    fixed = settings.get("max_step") if settings.get("integrator") in ("rk4", "verlet") else settings.get("step")
    smaller = f"steps of {fixed:g} s are too long" if fixed else f"take a smaller rtol than {settings.get('rtol', 0):g}"
    notify(
        f"simulate: {drift:.2g} of the energy in the run has no cause; {smaller}, or a force of your own gives energy "
        "that it does not account for"
    )


def _indentation(system: System, result: Result) -> None:
    """A contact that goes deeper than half-spaces do (Johnson 1985, §4.1: it must be small beside the ball)."""
    deepest: dict[str | None, float] = {}
    for impact in result.impacts:
        deepest[impact.contact] = max(deepest.get(impact.contact, 0.0), impact.max_indentation)
    for contact in system.contacts:
        balls = [shape.radius for shape in contact.shapes
                 if isinstance(shape, Sphere) and not shape.inside]  # fmt: skip
        depth = deepest.get(contact.name, 0.0)
        if result.settings.get("method") == "compliant" and balls and depth > DEEP * min(balls):
            notify(
                f"{contact.label}: indents by {depth:.3g} m, {depth / min(balls):.0%} of its radius {min(balls):.3g} m;"
                " contact laws hold for small indentations: check stiffness, mass and speed"
            )


def joints_apart(mechanism: Mechanism, t: np.ndarray, nodes: np.ndarray) -> None:
    """Joints that came apart where nothing holds them together; ``nodes`` are the states at ``t``."""
    if mechanism.m == 0:
        return
    looks = np.unique(np.linspace(0, len(t) - 1, LOOKS).astype(int))
    size = 1.0 + float(np.abs(nodes[:, : mechanism.n]).max())
    states = [nodes[k, : mechanism.tables.size].copy() for k in looks]
    gaps = np.max([np.abs(mechanism.rows(float(t[k]), y)[0]) for k, y in zip(looks, states, strict=True)], axis=0)
    if gaps.max() > APART * size:
        names = ", ".join(repr(name) for name in mechanism.owners(np.flatnonzero(gaps > APART * size)))
        notify(
            f"simulate: joints {names} came apart by up to {gaps.max():.3g}; take constraints='projection', or "
            "larger alpha and beta, or shorter steps"
        )
