"""Kinematics of driven mechanisms against closed forms, and the limits of their reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import carom as cm
from carom import Outcome
from quick import examples
from solve.mechanisms import FourBar, pendulum, slider_crank, violations

TIME = sympy.symbols("t")


def derivatives(expression: sympy.Expr, times: np.ndarray) -> np.ndarray:
    """Value, first and second derivative of an expression in ``TIME``, one row each."""
    parts = [sympy.diff(expression, TIME, order) for order in range(3)]
    return np.array([np.broadcast_to(sympy.lambdify(TIME, part)(times), times.shape) for part in parts])


def driven_slider_crank(motion: cm.Motion, angle: float = 0.0) -> cm.System:
    system = slider_crank(0.15, 0.4, angle)
    system.add(cm.Driver(system["bearing"], motion, name="motor"))
    return system


def slider_position(angle: sympy.Expr) -> sympy.Expr:
    r, l = sympy.Rational(15, 100), sympy.Rational(40, 100)
    return r * sympy.cos(angle) + sympy.sqrt(l**2 - (r * sympy.sin(angle)) ** 2)


def test_slider_crank_follows_its_closed_form():
    result = cm.kinematics(driven_slider_crank(cm.ConstantSpeed(20.0)), 1.0, points=401)
    x, v, a = derivatives(slider_position(20 * TIME), result.t)
    assert result.outcome is Outcome.FINISHED
    np.testing.assert_allclose(result["slider"].x, x, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["slider"].vx, v, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(result["slider"].ax, a, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(result["crank"].angle, 20.0 * result.t, rtol=0.0, atol=1e-12)


def test_four_bar_follows_its_closed_form():
    linkage = FourBar(0.5, 1.5, 1.2, 1.6)
    system = linkage.system(0.4)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(7.0)))
    result = cm.kinematics(system, 1.8, points=501)
    angle = 0.4 + 7.0 * result.t
    coupler, rocker = linkage.angles(angle)
    np.testing.assert_allclose(result["coupler"].angle, np.unwrap(coupler), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["rocker"].angle, np.unwrap(rocker), rtol=0.0, atol=1e-12)
    near, far = linkage.pins(angle)
    np.testing.assert_allclose(result["coupler"].position, (0.5 * (near + far)).T, rtol=0.0, atol=1e-12)
    # Velocity ratio by the angles at the pins: ω₃/ω₁ = r₁ sin(θ₁ − θ₂) / (r₃ sin(θ₃ − θ₂)).
    ratio = 0.5 * np.sin(angle - coupler) / (1.2 * np.sin(rocker - coupler))
    np.testing.assert_allclose(result["rocker"].omega, 7.0 * ratio, rtol=0.0, atol=1e-11)
    ratio = 0.5 * np.sin(rocker - angle) / (1.5 * np.sin(coupler - rocker))
    np.testing.assert_allclose(result["coupler"].omega, 7.0 * ratio, rtol=0.0, atol=1e-11)


@examples(20)
@given(st.floats(0.2, 0.6), st.floats(1.05, 2.0), st.floats(1.05, 2.0), st.floats(-3.0, 3.0))
def test_every_crank_rocker_of_grashof_goes_round(crank, coupler, rocker, start):
    """Shortest + longest < the other two, the crank shortest: it turns fully, and the rocker is back after a turn."""
    base = max(coupler, rocker) - 0.5 * min(crank, coupler - crank, rocker - crank)
    lengths = sorted([crank, coupler, rocker, base])
    assume(lengths[0] + lengths[3] < lengths[1] + lengths[2] - 0.02)
    linkage = FourBar(crank, coupler, rocker, base)
    system = linkage.system(start)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(2.0 * math.pi)))
    result = cm.kinematics(system, 1.0, points=41)
    assert result.outcome is Outcome.FINISHED
    expected = linkage.angles(start + 2.0 * math.pi * result.t)[1]
    np.testing.assert_allclose(result["rocker"].angle, np.unwrap(expected), rtol=0.0, atol=1e-10)
    assert result["rocker"].angle[-1] == pytest.approx(result["rocker"].angle[0], abs=1e-10)


def test_four_bar_accelerations_satisfy_its_loop_equation():
    """r₁ e^(iθ₁) + r₂ e^(iθ₂) = base + r₃ e^(iθ₃), differentiated twice: two equations for θ₂'' and θ₃''."""
    linkage, speed = FourBar(0.5, 1.5, 1.2, 1.6), 7.0
    system = linkage.system(0.4)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(speed)))
    result = cm.kinematics(system, 0.9, points=61)
    for k, t in enumerate(result.t):
        angle = 0.4 + speed * t
        coupler, rocker = linkage.angles(angle)
        crank_arm, coupler_arm, rocker_arm = (
            0.5 * np.exp(1j * angle),
            1.5 * np.exp(1j * coupler),
            1.2 * np.exp(1j * rocker),
        )
        unknown = np.array([1j * coupler_arm, -1j * rocker_arm])
        matrix = np.array([unknown.real, unknown.imag])
        first = -1j * crank_arm * speed
        rates = np.linalg.solve(matrix, [first.real, first.imag])
        second = crank_arm * speed**2 + coupler_arm * rates[0] ** 2 - rocker_arm * rates[1] ** 2
        expected = np.linalg.solve(matrix, [second.real, second.imag])
        found = (result["coupler"].alpha[k], result["rocker"].alpha[k])
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-10)


def test_few_points_give_the_same_positions_as_many():
    coarse = cm.kinematics(driven_slider_crank(cm.ConstantSpeed(20.0)), 1.0, points=6)
    fine = cm.kinematics(driven_slider_crank(cm.ConstantSpeed(20.0)), 1.0, points=1001)
    np.testing.assert_allclose(coarse.q, fine.q[::200], rtol=0.0, atol=1e-12)


def test_kinematics_and_dynamics_of_a_driven_mechanism_agree():
    system = driven_slider_crank(cm.SineMotion(0.9, 2.0), angle=1.1).assemble()
    exact = cm.kinematics(system, 1.0, points=101)
    run = cm.simulate(system, 1.0, output=exact.t[1:])
    np.testing.assert_allclose(run.q, exact.q, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(run.a, exact.a, rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(run["motor"].effort, exact["motor"].effort, rtol=0.0, atol=1e-6)


def test_velocities_satisfy_the_constraints():
    system = driven_slider_crank(cm.SineMotion(0.9, 2.0), angle=1.1)
    position, speed = violations(system, cm.kinematics(system, 1.0, points=201))
    assert position < 1e-14
    assert speed < 1e-12


# ---- every motion


def quintic(t: sympy.Symbol, t0: float, x0: float, t1: float, x1: float) -> sympy.Expr:
    x = (t - t0) / (t1 - t0)
    inside = x0 + (x1 - x0) * x**3 * (10 - 15 * x + 6 * x**2)
    return sympy.Piecewise((x0, t < t0), (x1, t > t1), (inside, True))


TABLE = np.linspace(0.0, 1.0, 9)


@pytest.mark.parametrize(
    ("motion", "expression", "tolerance"),
    [
        (cm.ConstantSpeed(3.0, start=0.2), sympy.Rational(1, 5) + 3 * TIME, 1e-12),
        (cm.SineMotion(0.7, 2.0, phase=0.4, offset=0.3), 0.3 + 0.7 * sympy.sin(4 * sympy.pi * TIME + 0.4), 1e-12),
        (cm.PolynomialMotion([0.1, -2.0, 3.0, 0.5]), 0.1 - 2 * TIME + 3 * TIME**2 + TIME**3 / 2, 1e-12),
        (cm.StepMotion(0.2, 0.1, 0.8, 1.4), quintic(TIME, 0.2, 0.1, 0.8, 1.4), 1e-12),
        # A cubic is its own spline.
        (cm.TableMotion(TABLE, 0.3 + TABLE - 2 * TABLE**3), 0.3 + TIME - 2 * TIME**3, 1e-12),
        # Differences of eighth order: ten digits of the rate, eight of the acceleration.
        (cm.FunctionMotion(lambda t: 0.5 * math.cos(5.0 * t)), sympy.cos(5 * TIME) / 2, 1e-8),
        (
            cm.FunctionMotion(
                lambda t: 0.5 * math.cos(5.0 * t),
                lambda t: -2.5 * math.sin(5.0 * t),
                lambda t: -12.5 * math.cos(5.0 * t),
            ),
            sympy.cos(5 * TIME) / 2,
            1e-12,
        ),
    ],
    ids=["constant speed", "sine", "polynomial", "step", "table", "function", "function with derivatives"],
)
def test_motion_is_passed_on_to_position_velocity_and_acceleration(motion, expression, tolerance):
    result = cm.kinematics(driven_slider_crank(motion, angle=float(expression.subs(TIME, 0))), 1.0, points=51)
    x, v, a = derivatives(slider_position(expression), result.t)
    size = max(1.0, np.abs(a).max())
    np.testing.assert_allclose(result["slider"].x, x, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(result["slider"].vx, v, rtol=0.0, atol=10 * tolerance * size)
    np.testing.assert_allclose(result["slider"].ax, a, rtol=0.0, atol=100 * tolerance * size)


def test_plain_function_of_time_is_a_motion():
    system = pendulum(inertia=0.1)
    system.add(cm.Driver((system["bob"], "angle"), lambda t: 0.3 * math.sin(2.0 * t), name="shake"))
    result = cm.kinematics(system, 1.0, points=11)
    np.testing.assert_allclose(result["bob"].angle, 0.3 * np.sin(2.0 * result.t), atol=1e-14)
    np.testing.assert_allclose(result["shake"].angle_rate, 0.6 * np.cos(2.0 * result.t), atol=1e-9)


# ---- what cannot be


@pytest.mark.parametrize(
    ("bodies", "words"), [(1, "has 1 degree of freedom left"), (2, "has 2 degrees of freedom left")]
)
def test_freedom_that_is_left_is_counted(bodies, words):
    system = cm.System(name="idle")
    for k in range(bodies):
        body = system.add(cm.Body(f"body {k}", 1.0, 1.0, position=(k + 1.0, 0.0)))
        system.add(cm.Revolute(system.ground, body, at=(k, 0.0)))
    with pytest.raises(cm.ModelError, match=f"'idle' {words}; kinematics needs a Driver for each"):
        cm.kinematics(system, 1.0)


def test_driver_that_asks_too_much_ends_the_analysis_at_the_limit():
    """Crank of a double rocker: it can turn until coupler and rocker are stretched."""
    linkage = FourBar(1.0, 1.5, 1.2, 2.0)
    system = linkage.system(0.3)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(1.0), name="motor"))
    limit = math.acos((1.0 + 4.0 - 2.7**2) / 4.0) - 0.3
    with pytest.warns(cm.CaromWarning, match="out of reach"):
        result = cm.kinematics(system, 3.0, points=301)
    assert result.outcome in (Outcome.NOT_CONVERGED, Outcome.SINGULAR)
    assert limit - 0.02 < result.t[-1] <= limit
    assert "'C'" in result.message
    assert "out of reach" in result.message
    np.testing.assert_allclose(result["rocker"].angle, linkage.angles(0.3 + result.t)[1], atol=1e-9)


def test_two_drivers_that_contradict_each_other_cannot_start():
    system = FourBar(0.5, 1.5, 1.2, 1.6).system(0.4)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(1.0), name="one"))
    system.add(cm.Driver((system["rocker"], "angle"), cm.ConstantSpeed(1.0), name="two"))
    # Both hold in the first position, where one of them is redundant; no velocity satisfies both.
    with (
        pytest.warns(cm.CaromWarning, match="redundant, in 'two'"),
        pytest.raises(cm.ModelError, match=r"no velocities satisfy .*'one', 'two'"),
    ):
        cm.kinematics(system, 1.0)


@pytest.mark.parametrize("points", [1, 0, -3])
def test_too_few_points_are_refused(points):
    with pytest.raises(cm.ModelError, match="points must be at least 2"):
        cm.kinematics(driven_slider_crank(cm.ConstantSpeed(1.0)), 1.0, points=points)


def test_table_must_cover_the_analysis():
    table = cm.TableMotion([0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.2, 0.3])
    with pytest.raises(cm.ModelError, match=r"covers 0 s to 0.3 s, the run needs 0 to 1 s"):
        cm.kinematics(driven_slider_crank(table), 1.0)


def test_system_is_not_changed():
    system = driven_slider_crank(cm.ConstantSpeed(1.0))
    before = [(body.position, body.angle, body.velocity) for body in system.bodies]
    cm.kinematics(system, 1.0, points=11)
    assert before == [(body.position, body.angle, body.velocity) for body in system.bodies]
