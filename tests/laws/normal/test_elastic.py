"""Elastic laws against closed forms."""

import math

import pytest
from scipy.integrate import quad

from carom.errors import ModelError
from carom.laws import STEEL, CylinderLine, Hertz, Linear, LiuCylinder, Material
from laws.cases import ELASTIC, MASS, SPEED, example, normal_out


@pytest.mark.parametrize("name", ELASTIC)
def test_elastic_laws_return_everything(name: str):
    law = example(name)
    assert law.returned_restitution() == 1.0
    assert law.validity is None
    assert law.hysteresis_factor(1.0) == 0.0
    assert not law.has_unloading_curve
    assert law.release(1e-3) == 0.0


def test_a_linear_spring_is_half_an_oscillation():
    impact = Linear(1e7).impact(0.4, 2.0)
    omega = math.sqrt(1e7 / 0.4)
    assert impact.duration == pytest.approx(math.pi / omega, rel=1e-14)
    assert impact.max_indentation == pytest.approx(2.0 / omega, rel=1e-14)
    assert impact.peak_force == pytest.approx(0.4 * 2.0 * omega, rel=1e-14)


def test_the_hertz_impact_lasts_2_9432_times_depth_over_speed():
    impact = Hertz(5.5e9).impact(MASS, SPEED)
    assert impact.duration * SPEED / impact.max_indentation == pytest.approx(2.9432, abs=1e-4)
    assert 5.5e9 * impact.max_indentation**2.5 / 2.5 == pytest.approx(0.5 * MASS * SPEED**2, rel=1e-13)


def test_the_cylinder_line_has_its_exponent():
    assert CylinderLine(3e8).force(2e-5) == pytest.approx(3e8 * 2e-5**1.08, rel=1e-14)


def test_gears():
    assert Linear.gear(207e9, 0.3, 0.02).stiffness == pytest.approx(math.pi * 207e9 * 0.02 / (4 * 0.91), rel=1e-14)
    with pytest.raises(ModelError, match=r"Linear\.gear: poisson must lie in \(-1, 0.5\], got 0.7"):
        Linear.gear(207e9, 0.7, 0.02)
    with pytest.raises(ModelError, match=r"Linear\.gear: width must be positive, got -1"):
        Linear.gear(207e9, 0.3, -1.0)


def test_the_journal_and_bearing_law_is_the_published_one():
    law = LiuCylinder(modulus=1.1e11, length=0.02, clearance=5e-5)
    delta = 3e-5
    force = math.pi * 1.1e11 * 0.02 * delta / 2 * math.sqrt(delta / (2 * (5e-5 + delta)))
    assert law.force(delta) == pytest.approx(force, rel=1e-14)
    two_steels = LiuCylinder.from_materials(0.02, 5e-5)
    assert two_steels.modulus == pytest.approx(207e9 / (2 * 0.91), rel=1e-14)
    soft = LiuCylinder.from_materials(0.02, 5e-5, STEEL, Material("soft", 1e6, 0.0, 1.0))
    assert soft.modulus == pytest.approx(1e6, rel=1e-5)


@pytest.mark.parametrize("ratio", [1e-9, 1e-4, 0.01, 0.2499999, 0.25, 0.2500001, 1.0, 30.0, 1e4])
def test_the_energy_of_the_journal_is_the_integral_of_its_force(ratio: float):
    law = LiuCylinder(modulus=1.1e11, length=0.02, clearance=5e-5)
    depth = ratio * 5e-5
    work = quad(lambda s: 2 * s * law.force(depth * s * s), 0.0, 1.0, epsabs=0.0, epsrel=1e-13)[0] * depth
    assert normal_out(law, depth).stored_energy == pytest.approx(work, rel=1e-12)
    assert normal_out(law, depth, stores_energy=False).stored_energy == 0.0


@pytest.mark.parametrize("key", ["modulus", "length", "clearance"])
def test_journal_parameters_are_positive(key: str):
    with pytest.raises(ModelError, match=f"LiuCylinder: {key} must be positive, got 0"):
        example("liu_cylinder", **{key: 0.0})
