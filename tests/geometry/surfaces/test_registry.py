"""Properties of every parametric surface."""

import inspect
import math

import numpy as np
import pytest

from carom import surfaces
from carom.geometry.surfaces.base import PERIODIC, POLE
from carom.geometry.surfaces.registry import SURFACES
from quick import each
from surfaces_shown import EXAMPLES, made

POINT, NORMAL, POINT_U, POINT_V, NORMAL_U, NORMAL_V = (slice(3 * k, 3 * k + 3) for k in range(6))
every_surface = pytest.mark.parametrize("name", EXAMPLES)

SHARES = np.array([0.07, 0.21, 0.437, 0.519, 0.68, 0.93])


def inner(surface):
    """Parameters between the ends, on no knot and no plane of symmetry."""
    u, v = (low + SHARES * (high - low) for low, high in (surface.u_range, surface.v_range))
    return u[:, None], v[None, :]


def difference(f, h):
    """f'(0) by central differences of fourth order."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def test_examples_have_every_kind():
    assert {type(made(name)) for name in EXAMPLES} == set(SURFACES.values())
    assert all(getattr(surfaces, name) is kind for name, kind in SURFACES.items())


@every_surface
def test_derivatives_are_those_of_point_and_normal(name):
    surface = made(name)
    u, v = inner(surface)
    out = surface.evaluate(u, v)
    for first, place, (low, high) in ((POINT_U, 0, surface.u_range), (POINT_V, 1, surface.v_range)):
        h = 2e-4 * (high - low)
        moved = difference(lambda x, place=place: surface.evaluate(u + x * (place == 0), v + x * (place == 1)), h)
        for value, slope in ((POINT, first), (NORMAL, slice(first.start + 6, first.stop + 6))):
            size = np.abs(moved[..., value]).max()
            np.testing.assert_allclose(out[..., slope], moved[..., value], rtol=0.0, atol=1e-6 * size + 1e-10)


@every_surface
def test_normal_is_a_unit_vector_across_the_tangents(name):
    surface = made(name)
    out = surface.evaluate(*inner(surface))
    n = out[..., NORMAL]
    np.testing.assert_allclose(np.linalg.norm(n, axis=-1), 1.0, rtol=1e-14)
    for tangent in (POINT_U, POINT_V):
        t = out[..., tangent]
        assert np.abs(np.sum(n * t, axis=-1) / np.linalg.norm(t, axis=-1)).max() < 1e-9
    for slope in (NORMAL_U, NORMAL_V):  # |n| = 1 everywhere
        assert np.abs(np.sum(n * out[..., slope], axis=-1)).max() < 1e-9 * (1.0 + np.abs(out[..., slope]).max())


@every_surface
def test_ends_meet_as_they_say(name):
    surface = made(name)
    size = np.abs(surface.point(*inner(surface))).max()
    u, v = inner(surface)
    for ends, (low, high), other, swap in (
        (surface.u_ends, surface.u_range, v.ravel(), False),
        (surface.v_ends, surface.v_range, u.ravel(), True),
    ):
        at = [surface.evaluate(*((other, x) if swap else (x, other))) for x in (low, high)]
        near = [low + 1e-5 * (high - low), high - 1e-5 * (high - low)]
        close = [surface.evaluate(*((other, x) if swap else (x, other))) for x in near]
        if ends[0] == PERIODIC:
            np.testing.assert_allclose(at[0][:, POINT], at[1][:, POINT], rtol=0.0, atol=1e-12 * size)
            np.testing.assert_allclose(at[0][:, NORMAL], at[1][:, NORMAL], rtol=0.0, atol=1e-9)
        for found, beside, end in zip(at, close, ends, strict=True):
            if end == POLE:
                assert np.ptp(found[:, POINT], axis=0).max() < 1e-12 * size
            np.testing.assert_allclose(np.linalg.norm(found[:, NORMAL], axis=1), 1.0, rtol=1e-12)
            if name != "Superellipsoid pointed":  # its normal turns without bound there
                np.testing.assert_allclose(found[:, NORMAL], beside[:, NORMAL], rtol=0.0, atol=1e-3)


@every_surface
def test_solid_inside_turns_the_normal(name):
    one, other = made(name), made(name, inside=True)
    a, b = one.evaluate(*inner(one)), other.evaluate(*inner(one))
    kept, turned = [POINT, POINT_U, POINT_V], [NORMAL, NORMAL_U, NORMAL_V]
    assert all(np.array_equal(a[..., part], b[..., part]) for part in kept)
    assert all(np.array_equal(a[..., part], -b[..., part]) for part in turned)


@each("name", [name for name in EXAMPLES if "pole" in made(name).u_ends])
def test_closed_ones_look_outward(name):
    surface = made(name)
    middle = surface.point(*inner(surface)).reshape(-1, 3).mean(axis=0)
    u, v = inner(surface)
    for share in (0.0, 1.0):  # the poles too
        u = np.append(u, surface.u_range[0] + share * (surface.u_range[1] - surface.u_range[0]))
    out = surface.evaluate(u[:, None], v)
    assert np.all(np.sum((out[..., POINT] - middle) * out[..., NORMAL], axis=-1) > 0.0)


@every_surface
def test_attributes_make_the_same_surface_again(name):
    surface = made(name, inside=True)
    names = inspect.signature(type(surface)).parameters
    again = type(surface)(**{key: getattr(surface, key) for key in names})
    assert again.parameters == surface.parameters
    assert (again.u_range, again.v_range, again.u_ends, again.v_ends) == (
        surface.u_range, surface.v_range, surface.u_ends, surface.v_ends
    )  # fmt: skip


@each("word", SURFACES)
def test_inside_must_be_a_flag(word):
    example = next(name for name in EXAMPLES if type(made(name)) is SURFACES[word])
    with pytest.raises(
        surfaces.base.ModelError, match=f"{word.removesuffix('Surface')} surface: inside must be True or False, got 1"
    ):
        made(example, inside=1)


def test_evaluates_arrays_of_any_shape():
    sphere = surfaces.Sphere(1.0)
    assert sphere.point(0.0, math.pi).shape == (3,)
    assert sphere.evaluate(np.zeros((2, 1)), np.zeros((1, 5))).shape == (2, 5, 18)
