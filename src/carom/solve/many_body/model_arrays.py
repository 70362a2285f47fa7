"""Conversion of a `System` into the tables of the many-body engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.compiled_model.body_kind import principal_axes
from carom.errors import ModelError
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.rotation import product, quaternion_of
from carom.geometry.shapes import Shape
from carom.kernels.record import RecordType
from carom.kernels.user_functions import UserKernel
from carom.laws.base import NO_BODIES
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.power_law import power_law
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.system import System
from carom.solve.many_body.bounding_boxes import extent, smallest_half_side
from carom.solve.many_body.pair_search import MAX_WARM_START
from carom.solve.many_body.records import (
    BODY_MOTION_DATA,
    BODY_PAIR_DATA,
    GROUP_LAW,
    KIND_RANGE,
    LOCAL_BOX,
    PAIR_KIND,
    SEARCH_SHAPE,
)

SKIN = 0.25
"""Gap up to which pairs are in the neighbour list, relative to the smallest shape [-]."""
MAX_RADIUS_RATIO = 2.0
"""Ratio of radii up to which a grid of cells is used for spheres [-]."""
MAX_KINDS, MAX_PARAMETERS = 200_000, 30_000_000
"""Largest number of pairs of different shapes with a kernel, and of the parameters of their kernels."""


def aligned(rows: int, columns: int) -> np.ndarray:
    """Return zeros that start on a cache line; so do the rows if ``columns`` is a multiple of 8."""
    buffer = np.zeros(rows * columns + 8)
    skip = (-buffer.ctypes.data // 8) % 8
    return buffer[skip : skip + rows * columns].reshape(rows, columns)


def aligned_table(layout: RecordType, rows: int) -> np.ndarray:
    """Return a table of zeros that starts on a cache line."""
    return aligned(rows, layout.size).view(layout.dtype)[:, 0]


class GroupSearch:
    """Shapes of one group, prepared for the search of candidate pairs."""

    def __init__(self, model: ManyBodyModel, index: int, group: ContactGroup, broad_phase: str | None):
        self.group = group
        self.among, self.against = sides(model.system, group)
        shapes = (*self.among, *self.against)
        self.self_contact = group.self_contact and len(self.among) > 1
        self.only_spheres = all(shape.is_centred_sphere for shape in self.among)
        radii = [shape.radius for shape in self.among if shape.is_centred_sphere]  # type: ignore[attr-defined]
        is_similar = self.only_spheres and max(radii) <= MAX_RADIUS_RATIO * min(radii)
        self.by_cells = is_similar if broad_phase is None else broad_phase == "cells"
        self.shapes = SEARCH_SHAPE.zeros(len(shapes))
        self.local_boxes = LOCAL_BOX.zeros(len(shapes))
        among, against = _types(self.among), _types(self.against)
        types = [among] * len(self.among) + [against] * len(self.against)
        for k, (shape, types_of_side) in enumerate(zip(shapes, types, strict=True)):
            body = model.body_index[id(shape.body)]
            centre, half_sides = shape.bounding_box()
            is_unbounded = bool(np.isinf(half_sides).any()) and body != 0
            self.shapes[k] = body, types_of_side[_key(shape)][0], shape.is_centred_sphere, is_unbounded
            self.local_boxes[k] = centre, half_sides
        self.n_types, self.n_other_types = len(among), max(len(against), 1)
        if len(self.among) > 1:
            self._check_bounded()
        no_kernels = self.only_spheres or not self.self_contact
        self.kinds = KIND_RANGE.zeros() if no_kernels else self._kinds(model, index, among, among, self.n_types)
        self.kinds_with_others = self._kinds(model, index, among, against, self.n_other_types)

    def _check_bounded(self) -> None:
        for shape in self.among:
            if np.isinf(shape.bounding_box()[1]).any():
                raise ModelError(f"{self.group.label}: {shape.label} is infinite; move it from shapes= to others=")

    def _kinds(
        self, model: ManyBodyModel, index: int, one: dict[Any, Any], two: dict[Any, Any], n_columns: int
    ) -> np.ndarray:
        """Return the pair kinds of every two types, row by row."""
        if len(one) * len(two) > MAX_KINDS:
            raise ModelError(
                f"{self.group.label}: {len(one)} × {len(two)} pairs of different shapes exceed the limit of "
                f"{MAX_KINDS}; use equal sizes for similar shapes"
            )
        table = np.zeros((len(one), n_columns), KIND_RANGE.dtype)
        table["first_kind"] = table["n_contact_points"] = -1
        for a, first in one.values():
            for b, second in two.values():
                shapes = next(((s, t) for s in first for t in second if s.body is not t.body), None)
                if shapes is not None and not (shapes[0].is_centred_sphere and shapes[1].is_centred_sphere):
                    table[a, b] = model.add_kind(index, pair(self.group.label, *shapes))
        return table.ravel()


def sides(system: System, group: ContactGroup) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """Return the two sides of a group, with the shapes of the ground on the second side."""
    fixed = tuple(shape for shape in group.shapes if shape.body is system.ground)
    if not fixed:
        return group.shapes, group.others
    free = tuple(shape for shape in group.shapes if shape.body is not system.ground)
    moving = [shape for shape in group.others if shape.body is not system.ground]
    if not moving:
        return free, (*group.others, *(fixed if group.self_contact else ()))
    if not free and len(moving) == len(group.others) and (len(fixed) == 1 or not group.self_contact):
        return group.others, fixed
    raise ModelError(
        f"{group.label}: {fixed[0].label} in shapes= is fixed and {moving[0].label} in others= moves; move fixed "
        "shapes to others="
    )


def _key(shape: Shape) -> Any:
    return (shape.kind, shape.parameters)


def _types(shapes: tuple[Shape, ...]) -> dict[Any, tuple[int, list[Shape]]]:
    """Return the types of shapes (equal kind and parameters): index, and one or two shapes on different bodies."""
    types: dict[Any, tuple[int, list[Shape]]] = {}
    for shape in shapes:
        _, examples = types.setdefault(_key(shape), (len(types), []))
        if not examples or (len(examples) == 1 and examples[0].body is not shape.body):
            examples.append(shape)
    return types


class ManyBodyModel:
    """Bodies, groups and pair kinds of a system in tables.

    ``body_order`` contains the indices of the system's bodies in the order of the tables. ``broad_phase`` is "cells",
    "tree" or None for the better one.
    """

    def __init__(self, system: System, broad_phase: str | None = None):
        check_system(system)
        self.system = system
        self.groups = [*system.groups, *system.small_groups, *single_groups(system)]
        if not self.groups:
            raise ModelError(
                f"System {system.name!r}: integrator 'verlet' needs contacts, got none; add a contact or use another "
                "integrator"
            )
        self.body_order = spatial_order(np.array([body.position for body in system.bodies]))
        self.bodies = [system.bodies[k] for k in self.body_order]
        self.body_index = {id(system.ground): 0} | {id(body): k + 1 for k, body in enumerate(self.bodies)}
        self.kernels: list[Any] = []
        self.warm_start_size = 0
        self._parameters: list[float] = []
        self._kinds: list[tuple[int, int, int, int, tuple[bool, ...]]] = []
        self.group_laws = GROUP_LAW.zeros(len(self.groups))
        for row, group in zip(self.group_laws, self.groups, strict=True):
            self._fill_laws(row, group)
        free = [shape for group in self.groups for shape in group.all_shapes if shape.body is not system.ground]
        self.skin = SKIN * min(smallest_half_side(shape) for shape in free)
        self._fill_bodies()
        self._add_shapes()
        self.searches = [GroupSearch(self, k, group, broad_phase) for k, group in enumerate(self.groups)]
        self.pair_kinds = np.array(self._kinds, PAIR_KIND.dtype)
        self.parameters = np.array([*self._parameters, 0.0])
        self._set_parameter_addresses()

    @property
    def user_kernels(self) -> list[UserKernel]:
        """Kernels of functions written by the user."""
        return [kernel for kernel in self.kernels if isinstance(kernel, UserKernel)]

    @property
    def body_values(self) -> tuple[np.ndarray, np.ndarray]:
        """All numbers of the two tables of bodies, one row per body."""
        tables = (self.pair_data, self.motion_data)
        pair_values, motion_values = (table.view(np.float64).reshape(len(table), -1) for table in tables)
        return pair_values, motion_values

    def add_kind(self, group: int, pairing: Pairing) -> tuple[int, int]:
        """Add a pair of shapes with a kernel; return its first row and its number of contact points."""
        row = len(self._kinds)
        kernel = self._address(pairing.kernel)
        centred = tuple(shape.is_centred_sphere for shape in pairing.shapes)
        for point in [0] if pairing.contact_points == 1 else range(pairing.contact_points + 1):
            params = self._add_parameters(pairing.parameters_for(point))
            self._kinds.append((kernel, params, int(pairing.swapped), group, centred))
        self.warm_start_size = max(self.warm_start_size, len(pairing.warm_start))
        if self.warm_start_size > MAX_WARM_START or any(pairing.warm_start):
            raise ModelError(
                f"{self.groups[group].label}: large groups do not support the pair of {pairing.shapes}; use single "
                "contacts for it"
            )
        return row, pairing.contact_points

    def _add_parameters(self, values: Any) -> int:
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
            row["friction_params"] = self._add_parameters(friction.parameters)
            row["has_friction_state"], row["is_coulomb"] = friction.has_state, type(friction) is Coulomb

    def _set_parameter_addresses(self) -> None:
        """Replace the offsets of parameters by their addresses."""
        start, size = self.parameters.ctypes.data, self.parameters.itemsize
        for column in (
            self.pair_kinds["pair_params"],
            self.group_laws["law_params"],
            self.group_laws["friction_params"],
        ):
            column[:] = start + size * column

    def _fill_bodies(self) -> None:
        count = len(self.bodies) + 1
        self.pair_data = aligned_table(BODY_PAIR_DATA, count)
        self.motion_data = aligned_table(BODY_MOTION_DATA, count)
        axes_of_bodies = [principal_axes(body.inertia) for body in self.bodies]
        self.with_rotated_axes = [
            k for k, (_, axes) in enumerate(axes_of_bodies) if not np.array_equal(axes, np.eye(3))
        ]  # fmt: skip
        for k, (body, (inertia, axes)) in enumerate(zip(self.bodies, axes_of_bodies, strict=True), start=1):
            pair_data, motion = self.pair_data[k], self.motion_data[k]
            smallest = min(inertia)
            pair_data["r"], pair_data["v_half"] = body.position, body.velocity
            pair_data["omega_half"] = body.rotation @ np.array(body.angular_velocity)
            pair_data["inverse_mass"] = 1.0 / body.mass
            pair_data["max_inverse_inertia"] = 1.0 / smallest if smallest > 0.0 else 0.0
            motion["v"] = body.velocity
            motion["angular_momentum"] = body.rotation @ (np.array(body.inertia) @ np.array(body.angular_velocity))
            motion["quaternion"] = product(body.orientation, quaternion_of(axes))
            motion["mass"], motion["inertia"] = body.mass, inertia
            motion["is_isotropic"] = inertia[0] == inertia[1] == inertia[2]
            motion["r_at_list"] = body.position

    def _add_shapes(self) -> None:
        """Set bounding radii, extents and the need of poses from the shapes of the bodies."""
        for group in self.groups:
            for shape in group.all_shapes:
                k = self.body_index[id(shape.body)]
                pair_data, motion = self.pair_data[k], self.motion_data[k]
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


def single_groups(system: System) -> list[ContactGroup]:
    """Return the single contacts of a system as groups of one pair."""
    in_groups = {id(contact) for group in system.small_groups for contact in group.contacts}
    contacts = [contact for contact in (*system.contacts, *system.compounds) if isinstance(contact, Contact)]
    parts = {id(part) for contact in contacts for part in contact.parts}
    return [
        ContactGroup(
            contact.shapes[:1], contact.shapes[1:], contact.law, contact.friction, contact.impact, contact.name, False
        )
        for contact in contacts
        if id(contact) not in in_groups and id(contact) not in parts
    ]


def check_system(system: System) -> None:
    """Raise if a system contains elements that the integrator does not support."""
    label = "integrator 'verlet'"
    if system.dim == 2:
        n_pairs = max((group.count for group in system.groups), default=0)
        raise ModelError(
            f"{label}: only systems in 3D are supported, got dim=2"
            + (f"; in 2D use groups of up to 300 pairs, not {n_pairs}, and another integrator" if n_pairs else "")
        )
    for family in ("joints", "forces", "compounds"):
        for element in getattr(system, family):
            if not isinstance(element, Contact):
                raise ModelError(f"{label}: only free bodies and fixed shapes are supported, got {element.label}")
    for body in system.bodies:
        if not body.mass > 0.0:
            raise ModelError(f"{label}: mass of body {body.name!r} must be positive, got {body.mass:g} kg")
    if not system.bodies:
        raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")


def spatial_order(positions: np.ndarray) -> np.ndarray:
    """Return an order in which neighbouring bodies have close indices: by cells of a few bodies each."""
    low, span = positions.min(axis=0), np.ptp(positions, axis=0)
    side = max(float(np.prod(np.maximum(span, 1e-3 * span.max() + 1e-300)) / len(positions)) ** (1.0 / 3.0), 1e-300)
    cells = np.floor((positions - low) / (1.5 * side)).astype(np.int64)
    return np.lexsort((cells[:, 0], cells[:, 1], cells[:, 2]))
