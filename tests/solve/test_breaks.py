"""Prescribed motions that change their form on the way: steps end there, and nothing else happens."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from carom.solve.compliant.registry import INTEGRATORS


def fixed(integrator: str) -> dict[str, float]:
    return {"max_step": 1e-3} if integrator == "rk4" else {}


def stepped(smooth: str = "cubic") -> cm.System:
    """A body moved by 1 m between 0.3 and 0.6 s."""
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("body", 1.0, 1.0))
    system.add(cm.Driver((body, "x"), cm.StepMotion(0.3, 0.0, 0.6, 1.0, smooth)))
    return system


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_steps_end_where_a_motion_changes_its_form(integrator):
    result = cm.simulate(stepped(), 1.0, integrator=integrator, **fixed(integrator))
    assert {0.3, 0.6, 1.0} <= set(result.t.tolist())
    assert result["body"].x[-1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_output_next_to_a_break_does_not_stop_the_run(integrator):
    # 3 · 0.1 is the float after 0.3: two stops one rounding apart.
    result = cm.simulate(stepped(), 1.0, integrator=integrator, output=0.1, **fixed(integrator))
    assert result.outcome.ok, result.message
    np.testing.assert_array_equal(result.t, [0.1 * k for k in range(10)] + [1.0])


@pytest.mark.parametrize("smooth", ["quintic", "cubic"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_clock_runs_on_through_a_break(integrator, smooth):
    result = cm.simulate(stepped(smooth), 1.0, integrator=integrator, **fixed(integrator))
    # A prescribed displacement asks for few steps; only where a form ends are there two nodes, before and after.
    twice = result.t[:-1][np.diff(result.t) == 0.0]
    assert set(twice.tolist()) <= {0.3, 0.6}
    assert len(twice) <= 2
    assert result.stats["steps"] <= 1200


def test_acceleration_jumps_where_a_cubic_begins_and_ends():
    """x = 3s² − 2s³ over 0.3 s: ẍ goes from 0 to 6/0.3², and from −6/0.3² back to 0."""
    result = cm.simulate(stepped("cubic"), 1.0)
    for time, before, after in ((0.3, 0.0, 6.0 / 0.09), (0.6, -6.0 / 0.09, 0.0)):
        first, second = np.flatnonzero(result.t == time)
        assert result["body"].ax[first] == pytest.approx(before, abs=1e-10)
        assert result["body"].ax[second] == pytest.approx(after, abs=1e-10)
        assert result["body"].vx[first] == result["body"].vx[second]
    # Sampled in between, nothing of the jump is smeared out.
    times = np.array([0.29, 0.31, 0.59, 0.61])
    expected = [0.0, (6.0 - 12.0 / 30.0) / 0.09, (6.0 - 12.0 * 29.0 / 30.0) / 0.09, 0.0]
    np.testing.assert_allclose(result.sample(times)["body"].ax, expected, atol=1e-6)


def test_work_of_a_driver_over_a_step_is_what_the_books_say():
    """Starting and ending at rest at the same height needs no work in all."""
    system = cm.System()
    body = system.add(cm.Body("body", 3.0, 1.0))
    system.add(cm.Driver((body, "x"), cm.StepMotion(0.2, 0.0, 0.7, 1.0), name="drive"))
    result = cm.simulate(system, 1.0)
    assert result.energy.driver_work[-1] == pytest.approx(0.0, abs=1e-8)
    # Half way the speed is 15/8 of the mean speed 1/0.5.
    top = np.flatnonzero(result.t <= 0.45)[-1]
    work = result.sample([0.45]).energy.driver_work[0]
    assert work == pytest.approx(0.5 * 3.0 * (15.0 / 8.0 / 0.5) ** 2, rel=1e-4)
    assert result.energy.driver_work[top] <= work * (1.0 + 1e-4)


# ---- what hangs on a driven body feels the jump of its acceleration at the right time


def hung_pendulum() -> cm.System:
    """A bob 1 m below a carriage that goes 1 m to the side between 0.25 and 0.75 s, by a cubic."""
    system = cm.System(gravity=(0.0, -9.81))
    carriage = system.add(cm.Body("carriage", 1.0, 1.0))
    bob = system.add(cm.Body("bob", 1.0, 0.5, position=(0.0, -1.0)))
    system.add(cm.Prismatic(system.ground, carriage, axis=(1.0, 0.0)))
    system.add(cm.Revolute(carriage, bob, at=(0.0, 0.0)))
    system.add(cm.Driver((carriage, "x"), cm.StepMotion(0.25, 0.0, 0.75, 1.0, "cubic")))
    return system


@pytest.fixture(scope="module")
def swing() -> float:
    """Angle of the bob at 1 s: (m L² + I) φ'' = −m g L sin φ − m L ẍ cos φ, piece by piece."""
    state = np.zeros(2)
    for start, end, carried in ((0.0, 0.25, False), (0.25, 0.75, True), (0.75, 1.0, False)):

        def rate(t, y, carried=carried):
            pushed = (6.0 - 12.0 * (t - 0.25) / 0.5) / 0.25 if carried else 0.0
            return [y[1], -(9.81 * np.sin(y[0]) + pushed * np.cos(y[0])) / 1.5]

        state = solve_ivp(rate, (start, end), state, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return float(state[0])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_jump_of_the_driven_acceleration_costs_no_accuracy(integrator, swing):
    result = cm.simulate(hung_pendulum(), 1.0, integrator=integrator, **fixed(integrator))
    assert result["bob"].angle[-1] == pytest.approx(swing, abs=5e-8)


@pytest.mark.parametrize(
    ("integrator", "steps", "error"),
    [("dopri5", 64, 1e-8), ("tsit5", 64, 1e-8), ("dop853", 16, 1e-8), ("rk4", 64, 5e-7)],
)
def test_steps_between_the_breaks_see_one_smooth_piece_each(integrator, steps, error, swing):
    """One stage on the wrong side of a break would cost the order: errors of 1e-5 with as many steps."""
    result = cm.simulate(hung_pendulum(), 1.0, integrator=integrator, rtol=1e6, atol=1e6, max_step=1.0 / steps)
    assert result["bob"].angle[-1] == pytest.approx(swing, abs=error)


def test_classical_method_keeps_its_order_through_a_break(swing):
    steps = (32, 64, 128)
    errors = [
        abs(cm.simulate(hung_pendulum(), 1.0, integrator="rk4", max_step=1.0 / count)["bob"].angle[-1] - swing)
        for count in steps
    ]
    assert -np.polyfit(np.log(steps), np.log(errors), 1)[0] >= 3.7


# ---- functions of forces that switch


def kicked(load) -> cm.System:
    """A body of 2 kg on a spring of 50 N/m."""
    system = cm.System()
    body = system.add(cm.Body("body", 2.0, 1.0, position=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground, body, stiffness=50.0))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    system.add(cm.PointForce(body, load))
    return system


def plain_load(t):
    return (10.0 if t < 0.3 else 0.0, 0.0)


plain_load.breaks = (0.3,)


@pytest.mark.parametrize(
    "load", [cm.expression(["10 if t < 0.3 else 0", "0"]), plain_load], ids=["formula", "function"]
)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_load_that_ends_costs_no_accuracy(integrator, load):
    """x = F/k (1 − cos ωt) until 0.3 s, free oscillation from there."""
    result = cm.simulate(kicked(load), 1.0, integrator=integrator, **fixed(integrator))
    assert result.t[np.flatnonzero(np.diff(result.t) == 0.0)].tolist() == [0.3]
    omega, length = 5.0, 10.0 / 50.0
    expected = 1.0 + length * (np.cos(omega * 0.7) - np.cos(omega * 1.0))
    assert result["body"].x[-1] == pytest.approx(expected, abs=1e-7)


def test_steps_do_not_see_past_the_end_of_a_load():
    """With 16 fixed steps between the breaks, an order of 5 gives 1e-7; one stage on the wrong side, 1e-3."""
    load = cm.expression(["10 if t < 0.3 else 0", "0"])
    result = cm.simulate(kicked(load), 1.0, integrator="dopri5", rtol=1e6, atol=1e6, max_step=1.0 / 16)
    assert result["body"].x[-1] == pytest.approx(1.0 + 0.2 * (np.cos(3.5) - np.cos(5.0)), abs=1e-6)


def test_short_load_on_a_body_at_rest_is_not_missed():
    """Implicit steps at rest are 5 ms long; the pulse lasts 1 ms."""
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", mass=0.1, inertia=1e-5, position=(0.0, 0.01)))
    system.add(cm.Contact(cm.Sphere(ball, 0.01), cm.Plane(system.ground), cm.laws.Flores(1e8, 0.5)))
    system.add(cm.PointForce(ball, cm.expression(["0", "-20 if 2 < t < 2.001 else 0"])))
    assert max(impact.peak_force for impact in cm.simulate(system, 20.0).impacts) > 20.9


def test_times_of_a_function_must_be_numbers():
    def load(t):
        return (0.0, 0.0)

    load.breaks = ("soon",)
    with pytest.raises(cm.ModelError, match=r"load\.breaks"):
        kicked(load)
