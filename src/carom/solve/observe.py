"""From the nodes of a run to a Result: accelerations, signals, energies."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.joints.driver import Driver
from carom.mechanics.block import APPLIED_WORK, DISSIPATED_ENERGY, DRIVER_WORK
from carom.mechanics.observe import observe
from carom.result.energy import Energy
from carom.result.info import BodyInfo, ElementInfo
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.mechanism import Mechanism


class Observation:
    """Every node evaluated once: y', signals and energies."""

    def __init__(self, mechanism: Mechanism, t: np.ndarray, y: np.ndarray):
        tables = mechanism.tables
        self.ydot = np.zeros_like(y)
        self.signals = np.zeros((len(t), tables.signal_count))
        self.energies = np.zeros((len(t), 2))
        observe(
            before_jumps(t), y, self.ydot, tables.rate, tables.block, tables.mass, tables.observers, tables.points,
            self.signals, self.energies,
        )  # fmt: skip


def make_result(
    mechanism: Mechanism,
    t: np.ndarray,
    y: np.ndarray,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    integrate_work: bool = False,
) -> Result:
    """Evaluate every node once more and describe what the columns are.

    ``integrate_work`` fills the ledger's works from their rates, where no integrator has.
    """
    n = mechanism.n
    t, y = np.ascontiguousarray(t, float), np.ascontiguousarray(y, float)
    seen = Observation(mechanism, t, y)
    ydot = seen.ydot
    if mechanism.redundant:  # accelerations from the independent rows, reactions of least norm from all
        mechanism.prepare_reactions()
        seen = Observation(mechanism, t, y)
    if integrate_work:
        y[:, 2 * n :] = integrals(t, ydot[:, 2 * n :])
    work = y[:, 2 * n :]
    nothing = np.zeros(len(t))
    ledger = Energy(
        kinetic=seen.energies[:, 0],
        potential=seen.energies[:, 1],
        elastic=nothing,
        dissipated=work[:, DISSIPATED_ENERGY],
        friction=nothing,
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
    )


def element_infos(mechanism: Mechanism) -> tuple[ElementInfo, ...]:
    tables = mechanism.tables
    families = ["driver" if isinstance(joint, Driver) else "joint" for joint in tables.joints]
    families += ["force"] * len(tables.forces)
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
