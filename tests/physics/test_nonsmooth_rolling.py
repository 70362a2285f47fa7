"""Rolling and spinning resistance in non-smooth runs, against closed forms and compliant runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.rolling_wheel import GRAVITY, LEVER, MASS, RADIUS, SPEED, STIFFNESS, wheel

STEP = 1e-3
SOLVERS = {2: ("lemke", "alart-curnier", "pgs"), 3: ("alart-curnier", "pgs")}
CASES = [
    (dim, solver, scheme) for dim in (2, 3) for solver in SOLVERS[dim] for scheme in ("midpoint", "moreau", "theta")
]


def run(system, t_end, **options):
    return cm.simulate(system, t_end, method="nonsmooth", **{"step": STEP, **options})


@pytest.mark.parametrize(("dim", "solver", "scheme"), CASES)
@pytest.mark.parametrize("shape", [0.4, 0.5], ids=["ball", "disc"])
def test_a_wheel_slows_down_stops_and_stays(dim, solver, scheme, shape):
    """(1 + c) m a = −m g b/R with I = c m R²: it stops after v²/2a, within the way of one step, and stays there."""
    deceleration = GRAVITY * LEVER / RADIUS / (1.0 + shape)
    stop = SPEED / deceleration
    result = run(wheel(dim, shape), 1.1 * stop, solver=solver, scheme=scheme)
    body, late = result["wheel"], result.t > stop + 2.0 * STEP
    speed = np.linalg.norm(body.velocity, axis=1)
    before = result.t < stop - STEP
    np.testing.assert_allclose(speed[before], SPEED - deceleration * result.t[before], atol=1e-11)
    way = np.linalg.norm(body.position[:, : dim - 1], axis=1)
    assert way[-1] == pytest.approx(SPEED**2 / (2.0 * deceleration), abs=deceleration * STEP**2 / 8.0)
    assert speed[late].max() < 2e-12
    assert np.ptp(way[late]) < 1e-12
    assert result.energy.friction[-1] == pytest.approx(MASS * GRAVITY * LEVER / RADIUS * way[-1], rel=1e-8)
    assert result.energy.drift < 1e-11


@pytest.mark.parametrize("dim", [2, 3])
def test_a_ball_on_an_incline_stays_up_to_the_angle_of_its_lever(dim):
    """It stays for tan θ ≤ b/R, and rolls with 5/7 g (sin θ − b/R cos θ) beyond."""
    stays = run(wheel(dim, slope=math.atan(0.99 * LEVER / RADIUS), speed=0.0), 2.0)
    assert np.abs(stays["wheel"].position[:, : dim - 1]).max() < 1e-12
    slope = math.atan(1.5 * LEVER / RADIUS)
    rolls = run(wheel(dim, slope=slope, speed=0.0), 2.0)
    acceleration = 5.0 / 7.0 * GRAVITY * (math.sin(slope) - LEVER / RADIUS * math.cos(slope))
    speed = np.linalg.norm(rolls["wheel"].velocity, axis=1)
    np.testing.assert_allclose(speed, acceleration * rolls.t, atol=1e-11)


@pytest.mark.parametrize("solver", SOLVERS[3])
def test_a_ball_that_spins_about_the_normal_slows_down_and_stops(solver):
    """I dω/dt = −b_s m g."""
    spinning, spin = 1e-4, 7.0
    deceleration = spinning * MASS * GRAVITY / (0.4 * MASS * RADIUS**2)
    result = run(wheel(3, speed=0.0, spin=spin, spinning=spinning), 1.2 * spin / deceleration, solver=solver)
    expected = np.maximum(spin - deceleration * result.t, 0.0)
    np.testing.assert_allclose(result["wheel"].wz, expected, atol=1e-9)
    late = result.t > spin / deceleration + 2.0 * STEP
    assert np.abs(result["wheel"].wz[late]).max() < 1e-11


def test_rotation_about_the_normal_is_free_without_spinning_resistance():
    result = run(wheel(3, speed=0.0, spin=7.0), 0.5)
    np.testing.assert_allclose(result["wheel"].wz, 7.0, atol=1e-12)


@pytest.mark.parametrize("fraction", [0.5, 2.0])
def test_the_torque_impulse_of_an_impact_is_limited_by_the_normal_impulse(fraction):
    """P = m v stops a spin of b_s m v/I at most; the weight acts during half a step more."""
    spinning, fall = 1e-3, 3.0
    most = spinning * MASS * fall / (0.4 * MASS * RADIUS**2)
    system = wheel(3, speed=0.0, spin=fraction * most, spinning=spinning, height=1e-5, fall=fall)
    system.gravity = (0.0, 0.0, 0.0)
    result = run(system, 10.0 * STEP)
    assert result["wheel"].wz[-1] == pytest.approx(max(fraction - 1.0, 0.0) * most, abs=1e-11)


def test_a_contact_without_resistance_is_free_beside_one_with_it():
    """Two balls on one floor: only the one whose contact has a lever slows down."""
    system = wheel(3)
    other = system.add(cm.Body("free", MASS, 0.4 * MASS * RADIUS**2, (5.0, 0.0, RADIUS), velocity=(SPEED, 0.0, 0.0),
                               angular_velocity=(0.0, SPEED / RADIUS, 0.0)))  # fmt: skip
    impact = cm.ImpactLaw(0.0, friction=0.5)
    system.add(cm.Contact(cm.Sphere(other, RADIUS), cm.Plane(system.ground), impact=impact, name="free floor"))
    result = run(system, 0.5)
    np.testing.assert_allclose(result["free"].vx, SPEED, atol=1e-12)
    expected = SPEED - 5.0 / 7.0 * GRAVITY * LEVER / RADIUS * 0.5
    assert np.linalg.norm(result["wheel"].velocity[-1]) == pytest.approx(expected, abs=1e-11)


def test_compliant_and_nonsmooth_runs_agree():
    """The torques of both physics have the same limits; the indentation changes the radius by 7e-5 of it."""
    system = wheel(3, spin=20.0, spinning=1e-3, height=-((MASS * GRAVITY / STIFFNESS) ** (2.0 / 3.0)))
    soft = cm.simulate(system, 0.3)
    system["wheel"].position = (0.0, 0.0, RADIUS)
    rigid = run(system, 0.3)
    np.testing.assert_allclose(rigid["wheel"].velocity[-1], soft["wheel"].velocity[-1], atol=3e-5)
    np.testing.assert_allclose(rigid["wheel"].angular_velocity[-1], soft["wheel"].angular_velocity[-1], atol=7e-4)
    assert rigid.energy.friction[-1] == pytest.approx(soft.energy.friction[-1], rel=1e-4)


def test_many_wheels_without_a_delassus_matrix_follow_the_same_law():
    """Sixty balls use the solver for many contacts; each slows down as one alone does."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    for k in range(60):
        body = system.add(cm.Body(f"ball {k}", MASS, 0.4 * MASS * RADIUS**2, (k, 0.0, RADIUS), velocity=(0.0, 1.0, 0.0),
                                  angular_velocity=(-1.0 / RADIUS, 0.0, 5.0)))  # fmt: skip
        system.add(cm.Contact(cm.Sphere(body, RADIUS), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, friction=0.5),
                              rolling=cm.friction.Rolling(LEVER, spinning=1e-4)))  # fmt: skip
    result = run(system, 0.05, output=0.05)
    assert result.stats["solvers"]["sweeps"] > 0
    speed, spin = 1.0 - 5.0 / 7.0 * GRAVITY * LEVER / RADIUS * 0.05, 5.0 - 2.5e-4 * GRAVITY / RADIUS**2 * 0.05
    for k in (0, 31, 59):
        body = result[f"ball {k}"]
        assert body.vy[-1] == pytest.approx(speed, abs=3e-8)
        assert np.linalg.norm(body.angular_velocity[-1]) == pytest.approx(math.hypot(speed / RADIUS, spin), abs=3e-7)


@pytest.mark.parametrize(
    ("dim", "options", "complaint"),
    [
        (2, {"solver": "enumeration"}, r"'floor': solver='enumeration' does not support rolling resistance in 2D; use "
         "solver='lemke' or solver='alart-curnier' or solver='pgs'"),
        (3, {"solver": "lemke"}, r"'floor': solver='lemke' .* in 3D; use solver='alart-curnier' or solver='pgs'"),
        (3, {"scheme": "event-driven", "solver": "enumeration"}, r"'floor': solver='enumeration' .* in 3D"),
    ],
)  # fmt: skip
def test_solvers_that_cannot_do_it_are_refused(dim, options, complaint):
    with pytest.raises(cm.ModelError, match=complaint):
        run(wheel(dim), 0.1, **options)
