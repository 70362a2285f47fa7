"""Warnings before and after a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.errors import warn
from carom.forces.bearing_film import BearingFilm
from carom.geometry.pose import from_axes
from carom.laws.user_law import UserLaw
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.system import System
from carom.model.unit_checks import gyration, slips
from carom.result.result import Result
from carom.solve.input_use import warn_of_unused_inputs
from carom.solve.model_evaluator import ModelEvaluator

MAX_DRIFT = 1e-3
"""Energy drift relative to the exchanged energy above which a warning is issued [-]."""
ROUNDING = 1e-6
"""Energy drift relative to the potential energy below which it is rounding, in a system at rest [-]."""
MAX_JOINT_OPENING = 1e-6
"""Opening of joints relative to the size of the system above which a warning is issued [-]."""
MAX_INDENTATION = 0.1
"""Indentation relative to the radius of a sphere above which contact laws do not hold [-]."""
MAX_STEP_OVERLAP = 0.5
"""Overlap after a step of a rigid contact relative to the size of the body above which the step is too long [-]."""
MAIN_FRACTION, NEIGHBOURS, JUMP = 0.5, 5, 20.0
"""Fraction of the drift that one step must have for its cause to be searched; compared steps on either side of it; and
ratio to their speed above which a contact point jumps [-]."""
CHECKS = 20
"""Nodes of a run at which joints are examined."""


def reference_energy(system: Any, changed: Callable[[Any], Any] = lambda item: item) -> float:
    """Return the weights times the size of a system, and the stiffness of its springs times the square of that [J].

    ``changed`` returns what takes the place of a body or element, or the gravity in place of that of a system.
    """
    if not isinstance(system, System) or not system.bodies:
        return 0.0
    gravity = changed(system)
    gravity = system.gravity if gravity is system else gravity
    bodies, forces = [changed(body) for body in system.bodies], [changed(force) for force in system.forces]
    held = [from_axes(changed(body), point) for element in (*map(changed, system.joints), *forces)
            for body, point in zip(element.members, element.points, strict=False) if body is not None]  # fmt: skip
    thick = max((gyration(body) for body in bodies), default=0.0)
    size = float(np.linalg.norm(np.ptp([*(body.position for body in bodies), *held], axis=0))) + thick
    weight = float(np.linalg.norm(gravity)) * sum(body.mass for body in bodies)
    stiffness = sum(force.line_stiffness for force in forces)
    return weight * size + stiffness * size**2


def before(system: Any) -> None:
    """Warn of values that suggest other units, and of inputs without effect."""
    if isinstance(system, System):
        warn_of_unused_inputs(system)
        for text in slips(system):
            warn(text)
        for force in system.forces:
            if isinstance(force, BearingFilm) and (message := force.warning_at_start()):
                warn(message)


def after(system: Any, result: Result) -> None:
    """Warn of results that should not be trusted."""
    if not result.outcome.ok or len(result.t) < 2:  # a failure has its own message
        return
    if isinstance(system, System):  # in generalised coordinates, energies need not be given
        _energy(system, result)
        _indentation(system, result)
        _step_overlap(system, result)


def _energy(system: System, result: Result) -> None:
    drift = float(result.energy.drift)
    if not drift > MAX_DRIFT:  # NaN has its own message
        return
    if drift * float(result.energy.scale) < ROUNDING * float(np.abs(result.energy.potential).max()):
        return
    warn(f"simulate: energy drift is {drift:.2g} of the exchanged energy; {_cause(system, result)}")


def _cause(system: System, result: Result) -> str:
    """Return the likely cause of the energy drift, and what to do about it."""
    steps = np.abs(np.diff(result.energy.balance))
    worst = int(np.argmax(steps))
    if steps[worst] > MAIN_FRACTION * np.abs(result.energy.balance).max():
        for contact in system.contacts:
            if _jumps(result, contact.name or "", worst):
                return (
                    f"most of it changed at t = {result.t[worst + 1]:.6g} s, where the contact point of "
                    f"{contact.name!r} jumps: use shapes that are smooth there, or a contact for each part that touches"
                )
    settings = result.settings
    fixed = settings.get("max_step") if settings.get("integrator") in ("rk4", "verlet") else settings.get("step")
    smaller = f"reduce the step (now {fixed:g} s)" if fixed else f"reduce rtol (now {settings.get('rtol', 0):g})"
    own = any(force.function is not None for force in system.forces)
    own |= any(isinstance(law, UserLaw) for contact in system.contacts for law in (contact.law, contact.friction))
    return smaller + (" or check user-defined forces and laws" if own else "")


def _jumps(result: Result, contact: str, node: int) -> bool:
    """Return True if the point of a persistent contact moves much farther after ``node`` than in the steps around."""
    series = result[contact]
    if not {"contact_mode", "x"} <= set(series.info.signals) or np.any(series.contact_mode[node : node + 2] == 0.0):
        return False
    near = slice(max(node - NEIGHBOURS, 0), node + NEIGHBOURS + 2)
    t = result.t[near]
    places = np.column_stack([getattr(series, name)[near] for name in ("x", "y", "z")[: result.dim]])
    moved, time = np.linalg.norm(np.diff(places, axis=0), axis=1), np.diff(t)
    here = node - near.start
    others = np.delete(moved / np.maximum(time, 1e-300), here)
    usual = float(np.median(others)) if len(others) else 0.0
    return bool(moved[here] > JUMP * usual * time[here] + JUMP * 1e-12 * (1.0 + np.abs(places).max()))


def _indentation(system: System, result: Result) -> None:
    """Warn of indentations that are not small beside the radius (Johnson 1985, §4.1), once per group of contacts."""
    if result.settings.get("method") != "compliant":
        return
    deepest: dict[str | None, float] = {}
    for impact in result.impacts:
        deepest[impact.contact] = max(deepest.get(impact.contact, 0.0), impact.max_indentation)
    group_of = {id(contact): group for group in system.small_groups for contact in group.contacts}
    found: dict[str, list[tuple[float, float]]] = {}
    for contact in system.contacts:
        balls, depth = _radii(contact), deepest.get(contact.name, 0.0)
        if balls and depth > MAX_INDENTATION * min(balls):
            found.setdefault(group_of.get(id(contact), contact).label, []).append((depth, min(balls)))
    for group in system.groups:
        balls, depth = _radii(group), float(np.nanmax(result[group.name].largest_indentation))
        if balls and depth > MAX_INDENTATION * min(balls):
            found[group.label] = [(depth, min(balls))]
    for label, contacts in found.items():
        depth, radius = max(contacts, key=lambda contact: contact[0] / contact[1])
        many = f" in {len(contacts)} contacts, by up to" if len(contacts) > 1 else " by"
        warn(
            f"{label}: indents{many} {depth:.3g} m, {depth / radius:.0%} of the radius {radius:.3g} m; contact laws "
            "hold for small indentations: check stiffness, mass and speed"
        )


def _step_overlap(system: System, result: Result) -> None:
    """Warn of rigid contacts with a large overlap at the end of a step."""
    if result.settings.get("method") != "nonsmooth" or result.settings.get("scheme") == "event-driven":
        return
    deepest: dict[str | None, float] = {}
    for impact in result.impacts:
        if result[impact.contact].indentation[0] <= 0.0:  # an overlap at the start has its own message
            deepest[impact.contact] = max(deepest.get(impact.contact, 0.0), impact.max_indentation)
    for contact in system.contacts:
        depth, size = deepest.get(contact.name, 0.0), _size(contact)
        if 0.0 < MAX_STEP_OVERLAP * size < depth:
            warn(
                f"{contact.label}: a step of {result.settings['step']:g} s left an overlap of {depth:.3g} "
                f"{contact.units[0]}, {depth / size:.2g} times the size of what touches; use a smaller step, or "
                "scheme='event-driven'"
            )


def _size(contact: Contact) -> float:
    """Return the radius of the smaller sphere in contact, else the radius of gyration of the smaller body [m].

    For an angle it is 1 rad.
    """
    if contact.is_rotational:
        return 1.0
    balls = _radii(contact)
    thick = [gyration(body) for body in contact.members if body.mass > 0.0]
    return float(min(balls or thick, default=0.0))


def _radii(contact: Contact | ContactGroup) -> list[float]:
    """Return the radii of the solid spheres of a contact or group [m]."""
    radii = [shape.solid_sphere_radius for shape in contact.all_shapes]
    return [radius for radius in radii if radius is not None]


def joints_apart(mechanism: ModelEvaluator, t: np.ndarray, nodes: np.ndarray) -> None:
    """Warn of joints that opened without projection; ``nodes`` are the states at ``t`` [s]."""
    if mechanism.m == 0:
        return
    looks = np.unique(np.linspace(0, len(t) - 1, CHECKS).astype(int))
    size = 1.0 + float(np.abs(nodes[:, : mechanism.n]).max())
    states = [nodes[k, : mechanism.tables.size].copy() for k in looks]
    gaps = np.max([np.abs(mechanism.rows(float(t[k]), y)[0]) for k, y in zip(looks, states, strict=True)], axis=0)
    if gaps.max() > MAX_JOINT_OPENING * size:
        names = ", ".join(repr(name) for name in mechanism.owners(np.flatnonzero(gaps > MAX_JOINT_OPENING * size)))
        warn(
            f"simulate: joints {names} opened by up to {gaps.max():.3g}; use constraints='projection', larger "
            "alpha and beta, or a smaller step"
        )
