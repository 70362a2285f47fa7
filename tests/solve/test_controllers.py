"""Controllers: exact times, states of their own, errors, and the bits of one run."""

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
    "rk4": {"integrator": "rk4", "max_step": 1e-3},
    "time stepping": {"method": "nonsmooth", "step": 1e-3},
    "event-driven": {"method": "nonsmooth", "scheme": "event-driven"},
}
QUICK = ("compliant", "time stepping", "event-driven")


def cart(*controllers: cm.Controller, hold: str = "zero-order", mass: float = 2.0) -> cm.System:
    """A cart on a rail between two walls, which an input pushes."""
    system = cm.System(name="cart")
    body = system.add(cm.Body("cart", mass=mass, inertia=0.1))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0), at=(0.0, 0.0), name="rail"))
    push = system.add(cm.Input("push", unit="N", hold=hold))
    system.add(cm.PointForce(body, (push, 0.0), name="motor"))
    for side in (-1.0, 1.0):
        wall = cm.Plane(system.ground, at=(0.3 * side, 0.0), normal=(-side, 0.0))
        law, impact = cm.laws.ExactRestitution(1e6, 0.5), cm.ImpactLaw(0.5)
        system.add(cm.Contact(cm.Sphere(body, 0.1), wall, law=law, impact=impact, name=f"wall {side:+.0f}"))
    for controller in controllers:
        system.add(controller)
    return system


def pid(t, y, state):
    """Return the force of a PID controller that moves the cart to 0.1 m."""
    error = 0.1 - y[0]
    state["integral"] += 0.01 * error
    rate = 0.0 if state["last"] is None else (error - state["last"]) / 0.01
    state["last"] = error
    return 60.0 * error + 20.0 * state["integral"] + 15.0 * rate


def pid_controller(period: float = 0.01) -> cm.Controller:
    """The PID controller of a cart, with its state."""
    state = {"integral": 0.0, "last": None}
    return cm.Controller(period, pid, inputs=["cart.x"], outputs=["push"], state=state)


def sampled_pid(steps: int, mass: float = 2.0, period: float = 0.01) -> np.ndarray:
    """Positions of the cart at the calls: exact motion under constant forces between them, far from the walls."""
    x = v = 0.0
    state, places = {"integral": 0.0, "last": None}, []
    for _ in range(steps):
        places.append(x)
        a = pid(0.0, [x], state) / mass
        x, v = x + v * period + 0.5 * a * period**2, v + a * period
    return np.array([*places, x])


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_pid_controller_moves_like_the_sampled_system(method):
    result = cm.simulate(cart(pid_controller()), 3.0, output=0.01, **METHODS[method])
    tolerance = 1e-4 if method == "time stepping" else 1e-9
    np.testing.assert_allclose(result["cart"].x, sampled_pid(300), atol=tolerance)
    assert result["cart"].x[-1] == pytest.approx(0.1, abs=5e-3)


def bouncing() -> cm.System:
    """A cart that a relay drives from wall to wall."""

    def relay(t, y, state):
        state[0] += 1.0
        return {"push": 8.0 if math.sin(7.0 * t) > 0.0 else -8.0 - y[1]}

    inputs = ["cart.x", "cart.vx"]
    return cart(cm.Controller(0.003, relay, inputs=inputs, outputs=["push"], state=np.zeros(1), name="relay"))


@pytest.mark.parametrize("hold", ["zero-order", "linear"])
@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
def test_a_driven_run_has_the_bits_of_one_that_is_not(method, hold):
    def make() -> cm.System:
        system = bouncing()
        return system if hold == "zero-order" else cart(*system.controllers, hold=hold)

    sim = cm.Simulation(make(), t_end=1.2, **METHODS[method])
    for k in range(120):
        sim.advance(0.01)
        if k == 60:
            state = sim.save_state()
    times = (1.2 / 120 * np.arange(1, 121)).tolist()
    result = cm.simulate(make(), 1.2, output=times, **METHODS[method])
    assert len(result.impacts) > 1
    assert sim.result.same_as(result)
    for _ in range(2):
        sim.restore(state)
        for _ in range(61, 120):
            sim.advance(0.01)
        assert sim.result.same_as(result)
    sim.reset()
    for _ in range(120):
        sim.advance(0.01)
    assert sim.result.same_as(result)


@pytest.mark.parametrize("method", [{}, {"method": "nonsmooth", "step": 1e-3}])
def test_ten_thousand_intervals_with_a_controller_have_the_bits_of_one_run(method):
    sim = cm.Simulation(bouncing(), **method)
    for _ in range(10_000):
        sim.advance(1e-4)
    assert sim.time == 1.0
    assert sim.result.same_as(cm.simulate(bouncing(), 1.0, output=1e-4, **method))


def test_controllers_are_called_at_exact_times():
    calls: list[float] = []

    def note(t, y):
        calls.append(t)
        assert y.tolist() == [t, 0.0]

    system = cart(cm.Controller(0.1, note, inputs=[lambda s: s.time, "push"]))
    cm.simulate(system, 1.0)
    assert calls == [0.1 * k for k in range(10)]
    calls.clear()
    sim = cm.Simulation(system)
    for _ in range(3):
        sim.advance(0.07)
    sim.run_until(0.3)  # equal to 3 · 0.1 up to rounding
    sim.run_until(0.35)
    np.testing.assert_allclose(calls, [0.0, 0.1, 0.2, 0.3], rtol=1e-15)


def test_controllers_at_one_time_measure_the_same_values():
    seen: list[list[float]] = []
    count = cm.Controller(0.1, lambda t, y: y[0] + 1.0, inputs=["push"], outputs=["push"], name="count")
    note = cm.Controller(0.1, lambda t, y: seen.append(y.tolist()), inputs=["push", "force"], name="note")
    system = cart(count, note)
    system.add(cm.Output("force", lambda s: s["motor"].fx, unit="N"))
    result = cm.simulate(system, 0.3, output=0.1)
    assert seen == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    assert result["push"].value.tolist() == [1.0, 2.0, 3.0, 3.0]


def test_every_step_is_a_node_unless_times_are_chosen():
    result = cm.simulate(bouncing(), 0.5)
    assert set((0.003 * np.arange(1, 160)).tolist()) <= set(result.t.tolist())
    chosen = cm.simulate(bouncing(), 0.5, output=[0.1, 0.2])
    np.testing.assert_allclose(result.sample(chosen.t)["cart"].x, chosen["cart"].x, atol=1e-8)
    assert result.energy.drift < 1e-6


FAILING: dict[str, tuple[Any, str]] = {
    "nan": (lambda t, y: math.nan, "Controller 'f': its output 'push' is nan at t = 0.04 s"),
    "infinite": (lambda t, y: [math.inf], "its output 'push' is inf at t = 0.04 s"),
    "error": (lambda t, y: 1.0 / (y[0] - y[0]), "Controller 'f' failed at t = 0.04 s: ZeroDivisionError"),
    "too many": (lambda t, y: (1.0, 2.0), "it returned 2 numbers for 1 outputs"),
    "unknown": (lambda t, y: {"pull": 1.0}, "it returned a value for 'pull'; its outputs are push"),
    "text": (lambda t, y: "much", "Controller 'f' failed"),
}


@pytest.mark.parametrize("method", slow_but(QUICK, METHODS))
@pytest.mark.parametrize("name", FAILING)
def test_failing_controllers_keep_what_was_computed(name, method):
    function, message = FAILING[name]
    is_mended = False

    def f(t, y):
        return function(t, y.tolist()) if t > 0.035 and not is_mended else 2.0

    system = cart(cm.Controller(0.01, f, inputs=["cart.x"], outputs=["push"]))
    with pytest.raises(cm.ModelError, match=message) as caught:
        cm.simulate(system, 0.1, output=0.02, **METHODS[method])
    np.testing.assert_allclose(caught.value.result.t, [0.0, 0.02, 0.04])
    sim = cm.Simulation(system, **METHODS[method])
    for _ in range(2):
        with pytest.raises(cm.ModelError, match=message):
            sim.run_until(0.1)
        assert sim.time == pytest.approx(0.04)
        assert sim["cart"].vx == pytest.approx(0.04, rel=1e-9)
    is_mended = True
    sim.run_until(0.1)
    assert sim["cart"].vx == pytest.approx(0.1, rel=1e-9)


def test_a_controller_that_fails_leaves_its_state():
    def f(t, y, state):
        state.append(t)
        if t > 0.015 and len(state) < 5:
            state.append(t)
            raise RuntimeError("not yet")
        return len(state)

    sim = cm.Simulation(cart(cm.Controller(0.01, f, outputs=["push"], state=[])))
    for _ in range(3):
        with pytest.raises(cm.ModelError, match=r"failed at t = 0\.02 s: RuntimeError: not yet"):
            sim.run_until(0.05)
    assert sim["push"] == 2.0


def test_values_that_a_stiffness_refuses_name_the_controller():
    system = cm.System()
    body = system.add(cm.Body("cart", 1.0, 1.0, position=(1.0, 0.0)))
    k = system.add(cm.Input("k", value=10.0))
    system.add(cm.SpringDamper(system.ground, body, stiffness=k))
    system.add(cm.Controller(0.1, lambda t, y: 10.0 - 60.0 * t, outputs=[k], name="softener"))
    with pytest.raises(cm.ModelError, match=r"Controller 'softener': its output 'k' at t = 0\.2 s.*positive or zero"):
        cm.simulate(system, 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cm.Controller(0.0, lambda t, y: None), "period must be positive"),
        (lambda: cm.Controller(0.1, 3.0), "function must be callable"),
        (lambda: cm.Controller(0.1, lambda t: None), "must have 2 arguments"),
        (lambda: cm.Controller(0.1, lambda t, y: None, state=[1.0]), "must have 3 arguments"),
        (lambda: cm.Controller(0.1, lambda t, y: None, inputs="cart.x"), "inputs must be a list"),
        (lambda: cm.Controller(0.1, lambda t, y: None, outputs=[3.0]), "outputs must be inputs"),
    ],
)
def test_bad_controllers_are_refused(make, message):
    with pytest.raises(cm.ModelError, match=message):
        make()


def test_unknown_names_are_refused_when_the_run_is_built():
    with pytest.raises(cm.ModelError, match="has no input 'pull'"):
        cm.Simulation(cart(cm.Controller(0.1, lambda t, y: 0.0, outputs=["pull"])))
    with pytest.raises(cm.ModelError, match=r"unknown input 'cat\.x'"):
        cm.Simulation(cart(cm.Controller(0.1, lambda t, y: None, inputs=["cat.x"])))


def test_what_controllers_do_not_support_is_refused(tmp_path):
    with pytest.raises(cm.ModelError, match="Controller 'pid' cannot be resumed from a file"):
        cm.simulate(cart(pid_controller()), 0.1, stream=tmp_path / "run.h5")
    with pytest.raises(cm.ModelError, match="'adams' cannot be driven"):
        cm.simulate(cart(pid_controller()), 0.1, integrator="adams")
    with pytest.raises(cm.ModelError, match="Controller 'pid': its Python function cannot be written"):
        cart(pid_controller()).to_yaml()


def test_outputs_are_recorded_and_read():
    system = cart()
    system.add(cm.Output("energy", lambda s: 0.5 * 2.0 * s["cart"].vx ** 2, unit="J"))
    system.add(cm.Output("twice", lambda s: 2.0 * s["energy"] + s["cart"].position[1] + s.time))
    sim = cm.Simulation(system)
    sim["push"] = 4.0
    sim.advance(0.1)
    assert sim["energy"] == pytest.approx(0.2**2, rel=1e-9)
    assert sim["twice"] == pytest.approx(2.0 * 0.2**2 + 0.1, rel=1e-9)
    sim.advance(0.1)
    np.testing.assert_array_equal(sim.result["energy"].value, sim.result["cart"].vx ** 2)
    assert sim.result["energy"].units == {"value": "J"}
    assert sim.result.sample(0.15)["energy"].value[0] == pytest.approx(0.3**2, rel=1e-3)


def test_an_output_without_value_is_nan_with_a_warning():
    system = cart()
    system.add(cm.Output("late", lambda s: 1.0 if s.time < 0.15 else {}["late"]))
    with pytest.warns(cm.CaromWarning, match="Output 'late': no value at 2 of 4 nodes; at t = 0.2 s: KeyError"):
        result = cm.simulate(system, 0.3, output=0.1)
    np.testing.assert_array_equal(result["late"].value, [1.0, 1.0, math.nan, math.nan])
    sim = cm.Simulation(system)
    sim.run_until(0.2)
    with pytest.raises(cm.ModelError, match=r"Output 'late': no value at t = 0\.2 s: KeyError"):
        sim["late"]
    sim.run_until(0.3)


def test_states_of_systems_with_other_controllers_are_refused():
    sim = cm.Simulation(cart(pid_controller()))
    with pytest.raises(cm.ModelError, match="belongs to another model"):
        cm.Simulation(cart(pid_controller(0.02))).restore(sim.save_state())
