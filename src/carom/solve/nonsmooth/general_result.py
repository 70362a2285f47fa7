"""From the nodes of a run in generalised coordinates to a Result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.mechanics import generalized as general
from carom.mechanics.block import DRIVER_WORK
from carom.mechanics.contacts import KEPT
from carom.result.energy import Energy
from carom.result.impacts import Impact
from carom.result.info import BodyInfo, ElementInfo
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.nonsmooth.events.bodies import body_accelerations
from carom.solve.observe import modes, step_rates
from carom.tables.generalized import GeneralTables


def make_general_result(
    tables: GeneralTables,
    t: np.ndarray,
    nodes: np.ndarray,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    impacts: Sequence[Impact],
    accelerations: np.ndarray | None = None,
) -> Result:
    """Evaluate every node once more: bodies, contacts, energies; coordinates are shown by their names.

    ``accelerations`` of the coordinates are those of a run that knows them: it is smooth between its jumps.
    """
    system, functions = tables.system, tables.functions
    f, count, dim, bodies = system.freedom, system.contact_count, system.directions, len(system.bodies)
    y = np.ascontiguousarray(nodes[:, : 2 * f])
    losses = nodes[:, 2 * f + 3 : 2 * f + 3 + 2 * count]
    forces = np.ascontiguousarray(nodes[:, 2 * f + 3 + 2 * count :]).reshape(len(t), count, KEPT)
    kernels = (functions.mass, functions.potential, functions.gaps, functions.directions, functions.bodies,
               functions.body_rates)  # fmt: skip
    addresses = np.array([0 if kernel is None else kernel.address for kernel in kernels], np.int64)
    places, rates = np.zeros((len(t), 3 * bodies)), np.zeros((len(t), 3 * bodies))
    contacts, energies = np.zeros((len(t), count, general.SHOWN)), np.zeros((len(t), 2))
    largest = max(f * f, count * dim * (f + 1), 3 * bodies * (f + 1), 1)
    general.observe(
        np.ascontiguousarray(t), y, addresses, np.array([f, count, dim, bodies]), forces, np.zeros(largest), places,
        rates, contacts, energies,
    )  # fmt: skip
    for k, name in enumerate(system.contacts):
        own = [impact for impact in impacts if impact.contact == name]
        contacts[:, k, general.SHOWN - 1] = modes(t, forces[:, k, 0] != 0.0, own)
    signals = np.concatenate([np.stack([y[:, :f], y[:, f:]], axis=2), contacts.reshape(len(t), -1, 2)], axis=1)
    still = np.zeros(len(t))
    return Result(
        name=system.name,
        dim=system.dim,
        t=t,
        q=places,
        v=rates,
        a=step_rates(t, rates) if accelerations is None else body_accelerations(tables, t, y, accelerations),
        signals=signals.reshape(len(t), -1),
        ledger=Energy(
            kinetic=energies[:, 0],
            potential=energies[:, 1],
            elastic=still,
            dissipated=losses[:, 0::2].sum(axis=1),
            friction=losses[:, 1::2].sum(axis=1),
            driver_work=nodes[:, 2 * f + DRIVER_WORK],
            applied_work=still,
        ),
        bodies=tuple(BodyInfo(name, *system.inertias.get(name, (math.nan, math.nan))) for name in system.bodies),
        elements=element_infos(tables),
        stats=stats,
        outcome=outcome,
        message=message,
        settings=settings,
        impacts=impacts,
        smooth=accelerations is not None,
    )


def element_infos(tables: GeneralTables) -> tuple[ElementInfo, ...]:
    """Coordinates first, with value and rate, then contacts."""
    system = tables.system
    coordinates = [
        ElementInfo(name, "Coordinate", "coordinate", (), ("value", "rate"), ("1", "1/s"), (2 * k, 2 * k + 2))
        for k, name in enumerate(system.coordinates)
    ]
    at = 2 * system.freedom
    shown = general.SHOWN
    contacts = [
        ElementInfo(name, "Gap", "contact", (), general.SHOWN_NAMES, general.SHOWN_UNITS,
                    (at + shown * k, at + shown * (k + 1)))
        for k, name in enumerate(system.contacts)
    ]  # fmt: skip
    return (*coordinates, *contacts)
