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
from carom.solve.many_body.part_forces import PartForces
from carom.solve.many_body.rigid_engine import RigidEngine
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

    def row(self, h: float) -> np.ndarray:
        """Return the current node of the engine as an array of one row; ``h`` is the last step [s], 0 at the start."""
        engine = self.engine
        node = np.zeros(int(self.ends[-1]))
        q, v, signals, energies = np.split(node, self.ends[:-1])
        energy = self._store_motion(q, v) | {
            "dissipated": float(engine.energy.dissipated), "friction": float(engine.energy.friction),
            "applied_work": 0.0 if self.flow is None else float(self.flow.applied_work[0]),
        }  # fmt: skip
        energies[:] = [energy[name] for name in FREE_ENERGIES]
        self._store_signals(signals, h)
        mechanism = np.zeros(0) if engine.mechanism is None else engine.mechanism.node(h)
        return np.concatenate([node, mechanism])[None]

    def _store_motion(self, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        """Store coordinates and velocities of the free bodies; return their kinetic and potential energies [J]."""
        model = self.engine.model
        bodies = self.engine.arrays["bodies"][1:][self.free_rows]
        r = bodies["r"] + model.images[1:][self.free_rows] * model.domain.period if model.is_periodic else bodies["r"]
        gravity = np.zeros(3)
        gravity[: model.system.dim] = model.system.gravity
        q, v = q.reshape(self.engine.n_bodies, -1), v.reshape(self.engine.n_bodies, -1)
        kinetic = float(np.sum(bodies["mass"][:, None] * bodies["v"] ** 2))
        if model.system.dim == 2:
            q[self.free_order] = np.column_stack([r[:, :2], bodies["angle"]])
            v[self.free_order] = np.column_stack([bodies["v"][:, :2], bodies["omega"][:, 2]])
            kinetic += float(np.sum(bodies["inertia"][:, 2] * bodies["omega"][:, 2] ** 2))
        else:
            quaternions = bodies["quaternion"].copy()
            omega = np.einsum("nji,nj->ni", matrix_of(quaternions), bodies["omega"])
            kinetic += float(np.sum(bodies["inertia"] * omega**2))
            for k in np.flatnonzero(bodies["axes"][:, 0] != 1.0):
                inertia = model.bodies[self.free_rows[k]].inertia
                quaternions[k], omega[k] = self.kind.in_body_axes(inertia, quaternions[k : k + 1], omega[k : k + 1])
            q[self.free_order] = np.column_stack([r, quaternions])
            v[self.free_order] = np.column_stack([bodies["v"], omega])
        return {"kinetic": 0.5 * kinetic, "potential": -float(bodies["mass"] @ (r @ gravity))}

    def _store_signals(self, signals: np.ndarray, h: float) -> None:
        """Store the signals of all groups, the contact forces on parts, and what passed inlets and outlets."""
        if self.flow is not None:
            signals[-self.flow.passed.size :] = self.flow.passed.ravel()
        if not h > 0.0:
            return
        engine, work = self.engine, self.engine.arrays["group_work"]
        closed = np.flatnonzero(engine.list.pairs["P_N"][: engine.n_pairs] > 0.0)
        pairs = engine.list.pairs[closed]
        body_a = np.searchsorted(engine.list.first_entry[1 : engine.n_bodies + 2], closed, side="right")
        body_b = engine.list.entries["body_b"][closed]
        of_groups, of_parts, _ = np.split(signals, np.cumsum([self.n_group_columns, self.parts.n_columns]))
        impulse, lever = pairs["P"], pairs["b"]
        wrenches = {"force": -impulse / h, "torque": -(np.cross(lever, impulse) + pairs["T"]) / h}
        self.parts.store(of_parts, body_a, body_b, wrenches, np.zeros_like(impulse))
        for k, columns in enumerate(of_groups.reshape(-1, N_SIGNALS)):
            chosen = pairs["group"] == k
            of_group = pairs[chosen]
            columns[:] = (
                len(of_group),
                of_group["P_N"].sum() / h,
                (-of_group["gap"]).max(initial=0.0),
                self.coordination[k].value(body_a[chosen], body_b[chosen]),
                work["friction"][k],
                work["sliding"][k],
            )

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
