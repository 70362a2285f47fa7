"""From the nodes of a run in generalised coordinates to a Result."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.mechanics import generalized_stepping as general
from carom.mechanics.contact_records import N_STORED
from carom.mechanics.model_record import QUADRATURES
from carom.result.column_info import MOTION, BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.event_driven.body_accelerations import body_accelerations
from carom.solve.node_batches import NodeBatch, ResultMetadata
from carom.solve.postprocessing import step_rates


class GeneralizedNodeEvaluator:
    """Evaluates every node of a run once more (see `Observing`): bodies, contacts, energies; coordinates by names.

    With ``accelerating``, accelerations of the coordinates stand behind the nodes of a run that knows them: it is
    smooth between its jumps.
    """

    def __init__(self, tables: GeneralizedData, accelerating: bool = False):
        system = tables.system
        self.tables, self.accelerating = tables, accelerating
        self.metadata = ResultMetadata(
            system.name,
            system.dim,
            tuple(BodyInfo(name, *system.inertias.get(name, (math.nan, math.nan))) for name in system.bodies),
            element_infos(tables),
            smooth=accelerating,
        )
        self.min_nodes, self.needs_next_time = 1 if accelerating else 2, True
        # Time, and velocities of bodies and coordinates, of the last node seen.
        self.last_node = np.full(1 + 3 * len(system.bodies) + system.freedom, np.nan)

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations."""
        return {"before": self.last_node}

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""
        tables = self.tables
        system, functions = tables.system, tables.functions
        f, count, dim, bodies = system.freedom, system.contact_count, system.directions, len(system.bodies)
        end = nodes.shape[1] - f * self.accelerating
        y = np.ascontiguousarray(nodes[:, : 2 * f])
        losses = nodes[:, 2 * f + 3 : 2 * f + 3 + 2 * count]
        forces = np.ascontiguousarray(nodes[:, 2 * f + 3 + 2 * count : end]).reshape(len(t), count, N_STORED)
        kernels = (functions.mass, functions.potential, functions.gaps, functions.directions, functions.bodies,
                   functions.body_rates)  # fmt: skip
        addresses = np.array([0 if kernel is None else kernel.address for kernel in kernels], np.int64)
        places, rates = np.zeros((len(t), 3 * bodies)), np.zeros((len(t), 3 * bodies))
        contacts, energies = np.zeros((len(t), count, general.SHOWN)), np.zeros((len(t), 2))
        largest = max(f * f, count * dim * (f + 1), 3 * bodies * (f + 1), 1)
        general.evaluate_nodes(
            np.ascontiguousarray(t), y, addresses, np.array([f, count, dim, bodies]), forces, np.zeros(largest),
            places, rates, contacts, energies,
        )  # fmt: skip
        contacts[:, :, general.SHOWN - 1] = forces[:, :, 0] != 0.0
        velocities = np.concatenate([rates, y[:, f:]], axis=1)
        if self.accelerating:
            a, bend = body_accelerations(tables, t, y, nodes[:, end:]), nodes[:, end:]
        else:
            a, bend = np.split(step_rates(t, velocities, self.last_node), [3 * bodies], axis=1)
        self.last_node[:] = [t[-1], *velocities[-1]]
        coordinates = np.stack([y[:, :f], y[:, f:], bend], axis=2)
        signals = np.concatenate([part.reshape(len(t), -1) for part in (coordinates, contacts)], axis=1)
        still = np.zeros(len(t))
        ledger = Energy(
            kinetic=energies[:, 0],
            potential=energies[:, 1],
            elastic=still,
            dissipated=losses[:, 0::2].sum(axis=1),
            friction=losses[:, 1::2].sum(axis=1),
            driver_work=nodes[:, 2 * f + QUADRATURES.index("driver_work")],
            applied_work=nodes[:, 2 * f + QUADRATURES.index("applied_work")],
        )
        return NodeBatch(t, places, rates, a, signals, ledger.columns())


def element_infos(tables: GeneralizedData) -> tuple[ElementInfo, ...]:
    """Coordinates first, with two derivatives, then contacts."""
    system = tables.system
    coordinates = [
        ElementInfo(name, "Coordinate", "coordinate", (), MOTION, ("1", "1/s", "1/s^2"), (3 * k, 3 * k + 3))
        for k, name in enumerate(system.coordinates)
    ]
    at = len(MOTION) * system.freedom
    shown = general.SHOWN
    names = general.SPATIAL_SHOWN_NAMES if system.directions > 2 else general.SHOWN_NAMES
    contacts = [
        ElementInfo(name, "Gap", "contact", (), names, general.SHOWN_UNITS, (at + shown * k, at + shown * (k + 1)))
        for k, name in enumerate(system.contacts)
    ]
    return (*coordinates, *contacts)
