"""From the nodes of a run to a Result: accelerations, signals, energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.joints.driver import Driver
from carom.mechanics.block import APPLIED_WORK, DISSIPATED_ENERGY, DRIVER_WORK, LOSSES, QUADRATURES
from carom.mechanics.contacts import FREE, KEPT, MODE, SHOWN
from carom.mechanics.observe import observe
from carom.mechanics.planar import DOF
from carom.result.energy import Energy
from carom.result.impacts import Impact
from carom.result.info import BodyInfo, ElementInfo
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.compliant import desk as places
from carom.solve.mechanism import Mechanism


class Observation:
    """Every node evaluated once: y', signals and energies."""

    def __init__(self, mechanism: Mechanism, t: np.ndarray, y: np.ndarray, remembered: np.ndarray):
        tables = mechanism.tables
        self.ydot = np.zeros_like(y)
        self.signals = np.zeros((len(t), tables.signal_count))
        self.energies = np.zeros((len(t), 3))
        observe(
            before_jumps(t), y, remembered, self.ydot, tables.observed_rate, tables.block, tables.mass,
            tables.observers, tables.points, self.signals, self.energies,
        )  # fmt: skip


def make_result(
    mechanism: Mechanism,
    t: np.ndarray,
    y: np.ndarray,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    impacts: Sequence[Impact] = (),
    integrate_work: bool = False,
    accelerations: np.ndarray | None = None,
) -> Result:
    """Evaluate every node once more and describe what the columns are.

    ``y`` has behind each state what the contacts remembered there, if a run has. ``integrate_work`` fills the ledger's
    works from their rates, where no integrator has. ``accelerations`` are those of a run with rigid contacts that
    knows them: it is smooth between its jumps.
    """
    n = mechanism.n
    size, first = mechanism.tables.size, mechanism.tables.quadratures
    t = np.ascontiguousarray(t, float)
    y, remembered = np.ascontiguousarray(y[:, :size], float), np.ascontiguousarray(y[:, size:], float)
    if mechanism.tables.rigid:
        mechanism.prepare_reactions()
    seen = Observation(mechanism, t, y, remembered)
    ydot = seen.ydot
    if mechanism.tables.rigid:
        ydot[:, n : 2 * n] = step_rates(t, y[:, n : 2 * n]) if accelerations is None else accelerations
    elif mechanism.redundant:  # accelerations from the independent rows, reactions of least norm from all
        mechanism.prepare_reactions()
        seen = Observation(mechanism, t, y, remembered)
    if integrate_work:
        y[:, first:] = integrals(t, ydot[:, first:])
    work = y[:, first : first + QUADRATURES]
    losses = y[:, first + QUADRATURES :][:, : LOSSES * len(mechanism.tables.contacts)]
    complete_contacts(mechanism, t, y, remembered, seen.signals, impacts)
    ledger = Energy(
        kinetic=seen.energies[:, 0],
        potential=seen.energies[:, 1],
        elastic=seen.energies[:, 2],
        dissipated=work[:, DISSIPATED_ENERGY] + losses[:, 0::LOSSES].sum(axis=1),
        friction=losses[:, 1::LOSSES].sum(axis=1),
        driver_work=work[:, DRIVER_WORK],
        applied_work=work[:, APPLIED_WORK],
    )
    return Result(
        name=mechanism.system.name,
        dim=mechanism.system.dim,
        t=t,
        q=y[:, :n],
        v=y[:, n : 2 * n],
        a=ydot[:, n : 2 * n],
        signals=seen.signals,
        ledger=ledger,
        bodies=tuple(BodyInfo(body.name, body.mass, body.inertia) for body in mechanism.system.bodies),
        elements=element_infos(mechanism),
        stats=stats,
        outcome=outcome,
        message=message,
        settings=settings,
        impacts=impacts,
        smooth=not mechanism.tables.rigid or accelerations is not None,
    )


def step_rates(t: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Mean accelerations of the steps that end at the nodes; the first node has that of the step after it."""
    rates = np.zeros_like(v)
    if len(t) > 1:
        rates[1:] = np.diff(v, axis=0) / np.diff(t)[:, None]
        rates[0] = rates[1]
    return rates


def element_infos(mechanism: Mechanism) -> tuple[ElementInfo, ...]:
    tables = mechanism.tables
    families = ["driver" if isinstance(joint, Driver) else "joint" for joint in tables.joints]
    families += ["force"] * len(tables.forces) + ["contact"] * len(tables.contacts)
    families += ["joint"] * len(tables.compounds)
    return tuple(
        ElementInfo(
            name=element.name or "",
            kind=type(element).__name__,
            family=family,
            members=tuple("ground" if body is None else body.name for body in element.members),
            signals=tuple(shown.names),
            units=tuple(shown.units),
            columns=(shown.start, shown.stop),
        )
        for element, family, shown in zip(tables.elements, families, tables.signals, strict=True)
    )


def complete_contacts(
    mechanism: Mechanism,
    t: np.ndarray,
    y: np.ndarray,
    remembered: np.ndarray,
    signals: np.ndarray,
    impacts: Sequence[Impact],
) -> None:
    """Signals of contacts that need more than one evaluation: apart, in an impact or in a lasting contact."""
    tables = mechanism.tables
    first = len(tables.joints) + len(tables.forces)
    shown = tables.signals[first : first + len(tables.contacts)]
    bodies = {id(body): DOF * k for k, body in enumerate(mechanism.system.bodies)}

    def pose(body: Any) -> np.ndarray:
        at = bodies.get(id(body))
        return np.zeros((len(t), DOF)) if at is None else y[:, at : at + DOF]

    impacts_of_contact: dict[str, list[Impact]] = {}
    for impact in impacts:
        impacts_of_contact.setdefault(impact.contact, []).append(impact)
    for k, (contact, columns) in enumerate(zip(tables.contacts, shown, strict=True)):
        own = signals[:, columns.start : columns.stop]
        touching = remembered[:, k * KEPT + MODE] != FREE if remembered.shape[1] else own[:, 0] > 0.0
        own[:, SHOWN] = modes(t, touching, impacts_of_contact.get(contact.name or "", ()))
        contact.complete(own, *(pose(body)[:, 2] for body in contact.members))
    place = {id(contact): columns for contact, columns in zip(tables.contacts, shown, strict=True)}
    for compound, columns in zip(tables.compounds, tables.signals[first + len(tables.contacts) :], strict=True):
        parts = [signals[:, place[id(part)].start : place[id(part)].stop] for part in compound.parts]
        compound.complete(signals[:, columns.start : columns.stop], parts, *(pose(body) for body in compound.members))


def modes(t: np.ndarray, touching: np.ndarray, impacts: Sequence[Impact]) -> np.ndarray:
    """0 apart, 1 in an impact, 2 in a lasting contact, at every node."""
    mode = np.where(touching, 1.0, 0.0)
    for impact in impacts:
        if impact.lasting:
            # A step that ends after the last impulse was taken belongs to it, so one node more.
            first, last = np.searchsorted(t, (impact.t_start, impact.t_end), side="left")
            mode[first : last + 1][touching[first : last + 1]] = 2.0
    return mode


def impacts_of(mechanism: Mechanism, touches: Sequence[np.ndarray]) -> list[Impact]:
    """What the solver logged of its contacts, by names."""
    names = [contact.name or "" for contact in mechanism.tables.contacts]
    return [
        Impact(
            contact=names[int(row[places.LOG_CONTACT])],
            t_start=float(row[places.LOG_START]),
            t_end=float(row[places.LOG_END]),
            approach_speed=float(row[places.LOG_APPROACH]),
            separation_speed=0.0 if row[places.LOG_OPEN] else float(row[places.LOG_SEPARATION]),
            peak_force=float(row[places.LOG_PEAK]),
            max_indentation=float(row[places.LOG_LARGEST]),
            energy_lost=float(row[places.LOG_NORMAL_LOSS]),
            friction_loss=float(row[places.LOG_FRICTION_LOSS]),
            compressions=int(row[places.LOG_TURNS]),
            initial_indentation=float(row[places.LOG_FIRST_DEPTH]),
            finished=not row[places.LOG_OPEN],
        )
        for rows in touches
        for row in rows
    ]


def before_jumps(t: np.ndarray) -> np.ndarray:
    """Times to evaluate at: the first of two nodes with the same time belongs to what was before it."""
    times = t.copy()
    first = np.flatnonzero(t[:-1] == t[1:])
    times[first] = np.nextafter(t[first], -np.inf)
    return times


def integrals(t: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Running integrals of the columns, by Simpson's rule."""
    if len(t) < 3:
        return np.zeros_like(rates)
    from scipy.integrate import cumulative_simpson

    return cumulative_simpson(rates, x=t, axis=0, initial=0.0)
