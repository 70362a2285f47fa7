"""Output nodes of a many-body run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from carom.compiled_model.body_kind import KINDS, SPATIAL
from carom.compiled_model.many_body_data import ManyBodyData
from carom.geometry.rotation import matrix_of
from carom.model.contact_group import ContactGroup
from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.many_body.body_flow import BodyFlow
from carom.solve.many_body.part_forces import PartForces
from carom.solve.many_body.single_contact_output import SingleContactOutput
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.node_batches import NodeBatch, ResultMetadata, with_prefix
from carom.solve.postprocessing import inertia_of

N_SIGNALS = len(ContactGroup.signals)
"""Signals of a group."""


class NodeOutput:
    """Writer and reader of the nodes of a run: rows of coordinates, velocities, accelerations, signals and energies.

    Motion and energies are those of the free bodies; a node of the mechanism follows them, if there is one. It is the
    observer of the run (see `carom.solve.node_batches.Observing`).
    """

    def __init__(self, engine: VerletEngine, flow: BodyFlow | None = None):
        model, system = engine.model, engine.model.system
        self.engine, self.flow, self.kind = engine, flow, KINDS[system.dim]
        self.last_node, self.min_nodes, self.needs_next_time = np.full(1, np.nan), 1, False
        self.free, self.held = np.split(model.body_order, [model.n_free])
        self.of_mechanism = None if engine.mechanism is None else engine.mechanism.node_evaluator()
        n_coordinates, n_velocities = self.kind.n_coordinates, self.kind.n_velocities
        sizes = [model.n_free * n_coordinates, model.n_free * n_velocities, model.n_free * n_velocities]
        self.groups = (*system.groups, *system.small_groups)
        self.singles, self.parts = SingleContactOutput(engine), PartForces(model)
        self.n_group_columns = N_SIGNALS * len(self.groups)
        first_of_parts = self.n_group_columns + self.singles.n_columns
        n_columns = first_of_parts + self.parts.n_columns
        n_flow_columns = 0 if flow is None else flow.passed.size
        self.ends = np.cumsum([*sizes, n_columns + n_flow_columns, len(Energy.names())])
        self.coordination = [CoordinationNumber(model, group) for group in self.groups]
        elements = () if self.of_mechanism is None else self.of_mechanism.metadata.elements
        first_column = max((element.columns[1] for element in elements), default=0)
        self.metadata = ResultMetadata(
            system.name,
            system.dim,
            tuple(BodyInfo(body.name, body.mass, inertia_of(body)) for body in system.bodies),
            (
                *elements,
                *group_infos(self.groups, first_column),
                *self.singles.infos(first_column + self.n_group_columns),
                *self.parts.infos(first_column + first_of_parts),
                *(() if flow is None else flow.infos(first_column + n_columns)),
            ),
            smooth=False,
            sketch=deferred_drawing_data(system),
        )

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        arrays = {"before": self.last_node}
        if self.of_mechanism is not None:
            arrays |= with_prefix("mechanism", self.of_mechanism.mutable_arrays())
        return arrays

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Split rows of nodes into the columns of a result."""
        self.last_node[0] = t[-1]
        *motion, signals, energies, node = np.split(nodes, self.ends, axis=1)
        if self.of_mechanism is None:
            q, v, a = (self.in_order([part], [self.free]) for part in motion)
            self._complete(q, signals)
            return NodeBatch(t, q, v, a, np.ascontiguousarray(signals), np.ascontiguousarray(energies))
        batch = self.of_mechanism.evaluate(t, node, t_next)
        q, v, a = (
            self.in_order(parts, [self.free, self.held])
            for parts in zip(motion, (batch.q, batch.v, batch.a), strict=True)
        )
        self._complete(q, signals)
        return NodeBatch(t, q, v, a, np.column_stack([batch.signals, signals]), energies + batch.energies)

    def _complete(self, q: np.ndarray, signals: np.ndarray) -> None:
        """Complete the signals of single contacts."""
        first, bodies = self.n_group_columns, self.engine.model.system.bodies
        self.singles.complete(bodies, q, signals[:, first : first + self.singles.n_columns])

    def in_order(self, parts: Sequence[np.ndarray], indices: Sequence[np.ndarray]) -> np.ndarray:
        """Return the columns of all bodies in the order of the system, from parts with some of the bodies each."""
        n_nodes, n_bodies = len(parts[0]), len(self.metadata.bodies)
        columns = np.zeros((n_nodes, n_bodies, sum(part.shape[1] for part in parts) // n_bodies))
        for part, index in zip(parts, indices, strict=True):
            columns[:, index] = part.reshape(n_nodes, len(index), columns.shape[2])
        return columns.reshape(n_nodes, -1)

    def row(self) -> np.ndarray:
        """Return the current node of the engine as an array of one row."""
        engine, model = self.engine, self.engine.model
        node = np.zeros(int(self.ends[-1]))
        q, v, a, signals, energies = np.split(node, self.ends[:-1])
        free = slice(1, 1 + model.n_free)
        mass, r = model.motion_data["mass"][free], model.positions[free]
        energy = dict.fromkeys(Energy.names(), 0.0)
        store_motion = self._store_spatial_motion if model.system.dim == 3 else self._store_planar_motion
        energy["kinetic"] = store_motion(q, v, a)
        energy["potential"] = -float(mass @ (r[:, : model.system.dim] @ np.array(model.system.gravity)))
        energy["elastic"] = self._store_signals(signals)
        if engine.mechanism is not None:
            energy["elastic"] += engine.mechanism.elastic_energy
        energy["dissipated"] = float(engine.energy_losses["dissipated"].sum())
        energy["friction"] = float(engine.energy_losses["friction"].sum())
        if self.flow is not None:
            signals[-self.flow.passed.size :] = self.flow.passed.ravel()
            energy["applied_work"] = float(self.flow.applied_work[0])
        energies[:] = list(energy.values())
        return (node if engine.mechanism is None else np.concatenate([node, engine.mechanism.node()]))[None]

    def _store_planar_motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """Store coordinates, velocities and accelerations of the free bodies; return their kinetic energy [J]."""
        model = self.engine.model
        free = slice(1, 1 + model.n_free)
        motion, body = model.motion_data[free], model.pair_data[free]
        inverse_inertia = body["max_inverse_inertia"]
        omega = inverse_inertia * motion["angular_momentum"][:, 2]
        q, v, a = (array.reshape(model.n_free, 3) for array in (q, v, a))
        q[:, :2], q[:, 2] = model.positions[free, :2], motion["angle"]
        v[:, :2], v[:, 2] = motion["v"][:, :2], omega
        a[:, :2], a[:, 2] = motion["acceleration"][:, :2], inverse_inertia * motion["torque"][:, 2]
        speed_squared = np.sum(motion["v"][:, :2] ** 2, axis=1)
        return 0.5 * float(motion["mass"] @ speed_squared + omega @ motion["angular_momentum"][:, 2])

    def _store_spatial_motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """Store coordinates, velocities and accelerations of the free bodies; return their kinetic energy [J]."""
        model = self.engine.model
        free = slice(1, 1 + model.n_free)
        motion = model.motion_data[free]
        quaternions, inertia = motion["quaternion"].copy(), motion["inertia"]
        inverse_inertia = np.divide(1.0, inertia, out=np.zeros_like(inertia), where=inertia > 0.0)
        matrices = matrix_of(quaternions)
        # In principal axes ω = I⁻¹ L and I ω̇ = M − ω × L.
        momentum = np.einsum("nji,nj->ni", matrices, motion["angular_momentum"])
        omega = inverse_inertia * momentum
        torque = np.einsum("nji,nj->ni", matrices, motion["torque"])
        alpha = inverse_inertia * (torque - np.cross(omega, momentum))
        kinetic = 0.5 * float(np.sum(motion["mass"][:, None] * motion["v"] ** 2) + np.sum(omega * momentum))
        for k in model.with_rotated_axes:
            if k < model.n_free:
                body, principal = model.bodies[k], quaternions[k : k + 1].copy()
                _, alpha[k] = SPATIAL.in_body_axes(body.inertia, principal, alpha[k : k + 1])
                quaternions[k], omega[k] = SPATIAL.in_body_axes(body.inertia, principal, omega[k : k + 1])
        q, v, a = (array.reshape(model.n_free, -1) for array in (q, v, a))
        q[:, :3], q[:, 3:] = model.positions[free], quaternions
        v[:, :3], v[:, 3:] = motion["v"], omega
        a[:, :3], a[:, 3:] = motion["acceleration"], alpha
        return kinetic

    def _store_signals(self, signals: np.ndarray) -> float:
        """Store the signals of all groups and parts; return the elastic energy of all contacts [J]."""
        engine, pairs = self.engine, self.engine.pairs
        touching, body_a, body_b = engine.touching_pairs()
        output = pairs.output[touching]
        work = engine.group_work.reshape(len(engine.energy_losses), -1)
        sizes = [self.n_group_columns, self.singles.n_columns, self.parts.n_columns]
        of_groups, of_singles, of_parts, _ = np.split(signals, np.cumsum(sizes))
        for k, columns in enumerate(of_groups.reshape(-1, N_SIGNALS)):
            chosen = output["group"] == k
            of_group = output[chosen]
            columns[:] = (
                len(of_group),
                of_group["normal_force"].sum(),
                of_group["indentation"].max(initial=0.0),
                self.coordination[k].value(body_a[chosen], body_b[chosen]),
                work["friction"][:, k].sum(),
                work["sliding"][:, k].sum(),
            )
        self.singles.store(of_singles)
        self.parts.store(of_parts, body_a, body_b, pairs.wrenches[touching], engine.shifts(touching))
        return float(output["stored_energy"].sum())


class CoordinationNumber:
    """Mean number of contacts of a group per present body of its shapes."""

    def __init__(self, model: ManyBodyData, group: ContactGroup):
        bodies = {model.body_index[id(shape.body)] for shape in group.shapes}
        self.bodies_per_pair = 2 if group.self_contact else 1
        self.model, self.bodies = model, np.array(sorted(bodies))
        self.is_counted: np.ndarray | None = None
        if group.self_contact and group.others:
            self.is_counted = np.zeros(len(model.bodies) + 1, dtype=bool)
            self.is_counted[list(bodies)] = True

    def value(self, body_a: np.ndarray, body_b: np.ndarray) -> float:
        """Return the coordination number [-] for the bodies of the pairs in contact."""
        count = self.bodies_per_pair * len(body_a)
        if self.is_counted is not None:
            count = int(np.count_nonzero(self.is_counted[body_a]) + np.count_nonzero(self.is_counted[body_b]))
        n_bodies = int(np.count_nonzero(self.model.is_present[self.bodies]))
        return count / max(n_bodies, 1)


def group_infos(groups: Sequence[ContactGroup], first_column: int) -> Iterator[ElementInfo]:
    """Yield the description of the columns of groups, which begin at ``first_column``."""
    for k, group in enumerate(groups):
        start = first_column + N_SIGNALS * k
        yield ElementInfo(
            name=group.name or "",
            kind=type(group).__name__,
            family="contact",
            members=(),
            signals=group.signals,
            units=group.units,
            columns=(start, start + N_SIGNALS),
        )
