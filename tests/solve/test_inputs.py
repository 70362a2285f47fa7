"""Inputs of a simulation: what follows them has closed forms, in all methods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from quick import slow_but

METHODS: dict[str, dict[str, Any]] = {
    "compliant": {},
    "implicit": {"integrator": "implicit"},
    "time stepping": {"method": "nonsmooth", "step": 1e-3},
    "event-driven": {"method": "nonsmooth", "scheme": "event-driven", "t_end": 2.0},
}
QUICK = ("compliant", "time stepping", "event-driven")
INERTIA = 0.5


def rotor(u: cm.Input, torque: Any = None) -> cm.System:
    """A rotor on a shaft with a torque that follows an input."""
    system = cm.System(name="rotor")
    wheel = system.add(cm.Body("wheel", mass=1.0, inertia=INERTIA))
    system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0), name="shaft"))
    system.add(u)
    system.add(cm.Torque(wheel, u if torque is None else torque, name="motor"))
    return system


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_held_torque_gives_constant_accelerations(method):
    sim = cm.Simulation(rotor(cm.Input("u", unit="N m", value=1.0)), **METHODS[method])
    sim.advance(0.5)
    sim["u"] = -3.0
    assert sim["u"] == -3.0
    sim.advance(0.25)
    speed = (1.0 * 0.5 - 3.0 * 0.25) / INERTIA
    assert sim["wheel"].omega == pytest.approx(speed, rel=1e-12)
    assert sim.result["u"].value.tolist() == [1.0, -3.0, -3.0]  # each value applies from its node on
    assert sim.result["u"].units == {"value": "N m"}
    angle = 0.5 * 2.0 * 0.5**2 + (1.0 * 0.25 + 0.5 * -6.0 * 0.25**2)
    assert sim["wheel"].angle == pytest.approx(angle, rel=1e-3 if method == "time stepping" else 1e-12)


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_linear_inputs_change_evenly_during_the_next_interval(method):
    sim = cm.Simulation(rotor(cm.Input("u", value=1.0, hold="linear")), **METHODS[method])
    sim["u"] = 3.0
    assert sim["u"] == 1.0
    sim.advance(0.5)
    assert sim["u"] == 3.0
    sim.advance(0.5)
    assert sim["wheel"].omega == pytest.approx((0.5 * 2.0 + 0.5 * 3.0) / INERTIA, rel=1e-11)
    assert sim.result["u"].value.tolist() == [1.0, 3.0, 3.0]


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_an_input_follows_a_function_of_time_until_it_is_set(method):
    sim = cm.Simulation(rotor(cm.Input("u", value=lambda t: math.cos(5.0 * t))), **METHODS[method])
    sim.run_until(0.7)
    assert sim["u"] == pytest.approx(math.cos(3.5))
    speed = math.sin(3.5) / 5.0 / INERTIA
    tolerance = 1e-5 if method == "time stepping" else 1e-7
    assert sim["wheel"].omega == pytest.approx(speed, abs=tolerance)
    sim["u"] = 2.0
    sim.run_until(1.0)
    assert sim["wheel"].omega == pytest.approx(speed + 2.0 * 0.3 / INERTIA, abs=tolerance)
    np.testing.assert_allclose(sim.result["u"].value, [1.0, 2.0, 2.0])  # the last node before it was set had cos 3.5


@pytest.mark.parametrize("hold", ["zero-order", "linear"])
@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_an_input_follows_a_table_in_one_run(hold, method):
    options = {name: value for name, value in METHODS[method].items() if name != "t_end"}
    times, values = [0.1, 0.25, 0.5], [1.0, -2.0, 4.0]
    system = rotor(cm.Input("u", value=(times, values), hold=hold))
    result = cm.simulate(system, 1.0, output=0.05, **options)
    grid = np.linspace(0.0, 1.0, 200_001)
    table = values[0] * np.ones_like(grid)
    if hold == "linear":
        table = np.interp(grid, times, values)
        impulse = 0.1 * 1.0 + 0.15 * -0.5 + 0.25 * 1.0 + 0.5 * 4.0
    else:
        table[grid >= 0.25], table[grid >= 0.5] = -2.0, 4.0
        impulse = 0.25 * 1.0 + 0.25 * -2.0 + 0.5 * 4.0
    assert result["wheel"].omega[-1] == pytest.approx(impulse / INERTIA, rel=1e-10)
    np.testing.assert_allclose(result["u"].value, np.interp(result.t, grid, table), atol=1e-9)


def test_a_number_of_inputs_keeps_factor_and_offset():
    u = cm.Input("u", value=2.0)
    value = 3.0 * -(u / 2.0) + 1.0 - 0.5
    assert float(value) == -2.5
    assert value.at(4.0) == -5.5
    sim = cm.Simulation(rotor(u, torque=value))
    sim["u"] = 4.0
    sim.advance(0.1)
    assert sim["wheel"].omega == pytest.approx(-5.5 * 0.1 / INERTIA, rel=1e-12)


@pytest.mark.parametrize("operation", [lambda u: u * u, lambda u: u**2, lambda u: 1.0 / u, lambda u: abs(u)])
def test_operations_that_would_lose_the_input_are_refused(operation):
    with pytest.raises(cm.ModelError, match=r"Input 'u'.*function of the state"):
        operation(cm.Input("u", value=2.0))


def test_functions_and_formulas_of_the_state_read_inputs():
    for torque in (lambda t, s: 2.0 * s["the input"].value, cm.expression('"the input".value * 2')):
        for hold, mean in (("zero-order", 3.0), ("linear", 1.5)):
            u = cm.Input("the input", hold=hold)
            sim = cm.Simulation(rotor(u, torque=torque))
            sim["the input"] = 3.0
            sim.advance(0.5)
            assert sim["wheel"].omega == pytest.approx(2.0 * mean * 0.5 / INERTIA, rel=1e-11)


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_speed_that_is_an_input_moves_without_jumps(method):
    system = cm.System()
    wheel = system.add(cm.Body("wheel", mass=1.0, inertia=INERTIA, angle=0.3))
    shaft = system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0), name="shaft"))
    speed = system.add(cm.Input("speed", unit="rad/s"))
    system.add(cm.Driver(shaft, cm.ConstantSpeed(2.0 * speed + 1.0), name="motor"))
    sim = cm.Simulation(system, **METHODS[method])
    angle = sim["wheel"].angle
    assert angle == pytest.approx(0.3)
    for value in (0.0, 2.0, -1.0, 40.0):
        sim["speed"] = value
        sim.advance(0.25)
        angle += (2.0 * value + 1.0) * 0.25
        assert sim["wheel"].angle == pytest.approx(angle, abs=1e-9)
        assert sim["wheel"].omega == pytest.approx(2.0 * value + 1.0, rel=1e-9)
    assert sim.result["shaft"].angle[-1] == pytest.approx(angle, abs=1e-9)  # revolutions are counted


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_motion_that_is_a_linear_input_follows_it(method):
    system = cm.System()
    cart = system.add(cm.Body("cart", mass=1.0, inertia=1.0))
    rail = system.add(cm.Prismatic(system.ground, cart, axis=(1.0, 0.0), name="rail"))
    where = system.add(cm.Input("where", unit="m", hold="linear"))
    system.add(cm.Driver(rail, where))
    sim = cm.Simulation(system, **METHODS[method])
    for value in (0.2, 0.2, -0.1):
        before = sim["cart"].x
        sim["where"] = value
        sim.advance(0.25)
        assert sim["cart"].x == pytest.approx(value, abs=1e-9)
        assert sim["cart"].vx == pytest.approx((value - before) / 0.25, abs=1e-8)


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_stiffness_that_is_an_input_changes_the_frequency(method):
    system = cm.System()
    cart = system.add(cm.Body("cart", mass=2.0, inertia=1.0, position=(1.5, 0.0)))
    system.add(cm.Prismatic(system.ground, cart, axis=(1.0, 0.0)))
    k = system.add(cm.Input("k", unit="N/m", value=50.0))
    system.add(cm.SpringDamper(system.ground, cart, stiffness=k, free_length=1.0, name="spring"))
    cart.position = (1.6, 0.0)  # free length and points are those of the construction
    sim = cm.Simulation(system, **METHODS[method])
    x, v = 0.6, 0.0
    for stiffness, dt in ((50.0, 0.3), (200.0, 0.4), (8.0, 0.5)):
        sim["k"] = stiffness
        sim.advance(dt)
        omega = math.sqrt(stiffness / 2.0)
        c, s = math.cos(omega * dt), math.sin(omega * dt)
        x, v = x * c + v / omega * s, v * c - x * omega * s
        assert sim["cart"].x - 1.0 == pytest.approx(x, abs=3e-5 if method == "time stepping" else 1e-7)
    with pytest.raises(cm.ModelError, match=r"stiffness must be positive or zero, got -1"):
        sim["k"] = -1.0
    assert sim["k"] == 8.0


def bouncing(stiffness: Any, mu: Any = 0.2) -> cm.System:
    """A ball above a floor, whose law has this stiffness."""
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 4e-5, position=(0.0, 0.02), velocity=(0.5, 0.0)))
    for value in (stiffness, mu):
        if isinstance(value, cm.Input):
            system.add(value)
    law, friction = cm.laws.Flores(stiffness, 0.7), cm.friction.Coulomb(mu)
    system.add(cm.Contact(cm.Sphere(ball, 0.01), cm.Plane(system.ground), law=law, friction=friction, name="floor"))
    return system


def test_parameters_of_laws_are_inputs():
    sim = cm.Simulation(bouncing(cm.Input("K", value=1e5), cm.Input("mu", value=0.9)))
    sim["K"], sim["mu"] = 4e6, 0.1
    sim.run_until(0.1)
    expected = cm.Simulation(bouncing(4e6, 0.1))
    expected.run_until(0.1)
    assert len(expected.result.impacts) > 0
    np.testing.assert_array_equal(sim["ball"].position, expected["ball"].position)
    assert sim.result.impacts[0].peak_force == expected.result.impacts[0].peak_force
    with pytest.raises(cm.ModelError, match="must be positive"):
        sim["K"] = -2.0


def with_grains(system: cm.System) -> cm.System:
    """The same system with balls at rest beside it, in one group."""
    balls = [cm.Sphere(system.add(cm.Body(f"g{k}", 1.0, 1e-3, position=(3.0 + 0.3 * k, 0.0))), 0.1) for k in range(30)]
    law = cm.laws.HuntCrossley(1e4, 0.8)
    system.add_contacts(balls, law=law, impact=cm.ImpactLaw(0.5), name="grains")
    assert system.groups
    return system


GRAINS: dict[str, dict[str, Any]] = {
    "verlet": {"max_step": 1e-3},
    "rigid": {"method": "nonsmooth", "step": 1e-3},
}


@pytest.mark.parametrize("method", GRAINS)
def test_runs_of_many_bodies_take_inputs(method):
    sim = cm.Simulation(with_grains(rotor(cm.Input("u", value=1.0))), **GRAINS[method])
    sim.advance(0.1)
    sim["u"] = -2.0
    state = sim.save_state()
    sim.advance(0.2)
    assert sim["wheel"].omega == pytest.approx((0.1 - 0.4) / INERTIA, rel=1e-11)
    assert sim["wheel"].angle == pytest.approx(0.5 * 2.0 * 0.1**2 + 0.2 * 0.2 - 0.5 * 4.0 * 0.2**2, rel=2e-2)
    first = sim.result
    assert first["u"].value.tolist() == [1.0, -2.0, -2.0]
    sim.restore(state)
    sim.advance(0.2)
    assert sim.result.same_as(first)


@pytest.mark.parametrize("method", GRAINS)
def test_laws_of_groups_refuse_inputs(method):
    system = cm.System()
    k = system.add(cm.Input("K", value=1e4))
    balls = [cm.Sphere(system.add(cm.Body(f"g{k}", 1.0, 1e-3, position=(0.3 * k, 0.0))), 0.1) for k in range(30)]
    system.add(cm.PointForce(balls[0].body, (1.0, 0.0)))
    system.add_contacts(balls, law=cm.laws.HuntCrossley(k, 0.8), impact=cm.ImpactLaw(0.5), name="grains")
    with pytest.raises(cm.ModelError, match="ContactGroup 'grains': laws cannot follow inputs"):
        cm.simulate(system, 0.1, **GRAINS[method])


@pytest.mark.parametrize("options", [{}, {"method": "nonsmooth", "step": 1e-3}, {"integrator": "bdf"}])
def test_an_input_that_is_not_set_has_the_bits_of_a_number(options):
    numbers = rotor(cm.Input("u"), torque=1.7)
    inputs = rotor(cm.Input("u", value=1.7))
    one, other = (cm.simulate(system, 0.3, output=0.1, **options) for system in (numbers, inputs))
    np.testing.assert_array_equal(one.q, other.q)


REFUSED: dict[str, tuple[Any, str]] = {
    "mass": (lambda u, s: cm.Body("b", mass=u), "Body: mass cannot follow an input"),
    "gravity": (lambda u, s: setattr(s, "gravity", (0.0, u)), "System: gravity cannot follow an input"),
    "position": (lambda u, s: setattr(s["wheel"], "position", (u, 0.0)), "Body: position cannot follow an input"),
    "radius": (lambda u, s: cm.Sphere(s["wheel"], radius=u), "Sphere: radius cannot follow an input"),
    "sine": (lambda u, s: cm.SineMotion(u, 2.0), "SineMotion: amplitude cannot follow an input"),
    "impact": (lambda u, s: cm.ImpactLaw(u), "ImpactLaw: restitution cannot follow an input"),
    "motion": (lambda u, s: cm.Driver(s["shaft"], u), "a motion by an input with hold='zero-order' would jump"),
    "expression": (lambda u, s: cm.expression("2*k", k=u), "cannot follow an input"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_follow_an_input_refuses_it(name):
    make, message = REFUSED[name]
    u = cm.Input("u", value=0.5)
    with pytest.raises(cm.ModelError, match=message.replace("(", r"\(")):
        make(u, rotor(u))


def test_inputs_that_vary_in_a_step_are_refused_where_a_law_is_built_anew():
    system = bouncing(cm.Input("K", value=1e5, hold="linear"))
    with pytest.raises(cm.ModelError, match=r"Flores.*hold='zero-order', without a function"):
        cm.Simulation(system)


def test_an_input_outside_the_system_is_refused():
    system = rotor(cm.Input("u"), torque=cm.Input("other"))
    with pytest.raises(cm.ModelError, match="Input 'other' is used, but not in the system"):
        cm.simulate(system, 0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "non-empty string"),
        ({"name": "u", "value": math.nan}, "Input 'u': value must be finite"),
        ({"name": "u", "value": lambda t: math.inf}, "value at t = 0 must be finite"),
        ({"name": "u", "value": lambda t, s: 0.0}, "must have 1 arguments"),
        ({"name": "u", "value": ([0.0, 0.0], [1.0, 2.0])}, "times must be positive or zero, and rise"),
        ({"name": "u", "value": ([0.0, 1.0], [1.0])}, "same length"),
        ({"name": "u", "value": [1.0, 2.0, 3.0]}, "a number, a function of time or"),
        ({"name": "u", "unit": 3}, "unit must be a text"),
        ({"name": "u", "hold": "cubic"}, "hold"),
    ],
)
def test_bad_inputs_are_refused(arguments, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.Input(**arguments)


def test_bad_values_are_refused_and_the_simulation_stays_usable():
    sim = cm.Simulation(rotor(cm.Input("u", value=1.0)))
    sim.advance(0.1)
    for value in (math.nan, math.inf, "2", None):
        with pytest.raises(cm.ModelError, match="Input 'u': value must be"):
            sim["u"] = value
    with pytest.raises(KeyError, match="unknown name 'v'"):
        sim["v"] = 1.0
    with pytest.raises(KeyError, match="unknown name 'wheel'"):
        sim["wheel"] = 1.0
    sim.advance(0.1)
    assert sim["wheel"].omega == pytest.approx(0.2 / INERTIA, rel=1e-12)


@pytest.mark.parametrize("hold", ["zero-order", "linear"])
@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_restored_state_has_the_inputs_of_its_time(hold, method):
    sim = cm.Simulation(rotor(cm.Input("u", value=1.0, hold=hold)), **METHODS[method])

    def go_on() -> cm.Result:
        sim.advance(0.2)
        sim["u"] = 0.5
        sim.advance(0.3)
        return sim.result

    sim["u"] = 2.0
    sim.advance(0.1)
    sim["u"] = -1.0
    state = sim.save_state()
    first = go_on()
    for _ in range(2):
        sim.restore(state)
        assert sim.result["u"].value[0] == (2.0 if hold == "zero-order" else 1.0)
        assert go_on().same_as(first)
    sim.reset()
    assert sim["u"] == 1.0
    sim["u"] = 2.0
    sim.advance(0.1)
    sim["u"] = -1.0
    assert go_on().same_as(first)


def test_a_state_is_refused_by_a_model_with_other_inputs():
    sim = cm.Simulation(rotor(cm.Input("u", value=1.0)))
    for other in (cm.Input("u", value=1.5), cm.Input("u", value=1.0, hold="linear"), cm.Input("v", value=1.0)):
        with pytest.raises(cm.ModelError, match="belongs to another model"):
            cm.Simulation(rotor(other)).restore(sim.save_state())


def test_inputs_of_spatial_systems():
    system = cm.System(dim=3)
    top = system.add(cm.Body("top", 1.0, (0.5, 0.5, 0.5)))
    u, f = system.add(cm.Input("u")), system.add(cm.Input("f", hold="linear"))
    system.add(cm.Torque(top, (0.0, u, 0.0)))
    system.add(cm.PointForce(top, (0.0, 0.0, f)))
    system.add(cm.PointForce(top, lambda t, s: (s.u.value, 0.0, 0.0)))
    sim = cm.Simulation(system)
    sim["u"], sim["f"] = 2.0, 3.0
    sim.advance(0.1)
    np.testing.assert_allclose(sim["top"].omega, [0.0, 0.4, 0.0], atol=1e-12)
    np.testing.assert_allclose(sim["top"].velocity, [0.2, 0.0, 0.15], atol=1e-12)
