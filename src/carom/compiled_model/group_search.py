"""Shapes of a contact group as the pair search of a many-body run reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.compiled_model.many_body_records import KIND_RANGE, LOCAL_BOX, SEARCH_SHAPE
from carom.errors import ModelError
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes import Shape
from carom.model.contact_group import ContactGroup
from carom.model.system import System

if TYPE_CHECKING:
    from carom.compiled_model.many_body_data import ManyBodyData

MAX_RADIUS_RATIO = 2.0
"""Ratio of radii up to which a grid of cells is used for spheres [-]."""
MAX_KINDS = 200_000
"""Largest number of pairs of different shapes with a kernel."""

ShapeTypes = dict[Any, tuple[int, list[Shape]]]
"""Types of shapes (equal kind and parameters): index, and one or two shapes on different bodies."""


class GroupSearch:
    """Shapes of one group, prepared for the search of candidate pairs.

    The ``n_shapes`` shapes that can touch each other come first in ``shapes`` and ``local_boxes``, then the
    ``n_others`` that these can touch besides. ``kinds`` and ``kinds_with_others`` are tables of `KIND_RANGE` for every
    two types of shapes.
    """

    def __init__(self, model: ManyBodyData, group_index: int, group: ContactGroup, broad_phase: str | None):
        self.group = group_index
        self._label = group.label
        first_side, second_side = split_sides(model.system, group)
        self.n_shapes, self.n_others = len(first_side), len(second_side)
        self.self_contact = group.self_contact and len(first_side) > 1
        only_spheres = all(shape.is_centred_sphere for shape in first_side)
        self.uses_cells = (
            only_spheres and _have_similar_radii(first_side) if broad_phase is None else broad_phase == "cells"
        ) and not model.is_periodic  # only the tree searches images
        first_types, second_types = _types(first_side), _types(second_side)
        self.n_types, self.n_other_types = len(first_types), max(len(second_types), 1)
        self.shapes = SEARCH_SHAPE.zeros(self.n_shapes + self.n_others)
        self.local_boxes = LOCAL_BOX.zeros(len(self.shapes))
        self._set_shapes(model, 0, first_side, first_types)
        self._set_shapes(model, self.n_shapes, second_side, second_types)
        if len(first_side) > 1:
            self._check_bounded(first_side)
        no_kernels = only_spheres or not self.self_contact
        self.kinds = KIND_RANGE.zeros() if no_kernels else self._kinds(model, first_types, first_types, self.n_types)
        self.kinds_with_others = self._kinds(model, first_types, second_types, self.n_other_types)

    def _set_shapes(self, model: ManyBodyData, first_row: int, side: tuple[Shape, ...], types: ShapeTypes) -> None:
        """Set the rows of the shapes of one side."""
        for k, shape in enumerate(side, start=first_row):
            body = model.body_index[id(shape.body)]
            centre, half_sides = shape.bounding_box()
            is_unbounded = bool(np.isinf(half_sides).any()) and body != 0
            self.shapes[k] = body, types[_key(shape)][0], shape.is_centred_sphere, is_unbounded
            self.local_boxes[k] = centre, half_sides

    def _check_bounded(self, side: tuple[Shape, ...]) -> None:
        for shape in side:
            if np.isinf(shape.bounding_box()[1]).any():
                raise ModelError(f"{self._label}: {shape.label} is infinite; move it from shapes= to others=")

    def _kinds(self, model: ManyBodyData, one: ShapeTypes, two: ShapeTypes, n_columns: int) -> np.ndarray:
        """Return the pair kinds of every two types, row by row."""
        if len(one) * len(two) > MAX_KINDS:
            raise ModelError(
                f"{self._label}: {len(one)} × {len(two)} pairs of different shapes exceed the limit of {MAX_KINDS}; "
                "use equal sizes for similar shapes"
            )
        table = np.zeros((len(one), n_columns), KIND_RANGE.dtype)
        table["first_kind"] = table["n_contact_points"] = -1
        for a, first in one.values():
            for b, second in two.values():
                shapes = next(((s, t) for s in first for t in second if s.body is not t.body), None)
                if shapes is not None and not (shapes[0].is_centred_sphere and shapes[1].is_centred_sphere):
                    table[a, b] = model.add_kind(self.group, pair(self._label, *shapes))
        return table.ravel()


def split_sides(system: System, group: ContactGroup) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
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


def _have_similar_radii(spheres: tuple[Shape, ...]) -> bool:
    """Return True if the radii of spheres differ so little that a grid of cells is efficient."""
    radii = [sphere.radius for sphere in spheres]  # type: ignore[attr-defined]
    return max(radii) <= MAX_RADIUS_RATIO * min(radii)


def _key(shape: Shape) -> Any:
    """Return the key of the type of a shape."""
    return (shape.kind, shape.parameters)


def _types(shapes: tuple[Shape, ...]) -> ShapeTypes:
    """Return the types of shapes."""
    types: ShapeTypes = {}
    for shape in shapes:
        _, examples = types.setdefault(_key(shape), (len(types), []))
        if not examples or (len(examples) == 1 and examples[0].body is not shape.body):
            examples.append(shape)
    return types
