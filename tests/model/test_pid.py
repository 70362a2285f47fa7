"""PID controllers move like the sampled system, keep their limits, and do not wind up."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm

PERIOD, MASS = 0.01, 2.0
GAINS = {"kp": 60.0, "ki": 20.0, "kd": 15.0}


def cart(**options) -> cm.System:
    """A cart that a PID controller moves to the input "target"."""
    system = cm.System(name="cart")
    body = system.add(cm.Body("cart", MASS, 0.1))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0), at=(0.0, 0.0)))
    push = system.add(cm.Input("push", unit="N"))
    target = system.add(cm.Input("target", unit="m", value=0.1))
    system.add(cm.PointForce(body, (push, 0.0)))
    system.add(cm.PID("cart.x", push, target, period=PERIOD, **{**GAINS, **options}))
    return system


def sampled(count: int, filter_time: float = 0.0) -> np.ndarray:
    """Positions at the calls: exact motion under constant forces between them."""
    x = v = total = rate = 0.0
    last, places = 0.0, []
    for _ in range(count):
        places.append(x)
        error = 0.1 - x
        total += error * PERIOD
        # filter_time · ṙ + r = dx/dt, by the implicit Euler method
        rate = (filter_time * rate + (x - last)) / (filter_time + PERIOD)
        last = x
        a = (60.0 * error + 20.0 * total - 15.0 * rate) / MASS
        x, v = x + v * PERIOD + 0.5 * a * PERIOD**2, v + a * PERIOD
    return np.array(places)


@pytest.mark.parametrize("filter_time", [0.0, 0.03])
def test_a_pid_controller_moves_like_the_sampled_system(filter_time):
    result = cm.simulate(cart(filter_time=filter_time), 2.0, output=PERIOD)
    np.testing.assert_allclose(result["cart"].x[:200], sampled(200, filter_time), atol=1e-9)


def test_the_output_keeps_its_limits_and_the_integral_does_not_wind_up():
    system = cart(ki=50.0, kd=25.0, limits=(-1.0, 2.0))
    sim = cm.Simulation(system)
    sim["target"] = 100.0  # out of reach
    sim.run_until(5.0)
    assert sim["push"] == 2.0
    assert sim["cart"].x == pytest.approx(0.5 * 2.0 / MASS * 25.0, rel=1e-9)  # all the time at the limit
    sim["target"] = sim["cart"].x  # the error is zero: only rate and integral are left
    sim.advance(PERIOD)
    assert sim["push"] == -1.0  # the rate 5 m/s brakes at once
    push = sim.result["push"].value
    assert push.min() == -1.0
    assert push.max() == 2.0


def test_a_jump_of_the_set_point_causes_no_peak_of_the_rate():
    sim = cm.Simulation(cart(kp=1.0, ki=0.0, kd=1e3))
    sim["target"] = 5.0
    sim.advance(PERIOD)
    assert sim["push"] == pytest.approx(5.0)


def test_a_state_continues_with_the_same_bits():
    sim = cm.Simulation(cart())
    sim.run_until(0.5)
    state = sim.save_state()
    sim.run_until(1.0)
    first = sim.result
    sim.restore(state)
    sim.run_until(1.0)
    assert sim.result.same_as(first)


def test_bad_arguments_are_refused():
    push = cm.Input("push")
    for options, message in (
        ({"kp": np.nan}, "kp must be finite"),
        ({"limits": (1.0, 1.0)}, r"limits must be \(low, high\) with low < high"),
        ({"filter_time": -1.0}, "filter_time must be positive or zero"),
        ({"period": 0.0}, "period must be positive"),
        ({"setpoint": 2.0 * push}, "setpoint must be a number or an input"),
    ):
        with pytest.raises(cm.ModelError, match=message):
            cm.PID("cart.x", push, **{"kp": 1.0, "period": 0.1, **options})
