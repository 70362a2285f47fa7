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
from carom.solve.many_body.part_forces import PartForces, TouchingPairs
from carom.solve.many_body.single_contact_output import SingleContactOutput
from carom.solve.many_body.vector_columns import cross, rotated, row_sums, sums_of_chosen
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

    n_body_arrays = 2
    """Number of first `arrays` that contain the numbers of the bodies."""

    def __init__(self, engine: VerletEngine, flow: BodyFlow | None = None):
        model, system = engine.model, engine.model.system
        self.engine, self.flow, self.kind = engine, flow, KINDS[system.dim]
        self.last_node, self.min_nodes, self.needs_next_time = np.full(1, np.nan), 1, False
        self.contacts = 0
        """Number of pairs in contact at the last node."""
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

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the engine from which its nodes follow; those of the bodies are the first two."""
        engine, model, n = self.engine, self.engine.model, self.engine.n_pairs
        pairs = engine.pairs
        arrays = {
            "pair_data": model.pair_data, "motion_data": model.motion_data, "energy_losses": engine.energy_losses,
            "group_work": engine.group_work, "is_touching": pairs.is_touching[:n], "output": pairs.output[:n],
            "wrenches": pairs.wrenches[:n], "geometry": self.singles.geometry, "single_contacts": self.singles.table,
        }  # fmt: skip
        return arrays | ({"images": model.images, "shifts": pairs.pair_shifts[:n]} if model.is_periodic else {})

    def row(self) -> np.ndarray:
        """Return the current node of the engine as an array of one row."""
        self.singles.store_geometry()
        node = self.rows({name: array[None] for name, array in self.arrays().items()})
        engine, energies = self.engine, node[0, self.ends[-2] :]
        if self.flow is not None:
            node[0, self.ends[-2] - self.flow.passed.size : self.ends[-2]] = self.flow.passed.ravel()
            energies[Energy.names().index("applied_work")] = float(self.flow.applied_work[0])
        if engine.mechanism is None:
            return node
        energies[Energy.names().index("elastic")] += engine.mechanism.elastic_energy
        return np.concatenate([node[0], engine.mechanism.node()])[None]

    def rows(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Return nodes with these arrays, whose first axis is the node; without mechanism, inlets and outlets."""
        model = self.engine.model
        nodes = np.zeros((len(arrays["pair_data"]), int(self.ends[-1])))
        q, v, a, signals, energies = np.split(nodes, self.ends[:-1], axis=1)
        free, dim = slice(1, 1 + model.n_free), model.system.dim
        r = arrays["pair_data"]["r"][:, free]
        if model.is_periodic:
            r = r + arrays["images"][:, free] * model.domain.period
        mass, gravity = model.motion_data["mass"][free], np.array(model.system.gravity)
        energy: dict[str, np.ndarray | float] = dict.fromkeys(Energy.names(), 0.0)
        store_motion = self._store_spatial_motion if dim == 3 else self._store_planar_motion
        energy["kinetic"] = store_motion(q, v, a, r, arrays["motion_data"][:, free])
        energy["potential"] = np.array([-float(mass @ heights) for heights in r[:, :, :dim] @ gravity])
        energy["elastic"] = self._store_signals(signals, arrays)
        energy["dissipated"] = row_sums(arrays["energy_losses"]["dissipated"])
        energy["friction"] = row_sums(arrays["energy_losses"]["friction"])
        for k, name in enumerate(Energy.names()):
            energies[:, k] = energy[name]
        return nodes

    def _store_planar_motion(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, r: np.ndarray, motion: np.ndarray
    ) -> np.ndarray:
        """Store coordinates, velocities and accelerations of the free bodies; return their kinetic energies [J]."""
        model = self.engine.model
        free = slice(1, 1 + model.n_free)
        inverse_inertia, mass = model.pair_data["max_inverse_inertia"][free], model.motion_data["mass"][free]
        momentum = motion["angular_momentum"][:, :, 2]
        omega = inverse_inertia * momentum
        q, v, a = (array.reshape(len(r), model.n_free, 3) for array in (q, v, a))
        q[:, :, :2], q[:, :, 2] = r[:, :, :2], motion["angle"]
        v[:, :, :2], v[:, :, 2] = motion["v"][:, :, :2], omega
        a[:, :, :2], a[:, :, 2] = motion["acceleration"][:, :, :2], inverse_inertia * motion["torque"][:, :, 2]
        speed_squared = np.sum(motion["v"][:, :, :2] ** 2, axis=2)
        spins = zip(speed_squared, omega, momentum, strict=True)
        return np.array([0.5 * float(mass @ squares + rates @ moments) for squares, rates, moments in spins])

    def _store_spatial_motion(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, r: np.ndarray, motion: np.ndarray
    ) -> np.ndarray:
        """Store coordinates, velocities and accelerations of the free bodies; return their kinetic energies [J]."""
        model, count = self.engine.model, len(r)
        motion = motion.ravel()
        quaternions, inertia = motion["quaternion"].copy(), motion["inertia"]
        inverse_inertia = np.divide(1.0, inertia, out=np.zeros_like(inertia), where=inertia > 0.0)
        to_body = matrix_of(quaternions).transpose(0, 2, 1)
        # In principal axes ω = I⁻¹ L and I ω̇ = M − ω × L.
        momentum = rotated(to_body, motion["angular_momentum"])
        omega = inverse_inertia * momentum
        alpha = inverse_inertia * (rotated(to_body, motion["torque"]) - cross(omega, momentum))
        moving = row_sums((motion["mass"][:, None] * motion["v"] ** 2).reshape(count, -1))
        kinetic: np.ndarray = 0.5 * (moving + row_sums((omega * momentum).reshape(count, -1)))
        for k in model.with_rotated_axes:
            if k < model.n_free:
                inertia_of_body, rows = model.bodies[k].inertia, slice(k, None, model.n_free)
                for row in range(*rows.indices(len(omega))):
                    principal = quaternions[row : row + 1].copy()
                    _, alpha[row] = SPATIAL.in_body_axes(inertia_of_body, principal, alpha[row : row + 1])
                    quaternions[row], omega[row] = SPATIAL.in_body_axes(
                        inertia_of_body, principal, omega[row : row + 1]
                    )
        for part, position, rotation in (
            (q, r, quaternions),
            (v, motion["v"], omega),
            (a, motion["acceleration"], alpha),
        ):
            columns = part.reshape(count, model.n_free, -1)
            columns[:, :, :3] = position.reshape(count, model.n_free, 3)
            columns[:, :, 3:] = rotation.reshape(count, model.n_free, -1)
        return kinetic

    def _store_signals(self, signals: np.ndarray, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Store the signals of all groups and parts; return the elastic energy of all contacts [J]."""
        pairs, is_touching, output = self.engine.pairs, arrays["is_touching"] != 0, arrays["output"]
        node, index = np.nonzero(is_touching)
        body_a = np.searchsorted(pairs.first_entry[: self.engine.n_bodies + 1], index, side="right") - 1
        body_b = pairs.entries["body_b"][index]
        work = arrays["group_work"].reshape(len(signals), self.engine.n_chunks, -1)
        sizes = [self.n_group_columns, self.singles.n_columns, self.parts.n_columns]
        of_groups, of_singles, of_parts, _ = np.split(signals, np.cumsum(sizes), axis=1)
        for k in range(len(self.groups)):
            chosen, among = is_touching & (output["group"] == k), output["group"][node, index] == k
            columns = of_groups[:, N_SIGNALS * k : N_SIGNALS * (k + 1)]
            columns[:, 0] = np.count_nonzero(chosen, axis=1)
            columns[:, 1] = sums_of_chosen(output["normal_force"], chosen)
            columns[:, 2] = np.where(chosen, output["indentation"], 0.0).max(axis=1, initial=0.0)
            columns[:, 3] = self.coordination[k].values(node[among], body_a[among], body_b[among], columns[:, 0])
            columns[:, 4], columns[:, 5] = (row_sums(work[name][:, :, k]) for name in ("friction", "sliding"))
        self.singles.store(of_singles, arrays)
        wrenches = arrays["wrenches"][node, index]
        shifts = arrays["shifts"]["r"][node, index] if "shifts" in arrays else np.zeros((len(index), 3))
        r = arrays["pair_data"]["r"]
        touching = TouchingPairs(node, body_a, body_b, wrenches["force"], wrenches["torque"], shifts, r)
        self.parts.store(of_parts, touching)
        self.contacts = int(np.count_nonzero(is_touching[-1]))
        return sums_of_chosen(output["stored_energy"], is_touching)


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

    def values(self, node: np.ndarray, body_a: np.ndarray, body_b: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the coordination number [-] at each node.

        ``counts`` are the numbers of pairs in contact at the nodes; ``node``, ``body_a`` and ``body_b`` belong to them.
        """
        count = self.bodies_per_pair * counts
        if self.is_counted is not None:
            is_counted = self.is_counted
            nodes = np.concatenate([node[is_counted[bodies]] for bodies in (body_a, body_b)])
            count = np.bincount(nodes, minlength=len(counts))
        n_bodies = int(np.count_nonzero(self.model.is_present[self.bodies]))
        return np.asarray(count / max(n_bodies, 1))


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
