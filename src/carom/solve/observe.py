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


def make_result(
    mechanism: Mechanism,
    t: np.ndarray,
    y: np.ndarray,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
) -> Result:
    """Evaluate every node once more and describe what the columns are."""
    tables = mechanism.tables
    n = mechanism.n
    t, y = np.ascontiguousarray(t, float), np.ascontiguousarray(y, float)
    ydot = np.zeros_like(y)
    signals = np.zeros((len(t), tables.signal_count))
    energies = np.zeros((len(t), 2))
    multipliers = np.zeros((len(t), mechanism.m))
    mechanism.prepare_reactions()
    observe(
        t, y, ydot, tables.rate, tables.block, tables.observers, tables.points, signals, energies, multipliers
    )
    work = y[:, 2 * n :]
    nothing = np.zeros(len(t))
    ledger = Energy(
        kinetic=energies[:, 0],
        potential=energies[:, 1],
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
        signals=signals,
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
