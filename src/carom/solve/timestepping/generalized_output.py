"""Evaluation of the nodes of a run in generalised coordinates."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.mechanics import generalized_stepping as general
from carom.mechanics.contact_records import N_STORED
from carom.mechanics.model_record import QUADRATURES, QUADRATURES_SIZE
from carom.result.column_info import MOTION, BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.event_driven.body_accelerations import body_accelerations
from carom.solve.generalized_nodes import evaluate_generalized_nodes
from carom.solve.node_batches import NodeBatch, ResultMetadata
from carom.solve.postprocessing import step_rates


class GeneralizedNodeEvaluator:
    """Evaluator of the nodes of a system in generalised coordinates (see `NodeEvaluator`).

    With ``accelerating``, a node ends with the accelerations of the coordinates: the run is smooth between its events.
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
        # Time, velocities of the bodies and velocities of the coordinates at the last evaluated node.
        self.last_node = np.full(1 + 3 * len(system.bodies) + system.freedom, np.nan)

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations."""
        return {"before": self.last_node}

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""
        system = self.tables.system
        f, n_contacts, n_bodies = system.freedom, system.contact_count, len(system.bodies)
        state_end, losses_end = 2 * f, 2 * f + QUADRATURES_SIZE + 2 * n_contacts
        end = nodes.shape[1] - f * self.accelerating
        y = np.ascontiguousarray(nodes[:, :state_end])
        losses = nodes[:, state_end + QUADRATURES_SIZE : losses_end]
        forces = np.ascontiguousarray(nodes[:, losses_end:end]).reshape(len(t), n_contacts, N_STORED)
        poses, velocities = np.zeros((len(t), 3 * n_bodies)), np.zeros((len(t), 3 * n_bodies))
        contacts, energies = np.zeros((len(t), n_contacts, general.N_CONTACT_SIGNALS)), np.zeros((len(t), 2))
        evaluate_generalized_nodes(
            self.tables, t=np.ascontiguousarray(t), y=y, forces=forces, poses=poses, rates=velocities,
            contacts=contacts, energies=energies,
        )  # fmt: skip
        contacts[:, :, general.N_CONTACT_SIGNALS - 1] = forces[:, :, 0] != 0.0
        all_velocities = np.concatenate([velocities, y[:, f:]], axis=1)
        if self.accelerating:
            accelerations = nodes[:, end:]
            body_acceleration = body_accelerations(self.tables, t, y, accelerations)
        else:
            rates = step_rates(t, all_velocities, self.last_node)
            body_acceleration, accelerations = np.split(rates, [3 * n_bodies], axis=1)
        self.last_node[:] = [t[-1], *all_velocities[-1]]
        coordinates = np.stack([y[:, :f], y[:, f:], accelerations], axis=2)
        signals = np.concatenate([part.reshape(len(t), -1) for part in (coordinates, contacts)], axis=1)
        energy = Energy(
            kinetic=energies[:, 0],
            potential=energies[:, 1],
            elastic=np.zeros(len(t)),
            dissipated=losses[:, 0::2].sum(axis=1),
            friction=losses[:, 1::2].sum(axis=1),
            driver_work=nodes[:, state_end + QUADRATURES.index("driver_work")],
            applied_work=nodes[:, state_end + QUADRATURES.index("applied_work")],
        )
        return NodeBatch(t, poses, velocities, body_acceleration, signals, energy.columns())


def element_infos(tables: GeneralizedData) -> tuple[ElementInfo, ...]:
    """Return the elements of a result: coordinates with two derivatives, then contacts."""
    system = tables.system
    coordinates = [
        ElementInfo(name, "Coordinate", "coordinate", (), MOTION, ("1", "1/s", "1/s^2"), (3 * k, 3 * k + 3))
        for k, name in enumerate(system.coordinates)
    ]
    first, size = len(MOTION) * system.freedom, general.N_CONTACT_SIGNALS
    names = general.SPATIAL_CONTACT_SIGNAL_NAMES if system.directions > 2 else general.CONTACT_SIGNAL_NAMES
    contacts = [
        ElementInfo(
            name, "Gap", "contact", (), names, general.CONTACT_SIGNAL_UNITS, (first + size * k, first + size * (k + 1))
        )
        for k, name in enumerate(system.contacts)
    ]
    return (*coordinates, *contacts)
