"""What a run of many bodies keeps at its nodes."""

from __future__ import annotations

import numpy as np

from carom.result.energy import Energy
from carom.solve.many import layout as at
from carom.solve.many.engine import Engine
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
    """Motion, signals and energies at up to ``room`` nodes."""

    def __init__(self, engine: Engine, room: int):
        bodies, groups = engine.bodies, len(engine.scene.groups)
        self.engine = engine
        self.count = 0
        self.t = np.zeros(room)
        self.q, self.v, self.a = (np.zeros((room, width * bodies)) for width in (7, 6, 6))
        self.signals = np.zeros((room, SIGNALS * groups))
        self.energies = np.zeros((room, len(Energy.names())))

    def add(self, t: float) -> None:
        """Write down where the engine is."""
        row = self.count
        self.count += 1
        self.t[row] = t
        kinetic = self._motion(row)
        scene = self.engine.scene
        mass, place = scene.cold[1:, at.MASS], scene.hot[1:, at.X : at.X + 3]
        energies = dict.fromkeys(Energy.names(), 0.0)
        energies["kinetic"] = kinetic
        energies["potential"] = -float(mass @ (place @ np.array(scene.system.gravity)))
        energies["elastic"] = self._signals(row)
        energies["dissipated"] = float(self.engine.losses[:, at.DISSIPATED].sum())
        energies["friction"] = float(self.engine.losses[:, at.RUBBED_AWAY].sum())
        self.energies[row] = list(energies.values())

    def _motion(self, row: int) -> float:
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
        q, v, a = (array[row].reshape(len(order), -1) for array in (self.q, self.v, self.a))
        q[order, :3], q[order, 3:] = hot[:, at.X : at.X + 3], turned
        v[order, :3], v[order, 3:] = velocity, omega
        a[order, :3], a[order, 3:] = cold[:, at.ACCELERATION : at.ACCELERATION + 3], alpha
        return kinetic

    def _signals(self, row: int) -> float:
        """Of every group; answers the elastic energy of all contacts."""
        engine, scene = self.engine, self.engine.scene
        touching = np.flatnonzero(engine.list.touching[: engine.pairs])
        seen, code = engine.list.seen[touching], engine.list.entries[touching, at.CODE]
        group = np.where(code >= 0, code, 0)
        by_kernel = code < 0
        group[by_kernel] = scene.kind_table[-1 - code[by_kernel], at.GROUP]
        for k in range(len(scene.groups)):
            mine = seen[group == k]
            signals = self.signals[row, SIGNALS * k :]
            signals[0] = len(mine)
            signals[1] = mine[:, at.NORMAL_FORCE].sum()
            signals[2] = mine[:, at.INDENTATION].max(initial=0.0)
        return float(seen[:, at.STORED].sum())
