"""Persson's law of conforming contact, against Hertz, equilibrium, and a numerical solution of plane elasticity."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError

LAW = cm.laws.Persson(modulus=1.1e11, length=0.02, clearance=2e-4)


def depth_of(angle: float) -> float:
    """Return the indentation at a half-angle [m]."""
    return LAW.clearance * (1.0 / math.cos(angle) - 1.0)


def closing(n: np.ndarray, poisson: float) -> np.ndarray:
    """Return the closing of the gap between disc and hole per pressure cos nφ, both of radius 1 and modulus 1.

    Michell's solutions for n ≥ 2 without shear on the surface, in plane strain; n = 1 is a rigid displacement.
    """
    mu, kappa = 0.5 / (1.0 + poisson), 3.0 - 4.0 * poisson
    total = np.zeros(len(n))
    for k, order in enumerate(n):
        if order == 0:
            total[k] = ((kappa - 1.0) / 2.0 + 1.0) / (2.0 * mu)
        elif order >= 2:
            disc = np.array([[order * (order - 1), (order - 2) * (order + 1)], [order - 1, order + 1]])
            hole = np.array([[order * (order + 1), (order + 2) * (order - 1)], [order + 1, order - 1]])
            a, b = np.linalg.solve(disc, [1.0, 0.0])
            c, d = np.linalg.solve(hole, [1.0, 0.0])
            outward_disc, outward_hole = -a * order + b * (kappa - order - 1), c * order + d * (kappa + order - 1)
            total[k] = (outward_hole - outward_disc) / (2.0 * mu)
    return total


def load_of(angle: float, poisson: float = 0.3) -> float:
    """Return the load per length for E = 1 and a clearance of 1, by collocation of the gap in the contact."""
    n = np.arange(800)
    theta = (np.arange(1500) + 0.5) * math.pi / 1500
    phi, weight = angle * np.cos(theta), angle * np.sin(theta) * math.pi / 1500
    shapes = [np.sin(theta) * np.cos(2 * j * theta) for j in range(10)]
    waves = np.cos(np.outer(n, phi))
    series = np.array([waves @ (shape * weight) / math.pi for shape in shapes])
    series[:, 0] /= 2.0
    at = angle * np.cos((np.arange(40) + 0.5) * math.pi / 80)
    matrix = np.hstack([(np.cos(np.outer(at, n)) * closing(n, poisson)) @ series.T, -np.cos(at)[:, None]])
    solution = np.linalg.lstsq(matrix, -np.ones(len(at)), rcond=None)[0]
    return float(sum(x * (shape * np.cos(phi)) @ weight for x, shape in zip(solution, shapes, strict=False)))


@pytest.mark.parametrize("angle", [0.5, 1.0, 1.3])
def test_load_is_that_of_plane_elasticity(angle):
    """A disc in a hole of the same material: E* = E/(2 (1 − ν²))."""
    unit = cm.laws.Persson(modulus=0.5 / (1.0 - 0.3**2), length=1.0, clearance=1.0)
    assert unit.force(1.0 / math.cos(angle) - 1.0) == pytest.approx(load_of(angle), rel=2e-4)


def test_small_contacts_are_hertzs_line_contact():
    """a² = 4 F R_eff/(π E* L) and p = 2 F/(π a L), with errors of the order of the square of the angle."""
    bearing, load = 0.01, 1.0
    journal = bearing - LAW.clearance
    effective = journal * bearing / LAW.clearance
    half_width = math.sqrt(4.0 * load * effective / (math.pi * LAW.modulus * LAW.length))
    assert LAW.half_angle_of_load(load) == pytest.approx(half_width / math.sqrt(journal * bearing), rel=1e-5)
    assert LAW.pressure(0.0, load, bearing) == pytest.approx(
        2.0 * load / (math.pi * half_width * LAW.length), rel=LAW.clearance / bearing
    )
    assert LAW.force(1e-12) == pytest.approx(0.5 * math.pi * LAW.modulus * LAW.length * 1e-12, rel=1e-7)


@pytest.mark.parametrize("angle", [0.2, 0.9, 1.4])
def test_pressure_carries_the_load(angle):
    load, radius = LAW.force(depth_of(angle)), 0.01
    assert LAW.half_angle_of_load(load) == pytest.approx(angle, rel=1e-12)
    theta = (np.arange(4000) + 0.5) * math.pi / 4000
    phi = angle * np.cos(theta)
    carried = np.sum(LAW.pressure(phi, load, radius) * np.cos(phi) * np.sin(theta)) * angle * math.pi / 4000
    assert carried * radius * LAW.length == pytest.approx(load, rel=1e-6)
    assert LAW.pressure(1.01 * angle, load, radius) == 0.0


def test_energy_is_the_integral_of_the_force():
    """Elastic impact returns its speed, also where the force continues along its tangent."""
    for depth in (1e-6, 2e-4, 1.5e-3, 2e-3):  # LARGEST_INDENTATION is 8 clearances, 1.6e-3 m
        s = np.linspace(0.0, depth, 20001)
        work = np.trapezoid(LAW.force(s), s)
        mass = 2.0 * work  # ½ m v² = work for v = 1
        assert LAW.impact(mass, 1.0).max_indentation == pytest.approx(depth, rel=1e-6)


def test_force_is_smooth_at_the_end_of_its_range():
    end = 8.0 * LAW.clearance
    step = 1e-6 * end
    before, at, after = LAW.force(np.array([end - step, end, end + step]))
    assert (after - at) / (at - before) == pytest.approx(1.0, abs=1e-4)
    assert LAW.half_angle(end) == pytest.approx(math.radians(83.62), abs=1e-4)


# ---- advice


def test_advice_for_a_wide_contact_is_persson_and_for_a_small_one_hertz_as_well():
    tight = cm.laws.advise(radii=(9.95e-3, -10e-3), length=0.02, load=2e4)
    loose = cm.laws.advise(radii=(9.2e-3, -10e-3), length=0.02, load=100.0)
    assert [name for name, law in tight.laws.items() if law.valid] == ["persson"]
    assert [name for name, law in loose.laws.items() if law.valid] == ["hertz", "persson"]
    wide = cm.laws.advise(radii=(8e-3, -10e-3), length=0.02, load=100.0)
    assert [name for name, law in wide.laws.items() if law.valid] == ["hertz"]
    assert "persson" in str(tight)
    assert "valid" in str(tight)


def test_a_thin_liner_is_an_elastic_foundation():
    plastic = cm.Material("plastic", young=2e9, poisson=0.35, density=1400.0)
    options = {"radii": (9.9e-3, -10e-3), "length": 0.02, "materials": (cm.STEEL, plastic)}
    thin = cm.laws.advise(load=5000.0, liner=5e-4, **options)
    assert thin.laws["elastic_foundation"].valid
    assert not thin.laws["persson"].valid
    thick = cm.laws.advise(load=50.0, liner=5e-3, **options)
    assert not thick.laws["elastic_foundation"].valid
    # The load is carried by u M/h over the half-angle, u = (c + δ) cos φ − c.
    angle = thin.laws["elastic_foundation"].half_angle
    confined = 2e9 * 0.65 / (1.35 * 0.30)
    phi = np.linspace(-angle, angle, 20001)
    overlap = 1e-4 * (np.cos(phi) / math.cos(angle) - 1.0)
    carried = 0.02 * 0.01 * confined / 5e-4 * np.trapezoid(overlap * np.cos(phi), phi)
    assert carried == pytest.approx(5000.0, rel=1e-6)


def test_an_impact_of_cylinders_has_the_advice_at_its_peak_force():
    advice = cm.laws.advise(mass=1.0, speed=0.5, radii=(9.95e-3, -10e-3), length=0.02)
    law = cm.laws.Persson.from_materials(0.02, 5e-5)
    assert advice.bearing.load == pytest.approx(law.impact(1.0, 0.5).peak_force, rel=1e-9)
    assert "Journal in a bearing" in str(advice)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"radii": (0.01, -0.009), "length": 0.02, "load": 1.0}, "journal must be smaller than the bearing"),
        ({"radii": (0.01, 0.011), "length": 0.02, "load": 1.0}, "one negative radius"),
        ({"radii": (0.009, -0.01), "load": 1.0}, "needs radii and length"),
        ({"radii": (0.009, -0.01), "length": 0.02, "load": -1.0}, "load must be positive"),
        ({"radii": 0.01}, "set mass and speed"),
        ({"mass": 1.0, "speed": 1.0, "radii": 0.01, "liner": 1e-3}, "liner needs length"),
    ],
)
def test_incomplete_requests_are_errors(values, message):
    with pytest.raises(ModelError, match=message):
        cm.laws.advise(**values)


def test_clearance_must_be_positive():
    with pytest.raises(ModelError, match="Persson: clearance must be positive, got -0"):
        cm.laws.Persson(1e11, 0.02, -1e-4)
