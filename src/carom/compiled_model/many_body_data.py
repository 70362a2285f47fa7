"""Compiled form of a System for many-body runs: bodies, contact laws of groups and kinds of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from carom.compiled_model.body_kind import principal_axes
from carom.compiled_model.group_search import GroupSearch
from carom.compiled_model.many_body_records import (
    BODY_MOTION_DATA,
    BODY_PAIR_DATA,
    GROUP_LAW,
    PAIR_KIND,
    PRESENT,
    WAITING,
    aligned_table,
)
from carom.compiled_model.mechanism import mechanism_bodies
from carom.compiled_model.model_data import take_user_error
from carom.compiled_model.periodic_domain import PeriodicDomain, check_periodic
from carom.compiled_model.single_contacts import SingleContacts, single_groups
from carom.errors import ModelError
from carom.geometry.pairs.registry import Pairing
from carom.geometry.rotation import product, quaternion_of
from carom.geometry.shapes import Shape
from carom.kernels.user_functions import UserKernel
from carom.laws.base import NO_BODIES
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.power_law import power_law
from carom.model.boundary import Inlet, Outlet
from carom.model.contact_group import ContactGroup
from carom.model.system import System

SKIN = 0.25
"""Gap up to which pairs are in the neighbour list, relative to the smallest shape [-]."""
MAX_PARAMETERS = 30_000_000
"""Largest number of parameters of pair kernels."""


class ManyBodyData:
    """Compiled form of the bodies and contacts of a system; its tables are those of `many_body_records`.

    ``body_order`` contains the indices of the system's bodies in the order of the tables: the ``n_free`` free bodies,
    then those of the mechanism. ``skin`` is the gap up to which pairs are in the neighbour list [m]. ``broad_phase`` is
    "cells", "tree" or None for the better one.
    """

    lists_single_contacts = True
    """True if contacts of two shapes are listed one by one, with a log; else they are searched as groups."""

    def __init__(self, system: System, broad_phase: str | None = None):
        self._check(system)
        self.system = system
        self.groups = [*system.groups, *system.small_groups, *single_groups(system)]
        if not self.groups:
            raise ModelError(
                f"System {system.name!r}: a run with inlets, outlets, periodic directions or integrator 'verlet' needs "
                "contacts, got none; add a contact, or use another integrator without them"
            )
        self.body_order, self.n_free = order_of_bodies(system)
        self.bodies = [system.bodies[k] for k in self.body_order]
        self.body_index = {id(system.ground): 0} | {id(body): k + 1 for k, body in enumerate(self.bodies)}
        self.kernels: list[Any] = []
        self.warm_start_size = 0
        """Largest number of values of a warm start."""
        self._parameters: list[float] = []
        self._kinds: list[tuple[Any, ...]] = []
        self.group_laws = GROUP_LAW.zeros(len(self.groups))
        for row, group in zip(self.group_laws, self.groups, strict=True):
            self._fill_laws(row, group)
        self.smallest_size = min(smallest_half_side(shape) for shape in self._searched_shapes())
        self.skin = SKIN * self.smallest_size
        check_periodic(system, self.groups, self.bodies[self.n_free :], self.skin)
        self._fill_bodies()
        self._add_shapes()
        self._set_images()
        self.inlets = [inlet for inlet in system.boundaries if isinstance(inlet, Inlet)]
        self.outlets = [outlet for outlet in system.boundaries if isinstance(outlet, Outlet)]
        self._set_waiting_bodies()
        searched = system.groups if self.lists_single_contacts else self.groups
        self.searches = [GroupSearch(self, k, group, broad_phase) for k, group in enumerate(searched)]
        self.singles = SingleContacts(self) if self.lists_single_contacts else None
        self.pair_kinds = np.array(self._kinds, PAIR_KIND.dtype)
        self.parameters = np.array([*self._parameters, 0.0])
        self._set_parameter_addresses()

    def _check(self, system: System) -> None:
        """Raise if a system contains elements that the method does not support."""
        check_system(system)

    def _searched_shapes(self) -> list[Shape]:
        """Return the shapes of free bodies; those of all bodies that move where no free body has one."""
        large = self.system.groups if self.lists_single_contacts else ()
        shapes = [shape for group in large or self.groups for shape in group.all_shapes]
        indices = [self.body_index[id(shape.body)] for shape in shapes]
        free = [shape for shape, k in zip(shapes, indices, strict=True) if 0 < k <= self.n_free]
        return free or [shape for shape, k in zip(shapes, indices, strict=True) if k > 0]

    @property
    def user_kernels(self) -> list[UserKernel]:
        """Kernels of functions written by the user."""
        return [kernel for kernel in self.kernels if isinstance(kernel, UserKernel)]

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, or None."""
        return take_user_error(self.user_kernels)

    @property
    def keeps_pair_states(self) -> bool:
        """True if pairs of a group keep values of unloading curves, friction states or rolling resistance."""
        return bool(self.group_laws["keeps_state"].any())

    @property
    def body_values(self) -> tuple[np.ndarray, np.ndarray]:
        """All numbers of the two tables of bodies, one row per body."""
        tables = (self.pair_data, self.motion_data)
        pair_values, motion_values = (table.view(np.float64).reshape(len(table), -1) for table in tables)
        return pair_values, motion_values

    def add_kind(
        self, group: int, pairing: Pairing, is_flipped: bool = False, contacts: Sequence[int] = ()
    ) -> tuple[int, int]:
        """Add a pair of shapes with a kernel; return its first row and its number of contact points.

        ``is_flipped`` exchanges the two bodies; ``contacts`` are the rows of its contact points in `SINGLE_CONTACT`.
        """
        row, n_points = len(self._kinds), pairing.contact_points
        kernel = self._address(pairing.kernel)
        centred = tuple(shape.is_centred_sphere for shape in pairing.shapes)
        initial = self._add_parameters(pairing.warm_start)
        for point in [0] if n_points == 1 else range(n_points + 1):
            params = self._add_parameters(pairing.parameters_for(point))
            shift = n_points - point if pairing.shares_warm_start and point > 0 else 0
            size = len(pairing.warm_start)
            is_swapped = int(pairing.swapped != is_flipped)
            contact = contacts[max(point - 1, 0)] if contacts and (point > 0 or n_points == 1) else -1
            self._kinds.append((kernel, params, is_swapped, group, centred, size, initial, shift, contact))
        self.warm_start_size = max(self.warm_start_size, len(pairing.warm_start))
        return row, n_points

    def count_warm_starts(self, groups_or_kinds: np.ndarray) -> int:
        """Return how many numbers the warm starts of pairs have; see `NEIGHBOUR_ENTRY` for the argument."""
        if self.warm_start_size == 0:
            return 0
        kinds = self.pair_kinds[-1 - groups_or_kinds[groups_or_kinds < 0]]
        return int(kinds["warm_start_size"][kinds["warm_start_shift"] == 0].sum())

    def _add_parameters(self, values: Iterable[float]) -> int:
        """Append parameters of a kernel; return their offset."""
        offset = len(self._parameters)
        self._parameters += [float(value) for value in values]
        if len(self._parameters) > MAX_PARAMETERS:
            raise ModelError(
                f"System {self.system.name!r}: pairs of different shapes with meshes have more than {MAX_PARAMETERS} "
                "parameters; use equal radii for spheres"
            )
        return offset

    def _address(self, kernel: Any) -> int:
        """Return the address of a kernel and keep it alive."""
        self.kernels.append(kernel)
        return int(kernel.address)

    def _fill_laws(self, row: Any, group: ContactGroup) -> None:
        """Fill the row of a group; the parameters are offsets until `_set_parameter_addresses`."""
        law, friction = group.law, group.friction
        if law is None:
            raise ModelError(f"{group.label}: no contact law; set law= for method='compliant'")
        kernel = law.compiled(group.label, NO_BODIES)
        row["law_kernel"] = self._address(kernel)
        row["law_params"] = self._add_parameters(law.parameters)
        row["has_unloading_curve"], row["is_adhesive"] = law.has_unloading_curve, law.tension
        row["is_power_law"] = kernel is power_law
        if friction is not None:
            row["friction_kernel"] = self._address(friction.compiled(group.label, NO_BODIES))
            row["friction_params"] = self._add_parameters(friction.fixed_step_parameters)
            row["has_friction_state"], row["is_coulomb"] = friction.has_state, type(friction) is Coulomb
        if group.rolling is not None:
            row["rolling_params"] = self._add_parameters(group.rolling.parameters)
        row["keeps_state"] = law.has_unloading_curve or row["has_friction_state"] or group.rolling is not None

    def _set_parameter_addresses(self) -> None:
        """Replace the offsets of parameters by their addresses."""
        start, size = self.parameters.ctypes.data, self.parameters.itemsize
        for column in (
            self.pair_kinds["pair_params"],
            self.pair_kinds["initial_warm_start"],
            self.group_laws["law_params"],
            self.group_laws["friction_params"],
            self.group_laws["rolling_params"],
        ):
            column[:] = start + size * column
        without_rolling = [group.rolling is None for group in self.groups]
        self.group_laws["rolling_params"][without_rolling] = 0

    def _fill_bodies(self) -> None:
        """Fill the tables of bodies with masses and initial states."""
        count, bodies = len(self.bodies) + 1, self.bodies
        self.pair_data = aligned_table(BODY_PAIR_DATA, count)
        self.motion_data = aligned_table(BODY_MOTION_DATA, count)
        pair_data, motion = self.pair_data[1:], self.motion_data[1:]
        dim = self.system.dim
        pair_data["r"][:, :dim] = [body.position for body in bodies]
        pair_data["v_half"][:, :dim] = [body.velocity for body in bodies]
        mass = np.array([body.mass for body in bodies])
        pair_data["inverse_mass"] = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
        motion["mass"], motion["v"], motion["r_at_list"] = mass, pair_data["v_half"], pair_data["r"]
        self.with_rotated_axes: list[int] = []
        if dim == 2:
            self._fill_planar_rotations(pair_data, motion)
        else:
            self._fill_spatial_rotations(pair_data, motion)
        smallest = motion["inertia"].min(axis=1)
        pair_data["max_inverse_inertia"] = np.divide(1.0, smallest, out=np.zeros_like(smallest), where=smallest > 0.0)

    def _fill_planar_rotations(self, pair_data: np.ndarray, motion: np.ndarray) -> None:
        """Fill inertias, angles and angular velocities of planar bodies, which move in the plane z = 0."""
        angle, omega, inertia = (
            np.array([getattr(body, name) for body in self.bodies]) for name in ("angle", "angular_velocity", "inertia")
        )
        pair_data["omega_half"][:, 2], motion["angular_momentum"][:, 2] = omega, inertia * omega
        motion["quaternion"][:, 0], motion["quaternion"][:, 3] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        motion["angle"], motion["inertia"], motion["is_isotropic"] = angle, inertia[:, None], 1

    def _fill_spatial_rotations(self, pair_data: np.ndarray, motion: np.ndarray) -> None:
        """Fill principal inertias, orientations and angular velocities of spatial bodies."""
        inertia = np.array([body.inertia for body in self.bodies])
        omega = np.array([body.angular_velocity for body in self.bodies])
        motion["quaternion"] = [body.orientation for body in self.bodies]
        motion["inertia"] = np.einsum("nii->ni", inertia)
        for k in np.flatnonzero(omega.any(axis=1)):
            rotation = self.bodies[k].rotation
            pair_data["omega_half"][k] = rotation @ omega[k]
            motion["angular_momentum"][k] = rotation @ (inertia[k] @ omega[k])
        off_diagonal = inertia.reshape(len(inertia), 9)[:, [1, 2, 3, 5, 6, 7]]
        for k in np.flatnonzero(off_diagonal.any(axis=1)):
            motion["inertia"][k], axes = principal_axes(inertia[k])
            motion["quaternion"][k] = product(self.bodies[k].orientation, quaternion_of(axes))
            self.with_rotated_axes.append(int(k))
        motion["is_isotropic"] = (np.ptp(motion["inertia"], axis=1) == 0.0).astype(np.int64)

    def _add_shapes(self) -> None:
        """Set bounding radii, extents and the need of poses from the shapes of the bodies."""
        for n, group in enumerate(self.groups):
            for shape in group.all_shapes:
                k = self.body_index[id(shape.body)]
                pair_data, motion = self.pair_data[k], self.motion_data[k]
                if shape.is_centred_sphere and n >= len(self.system.groups):
                    continue  # the pair kernels of single contacts have the radius
                if shape.is_centred_sphere:
                    radius = shape.radius  # type: ignore[attr-defined]
                    if pair_data["bounding_radius"] not in (0.0, radius):
                        raise ModelError(
                            f"{group.label}: body {shape.body.name!r} has two spheres about its centre of mass with "
                            f"different radii, got {pair_data['bounding_radius']:g} and {radius:g} m; remove one"
                        )
                    pair_data["bounding_radius"] = radius
                elif k > 0:
                    motion["needs_pose"] = 1
                    if np.isfinite(extent(shape)):
                        motion["extent"] = max(motion["extent"], extent(shape))

    def _set_images(self) -> None:
        """Move the free bodies into the periodic domain; ``images`` are the periods by which they were moved."""
        self.is_periodic = bool(self.system.periodic)
        self.domain = PeriodicDomain(self.system)
        self.images = np.zeros((len(self.pair_data), 3), np.int64)
        self.wrap_positions()

    def wrap_positions(self) -> None:
        """Move the free bodies that have left the periodic domain back into it, by whole periods."""
        if not self.is_periodic:
            return
        free = slice(1, 1 + self.n_free)
        moved = self.domain.images(self.pair_data["r"][free])
        self.images[free] += moved
        self.pair_data["r"][free] -= moved * self.domain.period

    @property
    def positions(self) -> np.ndarray:
        """Positions of ground and bodies [m] (n × 3), continued beyond the bounds of the periodic domain."""
        r: np.ndarray = self.pair_data["r"]
        return r + self.images * self.domain.period if self.is_periodic else r

    @property
    def wrapped_positions(self) -> np.ndarray:
        """Positions of ground and bodies [m] (n × 3), in the periodic domain."""
        r: np.ndarray = self.pair_data["r"]
        return r - self.domain.images(r) * self.domain.period if self.is_periodic else r

    def _set_waiting_bodies(self) -> None:
        """Set the bodies of inlets waiting; ``entry_rows`` contains their rows of both tables when they appear."""
        waiting = self.waiting_bodies
        pair_data, motion = self.pair_data, self.motion_data
        self.entry_rows = pair_data[waiting], motion[waiting]
        self.entry_rows[1]["acceleration"][:, : self.system.dim] = self.system.gravity
        motion["absence"][waiting] = WAITING
        for column in (pair_data["v_half"], pair_data["omega_half"], motion["v"], motion["angular_momentum"]):
            column[waiting] = 0.0

    @property
    def absence(self) -> np.ndarray:
        """`PRESENT`, `WAITING` or `LEFT` for ground and bodies."""
        absence: np.ndarray = self.motion_data["absence"]
        return absence

    @property
    def is_present(self) -> np.ndarray:
        """True for every body that does not wait and has not left."""
        return np.asarray(self.absence == PRESENT)

    @property
    def waiting_bodies(self) -> np.ndarray:
        """Indices of the bodies of all inlets in the tables, inlet by inlet."""
        return np.array([self.body_index[id(body)] for inlet in self.inlets for body in inlet.bodies], np.int64)


def smallest_half_side(shape: Shape) -> float:
    """Return half the smallest side of the bounding box that is not zero [m]; for a sphere its radius."""
    half_sides = shape.bounding_box()[1]
    return float(half_sides[half_sides > 0.0].min(initial=math.inf))


def extent(shape: Shape) -> float:
    """Return an upper bound of the distance of the shape's points from the centre of mass of its body [m]."""
    centre, half_sides = shape.bounding_box()
    return float(np.linalg.norm(np.abs(centre) + half_sides))


def check_system(system: System) -> None:
    """Raise if a system contains elements that the integrator does not support."""
    held = {id(body) for body in mechanism_bodies(system)}
    for body in system.bodies:
        if id(body) not in held and not body.mass > 0.0:
            raise ModelError(
                f"integrator 'verlet': mass of body {body.name!r} must be positive, as no joint holds it, got "
                f"{body.mass:g} kg"
            )
    check_inlets(system)
    if not system.bodies:
        raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")


def check_inlets(system: System) -> None:
    """Raise if a joint or force element acts on a body of an inlet."""
    held = {id(body) for body in mechanism_bodies(system)}
    for inlet in system.boundaries:
        for body in inlet.bodies if isinstance(inlet, Inlet) else ():
            if id(body) in held:
                raise ModelError(
                    f"{inlet.label}: body {body.name!r} must be free, but a joint or force element acts on it; "
                    "remove it from the inlet"
                )


def order_of_bodies(system: System) -> tuple[np.ndarray, int]:
    """Return the indices of the bodies in the order of the tables, and the number of free bodies, which are first."""
    held = {id(body) for body in mechanism_bodies(system)}
    is_held = np.array([id(body) in held for body in system.bodies])
    free, mechanism = np.flatnonzero(~is_held), np.flatnonzero(is_held)
    if len(free):
        free = free[spatial_order(np.array([system.bodies[k].position for k in free]))]
    return np.concatenate([free, mechanism]), len(free)


def spatial_order(positions: np.ndarray) -> np.ndarray:
    """Return an order in which neighbouring bodies have close indices: by cells of a few bodies each."""
    low, span = positions.min(axis=0), np.ptp(positions, axis=0)
    side = max(
        float(np.prod(np.maximum(span, 1e-3 * span.max() + 1e-300)) / len(positions)) ** (1.0 / positions.shape[1]),
        1e-300,
    )
    cells = np.floor((positions - low) / (1.5 * side)).astype(np.int64)
    return np.lexsort(tuple(cells.T))
