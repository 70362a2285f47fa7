"""Resistance to rolling: a wheel comes to rest after the way that its energy pays for."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm

MASS, RADIUS, GRAVITY, LEVER, SPEED = 2.0, 0.1, 9.81, 2e-3, 1.0


def wheel(dim: int) -> cm.System:
    """A ball (in a plane: a disc) rolls along a direction that is no axis."""
    law, friction = cm.laws.HuntCrossley(stiffness=1e7, restitution=0.8), cm.friction.Coulomb(0.5, 1e-4)
    depth = (MASS * GRAVITY / 1e7) ** (2.0 / 3.0)
    if dim == 2:
        system = cm.System(gravity=(0.0, -GRAVITY))
        body = cm.Body("wheel", MASS, 0.4 * MASS * RADIUS**2, (0.0, RADIUS - depth), velocity=(SPEED, 0.0),
                       angular_velocity=-SPEED / RADIUS)  # fmt: skip
    else:
        system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
        body = cm.Body("wheel", MASS, 0.4 * MASS * RADIUS**2, (0.0, 0.0, RADIUS - depth),
                       velocity=(0.6 * SPEED, 0.8 * SPEED, 0.0),
                       angular_velocity=(-0.8 * SPEED / RADIUS, 0.6 * SPEED / RADIUS, 0.0))  # fmt: skip
    system.add(body)
    rolling = cm.friction.Rolling(LEVER, spin=1e-2)
    touch = cm.Contact(cm.Sphere(body, RADIUS), cm.Plane(system.ground), law, friction, rolling=rolling, name="floor")
    system.add(touch)
    return system


@pytest.mark.parametrize("dim", [2, 3])
def test_a_wheel_slows_down_as_its_lever_says(dim):
    """7/5 m a = −m g b/R for a rolling ball, so that v = v₀ − 5/7 g b/R t."""
    result = cm.simulate(wheel(dim), 0.5)
    speed = np.linalg.norm(result["wheel"].velocity, axis=1)
    late = result.t > 0.1  # friction has found the slip it needs
    slope = np.polyfit(result.t[late], speed[late], 1)[0]
    assert slope == pytest.approx(-5.0 / 7.0 * GRAVITY * LEVER / RADIUS, rel=2e-3)
    assert result.energy.drift < 1e-8
    way = np.linalg.norm(result["wheel"].position[-1] - result["wheel"].position[0])
    assert result.energy.friction[-1] == pytest.approx(MASS * GRAVITY * LEVER / RADIUS * way, rel=5e-3)


def test_turning_about_the_normal_is_free():
    system = wheel(3)
    system["wheel"].velocity, system["wheel"].angular_velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 7.0)
    result = cm.simulate(system, 0.2)
    np.testing.assert_allclose(result["wheel"].wz, 7.0, atol=1e-9)


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (lambda: cm.friction.Rolling(-1e-3), "lever must be positive or zero"),
        (lambda: cm.friction.Rolling(1e-3, spin=0.0), "spin must be positive"),
    ],
)
def test_numbers_that_cannot_be_are_refused(made, complaint):
    with pytest.raises(cm.ModelError, match=complaint):
        made()


def test_a_contact_takes_nothing_else_for_it():
    system = cm.System(dim=3)
    body = system.add(cm.Body("ball", 1.0, 1.0, (0.0, 0.0, 1.0)))
    with pytest.raises(cm.ModelError, match=r"rolling must be a friction\.Rolling"):
        cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e6), rolling=0.1)
