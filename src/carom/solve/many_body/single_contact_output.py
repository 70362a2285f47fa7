"""Signals of the single contacts of a run with many bodies, at output nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.geometry.rotation import matrix_of
from carom.kernels.interpreted import address_of_argument
from carom.mechanics.contact_records import N_SIGNALS, SEPARATED, SPATIAL_SIGNAL_NAMES
from carom.model.body import Body
from carom.result.column_info import ElementInfo
from carom.solve.contact_signals import ContactColumns, Poses, complete_signals
from carom.solve.many_body.contact_geometry import store_all_geometry
from carom.solve.many_body.mechanism_motion import move_mechanism
from carom.solve.many_body.records import CONTACT_GEOMETRY, CONTACT_NODE, STORE
from carom.solve.many_body.vector_columns import cross, rotated
from carom.solve.many_body.verlet_engine import VerletEngine


class SingleContactOutput:
    """Columns of the single contacts, and of joints and contacts that consist of several of them."""

    def __init__(self, engine: VerletEngine):
        model = engine.model
        assert model.singles is not None
        self.engine, self.dim, self.kind = engine, model.system.dim, KINDS[model.system.dim]
        self.table = model.singles.table
        self.layout = ContactColumns(model.singles.contacts, model.singles.compounds)
        self.n_columns = self.layout.n_columns
        self.geometry = CONTACT_GEOMETRY.zeros(len(self.table))
        self._warm_start = np.zeros(model.warm_start_size + 1)
        self._node = CONTACT_NODE.new(
            many_body=engine.table.ctypes.data, n_contacts=len(self.table), geometry=self.geometry.ctypes.data,
            warm_start=self._warm_start.ctypes.data,
        )  # fmt: skip
        self.node_address = address_of_argument(self._node)
        n_signals = N_SIGNALS if model.system.dim == 2 else len(SPATIAL_SIGNAL_NAMES)
        starts = [columns.start for columns in self.layout.columns[: len(self.table)]]
        self._places = np.add.outer(np.array(starts, np.int64), np.arange(n_signals + 1))

    def infos(self, first_column: int) -> Iterator[ElementInfo]:
        """Yield the description of the columns, which begin at ``first_column``."""
        return self.layout.infos(first_column)

    def store_geometry(self) -> None:
        """Store the geometry of the contacts at the current node."""
        if not len(self.table):
            return
        if self.engine.mechanism is not None:  # its velocities at the node, instead of those in the middle of the step
            move_mechanism.call(self.engine.table, STORE)
        store_all_geometry.call(self.node_address)

    def store(self, columns: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Store the signals at nodes with these arrays, up to the contact modes."""
        if not len(self.table):
            return
        count, n = len(columns), len(self.table)
        table, sign = self.table, np.tile(np.where(self.table["is_flipped"] != 0, -1.0, 1.0), count)[:, None]
        geometry = arrays["geometry"].ravel()
        node = np.repeat(np.arange(count), n)
        body_a, body_b = np.tile(table["body_a"], count), np.tile(table["body_b"], count)
        normal, point = sign * geometry["normal"], geometry["point"]
        velocity = self._velocity(arrays, node, body_a, point) - self._velocity(arrays, node, body_b, point)
        velocity = sign * velocity
        along_normal = np.sum(velocity * normal, axis=1)
        normal_force, force = self._forces(arrays, node, geometry["pair"], sign)
        sliding, friction = velocity - along_normal[:, None] * normal, force - normal_force[:, None] * normal
        if self.dim == 2:
            tangent = np.column_stack([-normal[:, 1], normal[:, 0]])
            slides = [np.sum(part[:, :2] * tangent, axis=1) for part in (friction, sliding)]
        else:
            slides = [np.linalg.norm(part, axis=1) for part in (friction, sliding)]
        signals = [-geometry["gap"], -along_normal, normal_force, *slides]
        signals += [point[:, 0], point[:, 1], normal[:, 0], normal[:, 1], force[:, 0], force[:, 1]]
        if self.dim == 3:
            signals += [point[:, 2], normal[:, 2], force[:, 2]]
        signals.append(arrays["single_contacts"]["mode"].ravel() != SEPARATED)
        columns[:, self._places] = np.column_stack(signals).reshape(count, n, -1)

    def _velocity(
        self, arrays: dict[str, np.ndarray], node: np.ndarray, bodies: np.ndarray, point: np.ndarray
    ) -> np.ndarray:
        """Return the velocities of ``bodies`` at nodes and points [m/s] (n × 3)."""
        model = self.engine.model
        body, motion = arrays["pair_data"][node, bodies], arrays["motion_data"][node, bodies]
        is_held = (bodies > model.n_free)[:, None]
        inertia = motion["inertia"]
        matrices = matrix_of(motion["quaternion"])
        momentum = rotated(matrices.transpose(0, 2, 1), motion["angular_momentum"])
        omega = np.divide(momentum, inertia, out=np.zeros_like(momentum), where=inertia > 0.0)
        omega = np.where(is_held, body["omega_half"], rotated(matrices, omega))
        arm = point - body["r"]
        if model.is_periodic:
            period = model.domain.period
            arm -= np.round(np.divide(arm, period, out=np.zeros_like(arm), where=period > 0.0)) * period
        moving = np.where(is_held, body["v_half"], motion["v"])
        velocity: np.ndarray = np.where((bodies > 0)[:, None], moving + cross(omega, arm), 0.0)
        return velocity

    def _forces(
        self, arrays: dict[str, np.ndarray], node: np.ndarray, index: np.ndarray, sign: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the normal forces, and the forces on the first bodies of the contacts [N] (n × 3)."""
        if not arrays["is_touching"].shape[1]:
            return np.zeros(len(index)), np.zeros((len(index), 3))
        is_loaded = (index >= 0) & (arrays["is_touching"][node, index] != 0)
        normal_force = np.where(is_loaded, arrays["output"]["normal_force"][node, index], 0.0)
        return normal_force, np.where(is_loaded[:, None], -sign * arrays["wrenches"]["force"][node, index], 0.0)

    def complete(self, bodies: Sequence[Body], q: np.ndarray, signals: np.ndarray) -> None:
        """Fill the columns that follow from others and from the coordinates ``q`` of all ``bodies``."""
        layout = self.layout
        complete_signals(layout.contacts, layout.compounds, layout.columns, Poses(self.kind, bodies, q), signals)
