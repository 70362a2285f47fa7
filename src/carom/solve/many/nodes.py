"""What a run of many bodies keeps at its nodes."""

from __future__ import annotations

import numpy as np

from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.many import layout as at
from carom.solve.many.engine import Engine
from carom.solve.observe import inertia_of
from carom.solve.pieces import Head, Piece
from carom.tables.kinds import SPATIAL

SIGNALS = 3
"""Of a group: pairs that touch, sum of the normal forces, largest indentation."""


def rotations(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions (n × 4)."""
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


class Nodes:
    """Makes the nodes of a run, rows of motion, signals and energies, and tells them apart again (see `Observing`)."""

    def __init__(self, engine: Engine):
        scene, system = engine.scene, engine.scene.system
        self.engine = engine
        self.before, self.least, self.waits = np.full(1, np.nan), 1, False
        bodies, groups = engine.bodies, len(scene.groups)
        widths = [7 * bodies, 6 * bodies, 6 * bodies, SIGNALS * groups, len(Energy.names())]
        self.ends = np.cumsum(widths)
        self.head = Head(
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
                    columns=(SIGNALS * k, SIGNALS * (k + 1)),
                )
                for k, group in enumerate(scene.groups)
            ),
            smooth=False,
            sketch=deferred_drawing_data(system),
        )

    def carried(self) -> dict[str, np.ndarray]:
        return {"before": self.before}

    def see(self, t: np.ndarray, nodes: np.ndarray, following: float | None = None) -> Piece:
        self.before[0] = t[-1]
        q, v, a, signals, energies = (np.ascontiguousarray(p) for p in np.split(nodes, self.ends[:-1], axis=1))
        return Piece(t, q, v, a, signals, energies)

    def contacts(self, node: np.ndarray) -> int:
        """Pairs that touch at a node."""
        return int(node[self.ends[2] : self.ends[3] : SIGNALS].sum())

    def row(self) -> np.ndarray:
        """The node where the engine is, as an array of one row."""
        node = np.zeros(int(self.ends[-1]))
        q, v, a, signals, energies = np.split(node, self.ends[:-1])
        scene = self.engine.scene
        mass, place = scene.cold[1:, at.MASS], scene.hot[1:, at.X : at.X + 3]
        found = dict.fromkeys(Energy.names(), 0.0)
        found["kinetic"] = self._motion(q, v, a)
        found["potential"] = -float(mass @ (place @ np.array(scene.system.gravity)))
        found["elastic"] = self._signals(signals)
        found["dissipated"] = float(self.engine.losses[:, at.DISSIPATED].sum())
        found["friction"] = float(self.engine.losses[:, at.RUBBED_AWAY].sum())
        energies[:] = list(found.values())
        return node[None]

    def _motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> float:
        """Coordinates, velocities and accelerations in the order of the system; answers the kinetic energy."""
        scene = self.engine.scene
        hot, cold, order = scene.hot[1:], scene.cold[1:], scene.order
        turned = cold[:, at.TURNED : at.TURNED + 4]
        velocity, momentum = cold[:, at.VELOCITY : at.VELOCITY + 3], cold[:, at.MOMENTUM : at.MOMENTUM + 3]
        inertia = cold[:, at.INERTIA : at.INERTIA + 3]
        light = np.divide(1.0, inertia, out=np.zeros_like(inertia), where=inertia > 0.0)
        matrices = rotations(turned)
        # In principal axes: ω = I⁻¹ L, and I ω̇ = torque − ω × L.
        spin = np.einsum("nji,nj->ni", matrices, momentum)
        omega = light * spin
        torque = np.einsum("nji,nj->ni", matrices, cold[:, at.TORQUE : at.TORQUE + 3])
        alpha = light * (torque - np.cross(omega, spin))
        kinetic = 0.5 * float(np.sum(cold[:, at.MASS, None] * velocity**2) + np.sum(omega * spin))
        for k in scene.tilted:
            body = scene.bodies[k]
            _, alpha[k] = SPATIAL.in_body_axes(body.inertia, turned[k : k + 1], alpha[k : k + 1])
            turned_k, omega[k] = SPATIAL.in_body_axes(body.inertia, turned[k : k + 1], omega[k : k + 1])
            turned = turned.copy() if turned.base is not None else turned
            turned[k] = turned_k
        q, v, a = (array.reshape(len(order), -1) for array in (q, v, a))
        q[order, :3], q[order, 3:] = hot[:, at.X : at.X + 3], turned
        v[order, :3], v[order, 3:] = velocity, omega
        a[order, :3], a[order, 3:] = cold[:, at.ACCELERATION : at.ACCELERATION + 3], alpha
        return kinetic

    def _signals(self, shown: np.ndarray) -> float:
        """Of every group; answers the elastic energy of all contacts."""
        engine, scene = self.engine, self.engine.scene
        touching = np.flatnonzero(engine.list.touching[: engine.pairs])
        seen, code = engine.list.seen[touching], engine.list.entries[touching, at.CODE]
        group = np.where(code >= 0, code, 0)
        by_kernel = code < 0
        group[by_kernel] = scene.kind_table[-1 - code[by_kernel], at.GROUP]
        for k in range(len(scene.groups)):
            mine = seen[group == k]
            signals = shown[SIGNALS * k :]
            signals[0] = len(mine)
            signals[1] = mine[:, at.NORMAL_FORCE].sum()
            signals[2] = mine[:, at.INDENTATION].max(initial=0.0)
        return float(seen[:, at.STORED].sum())
