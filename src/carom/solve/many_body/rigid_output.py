"""Output nodes of a non-smooth run with many bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.geometry.rotation import matrix_of
from carom.result.column_info import BodyInfo
from carom.result.energy import Energy
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.many_body.body_flow import BodyFlow
from carom.solve.many_body.node_output import N_SIGNALS, CoordinationNumber, group_infos
from carom.solve.many_body.part_forces import PartForces, TouchingPairs
from carom.solve.many_body.rigid_engine import RigidEngine
from carom.solve.many_body.rigid_records import RIGID, RIGID_ENERGY
from carom.solve.many_body.vector_columns import cross, rotated, row_sums, sums_of_chosen
from carom.solve.node_batches import NodeBatch, ResultMetadata, with_prefix
from carom.solve.postprocessing import inertia_of
from carom.solve.step_rates import set_step_rates

FREE_ENERGIES = ("kinetic", "potential", "dissipated", "friction", "applied_work")
"""Energies of a node: those of free bodies and of contacts; the mechanism adds its own."""


class RigidNodeOutput:
    """Writer and reader of the nodes of a run (see `NodeEvaluator`).

    A node has coordinates and velocities of all bodies in the order of the system, signals of the groups, energies,
    and the node of the mechanism. Accelerations are mean values of the steps that end at the nodes.
    """

    needs_next_time = True
    min_nodes = 2
    n_body_arrays = 0
    """Compiled code checks the numbers of the bodies before it copies a node."""

    def __init__(self, engine: RigidEngine, flow: BodyFlow | None = None):
        model, system = engine.model, engine.model.system
        self.engine, self.flow, self.kind = engine, flow, KINDS[system.dim]
        n_bodies, self.n_velocities = engine.n_bodies, self.kind.n_velocities * engine.n_bodies
        self.last_node = np.full(1 + self.n_velocities, np.nan)
        self.mechanism = None if engine.mechanism is None else engine.mechanism.evaluator
        elements = () if self.mechanism is None else self.mechanism.metadata.elements
        first = max((element.columns[1] for element in elements), default=0)
        self.n_mechanism_signals = first
        self.parts, self.n_group_columns = PartForces(model), N_SIGNALS * len(model.groups)
        n_signals = self.n_group_columns + self.parts.n_columns
        of_flow = () if flow is None else flow.infos(first + n_signals)
        n_signals += 0 if flow is None else flow.passed.size
        self.ends = np.cumsum([self.kind.n_coordinates * n_bodies, self.n_velocities, n_signals, len(FREE_ENERGIES)])
        of_contacts = (*group_infos(model.groups, first), *self.parts.infos(first + self.n_group_columns), *of_flow)
        self.coordination = [CoordinationNumber(model, group) for group in model.groups]
        self.metadata = ResultMetadata(
            system.name,
            system.dim,
            tuple(BodyInfo(body.name, body.mass, inertia_of(body)) for body in system.bodies),
            (*(replace(element) for element in elements), *of_contacts),
            smooth=False,
            sketch=deferred_drawing_data(system),
        )
        held = engine.arrays["bodies"]["mechanism_index"][1:]
        self.free_rows = np.flatnonzero(held < 0)
        self.free_order = model.body_order[self.free_rows]
        self.held_order = model.body_order[np.array(model.mechanism_rows, np.int64) - 1]

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations."""
        arrays = {"last_node": self.last_node}
        return arrays if self.mechanism is None else arrays | with_prefix("mechanism", self.mechanism.mutable_arrays())

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the engine from which its nodes follow."""
        engine = self.engine
        h = RIGID.index("h")
        arrays = {
            "bodies": engine.arrays["bodies"], "pairs": engine.list.pairs[: engine.n_pairs],
            "group_work": engine.arrays["group_work"], "pair_data": engine.model.pair_data,
            "energy": RIGID_ENERGY.numbers(engine.energy).view(float),
            "h": RIGID.numbers(engine.rigid)[h : h + 1].view(float),
        }  # fmt: skip
        return arrays | ({"images": engine.model.images} if engine.model.is_periodic else {})

    def row(self, h: float) -> np.ndarray:
        """Return the current node of the engine as an array of one row; ``h`` is the last step [s], 0 at the start."""
        engine = self.engine
        node = self.rows({name: array[None] for name, array in self.arrays().items()} | {"h": np.array([[h]])})
        if self.flow is not None:
            node[0, self.ends[2] - self.flow.passed.size : self.ends[2]] = self.flow.passed.ravel()
            node[0, self.ends[2] + FREE_ENERGIES.index("applied_work")] = float(self.flow.applied_work[0])
        mechanism = np.zeros(0) if engine.mechanism is None else engine.mechanism.node(h)
        return np.concatenate([node[0], mechanism])[None]

    def rows(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Return nodes with these arrays, whose first axis is the node; without mechanism, inlets and outlets."""
        nodes = np.zeros((len(arrays["bodies"]), int(self.ends[-1])))
        q, v, signals, energies = np.split(nodes, self.ends[:-1], axis=1)
        energy = self._store_motion(q, v, arrays)
        for name in ("dissipated", "friction"):
            energy[name] = arrays["energy"][:, RIGID_ENERGY.index(name)]
        for name, values in energy.items():
            energies[:, FREE_ENERGIES.index(name)] = values
        if arrays["h"][0, 0] > 0.0:
            self._store_signals(signals, arrays)
        return nodes

    def _store_motion(self, q: np.ndarray, v: np.ndarray, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Store coordinates and velocities of the free bodies; return their kinetic and potential energies [J]."""
        model, count = self.engine.model, len(q)
        bodies = np.take(arrays["bodies"], 1 + self.free_rows, axis=1)
        r = bodies["r"]
        if model.is_periodic:
            r = r + np.take(arrays["images"], 1 + self.free_rows, axis=1) * model.domain.period
        gravity = np.zeros(3)
        gravity[: model.system.dim] = model.system.gravity
        heights = zip(bodies["mass"], r @ gravity, strict=True)
        potential = np.array([-float(masses @ along_gravity) for masses, along_gravity in heights])
        q, v = (columns.reshape(count, self.engine.n_bodies, -1) for columns in (q, v))
        kinetic = row_sums((bodies["mass"][:, :, None] * bodies["v"] ** 2).reshape(count, -1))
        if model.system.dim == 2:
            omega = bodies["omega"][:, :, 2]
            q[:, self.free_order] = np.concatenate([r[:, :, :2], bodies["angle"][:, :, None]], axis=2)
            v[:, self.free_order] = np.concatenate([bodies["v"][:, :, :2], omega[:, :, None]], axis=2)
            kinetic = kinetic + row_sums(bodies["inertia"][:, :, 2] * omega**2)
        else:
            of_bodies = bodies.ravel()
            quaternions = of_bodies["quaternion"].copy()
            omega = rotated(matrix_of(quaternions).transpose(0, 2, 1), of_bodies["omega"])
            kinetic = kinetic + row_sums((of_bodies["inertia"] * omega**2).reshape(count, -1))
            for k in np.flatnonzero(of_bodies["axes"][:, 0] != 1.0):
                inertia = model.bodies[self.free_rows[k % len(self.free_rows)]].inertia
                quaternions[k], omega[k] = self.kind.in_body_axes(inertia, quaternions[k : k + 1], omega[k : k + 1])
            q[:, self.free_order] = np.concatenate([r, quaternions.reshape(*r.shape[:2], 4)], axis=2)
            v[:, self.free_order] = np.concatenate([bodies["v"], omega.reshape(r.shape)], axis=2)
        return {"kinetic": 0.5 * kinetic, "potential": potential}

    def _store_signals(self, signals: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Store the signals of all groups, and the contact forces on parts."""
        pairs, work, h, listed = arrays["pairs"], arrays["group_work"], arrays["h"], self.engine.list
        is_closed = pairs["P_N"] > 0.0
        node, index = np.nonzero(is_closed)
        body_a = np.searchsorted(listed.first_entry[1 : self.engine.n_bodies + 2], index, side="right")
        body_b = listed.entries["body_b"][index]
        closed = pairs[node, index]
        of_groups, of_parts, _ = np.split(signals, np.cumsum([self.n_group_columns, self.parts.n_columns]), axis=1)
        if self.parts.bodies:
            impulse, step = closed["P"], h[node]
            force, torque = -impulse / step, -(cross(closed["b"], impulse) + closed["T"]) / step
            r = arrays["pair_data"]["r"]
            self.parts.store(of_parts, TouchingPairs(node, body_a, body_b, force, torque, np.zeros_like(impulse), r))
        for k in range(len(self.coordination)):
            chosen, among = is_closed & (pairs["group"] == k), closed["group"] == k
            columns = of_groups[:, N_SIGNALS * k : N_SIGNALS * (k + 1)]
            columns[:, 0] = np.count_nonzero(chosen, axis=1)
            columns[:, 1] = sums_of_chosen(pairs["P_N"], chosen) / h[:, 0]
            columns[:, 2] = np.where(chosen, -pairs["gap"], 0.0).max(axis=1, initial=0.0)
            columns[:, 3] = self.coordination[k].values(node[among], body_a[among], body_b[among], columns[:, 0])
            columns[:, 4], columns[:, 5] = (work[name][:, k] for name in ("friction", "sliding"))

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Split rows of nodes into the columns of a result; ``t_next`` is the time of the node after them [s]."""
        q, v, signals, free, mechanism = (np.ascontiguousarray(p) for p in np.split(nodes, self.ends, axis=1))
        energies = {name: np.zeros(len(t)) for name in Energy.names()}
        energies |= dict(zip(FREE_ENERGIES, free.T, strict=True))
        if self.mechanism is not None:
            batch = self.mechanism.evaluate(t, mechanism, t_next)
            for all_columns, columns in ((q, batch.q), (v, batch.v)):
                by_body = all_columns.reshape(len(t), self.engine.n_bodies, -1)
                by_body[:, self.held_order] = columns.reshape(len(t), len(self.held_order), -1)
            signals = np.column_stack([batch.signals[:, : self.n_mechanism_signals], signals])
            for name, column in zip(Energy.names(), batch.energies.T, strict=True):
                energies[name] = energies[name] + column
        a = np.zeros_like(v)
        set_step_rates(t, v, self.last_node, a)
        self.last_node[:] = [t[-1], *v[-1]]
        return NodeBatch(t, q, v, a, signals, np.column_stack([energies[name] for name in Energy.names()]))

    def n_contacts(self, node: np.ndarray) -> int:
        """Return the number of closed contacts at a node."""
        return int(node[self.ends[1] : self.ends[1] + self.n_group_columns : N_SIGNALS].sum())
