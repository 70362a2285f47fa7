"""Shapes of a contact group for the pair search: sides, types and boxes."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.group_search import split_sides
from carom.compiled_model.many_body_data import ManyBodyData
from carom.model.contact_group import ContactGroup

LAW = cm.laws.Hertz(1e6)


def spheres(radii) -> tuple[cm.System, list[cm.Sphere]]:
    """Spheres in a row along x, 1 m apart."""
    system = cm.System(dim=3)
    bodies = [system.add(cm.Body(f"b{k}", 1.0, (1.0, 1.0, 1.0), (1.0 * k, 0.0, 0.0))) for k in range(len(radii))]
    return system, [cm.Sphere(body, radius) for body, radius in zip(bodies, radii, strict=True)]


def test_fixed_shapes_are_on_the_second_side():
    system, shapes = spheres([0.1, 0.1])
    floor = cm.Plane(system.ground)
    group = system.add_contacts([*shapes, floor], law=LAW, name="g")
    first, second = split_sides(system, group)
    assert first == tuple(shapes)
    assert second == (floor,)


def test_moving_others_with_fixed_shapes_are_refused():
    system, shapes = spheres([0.1, 0.1, 0.1])
    group = system.add_contacts([shapes[0], cm.Plane(system.ground)], shapes[1:], law=LAW, name="g")
    with pytest.raises(cm.ModelError, match="move fixed shapes to others="):
        split_sides(system, group)


@pytest.mark.parametrize(("radii", "uses_cells"), [([0.01, 0.015], True), ([0.01, 0.05], False)])
def test_cells_are_used_for_similar_radii_only(radii, uses_cells):
    system, shapes = spheres(radii)
    system.groups.append(ContactGroup(shapes, law=LAW, name="g"))
    assert ManyBodyData(system).searches[0].uses_cells == uses_cells


def test_equal_shapes_are_one_type_and_share_their_pair_kinds():
    system, shapes = spheres([0.1, 0.1, 0.1])
    boxes = [cm.Box(shape.body, (0.1, 0.2, 0.3)) for shape in shapes]
    system.groups.append(ContactGroup(boxes, [cm.Plane(system.ground)], law=LAW, name="g"))
    data = ManyBodyData(system)
    (search,) = data.searches
    assert (search.n_shapes, search.n_others, search.n_types, search.n_other_types) == (3, 1, 1, 1)
    assert search.shapes["type"].tolist() == [0, 0, 0, 0]
    assert search.shapes["is_unbounded"].tolist() == [0, 0, 0, 0]  # a fixed plane has an infinite box
    np.testing.assert_array_equal(search.local_boxes["half_sides"][:3], np.tile([0.1, 0.2, 0.3], (3, 1)))
    rows = [search.kinds[0]["first_kind"], search.kinds_with_others[0]["first_kind"]]
    assert data.pair_kinds["group"][rows].tolist() == [0, 0]
    assert data.pair_kinds["pair_kernel"][rows[0]] != data.pair_kinds["pair_kernel"][rows[1]]
