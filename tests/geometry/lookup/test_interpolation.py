"""Between the points of a table: the error falls as h² or h⁴, and derivatives are those of what is given."""

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.surfaces import Ellipsoid, Sphere, Torus

PIECE = {"u": (-0.7, 0.6), "v": (-0.5, 0.9)}
SURFACES = {
    "piece of a sphere": Sphere(2.0, **PIECE),
    "cup": Sphere(2.0, **PIECE, inside=True),
    "sphere with poles": Sphere(2.0),
    "ellipsoid": Ellipsoid(1.0, 1.5, 0.7),
    "torus": Torus(1.0, 0.4),
}
COUNTS = (17, 33, 65, 129)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return the tables of every surface, with several numbers of points."""
    folder = tmp_path_factory.mktemp("tables")
    return {
        (name, count): cm.lookup.build(surface, (count, count), (9, 8), folder / f"{name} {count}.lut").path
        for name, surface in SURFACES.items()
        for count in COUNTS
    }


def opened(tables, name: str, count: int, interpolation: str) -> cm.lookup.LookupTable:
    return cm.lookup.LookupTable(tables[name, count], interpolation=interpolation)


def places(surface, count: int = 301) -> tuple[np.ndarray, np.ndarray]:
    """All over a surface, poles and borders included, and beside poles and the seam."""
    found = []
    for low, high in (surface.u_range, surface.v_range):
        near = np.array([1e-12, 1e-7, 1e-3]) * (high - low)
        found.append(np.sort(np.concatenate([np.linspace(low, high, count), low + near, high - near])))
    u, v = np.meshgrid(*found, indexing="ij")
    return u, v


def errors(table, surface) -> tuple[float, float]:
    """Largest error of points and of normals."""
    u, v = places(surface)
    point = np.linalg.norm(table.point(u, v) - surface.point(u, v), axis=-1).max()
    normal = np.linalg.norm(table.normal(u, v) - surface.normal(u, v), axis=-1).max()
    return float(point), float(normal)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize(("interpolation", "order", "of_normal"), [("bilinear", 2, 2), ("bicubic", 4, 3)])
def test_the_error_falls_as_it_should(tables, name: str, interpolation: str, order: int, of_normal: int):
    surface = SURFACES[name]
    found = np.array([errors(opened(tables, name, count, interpolation), surface) for count in COUNTS])
    falls = np.log2(found[:-1] / found[1:])
    assert falls[-1, 0] == pytest.approx(order, abs=0.15)
    if name in ("sphere with poles", "ellipsoid"):
        # At a pole the normal is that of two short tangents: one order is lost there.
        assert falls[-1, 1] > of_normal - 1.2
    else:
        assert falls[-1, 1] > of_normal - 0.2


@pytest.mark.parametrize("count", COUNTS)
def test_bilinear_points_of_a_sphere_are_within_a_quarter_of_r_h_squared(tables, count: int):
    """h²/8 of both second derivatives, R each at most."""
    surface = SURFACES["piece of a sphere"]
    h = max(1.3, 1.4) / (count - 1)
    error, _ = errors(opened(tables, "piece of a sphere", count, "bilinear"), surface)
    assert 0.1 * h * h < error <= 0.25 * 2.0 * h * h


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize("name", SURFACES)
def test_normals_are_unit_vectors_and_look_out_of_the_solid(tables, name: str, interpolation: str):
    surface, table = SURFACES[name], opened(tables, name, 33, interpolation)
    u, v = places(surface, 97)
    normal = table.normal(u, v)
    assert np.abs(np.linalg.norm(normal, axis=-1) - 1.0).max() < 1e-14
    assert np.sum(normal * surface.normal(u, v), axis=-1).min() > 0.97


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_at_a_seam_a_table_is_as_good_as_elsewhere(tables, tmp_path, interpolation: str):
    """A second table has its seams half a turn further; both agree at the seams of the first."""
    turn = 2.0 * math.pi
    table = opened(tables, "torus", 33, interpolation)
    moved = Torus(1.0, 0.4, u=(-math.pi, math.pi), v=(-math.pi, math.pi))
    other = cm.lookup.build(moved, (33, 33), (9, 8), tmp_path / "x.lut", interpolation=interpolation)
    u, v = np.meshgrid(np.linspace(0.001, 0.4, 30), np.linspace(-3.13, 3.11, 201), indexing="ij")
    for one, two in ((u, v), (-u, v), (v, u), (v, -u)):
        here = table.evaluate(one % turn, two % turn)
        np.testing.assert_allclose(here, other.evaluate(one, two), rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("name", ["piece of a sphere", "ellipsoid", "torus"])
@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_derivatives_are_those_of_points_and_normals(tables, name: str, interpolation: str):
    """Central differences within cells, at the borders of the table too."""
    surface, table = SURFACES[name], opened(tables, name, 17, interpolation)
    (u0, u1), (v0, v1) = surface.u_range, surface.v_range
    hu, hv = (u1 - u0) / 16, (v1 - v0) / 16
    cells = np.array([0, 1, 7, 8, 9, 14, 15])
    if name == "ellipsoid":
        cells = cells[1:-1]  # beside the poles differences of normals are coarse
    u, v = np.meshgrid(u0 + (cells + 0.37) * hu, v0 + (np.array([0, 1, 7, 8, 14, 15]) + 0.61) * hv, indexing="ij")
    out = table.output(u, v)
    e = 1e-5
    for du, dv, axis in ((e, 0.0, "u"), (0.0, e, "v")):
        after, before = table.output(u + du, v + dv), table.output(u - du, v - dv)
        for name in ("point", "normal"):
            difference = (after[name] - before[name]) / (2.0 * e)
            assert out[f"{name}_{axis}"] == pytest.approx(difference, abs=1e-8)


def test_bicubic_surfaces_and_their_tangents_go_on_across_cells_records_and_the_seam(tables):
    for name in ("piece of a sphere", "torus"):
        surface, table = SURFACES[name], opened(tables, name, 17, "bicubic")
        (u0, u1), (v0, v1) = surface.u_range, surface.v_range
        lines_u, lines_v = np.linspace(u0, u1, 17)[1:-1], np.linspace(v0, v1, 17)[1:-1]
        e = 1e-9
        across_u = np.meshgrid(lines_u, np.linspace(v0, v1, 101), indexing="ij")
        across_v = np.meshgrid(np.linspace(u0, u1, 101), lines_v, indexing="ij")
        for (u, v), du, dv in ((across_u, e, 0.0), (across_v, 0.0, e)):
            after, before = table.output(u + du, v + dv), table.output(u - du, v - dv)
            for name in ("point", "normal", "point_u", "point_v"):
                assert np.abs(after[name] - before[name]).max() < 2e-8
        if name == "torus":
            x = np.linspace(0.0, 2.0 * math.pi, 101)
            for one, other in (
                (table.evaluate(x, 0.0), table.evaluate(x, v1)),
                (table.evaluate(0.0, x), table.evaluate(u1, x)),
            ):
                assert one[..., :12] == pytest.approx(other[..., :12], abs=1e-13)  # without derivatives of the normal


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_what_is_no_number_gives_none(tables, interpolation: str):
    table = opened(tables, "torus", 17, interpolation)
    assert np.isnan(table.point(math.nan, 0.3)).all()
    assert np.isnan(table.point(0.3, math.nan)).all()


def test_records_do_not_matter(tmp_path):
    """Records of any size, also larger than the table, give equal numbers."""
    surface, (u, v) = SURFACES["ellipsoid"], places(SURFACES["ellipsoid"], 41)
    found = [
        cm.lookup.build(surface, (20, 23), record, tmp_path / "x.lut", interpolation="bicubic").evaluate(u, v)
        for record in ((2, 2), (5, 4), (20, 23), (50, 30), (1, 23))
    ]
    for other in found[1:]:
        assert np.array_equal(found[0], other)
