"""Several shapes as one: the closest of them, in any order and on any side, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import carom as cm
from carom.geometry.pairs.registry import pair
from quick import examples

UP = (0.0, 0.0, 1.0)
PLACES = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


def wall(rng: np.random.Generator) -> cm.Body:
    return cm.Body("wall", 1.0, position=rng.uniform(-0.3, 0.3, 3), orientation=Rotation.random(rng=rng))


def pieces(body: cm.Body) -> tuple:
    """Three pairs with a sphere, of which that with the sphere comes first in the kernel, not as given."""
    return (
        cm.Cone(body, (0.0, 0.0, 0.3), UP, 0.2, 0.2, end_radius=0.6, inside=True),
        cm.Cylinder(body, (0.0, 0.0, -0.1), UP, 0.2, 0.2, inside=True),
        cm.Sphere(body, 0.1, (0.5, 0.0, 0.0)),
    )


@examples(40)
@given(place=PLACES, seed=st.integers(0, 1000), swapped=st.booleans())
def test_a_union_is_the_closest_of_its_shapes(place, seed: int, swapped: bool):
    rng = np.random.default_rng(seed)
    ball = cm.Sphere(cm.Body("ball", 1.0, position=place, orientation=Rotation.random(rng=rng)), 0.05, (0.1, 0.0, 0.0))
    body = wall(rng)
    whole = cm.Union(*pieces(body))
    shapes = (whole, ball) if swapped else (ball, whole)
    found = cm.closest(*shapes)
    single = [cm.closest(*((piece, ball) if swapped else (ball, piece))) for piece in whole.shapes]
    expected = min(single, key=lambda one: one.gap)
    assert found.gap == expected.gap
    np.testing.assert_array_equal(found.normal, expected.normal)
    np.testing.assert_array_equal(found.point_a, expected.point_a)
    np.testing.assert_array_equal(found.point_b, expected.point_b)
    assert pair("test", *shapes).swapped is swapped
    # From b to a, as of any pair.
    np.testing.assert_allclose(found.point_a - found.point_b, found.gap * found.normal, rtol=0.0, atol=1e-12)


def test_a_pair_whose_kernel_has_the_shapes_the_other_way_round():
    """Box–Sphere is kept as Sphere–Box: the union's box is first given, second to the kernel."""
    box, other = (cm.Body(name, 1.0, position=at) for name, at in (("box", (0, 0, 0)), ("wall", (0.0, 0.0, -0.45))))
    plate = cm.Box(box, (0.2, 0.2, 0.1))
    whole = cm.Union(cm.Sphere(other, 0.3), cm.Sphere(other, 0.1, (0.0, 0.0, 1.1)))
    found = cm.closest(plate, whole)
    assert found.gap == pytest.approx(0.05)
    np.testing.assert_allclose(found.normal, UP, atol=1e-15)
    np.testing.assert_allclose(found.point_a, (0.0, 0.0, -0.1), atol=1e-15)
    np.testing.assert_allclose(found.point_b, (0.0, 0.0, -0.15), atol=1e-15)
    other.position = (0.0, 0.0, -0.9)  # now its small ball is nearer, from above
    np.testing.assert_allclose(cm.closest(plate, whole).normal, (0.0, 0.0, -1.0), atol=1e-15)


def test_only_the_closest_pushes_over_an_edge_that_sticks_out():
    """A ball at rest over the edge of two planes' worth of cylinder and cone carries its weight once."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 4e-3, position=(0.2, 0.0, 0.2 + 0.1)))
    floor = cm.Union(
        cm.Cylinder(system.ground, (0.0, 0.0, 0.0), UP, 0.4, 0.2), cm.Box(system.ground, (0.5, 0.5, 0.1), (0, 0, 0.1))
    )
    law = cm.laws.Linear(1e5)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law, name="touch"))
    rest = cm.statics(system)
    assert rest["touch"].indentation[0] == pytest.approx(9.81 / 1e5, rel=1e-9)
    assert len(system.contacts) == 1


def test_a_union_shows_its_shapes():
    body = cm.Body("wall", 1.0, position=(0, 0, 0))
    whole = cm.Union(*pieces(body))
    assert whole.label == "Union on 'wall'"
    assert not whole.thin  # its sphere is solid
    assert cm.Union(*whole.shapes[:2]).thin
    outline = whole.outline(30)
    assert outline.shape == (30, 3)
    np.testing.assert_array_equal(outline[:10], whole.shapes[0].outline(10))
    with pytest.raises(AttributeError, match="Union has no attribute 'radius', but its shapes may have it"):
        _ = whole.radius


def test_what_is_no_union_is_refused():
    body, other = (cm.Body(name, 1.0, position=(0, 0, 0)) for name in ("wall", "other"))
    one, two, three = pieces(body)
    with pytest.raises(cm.ModelError, match=r"Union: needs at least two shapes, got 1"):
        cm.Union(one)
    with pytest.raises(cm.ModelError, match=r"Union: expected shapes such as Cone or Cylinder, got <Union"):
        cm.Union(cm.Union(one, two), three)
    with pytest.raises(cm.ModelError, match=r"Union: expected shapes such as Cone or Cylinder, got 'cone'"):
        cm.Union(one, "cone")
    with pytest.raises(cm.ModelError, match=r"Union on 'wall': its shapes must be on one body, got Sphere on 'other'"):
        cm.Union(one, cm.Sphere(other, 0.1))
    with pytest.raises(cm.ModelError, match=r"no pair for .*; use a Union with a single shape"):
        cm.Contact(cm.Union(one, two), cm.Union(*pieces(other)), cm.laws.Hertz(1e5))
    with pytest.raises(
        cm.ModelError, match=r"Cone on 'wall' is hollow \(inside=True\) and cannot touch Plane on 'other'"
    ):
        cm.Contact(cm.Plane(other), cm.Union(one, two), cm.laws.Hertz(1e5))
    with pytest.raises(cm.ModelError, match=r"on one body"):
        cm.Contact(cm.Sphere(body, 0.1), cm.Union(one, two), cm.laws.Hertz(1e5))
