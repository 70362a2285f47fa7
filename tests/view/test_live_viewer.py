"""A simulation that runs in the browser: its server object does what sliders and buttons ask for."""

from __future__ import annotations

import math
import time as clock

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError

pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


def cart(fails_at: float = math.inf) -> cm.System:
    """A cart that an input pushes against a wall, with an output and a sensor."""
    system = cm.System(name="cart")
    body = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0), at=(0.0, 0.0), name="rail"))
    push = system.add(cm.Input("push", unit="N"))
    wind = system.add(cm.Input("wind", unit="N", value=0.5))
    system.add(cm.PointForce(body, (push, 0.0)))
    system.add(cm.PointForce(body, (wind, 0.0)))
    wall = cm.Plane(system.ground, at=(0.3, 0.0), normal=(-1.0, 0.0))
    law = cm.laws.ExactRestitution(1e4, 0.5)
    system.add(cm.Contact(cm.Sphere(body, 0.1), wall, law=law, name="wall"))
    system.add(cm.Output("twice", lambda s: 2.0 * s["cart"].x, unit="m"))

    def blow(t, y):
        if t >= fails_at:
            raise RuntimeError("calm")
        return 0.5

    system.add(cm.Controller(0.01, blow, outputs=["wind"], name="weather"))
    return system


@pytest.fixture
def live():
    """Return a function that opens a live view, which is closed at the end."""
    opened = []

    def open_view(system=None, **options):
        sim = cm.Simulation(cart() if system is None else system)
        opened.append(cm.view.live(sim, port=0, open_browser=False, **options))
        return opened[-1]

    yield open_view
    for viewer in opened:
        viewer.stop()


def test_a_step_moves_the_bodies_like_the_simulation(live, capsys):
    viewer = live(values=["twice", "wall.normal_force", "cart.vx"], ranges={"push": (-20.0, 20.0)})
    assert capsys.readouterr().out == f"cart: {viewer.address}\n"
    viewer.set_input("push", 7.5)
    for _ in range(3):
        viewer.step()
    assert viewer.playing is False
    assert viewer.sim.time == pytest.approx(0.1)
    x = 0.5 * 8.0 / 2.0 * 0.1**2
    assert viewer._frames[0].position[0] == pytest.approx(x, rel=1e-6)
    assert viewer._sliders["push"].value == pytest.approx(7.5, abs=0.04)
    assert set(viewer._sliders) == {"push"}  # the controller sets the other one
    shown = {path: float(text.value) for path, text in viewer._texts.items()}
    assert shown == pytest.approx({"wind": 0.5, "twice": 2.0 * x, "wall.normal_force": 0.0, "cart.vx": 0.4}, rel=1e-4)
    assert viewer._forces.visible is False
    for _ in range(30):
        viewer.step()
        if viewer.sim["wall"].normal_force > 0.0:
            break
    assert viewer._forces.visible is True
    assert viewer._points.batched_positions[0, 0] == pytest.approx(0.3, abs=1e-3)
    viewer.reset()
    assert viewer.sim.time == viewer.sim["push"] == 0.0
    assert viewer._frames[0].position[0] == 0.0


def test_it_runs_in_real_time_or_slower_while_a_page_is_open(live, monkeypatch):
    viewer = live(speed=0.1)
    clock.sleep(0.1)
    assert viewer.sim.time == 0.0  # nobody looks
    assert viewer.interval == pytest.approx(0.1 / 30.0)
    monkeypatch.setattr(viewer.server, "get_clients", lambda: {0: None})
    began = clock.perf_counter()
    while viewer.sim.time < 0.015 and clock.perf_counter() - began < 20.0:
        clock.sleep(0.01)
    elapsed = clock.perf_counter() - began
    viewer.pause()
    assert 0.015 <= viewer.sim.time <= 0.1 * elapsed + 2.0 * viewer.interval
    at = viewer.sim.time
    clock.sleep(0.1)
    assert viewer.sim.time == at
    assert viewer._play.label == "play"
    viewer.play()
    assert viewer._play.label == "pause"


def test_an_error_pauses_and_is_shown(live):
    viewer = live(cart(fails_at=0.05))
    for _ in range(3):
        viewer.step()
    assert "Controller 'weather' failed at t = 0.05 s: RuntimeError: calm" in viewer.error
    assert viewer._message.visible is True
    assert viewer.playing is False
    viewer.set_input("push", math.nan)
    assert "Input 'push': value must be finite, got nan" in viewer.error
    viewer.reset()
    assert viewer.error == ""
    assert viewer._message.visible is False
    viewer.step()
    assert viewer.sim.time > 0.0


def test_a_spatial_system_without_inputs_is_shown(live):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="ball")
    ball = system.add(cm.Body("ball", 1.0, 0.004, (0.0, 0.0, 0.5)))
    law = cm.laws.Flores(stiffness=1e6, restitution=0.5)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    viewer = live(system)
    viewer.step()
    expected = [0.0, 0.0, 0.5 - 0.5 * 9.81 / 900.0]
    (spheres,) = viewer._spheres
    np.testing.assert_allclose(spheres.batched_positions[0], expected, atol=1e-6)
    viewer.sim.advance(0.1)
    viewer.update()
    assert spheres.batched_positions[0, 2] < 0.45


def test_wrong_arguments_are_refused():
    sim = cm.Simulation(cart())
    for options, message in (
        ({"speed": 0.0}, "speed must be positive"),
        ({"ranges": {"pull": (0.0, 1.0)}}, "ranges has no input 'pull'; the inputs are push, wind"),
        ({"ranges": {"push": (1.0, 0.0)}}, r"ranges\['push'\] must be \(low, high\) with low < high"),
        ({"ranges": {"push": (1.0,)}}, r"ranges\['push'\] must be \(low, high\)"),
        ({"values": ["cart"]}, "'cart' is no number; choose a signal"),
    ):
        with pytest.raises(ModelError, match=message):
            cm.view.live(sim, port=0, open_browser=False, **options)
    with pytest.raises(ModelError, match="expected a Simulation"):
        cm.view.live(cart())
