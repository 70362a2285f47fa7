"""From a System to the arrays that the compiled functions for many bodies read."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.rotation import product, quaternion_of
from carom.geometry.shapes import Shape
from carom.kernels.user import UserKernel
from carom.laws.base import NO_BODIES
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.power_law import power_law
from carom.model.contact import Contact
from carom.model.group import ContactGroup
from carom.model.system import System
from carom.solve.many import layout as at
from carom.solve.many import search as looking
from carom.solve.many.extents import extent, is_ball, reach, size
from carom.tables.kinds import principal_axes

SKIN = 0.25
"""Of the smallest shape: how far apart shapes may be that are in the list."""
LIKE = 2.0
"""Ratio of radii up to which balls are found by cells."""
MOST_KINDS, MOST_NUMBERS = 200_000, 30_000_000
"""Pairs of different shapes, other than balls, and the numbers their kernels read."""


def aligned(rows: int, columns: int) -> np.ndarray:
    """Zeros whose rows begin on cache lines where they can."""
    numbers = np.zeros(rows * columns + 8)
    skip = (-numbers.ctypes.data // 8) % 8
    return numbers[skip : skip + rows * columns].reshape(rows, columns)


class Searching:
    """The shapes of one group, ready to be searched for pairs."""

    def __init__(self, scene: Scene, index: int, group: ContactGroup, broad: str | None):
        self.group = group
        self.among, self.against = sides(scene.system, group)
        shapes = (*self.among, *self.against)
        self.each_other = group.each_other and len(self.among) > 1
        self.balls = all(is_ball(shape) for shape in self.among)
        radii = [shape.radius for shape in self.among if is_ball(shape)]  # type: ignore[attr-defined]
        alike = self.balls and max(radii) <= LIKE * min(radii)
        self.by_cells = alike if broad is None else broad == "cells"
        self.shapes = np.zeros((len(shapes), looking.SHAPE), np.int64)
        self.extents = np.zeros((len(shapes), looking.EXTENT))
        among, against = _types(self.among), _types(self.against)
        both = [among] * len(self.among) + [against] * len(self.against)
        for row, box, shape, known in zip(self.shapes, self.extents, shapes, both, strict=True):
            body = scene.place[id(shape.body)]
            middle, half = extent(shape)
            endless = bool(np.isinf(half).any())
            row[:] = body, known[_key(shape)][0], is_ball(shape), endless and body != 0
            box[:] = [*middle, *half]
        self.types, self.against_types = len(among), max(len(against), 1)
        if len(self.among) > 1:
            self._check_ends()
        self.among_kinds = self._kinds(scene, index, among, among, self.types, self.balls or not self.each_other)
        self.against_kinds = self._kinds(scene, index, among, against, self.against_types, False)

    def _check_ends(self) -> None:
        for shape in self.among:
            if np.isinf(extent(shape)[1]).any():
                raise ModelError(
                    f"{self.group.label}: {shape.label} has no end; such shapes belong to against=, not among="
                )

    def _kinds(
        self, scene: Scene, index: int, one: dict[Any, Any], two: dict[Any, Any], width: int, known: bool
    ) -> np.ndarray:
        """First row among the scene's kinds, and number of spots, for every two types."""
        if known:  # two balls need no kernel
            return np.zeros((1, 2), np.int64)
        if len(one) * len(two) > MOST_KINDS:
            raise ModelError(
                f"{self.group.label}: {len(one)} × {len(two)} pairs of different shapes are too many; give shapes "
                "the same sizes where they may have them"
            )
        table = np.full((len(one), width, 2), -1, np.int64)
        for a, first in one.values():
            for b, second in two.values():
                found = next(((s, t) for s in first for t in second if s.body is not t.body), None)
                if found is not None and not (is_ball(found[0]) and is_ball(found[1])):
                    table[a, b] = scene.add_kind(index, pair(self.group.label, *found))
        return table.reshape(-1, 2)


def sides(system: System, group: ContactGroup) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """Shapes among and against, those of the ground on the second side."""
    fixed = tuple(shape for shape in group.among if shape.body is system.ground)
    if not fixed:
        return group.among, group.against
    free = tuple(shape for shape in group.among if shape.body is not system.ground)
    moving = [shape for shape in group.against if shape.body is not system.ground]
    if not moving:
        return free, (*group.against, *(fixed if group.each_other else ()))
    if not free and len(moving) == len(group.against) and (len(fixed) == 1 or not group.each_other):
        return group.against, fixed
    raise ModelError(
        f"{group.label}: {fixed[0].label} does not move and {moving[0].label} does; what does not move belongs to "
        "against=, not among="
    )


def _key(shape: Shape) -> Any:
    return (shape.kind, shape.numbers)


def _types(shapes: tuple[Shape, ...]) -> dict[Any, tuple[int, list[Shape]]]:
    """Shapes of the same kind and numbers: their number, and one or two of them on different bodies."""
    types: dict[Any, tuple[int, list[Shape]]] = {}
    for shape in shapes:
        _, known = types.setdefault(_key(shape), (len(types), []))
        if not known or (len(known) == 1 and known[0].body is not shape.body):
            known.append(shape)
    return types


class Scene:
    """Bodies, groups and kinds of pairs of a system in arrays; ``order`` has the bodies as they are in them."""

    def __init__(self, system: System, broad: str | None = None):
        check(system)
        self.system = system
        self.groups = [*system.groups, *system.small_groups, *single_groups(system)]
        if not self.groups:
            raise ModelError("simulate: integrator 'verlet' is for systems with contacts; this one has none")
        self.order = spatial_order(np.array([body.position for body in system.bodies]))
        self.bodies = [system.bodies[k] for k in self.order]
        self.place = {id(system.ground): 0} | {id(body): k + 1 for k, body in enumerate(self.bodies)}
        self.kernels: list[Any] = []
        self.par: list[float] = []
        self.kinds: list[tuple[int, ...]] = []
        self.memory = 0
        self.laws = np.array([self._laws(group) for group in self.groups], np.int64)
        free = [shape for group in self.groups for shape in group.shapes if shape.body is not system.ground]
        self.skin = SKIN * min(size(shape) for shape in free)
        self._fill_bodies()
        self.searches = [Searching(self, k, group, broad) for k, group in enumerate(self.groups)]
        self.kind_table = np.array(self.kinds, np.int64).reshape(-1, at.KIND)
        self.parameters = np.array([*self.par, 0.0])

    @property
    def user_kernels(self) -> list[UserKernel]:
        return [kernel for kernel in self.kernels if isinstance(kernel, UserKernel)]

    def add_kind(self, group: int, pairing: Pairing) -> tuple[int, int]:
        """A pair of shapes that has a kernel; returns its row and in how many spots they touch."""
        row = len(self.kinds)
        centred = sum(bit for bit, shape in zip((1, 2), pairing.shapes, strict=True) if is_ball(shape))
        spots = [0] if pairing.spots == 1 else range(pairing.spots + 1)
        for spot in spots:
            place = self._numbers(pairing.at_spot(spot))
            self.kinds.append((self._address(pairing.kernel), place, int(pairing.swapped), group, centred))
        self.memory = max(self.memory, len(pairing.memory))
        if self.memory > looking.PAIR_MEMORY or any(pairing.memory):
            raise ModelError(f"{self.groups[group].label}: the pair of {pairing.shapes} cannot be in a large group")
        return row, pairing.spots

    def _numbers(self, numbers: Any) -> int:
        place = len(self.par)
        self.par += [float(value) for value in numbers]
        if len(self.par) > MOST_NUMBERS:
            raise ModelError("simulate: too many different pairs of shapes with meshes; give balls the same radius")
        return place

    def _address(self, kernel: Any) -> int:
        self.kernels.append(kernel)
        return int(kernel.address)

    def _laws(self, group: ContactGroup) -> list[int]:
        law, friction = group.law, group.friction
        if law is None:
            raise ModelError(f"simulate: {group.label} has no law; give it law= for compliant runs")
        row = [0] * at.LAWS
        row[at.LAW] = self._address(law.compiled(group.label, NO_BODIES))
        row[at.LAW_PAR] = self._numbers(law.parameters)
        row[at.FLAGS] = law.has_unloading_curve * at.UNLOADS + law.tension * at.PULLS
        row[at.FLAGS] += (law.compiled(group.label, NO_BODIES) is power_law) * at.POWER
        if friction is not None:
            row[at.FRICTION] = self._address(friction.compiled(group.label, NO_BODIES))
            row[at.FRICTION_PAR] = self._numbers(friction.parameters)
            row[at.FLAGS] += friction.has_state * at.STATES + (type(friction) is Coulomb) * at.PLAIN
        return row

    def _fill_bodies(self) -> None:
        count = len(self.bodies) + 1
        self.hot, self.cold = aligned(count, at.HOT), aligned(count, at.COLD)
        self.axes = [principal_axes(body.inertia) for body in self.bodies]
        self.tilted = [k for k, (_, axes) in enumerate(self.axes) if not np.array_equal(axes, np.eye(3))]
        for k, (body, (inertia, axes)) in enumerate(zip(self.bodies, self.axes, strict=True), start=1):
            hot, cold = self.hot[k], self.cold[k]
            turned = product(body.orientation, quaternion_of(axes))
            omega = body.rotation @ np.array(body.angular_velocity)
            smallest = min(inertia)
            hot[at.X : at.X + 3], hot[at.V : at.V + 3], hot[at.W : at.W + 3] = body.position, body.velocity, omega
            hot[at.LIGHT], hot[at.NIMBLE] = 1.0 / body.mass, 1.0 / smallest if smallest > 0.0 else 0.0
            cold[at.VELOCITY : at.VELOCITY + 3] = body.velocity
            momentum = body.rotation @ (np.array(body.inertia) @ np.array(body.angular_velocity))
            cold[at.MOMENTUM : at.MOMENTUM + 3] = momentum
            cold[at.TURNED : at.TURNED + 4] = turned
            cold[at.MASS], cold[at.INERTIA : at.INERTIA + 3] = body.mass, inertia
            cold[at.ROUND] = float(inertia[0] == inertia[1] == inertia[2])
            cold[at.WAS : at.WAS + 3] = body.position
        for group in self.groups:
            for shape in group.shapes:
                k = self.place[id(shape.body)]
                if is_ball(shape):
                    if self.hot[k, at.RADIUS] not in (0.0, shape.radius):  # type: ignore[attr-defined]
                        raise ModelError(
                            f"{group.label}: body {shape.body.name!r} has two balls about its centre of mass, of "
                            "different radii; one of them hides the other"
                        )
                    self.hot[k, at.RADIUS] = shape.radius  # type: ignore[attr-defined]
                elif k > 0:
                    self.cold[k, at.POSED] = 1.0
                    far = reach(shape)
                    if np.isfinite(far):
                        self.cold[k, at.REACH] = max(self.cold[k, at.REACH], far)


def single_groups(system: System) -> list[ContactGroup]:
    """Contacts of their own as groups of one pair."""
    known = {id(contact) for group in system.small_groups for contact in group.contacts}
    wholes = [contact for contact in (*system.contacts, *system.compounds) if isinstance(contact, Contact)]
    parts = {id(part) for contact in wholes for part in contact.parts}
    return [
        ContactGroup(
            contact.shapes[:1], contact.shapes[1:], contact.law, contact.friction, contact.impact, contact.name, False
        )
        for contact in wholes
        if id(contact) not in known and id(contact) not in parts
    ]


def check(system: System) -> None:
    """Refuse what these runs do not know."""
    label = "simulate: a run with integrator 'verlet'"
    if system.dim == 2:
        most = max((group.count for group in system.groups), default=0)
        raise ModelError(
            f"{label} must have a spatial system (dim=3) for now"
            + (f"; in a plane take groups of up to 300 pairs, not {most}, and another integrator" if most else "")
        )
    for family in ("joints", "forces", "compounds"):
        for element in getattr(system, family):
            if not isinstance(element, Contact):
                raise ModelError(f"{label} knows free bodies and walls only for now, no {family}; got {element.label}")
    for body in system.bodies:
        if not body.mass > 0.0:
            raise ModelError(f"{label}: body {body.name!r} needs a mass, got {body.mass:g} kg")
    if not system.bodies:
        raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")


def spatial_order(positions: np.ndarray) -> np.ndarray:
    """An order in which bodies close to each other are close: by cells of a few bodies each."""
    low, span = positions.min(axis=0), np.ptp(positions, axis=0)
    side = max(float(np.prod(np.maximum(span, 1e-3 * span.max() + 1e-300)) / len(positions)) ** (1.0 / 3.0), 1e-300)
    cells = np.floor((positions - low) / (1.5 * side)).astype(np.int64)
    return np.lexsort((cells[:, 0], cells[:, 1], cells[:, 2]))
