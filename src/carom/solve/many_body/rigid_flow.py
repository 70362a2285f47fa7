"""Bodies that appear and leave in a non-smooth run.

An absent body is one that sleeps without a contact: nothing wakes it, and steps do not move it.
"""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.rigid_body_data import RigidBodyData
from carom.geometry.rotation import matrix_of
from carom.solve.many_body.body_flow import FlowBodies
from carom.solve.many_body.rigid_engine import RigidEngine

NO_GROUP = -1
"""Group of absent bodies among the sleeping ones."""
VELOCITY_TABLES = ("velocities", "initial_velocities", "free_velocities")
"""Velocities of a body that are zero while it is absent."""


class RigidBodies(FlowBodies):
    """Bodies of a `RigidEngine`."""

    steps_per_check = 20
    model: RigidBodyData

    def __init__(self, engine: RigidEngine):
        super().__init__(engine.model, engine.tables["other"])
        self.engine, self.rows = engine, engine.arrays["bodies"]
        absent = np.flatnonzero(~self.model.is_present)
        self.rows["is_asleep"][absent], self.rows["sleep_group"][absent] = 1, NO_GROUP

    @property
    def positions(self) -> np.ndarray:
        """Current positions of ground and bodies [m] (n × 3), in the periodic domain."""
        r: np.ndarray = self.rows["r"]
        return r - self.model.domain.images(r) * self.model.domain.period if self.model.is_periodic else r

    @property
    def masses(self) -> np.ndarray:
        """Masses of ground and bodies [kg]."""
        masses: np.ndarray = self.rows["mass"]
        return masses

    def remove(self, bodies: np.ndarray, t: float) -> float:
        """Stop ``bodies`` and end their contacts; wake the sleeping bodies that may rest on them."""
        rows, energy = self.rows, kinetic_energy(self.rows[bodies])
        groups = np.unique(rows["sleep_group"][bodies[rows["is_asleep"][bodies] != 0]])
        is_woken = (rows["is_asleep"] != 0) & np.isin(rows["sleep_group"], groups)
        rows["is_asleep"][is_woken] = rows["n_quiet_steps"][is_woken] = 0
        rows["is_asleep"][bodies], rows["sleep_group"][bodies] = 1, NO_GROUP
        rows["v"][bodies] = rows["omega"][bodies] = 0.0
        for name in VELOCITY_TABLES:
            table = self.engine.arrays[name]
            table["v"][bodies] = table["omega"][bodies] = 0.0
        self._clear_impulses(bodies)
        return energy

    def _clear_impulses(self, bodies: np.ndarray) -> None:
        """Clear the impulses of all pairs of ``bodies``."""
        pairs, n = self.engine.list, self.engine.n_pairs
        is_removed = np.zeros(self.engine.n_bodies + 1, bool)
        is_removed[bodies] = True
        body_a = np.repeat(np.arange(len(is_removed)), np.diff(pairs.first_entry[: len(is_removed) + 1]))
        chosen = np.flatnonzero(is_removed[body_a] | is_removed[pairs.entries["body_b"][:n]])
        for name in ("P", "T", "P_N", "status"):
            pairs.pairs[name][chosen] = 0

    def insert(self, entering: np.ndarray, bodies: np.ndarray) -> float:
        """Give ``bodies`` their velocities; return their energy [J]."""
        rows, (v, omega) = self.rows, self.model.entry_velocities
        rows["v"][bodies], rows["omega"][bodies] = v[entering], omega[entering]
        rows["is_asleep"][bodies] = rows["n_quiet_steps"][bodies] = 0
        return kinetic_energy(rows[bodies])

    def update_list(self) -> None:
        """Prepare a new neighbour list: the next step finds that all bodies have left the range of the current one."""
        self.engine.search.select_present()
        self.rows["r_at_list"] = math.inf
        self.engine.rigid.list_is_new = 0

    def entry_values(self) -> list[np.ndarray]:
        """Return the numbers of the waiting bodies that distinguish one model from another."""
        return list(self.model.entry_velocities)


def kinetic_energy(bodies: np.ndarray) -> float:
    """Return the kinetic energy of rows of `RIGID_BODY` [J]."""
    omega = np.einsum("nji,nj->ni", matrix_of(bodies["quaternion"]), bodies["omega"])
    return 0.5 * float(np.sum(bodies["mass"][:, None] * bodies["v"] ** 2) + np.sum(bodies["inertia"] * omega**2))
