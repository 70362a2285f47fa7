"""Evaluation of the nodes of a run in generalised coordinates."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.mechanics import generalized_stepping as general
from carom.result.column_info import MOTION, BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.event_driven.body_accelerations import body_accelerations
from carom.solve.generalized_nodes import evaluate_generalized_nodes
from carom.solve.node_batches import NodeBatch, ResultMetadata
from carom.solve.step_rates import set_step_rates


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
        f, n_bodies = system.freedom, len(system.bodies)
        t, nodes = np.ascontiguousarray(t), np.ascontiguousarray(nodes)
        signals = np.zeros((len(t), len(MOTION) * f + general.N_CONTACT_SIGNALS * system.contact_count))
        energies = np.zeros((len(t), len(Energy.names())))
        q, v, a = (np.zeros((len(t), 3 * n_bodies)) for _ in range(3))
        evaluate_generalized_nodes(
            self.tables, self.accelerating, t=t, nodes=nodes, poses=q, rates=v, signals=signals, energies=energies
        )
        if self.accelerating:
            a = body_accelerations(self.tables, t, nodes[:, : 2 * f], nodes[:, nodes.shape[1] - f :])
        else:
            of_bodies, of_coordinates = np.split(self.last_node[1:], [3 * n_bodies])
            time = self.last_node[:1]
            set_step_rates(t, v, np.concatenate([time, of_bodies]), a)
            accelerations = signals[:, MOTION.index("acceleration") : len(MOTION) * f : len(MOTION)]
            set_step_rates(t, nodes[:, f : 2 * f], np.concatenate([time, of_coordinates]), accelerations)
        self.last_node[:] = [t[-1], *v[-1], *nodes[-1, f : 2 * f]]
        return NodeBatch(t, q, v, a, signals, energies)


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
