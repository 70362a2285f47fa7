"""User-defined forces: arguments by their count, the state by names, compiled or interpreted with equal results."""

import math
import warnings

import numba
import numpy as np
import pytest

import carom as cm
from carom.forces.base import Force
from carom.kernels.user_functions import UserFunction
from checkers import ForceProbe, assert_close

LOG: list[float] = []


def interpreted(t):
    LOG.append(t)  # what changes a list of the module is not for Numba
    return t


@numba.njit
def compiled(t):
    return t


def cart() -> tuple[cm.System, cm.Body, cm.Body]:
    system = cm.System()
    wheel = system.add(
        cm.Body("left wheel", 1.0, 0.2, (0.4, 0.3), angle=0.5, velocity=(1.1, -0.7), angular_velocity=2.5)
    )
    base = system.add(cm.Body("base", 2.0, 0.5, position=(-0.6, 0.1), angle=-0.2, velocity=(0.3, 0.9)))
    return system, wheel, base


def effect(system: cm.System, force: Force, t: float = 0.7):
    probe = ForceProbe(system)
    return probe.effect(force, t, probe.start)


def both_modes(make):
    """Return the force of ``make(clock)`` with a clock that Numba can compile, and with one that it cannot."""
    found = []
    for clock in (compiled, interpreted):
        system, wheel, base = cart()
        force = system.add(make(system, wheel, base, clock))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cm.CaromWarning)
            probe = ForceProbe(system)
            found.append(probe.effect(force, 0.7, probe.start))
        assert [kernel.slow for kernel in probe.mechanism.tables.user_kernels] == [clock is interpreted]
    return found


def test_a_function_of_time_is_a_force_of_time():
    fast, slow = both_modes(
        lambda system, wheel, base, clock: cm.PointForce(base, lambda t: (2.0 * clock(t), -3.0 * t * t))
    )
    for found in (fast, slow):
        assert_close(found.wrenches, [[1.4, -1.47, 0.0]], 1e-15, "wrench")


def test_the_state_is_read_by_body_names():
    fast, slow = both_modes(
        lambda system, wheel, base, clock: cm.PointForce(
            wheel, lambda t, s: (s["left wheel"].x + clock(t), s["base"].vy * s["left wheel"].omega)
        )
    )
    for found in (fast, slow):
        assert_close(found.wrenches, [[1.1, 2.25, 0.0]], 1e-15, "wrench")


def test_the_state_has_every_field_of_a_body():
    fields = ("x", "y", "angle", "vx", "vy", "omega", "cos", "sin")
    values = (0.4, 0.3, 0.5, 1.1, -0.7, 2.5, math.cos(0.5), math.sin(0.5))

    def weighted(clock):
        def torque(t, s):
            w = s["left wheel"]
            early = w.x + 10.0 * w.y + 100.0 * w.angle + 1000.0 * w.vx
            return early + 1e4 * w.vy + 1e5 * w.omega + 1e6 * w.cos + 1e7 * w.sin + 0.0 * clock(t)

        return torque

    expected = sum(value * 10.0**k for k, value in enumerate(values))
    assert len(fields) == len(values)
    for found in both_modes(lambda system, wheel, base, clock: cm.Torque(wheel, weighted(clock))):
        assert found.signals[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("clock", [compiled, interpreted])
def test_a_body_may_have_the_name_of_an_attribute_that_arrays_have(clock):
    def torque(t, s):
        return clock(t) + s.base.x + 10.0 * s.data.x + 100.0 * s.item.x

    system = cm.System()
    for k, name in enumerate(("base", "data", "item")):
        body = system.add(cm.Body(name, 1.0, 1.0, position=(k + 1.0, 0.0)))
    motor = system.add(cm.Torque(body, torque))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)
        assert effect(system, motor, t=0.5).signals[0] == 321.5


def test_the_ground_is_part_of_the_state():
    system, wheel, _ = cart()
    torque = system.add(cm.Torque(wheel, lambda t, s: s.ground.x + 2.0 * s.ground.cos))
    assert effect(system, torque).signals[0] == 2.0


@pytest.mark.parametrize(
    "characteristic",
    [
        lambda length, rate: 3.0 * length - 2.0 * rate,
        lambda t, length, rate: 3.0 * length - 2.0 * rate + 5.0 * t - 3.5,
    ],
    ids=["f(length, rate)", "f(t, length, rate)"],
)
def test_a_spring_takes_a_characteristic_of_length_and_rate(characteristic):
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 2.0), velocity=(4.0, 1.5)))
    spring = system.add(cm.SpringDamper(system.ground, ball, tension=characteristic))
    found = effect(system, spring)
    assert_close(found.signals, [2.0, 1.5, 3.0 * 2.0 - 2.0 * 1.5], 1e-15, "signals")
    assert_close(found.applied, -3.0 * 1.5, 1e-15, "applied power")


def test_a_torsion_spring_takes_a_characteristic_of_angle_and_rate():
    found = both_modes(
        lambda system, wheel, base, clock: cm.RotationalSpringDamper(
            base, wheel, torque=lambda t, angle, rate: clock(t) - angle**3 + 0.1 * rate
        )
    )
    for each in found:
        assert each.signals[2] == pytest.approx(0.7 - 0.7**3 + 0.25, rel=1e-14)


def test_a_function_of_time_drives_a_spring_and_a_motor():
    for make in (
        lambda system, wheel, base: cm.SpringDamper(base, wheel, tension=lambda t: 4.0 * t),
        lambda system, wheel, base: cm.RotationalSpringDamper(base, wheel, torque=lambda t: 4.0 * t),
    ):
        system, wheel, base = cart()
        assert effect(system, system.add(make(system, wheel, base))).signals[2] == pytest.approx(2.8, rel=1e-15)


def test_an_interpreted_force_warns_once_and_names_the_force():
    system, wheel, _ = cart()
    system.add(cm.Torque(wheel, lambda t: interpreted(t), name="motor"))
    with pytest.warns(cm.CaromWarning, match="Torque 'motor': Numba cannot compile") as caught:
        cm.simulate(system, 0.1)
    assert len(caught) == 1


def braked(clock):
    return lambda t, s: -0.3 * s["left wheel"].omega + math.sin(clock(t))


def test_interpreted_and_compiled_runs_are_equal():
    ends = []
    for clock in (compiled, interpreted):
        system, wheel, _ = cart()
        system.add(cm.Torque(wheel, braked(clock)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cm.CaromWarning)
            ends.append(cm.simulate(system, 0.5)["left wheel"].omega[-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-13)
    # ω' = (sin t − 0.3 ω)/J: the particular solution is (sin t·b − cos t)/(1 + b²)/J with b = 0.3/J
    b, inertia, t = 1.5, 0.2, 0.5
    forced = (b * math.sin(t) - math.cos(t) + math.exp(-b * t)) / (1.0 + b * b) / inertia
    assert ends[0] == pytest.approx(2.5 * math.exp(-b * t) + forced, rel=1e-8)


@pytest.mark.parametrize("integrator", ["dopri5", "bdf"])
@pytest.mark.parametrize("when", [-1.0, 0.05], ids=["at the start", "later"])
def test_simulate_raises_the_error_of_an_interpreted_force(when: float, integrator: str):
    def torque(t):
        if interpreted(t) > when:
            raise LookupError("no such torque")
        return 0.1

    system, wheel, _ = cart()
    system.add(cm.Torque(wheel, torque))
    with pytest.warns(cm.CaromWarning), pytest.raises(LookupError, match="no such torque"):
        cm.simulate(system, 0.5, integrator=integrator)


def test_simulate_raises_the_error_of_a_compiled_force():
    def torque(t):
        if t > 0.05:
            raise ValueError("no such torque")
        return 0.1

    system, wheel, _ = cart()
    system.add(cm.Torque(wheel, torque))
    with pytest.raises(ValueError, match="no such torque"):
        cm.simulate(system, 0.5)


def test_the_number_of_arguments_must_suit_the_element():
    _, wheel, base = cart()
    with pytest.raises(cm.ModelError, match=r"Torque 'motor'.*1 or 2 arguments, 'three' has 3"):
        cm.Torque(wheel, three, name="motor")
    with pytest.raises(cm.ModelError, match=r"SpringDamper .*1 or 2 or 3 arguments, 'none' has 0"):
        cm.SpringDamper(base, wheel, tension=none)


def three(t, s, more):
    return t


def none():
    return 1.0


def test_optional_arguments_are_filled_if_the_element_has_them():
    def torque(t, s=None):
        return t

    assert UserFunction("test", torque, (("t",), ("t", "state"))).style == ("t", "state")


def test_a_force_needs_two_components():
    _, wheel, _ = cart()
    with pytest.raises(cm.ModelError, match=r"PointForce 'push': force must be 2 numbers, got 3"):
        cm.PointForce(wheel, (1.0, 2.0, 3.0), name="push")
    assert np.size(cm.PointForce(wheel, (1.0, 2.0)).force) == 2
