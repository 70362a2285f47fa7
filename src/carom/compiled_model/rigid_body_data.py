"""Compiled form of a System for non-smooth runs with many bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.compiled_model.body_kind import principal_axes
from carom.compiled_model.many_body_data import ManyBodyData, check_inlets, extent
from carom.compiled_model.many_body_records import BODY_PAIR_DATA, WAITING, aligned_table
from carom.compiled_model.mechanism import joint_stops, mechanism_bodies
from carom.compiled_model.stepping_data import impact_law_data
from carom.errors import ModelError
from carom.geometry.rotation import product, quaternion_of
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.system import System


def unsupported_element(system: System) -> str | None:
    """Return why a system cannot be run with many rigid bodies, or None."""
    for compound in system.compounds:
        if not isinstance(compound, Contact):
            return f"{compound.label} consists of special contacts"
    for group in (*system.groups, *system.small_groups, *system.contacts):
        if group.impact is not None and group.impact.law == "poisson":
            return f"{group.label} has Poisson's impact law"
    return None


class RigidBodyData(ManyBodyData):
    """Compiled form of a system with large groups of rigid contacts.

    Planar bodies are spatial ones that stay in the plane z = 0. ``state`` is the initial state per body in the order of
    the tables: a dictionary of arrays with the names of fields of `RIGID_BODY`.
    """

    lists_single_contacts = False

    def __init__(self, system: System, broad_phase: str | None = None):
        super().__init__(system, broad_phase)
        stops = joint_stops(system)
        impacts = [contact.impact for contact in (*self.groups, *stops) if contact.impact is not None]
        self.laws = impact_law_data(impacts, [*(group.rolling for group in self.groups), *[None] * len(stops)])
        self._find_components()

    def _check(self, system: System) -> None:
        """Raise if a system contains bodies that cannot be stepped."""
        check_inlets(system)
        if not system.bodies:
            raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")
        held = {id(body) for body in mechanism_bodies(system)}
        for body in system.bodies:
            if not body.mass > 0.0 and id(body) not in held:
                raise ModelError(f"simulate: mass of body {body.name!r} must be positive, got {body.mass:g} kg")

    def _fill_laws(self, row: Any, group: ContactGroup) -> None:
        """Check the impact law of a group; compliant laws are not used."""
        if group.impact is None:
            raise ModelError(
                f"{group.label}: no impact law; set impact=ImpactLaw(restitution=...) for method='nonsmooth'"
            )

    def _fill_bodies(self) -> None:
        """Fill the tables of bodies with masses and initial states."""
        count = len(self.bodies) + 1
        self.pair_data = aligned_table(BODY_PAIR_DATA, count)
        self.state: dict[str, np.ndarray] = {
            "r": np.zeros((count, 3)), "v": np.zeros((count, 3)), "omega": np.zeros((count, 3)),
            "quaternion": np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)), "axes": np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
            "angle": np.zeros(count), "mass": np.zeros(count), "inertia": np.zeros((count, 3)),
            "is_isotropic": np.ones(count, np.int64), "needs_pose": np.zeros(count, np.int64),
            "extent": np.zeros(count), "mechanism_index": np.full(count, -1), "component": np.full(count, -1),
        }  # fmt: skip
        fill = self._fill_planar_body if self.system.dim == 2 else self._fill_spatial_body
        for k, body in enumerate(self.bodies, start=1):
            self.state["mass"][k] = body.mass
            fill(k, body)
        self.pair_data["r"] = self.state["r"]

    def _fill_planar_body(self, k: int, body: Body) -> None:
        """Fill the row of a planar body; equal moments of inertia keep it in its plane."""
        state = self.state
        state["r"][k, :2], state["v"][k, :2] = body.position, body.velocity
        state["omega"][k, 2], state["angle"][k] = body.angular_velocity, body.angle
        state["quaternion"][k] = np.cos(0.5 * body.angle), 0.0, 0.0, np.sin(0.5 * body.angle)
        state["inertia"][k] = body.inertia

    def _fill_spatial_body(self, k: int, body: Body) -> None:
        """Fill the row of a spatial body."""
        state = self.state
        inertia, axes = principal_axes(body.inertia)
        state["r"][k], state["v"][k] = body.position, body.velocity
        state["omega"][k] = body.rotation @ np.array(body.angular_velocity)
        state["quaternion"][k] = product(body.orientation, quaternion_of(axes))
        state["axes"][k] = quaternion_of(axes.T)
        state["inertia"][k] = inertia
        state["is_isotropic"][k] = inertia[0] == inertia[1] == inertia[2]

    def _set_images(self) -> None:
        """Move the free bodies into the periodic domain."""
        super()._set_images()
        self.state["r"][:] = self.pair_data["r"]

    def _set_waiting_bodies(self) -> None:
        """Set the bodies of inlets waiting; ``entry_velocities`` are their velocities when they appear [m/s, rad/s]."""
        waiting = self.waiting_bodies
        self._absence = np.zeros(len(self.bodies) + 1, np.int64)
        self._absence[waiting] = WAITING
        self.entry_velocities = self.state["v"][waiting], self.state["omega"][waiting]
        self.state["v"][waiting] = self.state["omega"][waiting] = 0.0

    @property
    def absence(self) -> np.ndarray:
        """`PRESENT`, `WAITING` or `LEFT` for ground and bodies."""
        return self._absence

    @property
    def n_absent(self) -> int:
        """Number of bodies that wait or have left."""
        return int(np.count_nonzero(self._absence))

    def _add_shapes(self) -> None:
        """Set radii, extents and the need of poses from the shapes of the bodies."""
        for group in self.groups:
            for shape in group.all_shapes:
                k = self.body_index[id(shape.body)]
                size = extent(shape)
                if np.isfinite(size) and k > 0:
                    self.state["extent"][k] = max(self.state["extent"][k], size)
                if shape.is_centred_sphere:
                    self._set_radius(k, group, shape)
                elif k > 0:
                    self.state["needs_pose"][k] = 1

    def _set_radius(self, k: int, group: ContactGroup, shape: Any) -> None:
        """Set the radius of a sphere about the centre of mass of its body."""
        pair_data = self.pair_data[k]
        if pair_data["bounding_radius"] not in (0.0, shape.radius):
            raise ModelError(
                f"{group.label}: body {shape.body.name!r} has two spheres about its centre of mass with different "
                f"radii, got {pair_data['bounding_radius']:g} and {shape.radius:g} m; remove one"
            )
        pair_data["bounding_radius"] = shape.radius
        self.state["extent"][k] = max(self.state["extent"][k], shape.radius)

    def _find_components(self) -> None:
        """Find the bodies of the mechanism, and the components of bodies that joints connect.

        ``mechanism_rows`` are the bodies of the mechanism in its order; ``components`` are lists of bodies.
        """
        system, index = self.system, self.body_index
        self.mechanism_rows = [index[id(body)] for body in mechanism_bodies(system)]
        self.state["mechanism_index"][self.mechanism_rows] = np.arange(len(self.mechanism_rows))
        root: dict[int, int] = {}

        def find(k: int) -> int:
            while root[k] != k:
                k = root[k]
            return k

        for joint in system.joints:
            members = [index[id(member)] for member in joint.members if id(member) in index]
            moving = [k for k in members if k > 0]
            for k in moving:
                root.setdefault(k, k)
            for k in moving[1:]:
                root[find(k)] = find(moving[0])
        by_root: dict[int, list[int]] = {}
        for k in sorted(root):
            by_root.setdefault(find(k), []).append(k)
        self.components = list(by_root.values())
        for number, component in enumerate(self.components):
            self.state["component"][component] = number

    @property
    def body_values(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the bodies that identify the model."""
        values = self.pair_data.view(np.float64).reshape(len(self.pair_data), -1)
        return values, np.column_stack(
            [column.reshape(len(values), -1).astype(float) for column in self.state.values()]
        )
