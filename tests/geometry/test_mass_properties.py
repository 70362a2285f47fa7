"""Mass, centre and inertia of solids: closed forms, and integrals over many thin slices."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.mass_properties import SOLIDS
from carom.geometry.shapes.registry import SHAPES
from geometry.pairs.in_space import OCTAHEDRON, OCTAHEDRON_FACES, STAR

TURN = np.array([0.9, 0.2, -0.3, 0.1])


@pytest.fixture
def draft() -> cm.Body:
    return cm.Body("draft", 0.0, position=(0.0, 0.0, 0.0))


def of_body(shapes, density=1000.0, **options):
    body = cm.Body.from_shapes("part", shapes, density, **options)
    return body, np.array(body.inertia)


def test_a_ball_a_box_and_a_drum_are_those_of_the_textbook(draft):
    ball, inertia = of_body([cm.Sphere(draft, 0.3, (1, 2, 3))])
    assert ball.mass == pytest.approx(1000 * 4 / 3 * math.pi * 0.027, rel=1e-14)
    assert ball.position == pytest.approx((1, 2, 3), abs=1e-14)
    assert np.allclose(inertia, 0.4 * ball.mass * 0.09 * np.eye(3), rtol=1e-13, atol=1e-12)
    box, inertia = of_body([cm.Box(draft, (0.1, 0.2, 0.3))])
    assert np.diag(inertia) == pytest.approx(box.mass / 3 * np.array([0.13, 0.1, 0.05]), rel=1e-13)
    drum, inertia = of_body([cm.Cylinder(draft, radius=0.2, half_length=0.5)])
    across = drum.mass * (0.04 / 4 + 1.0 / 12)
    assert np.diag(inertia) == pytest.approx([across, across, drum.mass * 0.02], rel=1e-13)
    egg, inertia = of_body([cm.Ellipsoid(draft, (0.1, 0.2, 0.3))])
    assert np.diag(inertia) == pytest.approx(egg.mass / 5 * np.array([0.13, 0.1, 0.05]), rel=1e-13)
    ring, inertia = of_body([cm.Torus(draft, radius=0.5, tube_radius=0.1)])
    assert ring.mass == pytest.approx(1000 * 2 * math.pi**2 * 0.5 * 0.01, rel=1e-13)
    assert inertia[2, 2] == pytest.approx(ring.mass * (0.25 + 0.75 * 0.01), rel=1e-13)
    assert inertia[0, 0] == pytest.approx(ring.mass * (0.125 + 0.625 * 0.01), rel=1e-13)


def test_a_cone_and_a_capsule_are_sums_of_discs(draft):
    """Mass, centre and inertia from 200 000 slices along the axis."""
    z = (np.arange(200_000) + 0.5) / 200_000 - 0.5
    cone = 0.3 + (0.1 - 0.3) * (z + 0.5)
    rounded = np.sqrt(np.maximum(0.2**2 - np.maximum(np.abs(1.4 * z) - 0.5, 0.0) ** 2, 0.0))
    for shape, height, r in (
        (cm.Cone(draft, radius=0.3, half_length=0.5, end_radius=0.1), z, cone),
        (cm.Segment(draft, (0, 0, -0.5), (0, 0, 0.5), radius=0.2), 1.4 * z, rounded),
    ):
        slices = 1000.0 * math.pi * r**2 * (height[1] - height[0])
        mass = slices.sum()
        centre = slices @ height / mass
        body, inertia = of_body([shape])
        assert body.mass == pytest.approx(mass, rel=1e-8)
        assert body.position[2] == pytest.approx(centre, abs=1e-8)
        assert inertia[2, 2] == pytest.approx(slices @ r**2 / 2, rel=1e-8)
        assert inertia[0, 0] == pytest.approx(slices @ (r**2 / 4 + (height - centre) ** 2), rel=1e-8)


def test_a_mesh_of_a_turned_box_is_that_box(draft):
    box = cm.Box(draft, (0.1, 0.2, 0.3), at=(1, 2, 3), orientation=TURN)
    one, inertia = of_body([box])
    other, of_mesh = of_body([cm.Mesh(draft, box.triangles())])
    assert other.mass == pytest.approx(one.mass, rel=1e-12)
    assert other.position == pytest.approx(one.position, abs=1e-12)
    assert np.allclose(of_mesh, inertia, rtol=1e-11, atol=1e-11)


def test_an_octahedron_has_its_closed_form():
    """Volume √2/3 a³, inertia m a²/10, with the edge a = √2 times the distance of its corners."""
    body = cm.Body.from_mesh((OCTAHEDRON, OCTAHEDRON_FACES), density=3.0, name="crystal", scale=2.0)
    a = 2.0 * math.sqrt(2.0)
    assert body.name == "crystal"
    assert body.mass == pytest.approx(3.0 * math.sqrt(2.0) / 3.0 * a**3, rel=1e-14)
    assert np.allclose(body.inertia, body.mass * a**2 / 10.0 * np.eye(3), rtol=1e-13, atol=1e-13)


def test_a_solid_with_dents_has_the_mass_of_random_points_in_it():
    """By the winding number of a million points; three standard errors."""
    from geometry.pairs.test_sphere_mesh import winding

    body = cm.Body.from_mesh(STAR, density=1.0, name="star")
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.5, 0.5, (4000, 3))
    inside = np.array([winding(*STAR, p) > 0.5 for p in points])
    assert body.mass == pytest.approx(inside.mean(), abs=3.0 * math.sqrt(0.25 / len(points)))
    assert body.position == pytest.approx(points[inside].mean(axis=0), abs=0.03)


def test_parts_of_different_density_add_up_and_the_shapes_stay_where_they_are(draft):
    """A dumb-bell of two balls: parallel axes; its shapes are in the same places in the axes of the new body."""
    draft = cm.Body("draft", 0.0, position=(5.0, 0.0, 0.0), orientation=TURN)
    balls = [cm.Sphere(draft, 0.1, (x, 0.2, 0.0)) for x in (-0.5, 0.5)]
    body, _ = of_body(balls, density=[1000.0, 3000.0])
    unit = 4 / 3 * math.pi * 1e-3 * 1000
    assert body.mass == pytest.approx(4 * unit, rel=1e-14)
    assert np.linalg.norm(np.subtract(body.position, draft.to_global((0.25, 0.2, 0.0)))) < 1e-14
    moments = np.linalg.eigvalsh(body.inertia)
    assert moments[0] == pytest.approx(0.4 * 4 * unit * 0.01, rel=1e-12)
    assert moments[2] == pytest.approx(moments[0] + unit * 0.75**2 + 3 * unit * 0.25**2, rel=1e-12)
    for old, new in zip(balls, body.shapes, strict=True):
        assert new.body is body
        assert body.to_global(new.at) == pytest.approx(draft.to_global(old.at), abs=1e-14)


def test_principal_axes_diagonalise_the_inertia_and_move_no_shape(draft):
    box = cm.Box(draft, (0.1, 0.2, 0.3), at=(1, 2, 3), orientation=TURN)
    body, inertia = of_body([box], axes="principal")
    assert np.allclose(inertia, np.diag(np.diag(inertia)), atol=1e-12)
    assert np.all(np.diff(np.diag(inertia)) > 0.0)
    corners = np.array([body.to_global(corner) for corner in body.shapes[0].corners])
    assert np.allclose(corners, box.corners, atol=1e-13)


def test_planar_parts_have_an_area_and_a_thickness():
    draft = cm.Body("draft", 0.0)
    disc = cm.Body.from_shapes("disc", [cm.Sphere(draft, 0.5, (1.0, 2.0))], 7800.0, thickness=0.01)
    assert disc.mass == pytest.approx(78.0 * math.pi * 0.25, rel=1e-14)
    assert disc.inertia == pytest.approx(disc.mass * 0.125, rel=1e-14)
    assert disc.position == pytest.approx((1.0, 2.0), abs=1e-15)
    with pytest.raises(cm.ModelError, match=r"Body 'x': Sphere on 'draft' has an area; set thickness= \[m\]"):
        cm.Body.from_shapes("x", [cm.Sphere(draft, 0.5)], 1.0)


def test_every_kind_of_solid_is_a_shape_or_planned():
    assert set(SOLIDS) - set(SHAPES) <= {"Polygon"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda d: cm.Body.from_shapes("x", [], 1.0), r"Body 'x': shapes must contain shapes such as Box or Cylinder"),
        (
            lambda d: cm.Body.from_shapes("x", [cm.Plane(d)], 1.0),
            r"Plane on 'draft' has no volume; use one of",
        ),
        (lambda d: cm.Body.from_shapes("x", [cm.Sphere(d, 1.0)], -1.0), r"Body 'x': density must be"),
        (lambda d: cm.Body.from_shapes("x", [cm.Sphere(d, 1.0)], [1.0, 2.0]), r"one number per shape, got 2 for 1"),
        (lambda d: cm.Body.from_shapes("x", [cm.Sphere(d, 1.0, inside=True)], 1.0), r"is hollow \(inside=True\)"),
        (
            lambda d: cm.Body.from_shapes(
                "x", [cm.Sphere(d, 1.0), cm.Sphere(cm.Body("e", 0.0, position=(0, 0, 0)), 1)], 1
            ),
            r"Body 'x': all shapes must be on one body",
        ),
        (lambda d: cm.Body.from_shapes("x", [cm.Sphere(d, 1.0)], 1.0, axes="main"), r"axes must be"),
    ],
)
def test_what_has_no_mass_says_so(draft, make, message):
    with pytest.raises(cm.ModelError, match=message):
        make(draft)


def test_an_open_mesh_has_no_mass(draft):
    with (
        pytest.warns(cm.CaromWarning, match="not closed"),
        pytest.raises(cm.ModelError, match=r"Mesh on 'part' is not closed and has no volume: 3 of its edges"),
    ):
        cm.Body.from_mesh((OCTAHEDRON, OCTAHEDRON_FACES[1:]), density=1.0)
    with pytest.raises(cm.ModelError, match=r"Mesh on 'part' has no volume: its faces enclose none"):
        cm.Body.from_mesh(([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)]), density=1.0)
    with pytest.raises(cm.ModelError, match=r"Mesh on 'part': the faces of the mesh are oriented inwards \(volume"):
        cm.Body.from_mesh((OCTAHEDRON, np.array(OCTAHEDRON_FACES)[:, ::-1]), density=1.0)
