"""Output nodes of a many-body run."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.body_kind import SPATIAL
from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.node_batches import NodeBatch, ResultMetadata
from carom.solve.postprocessing import inertia_of

N_SIGNALS = 3
"""Signals of a group: number of pairs in contact, sum of the normal forces, largest indentation."""


def rotation_matrices(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of unit quaternions (n × 4)."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


class NodeOutput:
    """Writer and reader of the nodes of a run: rows of coordinates, velocities, accelerations, signals and energies.

    It is the observer of the run (see `carom.solve.node_batches.Observing`).
    """

    def __init__(self, engine: VerletEngine):
        model, system = engine.model, engine.model.system
        self.engine = engine
        self.last_node, self.min_nodes, self.needs_next_time = np.full(1, np.nan), 1, False
        n_bodies, n_groups = engine.n_bodies, len(model.groups)
        sizes = [7 * n_bodies, 6 * n_bodies, 6 * n_bodies, N_SIGNALS * n_groups, len(Energy.names())]
        self.ends = np.cumsum(sizes)
        self.metadata = ResultMetadata(
            system.name,
            system.dim,
            tuple(BodyInfo(body.name, body.mass, inertia_of(body)) for body in system.bodies),
            tuple(
                ElementInfo(
                    name=group.name or "",
                    kind=type(group).__name__,
                    family="contact",
                    members=(),
                    signals=group.signals,
                    units=group.units,
                    columns=(N_SIGNALS * k, N_SIGNALS * (k + 1)),
                )
                for k, group in enumerate(model.groups)
            ),
            smooth=False,
            sketch=deferred_drawing_data(system),
        )

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        return {"before": self.last_node}

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Split rows of nodes into the columns of a result."""
        self.last_node[0] = t[-1]
        q, v, a, signals, energies = (np.ascontiguousarray(p) for p in np.split(nodes, self.ends[:-1], axis=1))
        return NodeBatch(t, q, v, a, signals, energies)

    def n_contacts(self, node: np.ndarray) -> int:
        """Return the number of pairs in contact at a node."""
        return int(node[self.ends[2] : self.ends[3] : N_SIGNALS].sum())

    def row(self) -> np.ndarray:
        """Return the current node of the engine as an array of one row."""
        node = np.zeros(int(self.ends[-1]))
        q, v, a, signals, energies = np.split(node, self.ends[:-1])
        model = self.engine.model
        mass, r = model.motion_data["mass"][1:], model.pair_data["r"][1:]
        losses = self.engine.energy_losses
        energy = dict.fromkeys(Energy.names(), 0.0)
        energy["kinetic"] = self._store_motion(q, v, a)
        energy["potential"] = -float(mass @ (r @ np.array(model.system.gravity)))
        energy["elastic"] = self._store_signals(signals)
        energy["dissipated"] = float(losses["dissipated"].sum())
        energy["friction"] = float(losses["friction"].sum())
        energies[:] = list(energy.values())
        return node[None]

    def _store_motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """Store coordinates, velocities and accelerations in the order of the system; return the kinetic energy [J]."""
        model = self.engine.model
        motion, order = model.motion_data[1:], model.body_order
        quaternions, inertia = motion["quaternion"].copy(), motion["inertia"]
        inverse_inertia = np.divide(1.0, inertia, out=np.zeros_like(inertia), where=inertia > 0.0)
        matrices = rotation_matrices(quaternions)
        # In principal axes ω = I⁻¹ L and I ω̇ = M − ω × L.
        momentum = np.einsum("nji,nj->ni", matrices, motion["angular_momentum"])
        omega = inverse_inertia * momentum
        torque = np.einsum("nji,nj->ni", matrices, motion["torque"])
        alpha = inverse_inertia * (torque - np.cross(omega, momentum))
        kinetic = 0.5 * float(np.sum(motion["mass"][:, None] * motion["v"] ** 2) + np.sum(omega * momentum))
        for k in model.with_rotated_axes:
            body, principal = model.bodies[k], quaternions[k : k + 1].copy()
            _, alpha[k] = SPATIAL.in_body_axes(body.inertia, principal, alpha[k : k + 1])
            quaternions[k], omega[k] = SPATIAL.in_body_axes(body.inertia, principal, omega[k : k + 1])
        q, v, a = (array.reshape(len(order), -1) for array in (q, v, a))
        q[order, :3], q[order, 3:] = model.pair_data["r"][1:], quaternions
        v[order, :3], v[order, 3:] = motion["v"], omega
        a[order, :3], a[order, 3:] = motion["acceleration"], alpha
        return kinetic

    def _store_signals(self, signals: np.ndarray) -> float:
        """Store the signals of all groups; return the elastic energy of all contacts [J]."""
        pairs = self.engine.pairs
        touching = np.flatnonzero(pairs.is_touching[: self.engine.n_pairs])
        output = pairs.output[touching]
        for k, columns in enumerate(signals.reshape(-1, N_SIGNALS)):
            of_group = output[output["group"] == k]
            columns[0] = len(of_group)
            columns[1] = of_group["normal_force"].sum()
            columns[2] = of_group["indentation"].max(initial=0.0)
        return float(output["stored_energy"].sum())
