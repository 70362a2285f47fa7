"""Contact that lasts: bodies at rest on several supports, loaded cams, loads that come after a rest."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm

G = 9.81
INTEGRATORS = ("auto", "implicit")
IN_TURN = pytest.mark.parametrize("integrator", INTEGRATORS)


# ---- static sag


def ball_on_floor(law: Any, dim: int, height: float = 0.0) -> cm.System:
    """A ball of 0.17 kg over a floor."""
    across = (0.0,) * (dim - 1)
    system = cm.System(dim=dim, gravity=(*across, -G))
    ball = system.add(cm.Body("ball", 0.17, 6e-5, (*across, 0.03 + height)))
    system.add(cm.Contact(cm.Sphere(ball, 0.03), cm.Plane(system.ground), law=law, name="floor"))
    return system


LAWS = {
    "linear": (cm.laws.KelvinVoigt(1e6, damping=50.0), 1.0),
    "Hunt and Crossley": (cm.laws.HuntCrossley(1e6, 0.7), 1.5),
    "Flores": (cm.laws.Flores(1e6, 0.4), 1.5),
}


@IN_TURN
@pytest.mark.parametrize("height", [0.0, 0.01], ids=["placed", "dropped"])
@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("name", LAWS)
def test_a_ball_comes_to_rest_where_its_floor_carries_it(name: str, dim: int, height: float, integrator: str):
    """K δⁿ = m g; at rest implicit steps are as long as they may be, a fiftieth of the run."""
    law, exponent = LAWS[name]
    result = cm.simulate(ball_on_floor(law, dim, height), 4.0, integrator=integrator)
    late = result.t > 3.0
    assert result["floor"].indentation[late] == pytest.approx((0.17 * G / 1e6) ** (1.0 / exponent), rel=1e-8)
    assert result["floor"].normal_force[late] == pytest.approx(0.17 * G, rel=1e-8)
    assert np.abs(result["ball"].velocity[late]).max() < 1e-9
    assert late.sum() < (30 if integrator == "implicit" else 150)  # the next trial of implicit steps may be due later
    assert result.energy.drift < 1e-8


SPOTS_2D = np.array([-0.2, -0.05, 0.3])
SPOTS_3D = np.array([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)])
LOAD, MASS = 5.0, 1.0


def corner_forces(spots: np.ndarray, load_at: np.ndarray) -> np.ndarray:
    """Forces of equal springs under a rigid plate: δ = a + b·x, with the sums and the moments of weight and load."""
    columns = np.column_stack([np.ones(len(spots)), spots])
    loads = np.concatenate([[MASS * G + LOAD], LOAD * np.atleast_1d(load_at)])
    return columns @ np.linalg.solve(columns.T @ columns, loads)


@IN_TURN
@pytest.mark.parametrize("dim", [2, 3])
def test_a_plate_with_an_eccentric_load_presses_its_springs_as_in_statics(dim: int, integrator: str):
    stiffness = 1e8
    across = (0.0,) * (dim - 1)
    system = cm.System(dim=dim, gravity=(*across, -G))
    spots, load_at = (SPOTS_2D[:, None], np.array([0.1])) if dim == 2 else (SPOTS_3D, np.array([0.08, 0.03]))
    plate = system.add(cm.Body("plate", MASS, 0.01 if dim == 2 else (0.003, 0.01, 0.012), (*across, 0.01)))
    law, friction = cm.laws.KelvinVoigt(stiffness, damping=2000.0), cm.friction.Coulomb(0.3, 1e-4)
    for k, spot in enumerate(spots):
        point = cm.Point(plate, (*spot, -0.01))
        system.add(cm.Contact(point, cm.Plane(system.ground), law=law, friction=friction, name=f"spot {k}"))
    system.add(cm.PointForce(cm.Marker(plate, (*load_at, 0.0)), (*across, -LOAD)))
    result = cm.simulate(system, 1.0, integrator=integrator)
    expected = corner_forces(spots, load_at)
    for k, force in enumerate(expected):
        assert result[f"spot {k}"].normal_force[-1] == pytest.approx(force, rel=1e-6)
        assert result[f"spot {k}"].indentation[-1] == pytest.approx(force / stiffness, abs=1e-8 * 0.3)
    assert (result.t > 0.5).sum() < 100
    assert result.stats["implicit_time"] > 0.9


def test_a_result_states_the_share_of_implicit_steps():
    result = cm.simulate(ball_on_floor(LAWS["Flores"][0], 2, height=0.01), 2.0)
    share, steps = result.stats["implicit_time"] / 2.0, result.stats["implicit_steps"]
    assert 0.1 < share < 1.0
    assert 0 < steps < result.stats["steps"]
    assert f"implicit {steps} of {result.stats['steps']} steps, {share:.0%} of the time" in result.summary()
    assert 0 < result.stats["jacobians"] <= result.stats["factorisations"]
    whole = cm.simulate(ball_on_floor(LAWS["Flores"][0], 2), 0.5, integrator="implicit")
    assert whole.stats["implicit_steps"] == whole.stats["steps"]
    assert whole.stats["implicit_time"] == pytest.approx(0.5, rel=1e-12)


def test_a_flight_is_not_integrated_implicitly():
    result = cm.simulate(ball_on_floor(LAWS["linear"][0], 2, height=1.0), 0.4)
    assert result.stats["implicit_steps"] == 0
    assert "implicit" not in result.summary() or "implicit 0 of" in result.summary()


# ---- a loaded cam

ECCENTRICITY, RADIUS, FOLLOWER, SPRING, PRELOAD, TURNS = 0.005, 0.03, 0.5, 2000.0, 200.0, 20.0 * math.pi
APPROACH = 0.05


def cam() -> cm.System:
    """An eccentric disc at 10 Hz below a flat follower, which meets it at 0.05 m/s."""
    system = cm.System(gravity=(0.0, 0.0))
    disc = system.add(cm.Body("disc", 1.0, 1e-3, angular_velocity=TURNS))
    speed = ECCENTRICITY * TURNS - APPROACH
    follower = system.add(cm.Body("follower", FOLLOWER, 1e-3, (0.0, RADIUS), velocity=(0.0, speed)))
    hinge = system.add(cm.Revolute(system.ground, disc, at=(0.0, 0.0)))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(TURNS)))
    system.add(cm.Prismatic(system.ground, follower, axis=(0.0, 1.0)))
    above = cm.Marker(system.ground, (0.0, RADIUS + 0.2))
    system.add(cm.SpringDamper(above, follower, stiffness=SPRING, free_length=0.2 + PRELOAD / SPRING))
    flat = cm.Plane(follower, (0.0, 0.0), (0.0, -1.0))
    round_face = cm.Sphere(disc, RADIUS, at=(ECCENTRICITY, 0.0))
    system.add(cm.Contact(round_face, flat, law=cm.laws.Flores(1e10, 0.5), name="touch"))
    return system


def cam_force(t: Any, lift: Any, speed: Any) -> Any:
    """F = K δ^1.5 (1 + 8 (1 − c)/(5 c) δ̇/v₀)."""
    depth = ECCENTRICITY * np.sin(TURNS * t) - lift
    rate = ECCENTRICITY * TURNS * np.cos(TURNS * t) - speed
    return 1e10 * np.maximum(depth, 0.0) ** 1.5 * (1.0 + 8.0 * 0.5 / (5.0 * 0.5) * rate / APPROACH)


@IN_TURN
def test_a_loaded_cam_presses_its_follower_as_an_independent_solution(integrator: str):
    def slope(t, y):
        return [y[1], (cam_force(t, *y) - PRELOAD - SPRING * y[0]) / FOLLOWER]

    at = np.linspace(0.01, 0.12, 400)
    start = [0.0, ECCENTRICITY * TURNS - APPROACH]
    other = solve_ivp(slope, (0.0, 0.12), start, "DOP853", t_eval=at, rtol=1e-12, atol=1e-14, max_step=1e-4)
    result = cm.simulate(cam(), 0.12, integrator=integrator)
    assert len(result.impacts) == 1
    there = result.sample(at)
    np.testing.assert_allclose(there["follower"].y - RADIUS, other.y[0], rtol=0.0, atol=1e-8 * ECCENTRICITY)
    force = cam_force(at, *other.y)
    np.testing.assert_allclose(there["touch"].normal_force, force, rtol=0.0, atol=1e-6 * force.max())
    assert result.energy.drift < 1e-8


def test_a_loaded_cam_needs_few_steps():
    """Explicit steps are 86 000 per second of this motion."""
    result = cm.simulate(cam(), 1.0)
    assert result.stats["steps"] < 8000
    assert result.stats["implicit_time"] > 0.9
    assert result.energy.drift < 1e-8


# ---- loads and motions that begin after a rest

STIFFNESS, DAMPING = 1e5, 200.0


def pulse(t):
    """A load of 5 N at most for 10 ms after one second, as a squared sine."""
    x = 100.0 * (t - 1.0)
    return 0.0, (-5.0 * math.sin(math.pi * x) ** 2 if 0.0 < x < 1.0 else 0.0)


@IN_TURN
@pytest.mark.parametrize("t_end", [1.05, 2.0, 30.0])
def test_a_short_load_after_a_rest_is_not_passed_over(t_end: float, integrator: str):
    system = cm.System(gravity=(0.0, -G))
    sag = G / STIFFNESS
    block = system.add(cm.Body("block", 1.0, 0.01, (0.0, 0.1 - sag)))
    law = cm.laws.KelvinVoigt(STIFFNESS, damping=DAMPING)
    system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    system.add(cm.PointForce(block, pulse))
    result = cm.simulate(system, t_end, integrator=integrator)

    def slope(t, y):
        return [y[1], pulse(t)[1] - STIFFNESS * y[0] - DAMPING * y[1]]

    at = np.linspace(1.0, 1.05, 80)
    other = solve_ivp(slope, (1.0, 1.05), [0.0, 0.0], "DOP853", t_eval=at, rtol=1e-11, atol=1e-16, max_step=1e-4)
    np.testing.assert_allclose(result.sample(at)["block"].y - 0.1 + sag, other.y[0], rtol=0.0, atol=1e-11)
    assert result.stats["implicit_time"] > 0.8


@IN_TURN
@pytest.mark.parametrize("kind", ["step", "function", "table"])
def test_a_motion_that_begins_after_a_rest_is_not_passed_over(kind: str, integrator: str):
    """The floor under a block rises by 0.02 mm in 20 ms after a second; the block is an oscillator on it."""
    rise, t0, t1 = 2e-5, 1.0, 1.02

    def height(t):
        x = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
        return rise * x**3 * (10.0 - 15.0 * x + 6.0 * x * x)

    def speed(t):
        x = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
        return rise / (t1 - t0) * 30.0 * x * x * (1.0 - x) ** 2

    def acceleration(t):
        x = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
        return rise / (t1 - t0) ** 2 * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)

    times = np.concatenate([[0.0, 0.5], np.linspace(0.99, 1.03, 161), [2.0, 4.0]])
    motion: cm.Motion = {
        "step": cm.StepMotion(t0, 0.0, t1, rise),
        "function": cm.FunctionMotion(height, speed, acceleration),
        "table": cm.TableMotion(times, [height(t) for t in times]),
    }[kind]
    system = cm.System(gravity=(0.0, -G))
    sag = G / STIFFNESS
    floor = system.add(cm.Body("floor", 1.0, 0.01))
    block = system.add(cm.Body("block", 1.0, 0.01, (0.0, 0.1 - sag)))
    slide = system.add(cm.Prismatic(system.ground, floor, axis=(0.0, 1.0)))
    system.add(cm.Driver(slide, motion))
    law = cm.laws.KelvinVoigt(STIFFNESS, damping=DAMPING)
    system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(floor), law=law, name="touch"))
    result = cm.simulate(system, 4.0, integrator=integrator)

    def slope(t, y):
        return [y[1], -STIFFNESS * (y[0] - height(t)) - DAMPING * (y[1] - speed(t))]

    at = np.linspace(1.0, 1.06, 100)
    other = solve_ivp(slope, (1.0, 1.06), [0.0, 0.0], "DOP853", t_eval=at, rtol=1e-11, atol=1e-16, max_step=1e-4)
    tolerance = 1e-9 if kind == "table" else 1e-11  # the table is a spline through the motion
    np.testing.assert_allclose(result.sample(at)["block"].y - 0.1 + sag, other.y[0], rtol=0.0, atol=tolerance)


# ---- forces that jump


@IN_TURN
def test_a_force_that_switches_with_the_velocity_is_named_in_lasting_contact(integrator: str):
    system = cm.System(gravity=(0.0, -G))
    block = system.add(cm.Body("block", 1.0, 0.01, (0.0, 0.1), velocity=(0.3, 0.0)))
    law = cm.laws.KelvinVoigt(1e6, damping=500.0)
    system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    system.add(cm.PointForce(block, lambda t, s: (-2.0 if s.block.vx > 0.0 else 2.0, 0.0), name="rubbing"))

    def stop(fraction: float) -> None:
        if caught:
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", cm.CaromWarning)
        result = cm.simulate(system, 1.0, integrator=integrator, progress=stop)
    assert result.outcome is cm.Outcome.INTERRUPTED
    assert 0.149 < result.t[-1] < 0.16  # it stops at v/a = 0.15 s
    assert result.stats["wall_time"] < 10.0
    assert "PointForce 'rubbing', by 4, jumps" in str(caught[0].message)


def test_a_light_body_in_contact_has_a_true_largest_indentation():
    """A damped spring on a foot of 1 g, which the contact holds: repeated steps may fail there."""
    system = cm.System(gravity=(0.0, -G))
    foot = system.add(cm.Body("foot", 1e-3, 1e-6, (0.0, 0.02)))
    load = system.add(cm.Body("load", 1.0, 0.01, (0.0, 0.2)))
    for body in (foot, load):
        system.add(cm.Prismatic(system.ground, body, axis=(0.0, 1.0)))
    system.add(cm.SpringDamper(foot, load, stiffness=2000.0, damping=40.0))
    law = cm.laws.KelvinVoigt(1e6, damping=100.0)
    system.add(cm.Contact(cm.Sphere(foot, 0.02), cm.Plane(system.ground), law=law, name="floor"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = cm.simulate(system, 0.5, integrator="implicit")
    assert result.impacts[0].max_indentation == pytest.approx(result["floor"].indentation.max(), rel=1e-6)
    assert result["floor"].normal_force[-1] == pytest.approx(1.001 * G, rel=1e-4)
