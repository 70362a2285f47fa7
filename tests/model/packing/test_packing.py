"""Packings: no overlaps, fractions, seeds, files, and the bodies made from them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

import carom as cm

BOX = ((0.0, 0.0, 0.0), (0.2, 0.1, 0.3))
SQUARE = ((-1.0, 2.0), (1.0, 3.0))


def closest_gap(packing):
    """Smallest gap of two spheres by a second method: all pairs within two of the largest radii."""
    reach = 4.0 * packing.radii.max()
    pairs = cKDTree(packing.positions).query_pairs(reach, output_type="ndarray")
    if not len(pairs):
        return math.inf
    distance = np.linalg.norm(packing.positions[pairs[:, 0]] - packing.positions[pairs[:, 1]], axis=1)
    return float((distance - packing.radii[pairs].sum(axis=1)).min())


def assert_inside(packing, box):
    low, high = np.array(box)
    assert np.all(packing.positions - packing.radii[:, None] >= low - 1e-12)
    assert np.all(packing.positions + packing.radii[:, None] <= high + 1e-12)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    smallest=st.floats(2e-3, 4e-3),
    ratio=st.floats(1.0, 3.0),
    fraction=st.floats(0.02, 0.2),
    gap=st.floats(0.0, 2e-4),
    planar=st.booleans(),
)
def test_random_spheres_do_not_overlap(seed, smallest, ratio, fraction, gap, planar):
    box = tuple(corner[:2] for corner in BOX) if planar else BOX
    sizes = cm.packing.uniform(smallest, ratio * smallest)
    packing = cm.packing.random(box=box, radius=sizes, fraction=fraction, gap=gap, seed=seed)
    assert closest_gap(packing) >= gap
    assert packing.largest_overlap() <= -gap or packing.count < 2
    assert_inside(packing, box)


@settings(max_examples=25, deadline=None)
@given(
    kind=st.sampled_from(["cubic", "hexagonal", "fcc", "square", "planar hexagonal"]),
    radius=st.floats(4e-3, 0.02),
    gap=st.floats(0.0, 5e-3),
    share=st.floats(0.0, 0.5),
)
def test_lattices_do_not_overlap(kind, radius, gap, share):
    planar = kind in ("square", "planar hexagonal")
    box = tuple(corner[:2] for corner in BOX) if planar else BOX
    packing = cm.packing.lattice(box=box, radius=radius, kind=kind.split()[-1], gap=gap, jitter=share * gap)
    assert closest_gap(packing) >= gap * (1.0 - 2.0 * share) - 1e-12
    assert packing.largest_overlap() <= 1e-12
    assert_inside(packing, box)


def test_largest_overlap_is_that_of_the_closest_pair():
    packing = cm.packing.Packing([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [9.0, 0.0, 0.0]], [1.0, 1.0, 1.0])
    assert packing.largest_overlap() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("kind", "dim", "fraction"),
    [
        ("fcc", 3, math.pi / math.sqrt(18.0)),
        ("hexagonal", 3, math.pi / math.sqrt(18.0)),
        ("cubic", 3, math.pi / 6.0),
        ("square", 2, math.pi / 4.0),
        ("hexagonal", 2, math.pi / math.sqrt(12.0)),
    ],
)
def test_lattices_have_the_density_of_their_kind(kind, dim, fraction):
    packing = cm.packing.lattice(4000, radius=0.01, kind=kind, dim=dim)
    assert packing.count == 4000
    assert packing.fraction == pytest.approx(fraction, rel=1e-12)
    # Neighbours of the close packings: twelve in 3D, six in 2D.
    inner = np.argmin(np.linalg.norm(packing.positions - packing.positions.mean(axis=0), axis=1))
    near = np.linalg.norm(packing.positions - packing.positions[inner], axis=1) < 2.0 * 0.01 * 1.001
    assert near.sum() - 1 == {"fcc": 12, "hexagonal": 12 if dim == 3 else 6, "cubic": 6, "square": 4}[kind]


def test_a_large_box_of_fcc_spheres_is_filled_up_to_its_walls():
    packing = cm.packing.lattice(box=((0, 0, 0), (1, 1, 1)), radius=0.01, kind="fcc")
    assert 0.69 < packing.fraction < 0.7405


def test_a_lattice_with_a_count_takes_the_lowest_places_of_the_box():
    whole = cm.packing.lattice(box=BOX, radius=0.01)
    part = cm.packing.lattice(30, box=BOX, radius=0.01)
    assert part.count == 30
    np.testing.assert_array_equal(part.positions, whole.positions[:30])
    assert part.positions[:, 2].max() == pytest.approx(0.01)


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.3])
def test_random_packing_reaches_its_fraction(fraction):
    packing = cm.packing.random(box=BOX, radius=cm.packing.uniform(2e-3, 4e-3), fraction=fraction, seed=2)
    assert packing.volume == pytest.approx(0.2 * 0.1 * 0.3)
    # The last sphere decides: the error is at most half of the largest one.
    assert abs(packing.fraction - fraction) <= 0.5 * 4.0 / 3.0 * math.pi * 4e-3**3 / packing.volume


def test_the_seed_decides():
    def make(seed):
        return cm.packing.random(box=SQUARE, radius=0.01, count=500, seed=seed)

    np.testing.assert_array_equal(make(1).positions, make(1).positions)
    assert np.abs(make(1).positions - make(2).positions).max() > 0.1


def test_positions_are_uniform():
    packing = cm.packing.random(box=((0, 0, 0), (1, 1, 1)), radius=2e-3, count=20_000, seed=5)
    for axis in packing.positions.T:
        assert abs(axis.mean() - 0.5) < 4.0 * math.sqrt(1.0 / 12.0 / 20_000)


def test_a_region_contains_all_spheres():
    def cylinder(centre, radius):
        return np.hypot(centre[:, 0], centre[:, 1]) + radius < 0.1

    box = ((-0.1, -0.1, 0.0), (0.1, 0.1, 0.2))
    packing = cm.packing.random(box=box, radius=5e-3, fraction=0.15, region=cylinder, seed=1)
    assert cylinder(packing.positions, packing.radii).all()
    assert packing.volume == pytest.approx(math.pi * 0.1**2 * 0.2, rel=0.01)
    assert packing.fraction == pytest.approx(0.15, abs=1e-3)


def test_a_file_restores_the_packing(tmp_path):
    packing = cm.packing.random(box=SQUARE, radius=cm.packing.uniform(0.01, 0.03), count=50)
    packing.to_file(tmp_path / "discs.csv")
    again = cm.packing.from_file(tmp_path / "discs.csv")
    np.testing.assert_array_equal(again.positions, packing.positions)
    np.testing.assert_array_equal(again.radii, packing.radii)
    assert again.dim == 2
    assert math.isnan(again.volume)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,z\n1,2,3\n", "columns radius not found"),
        ("x,y,radius [mm]\n1,2,3\n", r"column 'radius' must be in metres, got \[mm\]"),
        ("x,y,x,radius\n", "column 'x' occurs twice"),
        ("x,y,radius\n", "no spheres found"),
        ("x,y,radius\n1,2,0.1\n1,two,0.1\n", ":3: y must be a finite number"),
        ("x,y,radius\n1,2\n", ":2: radius must be a finite number"),
        ("x,y,radius\n1,2,-0.1\n", ":2: radius must be positive, got -0.1 m"),
        ("", "columns x, y, radius not found"),
    ],
)
def test_a_wrong_file_is_reported_with_its_line(tmp_path, text, message):
    (tmp_path / "spheres.csv").write_text(text, "utf-8")
    with pytest.raises(cm.ModelError, match=message):
        cm.packing.from_file(tmp_path / "spheres.csv")


def test_columns_may_have_any_order(tmp_path):
    (tmp_path / "a.csv").write_text("id, Radius [m] ,z,y,x\n7,0.5,3,2,1\n\n", "utf-8")
    packing = cm.packing.from_file(tmp_path / "a.csv")
    assert packing.positions.tolist() == [[1.0, 2.0, 3.0]]
    assert packing.radii.tolist() == [0.5]


def test_bodies_have_mass_and_inertia_of_spheres():
    system = cm.System(dim=3)
    packing = cm.packing.Packing([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]], [0.1, 0.2])
    first, second = cm.packing.spheres(system, packing, density=1000.0, velocity=(0.0, 0.0, -1.0))
    assert [body.name for body in system.bodies] == ["grain 0", "grain 1"]
    assert first.body.mass == pytest.approx(1000.0 * 4.0 / 3.0 * math.pi * 1e-3)
    assert np.diag(second.body.inertia) == pytest.approx(0.4 * second.body.mass * 0.04)
    assert second.body.velocity == (0.0, 0.0, -1.0)
    assert second.radius == 0.2


def test_planar_bodies_have_mass_per_thickness():
    system = cm.System()
    packing = cm.packing.Packing([[0.0, 1.0]], [0.1])
    (disc,) = cm.packing.spheres(system, packing, density=1000.0, thickness=0.02, name="disc")
    assert disc.body.mass == pytest.approx(1000.0 * math.pi * 0.01 * 0.02)
    assert disc.body.inertia == pytest.approx(0.5 * disc.body.mass * 0.01)


def test_masses_may_be_listed():
    system = cm.System()
    shapes = cm.packing.spheres(system, cm.packing.lattice(3, radius=0.1, dim=2), mass=[1.0, 2.0, 3.0])
    assert [shape.body.mass for shape in shapes] == [1.0, 2.0, 3.0]


def test_a_poured_packing_runs():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    packing = cm.packing.random(box=((0, 0, 0.01), (0.1, 0.1, 0.2)), radius=5e-3, count=300)
    grains = cm.packing.spheres(system, packing, density=2500.0)
    system.add_contacts(grains, [cm.Plane(system.ground)], cm.laws.Flores(1e5, 0.5))
    result = cm.simulate(system, 0.01, output=0.01)
    assert result.outcome.ok


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.random(box=BOX, radius=0.01), "set either count or fraction"),
        (lambda p: p.random(box=BOX, radius=0.06, count=1), "at least as wide as the largest sphere, 0.12 m"),
        (lambda p: p.random(box=BOX, radius=0.01, fraction=1.2), "fraction must lie between 0 and 1"),
        (lambda p: p.random(box=BOX, radius=-0.01, count=1), "radius must be positive"),
        (lambda p: p.random(box=BOX, radius=0.01, count=1, seed=-1), "seed must be a whole number"),
        (lambda p: p.random(box=(1, 2), radius=0.01, count=1), r"box\[0\] must be a list of numbers"),
        (lambda p: p.random(box=BOX[::-1], radius=0.01, count=1), "lower corner of the box must be below"),
        (lambda p: p.random(box=BOX, radius=0.01, count=1, region=lambda c, r: 1.0), "must return an array of"),
        (lambda p: p.random(box=BOX, radius=0.01, count=1, region=lambda c, r: r < 0), "no point of the box"),
        (lambda p: p.lattice(radius=0.01), "set count or box"),
        (lambda p: p.lattice(10, radius=0.01, kind="fccc"), "did you mean 'fcc'"),
        (lambda p: p.lattice(10, radius=0.01, jitter=0.1), "jitter must be at most half the gap"),
        (lambda p: p.lattice(10_000, box=BOX, radius=0.01), "the box has space for 750 spheres"),
        (lambda p: p.lattice(5, radius=[0.1, 0.2]), "count is that of the list of radii, 2"),
        (lambda p: p.uniform(2.0, 1.0), "0 < smallest ≤ largest, got 2 and 1 m"),
        (lambda p: p.normal(1.0, 0.1, (5.0, 6.0)), "contain less than 1e-9"),
        (lambda p: p.table([1.0, 2.0], [0.5, 0.6]), "sum to 1"),
        (lambda p: p.table([1.0], [0.5, 0.5]), "as many of both, got 1 and 2"),
        (lambda p: p.spheres(cm.System(), p.lattice(8, radius=0.1), mass=1.0), "dim=2, but the packing has 3"),
        (lambda p: p.spheres(cm.System(dim=3), p.lattice(8, radius=0.1)), "set either density or mass"),
        (lambda p: p.spheres(cm.System(dim=3), [1, 2], mass=1.0), "packing must be a Packing"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(cm.ModelError, match=message):
        call(cm.packing)


def test_a_fraction_out_of_reach_is_an_error_with_the_fraction_reached(monkeypatch):
    monkeypatch.setattr("carom.model.packing.random_packing.MAX_TRIES", 200)
    with pytest.raises(cm.ModelError, match=r"of \d+ spheres placed, fraction 0.3\d* of 0.450"):
        cm.packing.random(box=BOX, radius=0.01, fraction=0.45)
