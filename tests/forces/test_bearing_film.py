"""Lubricated revolute joint: equilibrium, energy, passage into dry contact, both physics."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm

JOURNAL, BEARING = 9.9e-3, 10e-3
CLEARANCE = BEARING - JOURNAL
SIZES = {"journal_radius": JOURNAL, "bearing_radius": BEARING}
OILS = {
    "long": cm.lubrication.LongBearing(0.05, 0.04),
    "short": cm.lubrication.ShortBearing(0.05, 0.01),
    "finite": cm.lubrication.FiniteBearing(0.05, 0.02),
}
OMEGA = 80.0


def shaft_in_bearing(oil, load: float, **options) -> cm.System:
    """Return a shaft at constant speed in a fixed bearing under a load; its inertia hardly lets the film slow it."""
    system = cm.System(gravity=(0.0, -load))
    start = (2e-5, -3e-5)
    shaft = system.add(cm.Body("shaft", 1.0, 1e3, position=start, angular_velocity=OMEGA))
    law = cm.laws.Flores(stiffness=1e9, restitution=0.5)
    joint = cm.RevoluteClearance(
        system.ground.point(0.0, 0.0), shaft.point(0.0, 0.0), law=law, impact=cm.ImpactLaw(0.2), lubricant=oil,
        name="bearing", **SIZES, **options,
    )  # fmt: skip
    system.add(joint)
    return system


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
@pytest.mark.parametrize("oil", OILS)
def test_a_shaft_finds_its_place_in_the_bearing(oil, method):
    """At rest of its centre the film carries the load: size and attitude angle are those of the lubricant alone."""
    load = {"long": 100.0, "short": 3.0, "finite": 40.0}[oil]
    options = {"method": "nonsmooth", "step": 2e-5} if method == "nonsmooth" else {"rtol": 1e-7}
    result = cm.simulate(shaft_in_bearing(OILS[oil], load), 0.4, output=0.05, **options)
    film = result["bearing film"]
    ratio = film.eccentricity_ratio[-1]
    assert 0.1 < ratio < 0.9
    expected = OILS[oil].force(radius=JOURNAL, clearance=CLEARANCE, eccentricity=ratio, speed=OMEGA)
    assert np.hypot(*expected) == pytest.approx(load, rel=2e-3)
    assert film.attitude_angle[-1] == pytest.approx(np.arctan2(expected[1], -expected[0]), rel=2e-3)
    assert film.film_thickness[-1] == pytest.approx(CLEARANCE * (1.0 - ratio), rel=1e-12)
    x, y = result["shaft"].x[-1], result["shaft"].y[-1]
    assert np.arctan2(x, -y) == pytest.approx(film.attitude_angle[-1], rel=2e-3)  # ahead in the sense of rotation
    assert result.energy.drift < 1e-7


def test_the_torque_of_a_centred_shaft_is_petroffs():
    """T = 2π μ L R³ ω/c (N. Petrov, 1883); the shaft slows down with the time constant I ω/T."""
    system = cm.System()
    shaft = system.add(cm.Body("shaft", 1.0, 1e-4, angular_velocity=OMEGA))
    joint = cm.RevoluteClearance(
        system.ground, shaft, at=(0.0, 0.0), law=cm.laws.Hertz(1e9), lubricant=OILS["long"], name="bearing", **SIZES
    )
    system.add(joint)
    result = cm.simulate(system, 0.05, output=0.01)
    torque = 2.0 * np.pi * 0.05 * 0.04 * JOURNAL**3 * OMEGA / CLEARANCE
    assert result["bearing film"].torque[0] == pytest.approx(-torque, rel=1e-12)
    assert result["shaft"].omega == pytest.approx(OMEGA * np.exp(-torque / OMEGA / 1e-4 * result.t), rel=1e-6)
    assert result["bearing film"].power_loss[0] == pytest.approx(torque * OMEGA, rel=1e-12)


def test_film_and_bearing_act_alike_when_both_turn():
    """With the bearing turning and the journal at rest the load is the same; no external torque or force is created."""
    system = cm.System()
    outer = system.add(cm.Body("outer", 2.0, 0.01, angular_velocity=OMEGA))
    inner = system.add(cm.Body("inner", 1.0, 0.01, position=(5e-5, 0.0), velocity=(0.0, 1e-3)))
    joint = cm.RevoluteClearance(
        outer.point(0.0, 0.0), inner.point(0.0, 0.0), law=cm.laws.Hertz(1e9), lubricant=OILS["short"], name="bearing",
        **SIZES,
    )  # fmt: skip
    system.add(joint)
    result = cm.simulate(system, 0.05, output=0.005, rtol=1e-9)
    a, b = result["outer"], result["inner"]
    px, py = 2.0 * a.vx + b.vx, 2.0 * a.vy + b.vy
    spin = 0.01 * (a.omega + b.omega) + 2.0 * (a.x * a.vy - a.y * a.vx) + b.x * b.vy - b.y * b.vx
    assert px == pytest.approx(px[0], abs=1e-12)
    assert py == pytest.approx(py[0], abs=1e-12)
    assert spin == pytest.approx(spin[0], rel=1e-12)
    assert np.ptp(b.omega) > 1e-3
    assert (result["bearing film"].power_loss > 0.0).all()
    assert result.energy.drift < 1e-9


def test_a_journal_under_impact_breaks_through_the_film():
    """The film brakes the journal, then the surfaces touch; the energy balance holds throughout."""
    system = shaft_in_bearing(cm.lubrication.ShortBearing(1e-3, 0.004), 2000.0, roughness=2e-6)
    result = cm.simulate(system, 0.02, rtol=1e-8)
    assert len(result.impacts) >= 1
    assert result["bearing"].normal_force.max() > 100.0
    film = result["bearing film"]
    assert film.film_thickness.min() == pytest.approx(2e-6, rel=1e-12)
    assert film.power_loss.min() > -1e-9
    assert result.energy.drift < 1e-6


def test_model_files_keep_the_lubricant(tmp_path):
    for oil in OILS.values():
        system = shaft_in_bearing(oil, 40.0, roughness=3e-6)
        text = system.to_yaml()
        again = cm.System.from_yaml(text)
        assert again.to_yaml() == text
        assert again["bearing"].lubricant == oil
        assert again["bearing film"].parameters == system["bearing film"].parameters


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lubricant": "oil"}, "lubricant must be a lubricant of cm.lubrication.* got 'oil'"),
        ({"roughness": 1e-6}, "roughness needs lubricant="),
        ({"lubricant": OILS["long"], "roughness": 5e-5}, "roughness must be at most 0.2 of the clearance"),
        ({"lubricant": OILS["long"], "roughness": -1e-6}, "roughness must be positive"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    system = cm.System()
    shaft = system.add(cm.Body("shaft", 1.0, 1e-3))
    with pytest.raises(cm.ModelError, match=message):
        cm.RevoluteClearance(system.ground, shaft, at=(0.0, 0.0), law=cm.laws.Hertz(1e9), **SIZES, **arguments)


@pytest.mark.parametrize(("ratio", "gap"), [(0.995, "5e-07"), (1.02, "-2e-06")])
def test_a_film_that_is_ruptured_at_the_start_is_a_warning(ratio, gap):
    system = shaft_in_bearing(OILS["short"], 3.0)
    system["shaft"].position = (0.0, -ratio * CLEARANCE)
    with pytest.warns(cm.CaromWarning, match=f"ruptured at the start: the surfaces are {gap} m apart, less than the"):
        cm.simulate(system, 1e-4)
