"""Contact forces on parts: the sum of all contact forces on the ground and on each body of the mechanism."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.compiled_model.many_body_data import ManyBodyData
from carom.result.column_info import ElementInfo

UNITS = {2: ("N", "N", "N m"), 3: ("N", "N", "N", "N m", "N m", "N m")}


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

    def store(
        self,
        columns: np.ndarray,
        body_a: np.ndarray,
        body_b: np.ndarray,
        wrenches: np.ndarray | dict[str, np.ndarray],
        shifts: np.ndarray,
    ) -> None:
        """Store the sums over pairs in contact; ``wrenches`` act on their second bodies, moved by ``shifts`` [m]."""
        r = self.model.pair_data["r"]
        sums = np.zeros((len(self.bodies), 6))
        second = self._part[body_b]
        chosen = second >= 0
        np.add.at(sums[:, :3], second[chosen], wrenches["force"][chosen])
        np.add.at(sums[:, 3:], second[chosen], wrenches["torque"][chosen])
        first = self._part[body_a]
        chosen = first >= 0
        if chosen.any():  # action and reaction: T_a = −T_b − (r_b − r_a) × F_b
            force, torque = wrenches["force"][chosen], wrenches["torque"][chosen]
            arm = r[body_b[chosen]] + shifts[chosen] - r[body_a[chosen]]
            np.add.at(sums[:, :3], first[chosen], -force)
            np.add.at(sums[:, 3:], first[chosen], -torque - np.cross(arm, force))
        used = [0, 1, 5] if self.dim == 2 else [0, 1, 2, 3, 4, 5]
        columns[:] = sums[:, used].ravel()
