"""Differences between planar and spatial bodies: sizes in the state vector, records and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.geometry.rotation import matrix_of, product, quaternion_of
from carom.kernels import Kernel
from carom.mechanics import (
    contact_directions,
    contact_jacobian,
    planar_body,
    planar_contacts,
    spatial_body,
    spatial_contacts,
)
from carom.model.body import Body

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


@dataclass(frozen=True)
class BodyKind:
    """Sizes, record and kernels of the bodies of a planar or spatial system.

    In the state vector y, a body has ``n_velocities`` coordinates and as many velocities; behind all velocities follow
    ``n_orientation`` numbers (unit quaternion and rotation vector) per spatial body. In kernels a body is a record
    ``body_dtype`` of ``record_size`` numbers, whose velocities begin at ``velocity_offset``.
    """

    n_velocities: int
    record_size: int
    n_orientation: int
    body_dtype: np.dtype
    velocity_offset: int
    contact_kernels: ModuleType
    """Kernels of compliant contacts."""
    jacobians_kernel: Kernel
    """Derivatives of compliant contacts, for implicit methods."""
    directions_kernel: Kernel
    """Generalised directions of rigid contacts, for time stepping."""
    rows_per_contact: int
    """Number of these directions: normal and tangents."""
    rolling_directions_kernel: Kernel
    """Directions with those of the relative rotation, for models with rolling resistance."""
    rolling_rows_per_contact: int
    ground_pose: tuple[float, ...]
    """Pose of the ground [m, rad or quaternion], in the coordinates of a result."""
    reaction_signals: tuple[str, ...]
    reaction_units: tuple[str, ...]

    @property
    def n_coordinates(self) -> int:
        """Number of coordinates of a body in a result."""
        return len(self.ground_pose)

    def initial_values(self, body: Body) -> tuple[list[float], list[float], list[float]]:
        """Return coordinates, velocities and orientation numbers of a body in y."""
        if self.n_orientation == 0:
            return [*body.position, body.angle], [*body.velocity, body.angular_velocity], []
        axes = principal_axes(body.inertia)[1]
        omega = axes.T @ np.array(body.angular_velocity)
        q = product(body.orientation, quaternion_of(axes))
        return [*body.position, 0.0, 0.0, 0.0], [*body.velocity, *omega], [*q, 0.0, 0.0, 0.0]

    def write_back(self, body: Body, q: np.ndarray, v: np.ndarray, orientation: np.ndarray) -> None:
        """Set position and velocity of a body; the inverse of `initial_values`."""
        size = len(body.position)
        body.position = tuple(float(value) for value in q[:size])
        body.velocity = tuple(float(value) for value in v[:size])
        if self.n_orientation == 0:
            body.angle, body.angular_velocity = float(q[2]), float(v[2])
            return
        quaternions, omega = self.in_body_axes(body.inertia, orientation[None, :4], v[None, 3:])
        w, x, y, z = (float(value) for value in quaternions[0])
        body.orientation = (w, x, y, z)
        body.angular_velocity = tuple(float(value) for value in omega[0])

    def in_body_axes(self, inertia: Any, quaternions: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Convert orientations of the principal axes and vectors in them to the body's axes, row by row."""
        axes = principal_axes(inertia)[1]
        to_body = quaternion_of(axes.T)
        return np.column_stack(product(quaternions.T, to_body)), vectors @ axes.T

    def mass_diagonal(self, body: Body) -> list[float]:
        """Return the diagonal of the mass matrix of a body [kg, kg m²]."""
        if self.n_orientation == 0:
            return [body.mass, body.mass, body.inertia]
        return [body.mass, body.mass, body.mass, *principal_axes(body.inertia)[0]]

    def gravity_force(self, body: Body, gravity: Sequence[float]) -> list[float]:
        """Return the generalised force of gravity on a body [N, N m]."""
        return [*(body.mass * g for g in gravity), *[0.0] * (self.n_velocities - len(gravity))]

    def ground_record(self) -> np.ndarray:
        """Return the body record of the ground, at rest in the origin."""
        if self.n_orientation == 0:
            body = planar_body.PLANAR_BODY.zeros()
            body["cos"] = 1.0
        else:
            body = spatial_body.SPATIAL_BODY.zeros()
            body["quaternion"][:, 0] = 1.0
            body["R"] = body["R_principal"] = np.eye(3).ravel()
        return body.view(float)

    def set_kernels(self, data: SystemData) -> None:
        """Set the kernels and constants of this kind in the record of a model."""
        data.model.velocities_per_body = self.n_velocities
        data.model.dim = data.system.dim
        data.model.normal_direction_kernel = data.address(self.contact_kernels.normal_direction)
        if self.n_orientation == 0:
            return
        for field, kernel in (
            ("body_kernel", spatial_body.update_bodies),
            ("orientation_rate_kernel", spatial_body.orientation_rate),
            ("update_orientation_kernel", spatial_body.update_orientation),
            ("rows_to_velocity_axes_kernel", spatial_body.rows_to_velocity_axes),
            ("forces_to_velocity_axes_kernel", spatial_body.forces_to_velocity_axes),
        ):
            setattr(data.model, field, data.address(kernel))
        axes = [quaternion_of(principal_axes(body.inertia)[1].T) for body in data.system.bodies]
        data.set_array("principal_axes", np.array(axes))
        if data.rigid:
            orientations = [self.initial_values(body)[2] for body in data.system.bodies]
            data.set_array("reference_orientation", np.array(orientations))
            data.model.orientation_rate_kernel = 0


def principal_axes(inertia: Any) -> tuple[list[float], np.ndarray]:
    """Return the principal moments of an inertia tensor [kg m²] and its axes, the columns of a rotation matrix."""
    tensor = np.array(inertia)
    if not np.any(tensor - np.diag(np.diag(tensor))):
        return [float(value) for value in np.diag(tensor)], np.eye(3)
    values, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return [max(float(value), 0.0) for value in values], matrix_of(quaternion_of(axes))


PLANAR = BodyKind(
    n_velocities=planar_body.DOF,
    record_size=planar_body.PLANAR_BODY.size,
    n_orientation=0,
    body_dtype=planar_body.BODY_DTYPE,
    velocity_offset=planar_body.VELOCITY_OFFSET,
    contact_kernels=planar_contacts,
    jacobians_kernel=contact_jacobian.planar_contact_jacobians,
    directions_kernel=contact_directions.planar_directions,
    rows_per_contact=contact_directions.PLANAR_ROWS,
    rolling_directions_kernel=contact_directions.planar_rolling_directions,
    rolling_rows_per_contact=contact_directions.PLANAR_ROLLING_ROWS,
    ground_pose=(0.0, 0.0, 0.0),
    reaction_signals=("fx", "fy", "torque"),
    reaction_units=("N", "N", "N m"),
)
SPATIAL = BodyKind(
    n_velocities=spatial_body.N_VELOCITIES,
    record_size=spatial_body.SPATIAL_BODY.size,
    n_orientation=spatial_body.N_ORIENTATION,
    body_dtype=spatial_body.BODY_DTYPE,
    velocity_offset=spatial_body.VELOCITY_OFFSET,
    contact_kernels=spatial_contacts,
    jacobians_kernel=contact_jacobian.spatial_contact_jacobians,
    directions_kernel=contact_directions.spatial_directions,
    rows_per_contact=contact_directions.SPATIAL_ROWS,
    rolling_directions_kernel=contact_directions.spatial_rolling_directions,
    rolling_rows_per_contact=contact_directions.SPATIAL_ROLLING_ROWS,
    ground_pose=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    reaction_signals=("fx", "fy", "fz", "tx", "ty", "tz"),
    reaction_units=("N", "N", "N", "N m", "N m", "N m"),
)
KINDS = {2: PLANAR, 3: SPATIAL}
