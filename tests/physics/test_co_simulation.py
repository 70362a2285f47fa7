"""Co-simulation of two halves of a mechanism, and an FMU as the controller of a system."""

import numpy as np
import pytest

import carom as cm
from fmu_instances import VERSIONS, Instance

STIFFNESS, DAMPING, LENGTH = 400.0, 0.8, 0.3
END = 0.02


def add_crank(system: cm.System) -> cm.Body:
    """Add a slider-crank; return its slider."""
    ground = system.ground
    crank = system.add(cm.Body("crank", mass=0.038, inertia=7.4e-5, position=(0.0765, 0.0), angular_velocity=150.0))
    rod = system.add(cm.Body("rod", mass=0.076, inertia=5.9e-5, position=(0.306, 0.0)))
    slider = system.add(cm.Body("slider", mass=0.038, inertia=1.8e-6, position=(0.459, 0.0)))
    system.add(cm.Revolute(ground, crank, at=(0.0, 0.0)))
    system.add(cm.Revolute(crank, rod, at=(0.153, 0.0)))
    system.add(cm.Revolute(rod, slider, at=(0.459, 0.0)))
    system.add(cm.Prismatic(ground, slider, axis=(1.0, 0.0)))
    system.assemble(keep=[(crank, "angular_velocity")])
    return slider


def add_block(system: cm.System) -> cm.Body:
    """Add a block on a rail."""
    block = system.add(cm.Body("block", mass=0.19, inertia=2.7e-5, position=(0.459 + LENGTH, 0.0)))
    system.add(cm.Prismatic(system.ground, block, axis=(1.0, 0.0)))
    return block


def monolithic() -> cm.System:
    """Return slider-crank and block, coupled by a spring and damper."""
    system = cm.System(name="monolithic")
    slider, block = add_crank(system), add_block(system)
    system.add(cm.SpringDamper(slider, block, stiffness=STIFFNESS, damping=DAMPING, free_length=LENGTH))
    return system


def driving_half() -> cm.System:
    """Return the slider-crank with the coupling force as its input."""
    system = cm.System(name="driving half")
    slider = add_crank(system)
    force = system.add(cm.Input("force", unit="N"))
    system.add(cm.PointForce(slider, (force, 0.0)))
    return system


def driven_half() -> cm.System:
    """Return the block with spring and damper to a place that is given by inputs; its output is the force there."""
    system = cm.System(name="driven half")
    block = add_block(system)
    system.add(cm.Input("place", unit="m", value=0.459))
    system.add(cm.Input("speed", unit="m/s"))
    pull = f'{STIFFNESS}*(block.x - "place".value - {LENGTH}) + {DAMPING}*(block.vx - "speed".value)'
    system.add(cm.PointForce(block, cm.expression([f"-({pull})", "0"]), name="spring"))
    system.add(cm.Output("force", pull, unit="N"))
    return system


def coupled(driving: Instance, driven: Instance, count: int) -> tuple[float, float]:
    """Return the places of slider and block at the end, with ``count`` communication steps in parallel."""
    driving.initialize()
    driven.initialize()
    step = END / count
    for k in range(count):
        force, place, speed = driven["force"], driving["slider.x"], driving["slider.vx"]
        driving["force"], driven["place"], driven["speed"] = force, place, speed
        driving.step(k * step, (k + 1) * step - k * step)
        driven.step(k * step, (k + 1) * step - k * step)
    return driving["slider.x"], driven["block.x"]


@pytest.mark.parametrize("version", VERSIONS)
def test_coupled_halves_converge_to_the_whole_mechanism_with_order_one(version, tmp_path):
    result = cm.simulate(monolithic(), END, rtol=1e-11, atol=1e-12)
    exact = np.array([result["slider"].x[-1], result["block"].x[-1]])
    options = {"fmi_version": version, "rtol": 1e-10, "atol": 1e-12}
    paths = [
        driving_half().to_fmu(tmp_path / "driving.fmu", outputs=["slider.x", "slider.vx"], **options),
        driven_half().to_fmu(tmp_path / "driven.fmu", outputs=["block.x", "force"], **options),
    ]
    errors = []
    for count in (50, 100, 200):
        with Instance(paths[0]) as driving, Instance(paths[1]) as driven:
            errors.append(np.abs(np.array(coupled(driving, driven, count)) - exact))
    ratios = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(errors[-1] < 2e-3)
    np.testing.assert_allclose(ratios, 1.0, atol=0.1)  # inputs are held, so the error is proportional to the step


def actuator_model() -> cm.System:
    """Return a mass in a damper; the damper force follows the command with a time constant."""
    system = cm.System(name="actuator")
    motor = system.add(cm.Body("motor", mass=0.1, inertia=1.0))
    system.add(cm.Prismatic(system.ground, motor, axis=(1.0, 0.0)))
    command = system.add(cm.Input("command", unit="N"))
    system.add(cm.PointForce(motor, (command, 0.0)))
    system.add(cm.PointForce(motor, cm.expression(["-2.0 * motor.vx", "0"])))
    system.add(cm.Output("force", "2.0 * motor.vx", unit="N"))
    return system


def cart() -> cm.System:
    """Return a cart that an input pushes."""
    system = cm.System(name="cart")
    body = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    push = system.add(cm.Input("push", unit="N"))
    system.add(cm.PointForce(body, (push, 0.0)))
    return system


def test_a_controller_calls_an_fmu_at_its_times(tmp_path):
    path, period, m, d = actuator_model().to_fmu(tmp_path / "actuator.fmu", outputs=["force"]), 5e-3, 0.1, 2.0
    with Instance(path) as actuator:
        actuator.initialize()

        def call(t, y):
            if t == 0.0:
                actuator.fmu.reset()
                actuator.initialize()
            force = actuator["force"]
            actuator["command"] = 30.0 * (0.1 - y[0]) - 15.0 * y[1]
            actuator.step(t, period)
            return force

        system = cart()
        system.add(cm.Controller(period, call, inputs=["cart.x", "cart.vx"], outputs=["push"]))
        first = cm.simulate(system, 1.0, output=period)
        assert first.same_as(cm.simulate(system, 1.0, output=period))

    x = v = force = 0.0  # the same sampled system, by its exact solution from one time to the next
    decay = np.exp(-d / m * period)
    for k in range(200):
        command = 30.0 * (0.1 - x) - 15.0 * v
        x, v = x + v * period + 0.5 * force / 2.0 * period**2, v + force / 2.0 * period
        force = command + (force - command) * decay
        assert first["cart"].x[k + 1] == pytest.approx(x, abs=1e-9)
    assert x == pytest.approx(0.1, abs=1e-2)
