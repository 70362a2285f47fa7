"""Materials and Hertz's stiffness."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import ModelError
from carom.laws import MATERIALS, STEEL, Material, hertz_stiffness
from carom.laws.stiffness import effective_radius


def test_published_stiffnesses():
    assert hertz_stiffness(0.1) == pytest.approx(4.7955e10, rel=2e-5)  # a steel ball on a steel plane
    assert hertz_stiffness(0.0095, -0.010) == pytest.approx(6.61e10, rel=2e-3)  # a journal in its bearing
    assert hertz_stiffness(0.05) == pytest.approx(3.39e10, rel=1e-3)


def test_the_formula_for_two_spheres_of_two_materials():
    glass = MATERIALS["glass"]
    sigma = (1 - 0.3**2) / 207e9 + (1 - glass.poisson**2) / glass.young
    expected = 4 / (3 * sigma) * math.sqrt(0.02 * 0.03 / 0.05)
    assert hertz_stiffness(0.02, 0.03, STEEL, glass) == pytest.approx(expected, rel=1e-14)
    assert hertz_stiffness(0.03, 0.02, glass, STEEL) == pytest.approx(expected, rel=1e-14)


@given(radius=st.floats(1e-4, 10.0), clearance=st.floats(1e-3, 10.0))
def test_a_closer_fit_is_stiffer(radius: float, clearance: float):
    plane, hollow = hertz_stiffness(radius), hertz_stiffness(radius, -(radius * (1.0 + clearance)))
    assert hollow > plane > hertz_stiffness(radius, radius)
    assert effective_radius(radius, -(radius * (1 + clearance))) == pytest.approx(
        radius * (1 + clearance) / clearance, rel=1e-9
    )


@pytest.mark.parametrize(
    ("radii", "message"),
    [
        ((0.01, -0.0095), "radii 0.01 m and -0.0095 m give no point contact"),
        ((math.inf, math.inf), "give no point contact"),
        ((-0.1,), "give no point contact"),
        ((0.0,), "radius_a must be positive, negative .concave. or infinite, got 0"),
        ((0.1, math.nan), "radius_b must be positive, negative"),
        (("ball",), "radius_a must be a number, got 'ball'"),
    ],
)
def test_radii_without_point_contact_raise(radii, message):
    with pytest.raises(ModelError, match=f"hertz_stiffness: .*{message}"):
        hertz_stiffness(*radii)


def test_a_material_must_be_a_material_object():
    with pytest.raises(ModelError, match="material_b must be a Material such as STEEL, got 'steel'"):
        hertz_stiffness(0.1, 0.1, STEEL, "steel")


def test_the_table_holds_the_papers_steel_and_cartilage():
    assert (STEEL.young, STEEL.poisson) == (207e9, 0.3)
    assert MATERIALS["steel"] is STEEL
    assert (MATERIALS["cartilage"].young, MATERIALS["cartilage"].poisson) == (5e6, 0.46)
    for name, material in MATERIALS.items():
        assert material.name == name
        assert 5e6 <= material.young <= 700e9
        assert 0.0 < material.poisson < 0.5
        assert 1000.0 < material.density < 20000.0
    assert STEEL.wave_speed == pytest.approx(5135.0, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"young": 0.0}, "young must be positive, got 0"),
        ({"poisson": 0.6}, r"poisson must lie in \(-1, 0.5\], got 0.6"),
        ({"poisson": -1.0}, r"poisson must lie in \(-1, 0.5\]"),
        ({"density": -1.0}, "density must be positive"),
        ({"young": "stiff"}, "young must be a number, got 'stiff'"),
    ],
)
def test_invalid_materials_raise(changes, message):
    with pytest.raises(ModelError, match=f"Material 'jelly': {message}"):
        Material(**{"name": "jelly", "young": 1e6, "poisson": 0.45, "density": 1000.0, **changes})
