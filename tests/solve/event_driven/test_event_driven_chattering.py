"""A user's force that jumps with the sign of a velocity is named in event-driven runs; stick and slip are not."""

from __future__ import annotations

import time
import warnings

import pytest

import carom as cm
from carom.solve.event_driven import chattering
from solve.event_driven.event_runs import block

DRY = 3.0


def braked(dim: int) -> cm.System:
    """Return a ball that glides on a floor, with dry friction written as a switch on the sign of its velocity."""
    up = (0.0, 1.0) if dim == 2 else (0.0, 0.0, 1.0)
    system = cm.System(dim=dim, gravity=tuple(-9.81 * n for n in up))
    inertia = 0.1 if dim == 2 else (0.1, 0.1, 0.1)
    body = system.add(cm.Body("ball", 1.0, inertia, tuple(0.1 * n for n in up), velocity=(1.0,) + (0.0,) * (dim - 1)))
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(), name="floor"))
    rest = (0.0,) * (dim - 1)
    system.add(cm.PointForce(body, lambda t, s: (-DRY if s.ball.vx > 0.0 else DRY, *rest), name="brake"))
    return system


@pytest.mark.parametrize("dim", [2, 3])
def test_a_switch_on_a_velocity_is_named_within_seconds(dim):
    """The ball stops after 1/3 s, where the force jumps by 2 F₀."""
    began = time.perf_counter()

    def stop(fraction: float) -> None:
        if any("jumps to and fro" in str(warning.message) for warning in caught) or time.perf_counter() - began > 60.0:
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", cm.CaromWarning)
        result = cm.simulate(braked(dim), 2.0, method="nonsmooth", scheme="event-driven", progress=stop)
    text = next(str(warning.message) for warning in caught if "jumps" in str(warning.message))
    assert "PointForce 'brake', by 6, jumps to and fro" in text
    assert "tanh" in text
    assert "nonsmooth" not in text
    assert result.t[-1] == pytest.approx(1.0 / DRY, abs=1e-2)


def test_stick_and_slip_of_contacts_is_no_chatter(monkeypatch):
    """Searched all the time: the friction of a contact that stops is an event, not a jump of a force."""
    monkeypatch.setattr(chattering, "TRIES", 1)
    monkeypatch.setattr(chattering, "SHORT", 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = cm.simulate(block(0.3, 1.0), 1.0, method="nonsmooth", scheme="event-driven")
    assert result.outcome.ok
