"""What planar and spatial bodies are in the tables: the numbers they have in y, their records, their kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.geometry.rotation import matrix_of, product, quaternion_of
from carom.mechanics import (
    planar_body,
    planar_contacts,
    planar_stepping,
    spatial_body,
    spatial_contacts,
    spatial_stepping,
)

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


@dataclass(frozen=True)
class BodyKind:
    """A body has ``width`` velocities and as many coordinates, ``own`` more numbers behind the velocities in y, and a
    record of ``stride`` numbers with names (``record``), in which its velocities begin at ``moving``.

    ``origin`` is where the ground is, as a result shows bodies. ``touching`` and ``stepping`` are the modules whose
    kernels evaluate contacts in the two physics.
    """

    width: int
    stride: int
    own: int
    record: np.dtype
    moving: int
    touching: Any
    stepping: Any
    origin: tuple[float, ...]
    reaction: tuple[str, ...]
    reaction_units: tuple[str, ...]

    @property
    def coordinates(self) -> int:
        """Coordinates of a body that a result shows."""
        return len(self.origin)

    def start(self, body: Any) -> tuple[list[float], list[float], list[float]]:
        """Coordinates, velocities and what follows them in y."""
        if self.own == 0:
            return [*body.position, body.angle], [*body.velocity, body.angular_velocity], []
        axes = principal_axes(body.inertia)[1]
        omega = axes.T @ np.array(body.angular_velocity)
        q = product(body.orientation, quaternion_of(axes))
        return [*body.position, 0.0, 0.0, 0.0], [*body.velocity, *omega], [*q, 0.0, 0.0, 0.0]

    def write_back(self, body: Any, q: np.ndarray, v: np.ndarray, own: np.ndarray) -> None:
        """Give a body the state that `start` would read."""
        size = len(body.position)
        body.position = tuple(float(value) for value in q[:size])
        body.velocity = tuple(float(value) for value in v[:size])
        if self.own == 0:
            body.angle, body.angular_velocity = float(q[2]), float(v[2])
            return
        turned, omega = self.in_body_axes(body.inertia, own[None, :4], v[None, 3:])
        body.orientation = tuple(float(value) for value in turned[0])
        body.angular_velocity = tuple(float(value) for value in omega[0])

    def in_body_axes(self, inertia: Any, quaternions: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Orientations of the principal axes as those of the body's axes, and vectors in them, row by row."""
        axes = principal_axes(inertia)[1]
        back = quaternion_of(axes.T)
        return np.column_stack(product(quaternions.T, back)), vectors @ axes.T

    def masses(self, body: Any) -> list[float]:
        """The diagonal of the mass matrix."""
        if self.own == 0:
            return [body.mass, body.mass, body.inertia]
        return [body.mass, body.mass, body.mass, *principal_axes(body.inertia)[0]]

    def weight(self, body: Any, gravity: Sequence[float]) -> list[float]:
        """The generalised force of gravity."""
        return [*(body.mass * g for g in gravity), *[0.0] * (self.width - len(gravity))]

    def ground(self) -> np.ndarray:
        """The record of what does not move."""
        if self.own == 0:
            body = planar_body.PLANAR_BODY.zeros()
            body["cos"] = 1.0
        else:
            body = spatial_body.SPATIAL_BODY.zeros()
            body["quaternion"][:, 0] = 1.0
            body["R"] = body["R_principal"] = np.eye(3).ravel()
        return body.view(float)

    def fill(self, tables: SystemData) -> None:
        """Kernels and constants of this kind into the block."""
        tables.model.velocities_per_body = self.width
        tables.model.dim = tables.system.dim
        tables.model.normal_direction_kernel = tables.address(self.touching.lever)
        if self.own == 0:
            return
        for place, kernel in (
            ("body_kernel", spatial_body.update_bodies),
            ("orientation_rate_kernel", spatial_body.orientation_rate),
            ("update_orientation_kernel", spatial_body.update_orientation),
            ("rows_to_velocity_axes_kernel", spatial_body.rows_to_velocity_axes),
            ("forces_to_velocity_axes_kernel", spatial_body.forces_to_velocity_axes),
        ):
            setattr(tables.model, place, tables.address(kernel))
        axes = [quaternion_of(principal_axes(body.inertia)[1].T) for body in tables.system.bodies]
        tables.put("principal_axes", np.array(axes))
        if tables.rigid:
            tables.put("reference_orientation", np.array([self.start(body)[2] for body in tables.system.bodies]))
            tables.model.orientation_rate_kernel = 0


def principal_axes(inertia: Any) -> tuple[list[float], np.ndarray]:
    """Principal values of an inertia tensor, and the axes as the columns of a rotation matrix in the body's axes."""
    tensor = np.array(inertia)
    if not np.any(tensor - np.diag(np.diag(tensor))):
        return [float(value) for value in np.diag(tensor)], np.eye(3)
    values, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return [max(float(value), 0.0) for value in values], matrix_of(quaternion_of(axes))


PLANAR = BodyKind(
    width=planar_body.DOF,
    stride=planar_body.PLANAR_BODY.size,
    own=0,
    record=planar_body.BODY_DTYPE,
    moving=planar_body.VELOCITY_OFFSET,
    touching=planar_contacts,
    stepping=planar_stepping,
    origin=(0.0, 0.0, 0.0),
    reaction=("fx", "fy", "torque"),
    reaction_units=("N", "N", "N m"),
)
SPATIAL = BodyKind(
    width=spatial_body.N_VELOCITIES,
    stride=spatial_body.SPATIAL_BODY.size,
    own=spatial_body.N_ORIENTATION,
    record=spatial_body.BODY_DTYPE,
    moving=spatial_body.VELOCITY_OFFSET,
    touching=spatial_contacts,
    stepping=spatial_stepping,
    origin=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    reaction=("fx", "fy", "fz", "tx", "ty", "tz"),
    reaction_units=("N", "N", "N", "N m", "N m", "N m"),
)
KINDS = {2: PLANAR, 3: SPATIAL}
