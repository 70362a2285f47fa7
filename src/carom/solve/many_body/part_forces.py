"""Contact forces on parts: the sum of all contact forces on the ground and on each body of the mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.compiled_model.many_body_data import ManyBodyData
from carom.result.column_info import ElementInfo
from carom.solve.many_body.vector_columns import cross

UNITS = {2: ("N", "N", "N m"), 3: ("N", "N", "N", "N m", "N m", "N m")}


@dataclass(frozen=True)
class TouchingPairs:
    """Pairs in contact at several nodes, in the order of the nodes.

    ``force`` [N] and ``torque`` [N m] act on their second bodies, which are moved by ``shifts`` [m]; ``r`` are the
    positions of all bodies at each node [m].
    """

    node: np.ndarray
    """Index of the node."""
    body_a: np.ndarray
    body_b: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    shifts: np.ndarray
    r: np.ndarray


class PartForces:
    """Force [N] and torque about the centre of mass [N m] of all contacts on each part, in global axes.

    Parts are the ground, whose torque is about the origin, and the bodies of the mechanism, if they have shapes of
    contacts. The contact force on a free body follows from its acceleration.
    """

    def __init__(self, model: ManyBodyData):
        shaped = {model.body_index[id(shape.body)] for group in model.groups for shape in group.all_shapes}
        self.bodies = sorted(k for k in shaped if k == 0 or k > model.n_free)
        """Indices of the parts in the tables of bodies."""
        self.model, self.dim = model, model.system.dim
        self.signals = KINDS[self.dim].reaction_signals
        self.n_columns = len(self.bodies) * len(self.signals)
        self._part = np.full(len(model.bodies) + 1, -1)
        self._part[self.bodies] = np.arange(len(self.bodies))

    def infos(self, first_column: int) -> Iterator[ElementInfo]:
        """Yield the description of the columns, which begin at ``first_column``."""
        system = self.model.system
        for n, k in enumerate(self.bodies):
            name = "ground" if k == 0 else self.model.bodies[k - 1].name
            start = first_column + n * len(self.signals)
            yield ElementInfo(
                name=system._free_name(f"contacts on {name}"),
                kind="ContactForces",
                family="force",
                members=(name,),
                signals=self.signals,
                units=UNITS[self.dim],
                columns=(start, start + len(self.signals)),
            )

    def store(self, columns: np.ndarray, pairs: TouchingPairs) -> None:
        """Store the sums over pairs in contact in the columns of all nodes."""
        if not self.bodies:
            return
        n_parts, r = len(self.bodies), pairs.r
        sums = np.zeros((len(columns) * n_parts, 6))
        second = self._part[pairs.body_b]
        chosen = second >= 0
        if chosen.any():
            rows = pairs.node[chosen] * n_parts + second[chosen]
            np.add.at(sums[:, :3], rows, pairs.force[chosen])
            np.add.at(sums[:, 3:], rows, pairs.torque[chosen])
        first = self._part[pairs.body_a]
        chosen = first >= 0
        if chosen.any():  # action and reaction: T_a = −T_b − (r_b − r_a) × F_b
            rows = pairs.node[chosen] * n_parts + first[chosen]
            force, torque, node = pairs.force[chosen], pairs.torque[chosen], pairs.node[chosen]
            arm = r[node, pairs.body_b[chosen]] + pairs.shifts[chosen] - r[node, pairs.body_a[chosen]]
            np.add.at(sums[:, :3], rows, -force)
            np.add.at(sums[:, 3:], rows, -torque - cross(arm, force))
        used = [0, 1, 5] if self.dim == 2 else [0, 1, 2, 3, 4, 5]
        columns[:] = sums[:, used].reshape(len(columns), -1)
