"""Inputs and outputs in model files."""

import pytest

import carom as cm


def cart_system():
    system = cm.System(name="cart")
    cart = system.add(cm.Body("cart", mass=2.0, inertia=0.1, position=(1.0, 0.0)))
    push = system.add(cm.Input("push", unit="N", value=1.5))
    pull = system.add(cm.Input("pull", value=([0.0, 0.1], [0.0, 4.0])))
    place = system.add(cm.Input("rail place", unit="m", hold="linear"))
    wind = system.add(cm.Input("wind", unit="N", value=cm.expression("sin(9 * t)")))
    damping = system.add(cm.Input("damping", unit="N s/m", value=1.0))
    rail = system.add(cm.Body("rail", mass=1.0, inertia=0.1))
    track = system.add(cm.Prismatic(system.ground, rail, axis=(1.0, 0.0)))
    system.add(cm.Driver(track, place))
    system.add(cm.Prismatic(rail, cart, axis=(1.0, 0.0)))
    system.add(cm.PointForce(cart, (-2.0 * push + 0.5, 0.0), name="motor"))
    product = cm.expression(['"push".value * "pull".value', "0"])
    system.add(cm.PointForce(cart, product, name="product"))
    system.add(cm.PointForce(cart, (wind, 0.0), name="wind load"))
    system.add(cm.PointForce(cart, (pull, 0.0), name="rope"))
    system.add(cm.SpringDamper(rail, cart, stiffness=50.0, damping=damping, name="spring"))
    system.add(cm.Output("power", '"motor".fx * cart.vx + 0 * push.value', unit="W"))
    return system


def test_a_system_with_inputs_and_outputs_returns_from_its_model_file_with_the_same_bits():
    system = cart_system()
    text = system.to_yaml()
    again = cm.System.from_yaml(text)
    assert again.to_yaml() == text
    assert [repr(source) for source in again.inputs] == [repr(source) for source in system.inputs]
    runs = [cm.Simulation(one) for one in (system, again)]
    for sim in runs:
        sim["push"], sim["rail place"] = 3.0, 0.01
        sim.advance(0.2)
        sim["damping"] = 4.0
        sim.advance(0.2)
    assert runs[0].result.same_as(runs[1].result)
    assert runs[1]["power"] == runs[1]["motor"].fx * runs[1]["cart"].vx
    assert runs[1]["motor"].fx == -5.5


HEAD = "carom: 1\ninputs:\n  push: {unit: N, value: 2.0}\nbodies:\n  cart: {mass: 1.0, inertia: 1.0}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forces:\n  f: {type: Torque, body: cart, torque: {input: pusch}}\n", "unknown input; did you mean push?"),
        ("forces:\n  f: {type: Torque, body: cart, torque: {input: push, gain: 2.0}}\n", "unknown key; "),
        ("forces:\n  f: {type: Torque, body: cart, torque: {input: push, factor: none}}\n", "must be a number"),
        ("forces:\n  f: {type: PointForce, at: cart, force: [{input: push}, sin(t)]}\n", "a formula with its .value"),
        ("forces:\n  f: {type: Torque, body: cart, torque: push.force}\n", "unknown state; choose from value"),
        ("outputs:\n  p: {unit: W}\n", "requires formula"),
        ("outputs:\n  p: {formula: 2 *}\n", "cannot be read"),
        ("shapes:\n  s: {type: Sphere, body: cart, radius: {input: push}}\n", "cannot follow an input"),
    ],
)
def test_errors_name_line_and_advice(text, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.System.from_yaml(HEAD + text)


def test_formulas_of_outputs_use_parameters_of_the_file():
    text = "parameters: {gain: 3.0}\noutputs:\n  p: {formula: gain * cart.x + push.value}\n"
    system = cm.System.from_yaml(HEAD + text, gain=4.0)
    system["cart"].position = (2.0, 0.0)
    assert cm.Simulation(system)["p"] == 10.0


def test_python_functions_are_refused():
    system = cart_system()
    system.add(cm.Output("function", lambda s: 1.0))
    with pytest.raises(cm.ModelError, match="Output 'function': its Python function cannot be written"):
        system.to_yaml()
