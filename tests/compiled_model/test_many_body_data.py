"""Systems of many bodies in tables: bodies, laws and sides of the groups."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData, extent, smallest_half_side, spatial_order

LAW = cm.laws.Hertz(1e6)


def balls(n: int, **options) -> tuple[cm.System, list[cm.Sphere]]:
    """A row of balls of radius 0.1 m along x."""
    system = cm.System(dim=3)
    bodies = [system.add(cm.Body(f"b{k}", 2.0, (2.0, 3.0, 4.0), (0.3 * k, 0.0, 0.0), **options)) for k in range(n)]
    return system, [cm.Sphere(body, 0.1) for body in bodies]


def test_tables_contain_masses_and_initial_states():
    system, shapes = balls(3, velocity=(1.0, 2.0, 3.0), angular_velocity=(0.0, 0.0, 5.0))
    system.add_contacts(shapes, law=LAW, name="g")
    data = ManyBodyData(system)
    assert data.pair_data["inverse_mass"].tolist() == [0.0, 0.5, 0.5, 0.5]
    assert data.pair_data["max_inverse_inertia"].tolist() == [0.0, 0.5, 0.5, 0.5]
    np.testing.assert_array_equal(data.pair_data["r"][1:], [system.bodies[k].position for k in data.body_order])
    np.testing.assert_array_equal(data.motion_data["v"][1:], np.tile([1.0, 2.0, 3.0], (3, 1)))
    np.testing.assert_array_equal(data.motion_data["angular_momentum"][1:, 2], 20.0)
    assert data.skin == pytest.approx(0.25 * 0.1)


def test_laws_of_a_group_point_at_its_parameters():
    system, shapes = balls(2)
    system.add_contacts(shapes, [cm.Plane(system.ground)], law=LAW, friction=cm.friction.Coulomb(0.3), name="g")
    data = ManyBodyData(system)
    row, start = data.group_laws[0], data.parameters.ctypes.data
    assert row["is_power_law"]
    assert row["is_coulomb"]
    first = (row["law_params"] - start) // data.parameters.itemsize
    assert data.parameters[first : first + len(LAW.parameters)].tolist() == list(LAW.parameters)


def test_close_bodies_are_close_in_the_tables():
    positions = np.array([(x, 0.0, 0.0) for x in (0.0, 10.0, 0.1, 10.1)])
    order = spatial_order(positions)
    assert {frozenset(order[:2].tolist()), frozenset(order[2:].tolist())} == {frozenset({0, 2}), frozenset({1, 3})}


def test_sizes_of_shapes():
    system, (ball,) = balls(1)
    box = cm.Box(system.bodies[0], (0.1, 0.2, 0.3))
    assert smallest_half_side(ball) == 0.1
    assert extent(ball) == pytest.approx(0.1 * np.sqrt(3.0))
    assert smallest_half_side(box) == 0.1
    assert extent(box) == pytest.approx(np.sqrt(0.14))
