import math

import pytest

from carom.gallery.rods import hang_rods, uniform_rod
from carom.model.system import System


def test_a_uniform_rod_has_the_inertia_of_a_thin_rod_about_its_end():
    rod = uniform_rod("rod", 2.0, (1.0, 3.0), 0.6, 0.9)
    arm = math.dist(rod.position, (1.0, 3.0))
    assert rod.inertia + rod.mass * arm**2 == pytest.approx(2.0 * 0.6**2 / 3.0)
    assert rod.to_global((-0.3, 0.0)) == pytest.approx((1.0, 3.0))


def test_rotating_rod_rotates_about_its_start():
    rod = uniform_rod("rod", 1.0, (1.0, 2.0), 2.0, math.pi / 2, angular_velocity=-3.0)
    assert rod.velocity == pytest.approx((3.0, 0.0))


def test_rods_are_connected_end_to_end_with_one_degree_of_freedom_each():
    system = System()
    rods = hang_rods(system, ("a", "b", "c"), (1.0, 2.0, 3.0), (1.0, 1.0, 1.0), (0.1, 1.0, 2.0))
    for rod, after, length, next_length in zip(rods, rods[1:], (1.0, 2.0), (2.0, 3.0), strict=False):
        assert rod.to_global((length / 2, 0.0)) == pytest.approx(after.to_global((-next_length / 2, 0.0)))
    assert system.degrees_of_freedom == 3
