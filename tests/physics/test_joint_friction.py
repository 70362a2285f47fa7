"""Friction in joints against closed forms: slides, pins and balls, in compliant and in non-smooth runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

G, MU = 9.81, 0.3
METHODS = {"compliant": {}, "explicit": {"integrator": "dopri5"}, "midpoint": {"method": "nonsmooth", "step": 1e-3}}
FAST = {name: METHODS[name] for name in ("compliant", "midpoint")}


def vector(dim: int, *values: float) -> tuple[float, ...]:
    """Return a vector with the missing coordinates zero."""
    return (*values, *[0.0] * (dim - len(values)))


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_block_on_a_guide_stops_after_v2_over_2_mu_g(dim, options):
    """The friction is μ m g until rest; all of the energy is that of friction, and the block then stays."""
    system = cm.System(dim=dim, gravity=vector(dim, 0.0, -G))
    block = system.add(cm.Body("block", 2.0, 0.1, position=vector(dim), velocity=vector(dim, 3.0)))
    guide = cm.Prismatic(system.ground, block, axis=vector(dim, 1.0), friction=cm.friction.Coulomb(MU), name="guide")
    system.add(guide)
    result = cm.simulate(system, 1.5, **options)
    rigid = "step" in options
    assert result[block].x[-1] == pytest.approx(9.0 / (2.0 * MU * G), abs=2e-3 if rigid else 1e-9)
    assert abs(result[block].vx[-1]) < 1e-12
    assert result.sample([0.5])[guide].friction_force[0] == pytest.approx(-MU * 2.0 * G, rel=1e-9)
    assert result.energy.friction[-1] == pytest.approx(9.0, rel=1e-9)
    assert result.energy.drift <= 1e-8


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("angle", [0.25, 0.5])
def test_incline_sticks_below_the_friction_angle(angle, options):
    """A block on an inclined guide rests for tan α < μ, else it accelerates by g (sin α − μ cos α)."""
    system = cm.System(gravity=(0.0, -G))
    block = system.add(cm.Body("block", 2.0, 0.1, position=(0.0, 0.0)))
    axis = (math.cos(angle), -math.sin(angle))
    law = cm.friction.Coulomb(MU, regularisation=1e-5)
    guide = system.add(cm.Prismatic(system.ground, block, axis=axis, friction=law))
    result = cm.simulate(system, 0.2, **options)
    moved = result[guide].displacement[-1]
    if math.tan(angle) < MU:
        assert moved == pytest.approx(0.0, abs=1e-14 if "step" in options else 2e-5 * 0.2)
    else:
        expected = 0.5 * G * (math.sin(angle) - MU * math.cos(angle)) * 0.04
        assert moved == pytest.approx(expected, rel=1e-9 if "step" in options else 1e-4)


def wheel(dim: int, load: float | None = None):
    """Return a wheel that spins on a pin or, without coordinates in space, on a ball, under its weight."""
    system = cm.System(dim=dim, gravity=vector(dim, 0.0, -G))
    spin = 20.0 if dim == 2 else (0.0, 0.0, 20.0)
    inertia = 0.02 if dim == 2 else (0.03, 0.03, 0.02)
    body = system.add(cm.Body("wheel", 2.0, inertia, position=vector(dim), angular_velocity=spin))
    return system, body, {"friction": cm.friction.Coulomb(MU), "pin_radius": 0.01, "friction_load": load}


@pytest.mark.parametrize("kind", ["pin", "hinge", "ball"])
@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_wheel_on_a_pin_stops_after_i_omega_over_torque(kind, options):
    """The torque is μ r m g, as the weight is the reaction; the angle to rest is ω² I/(2 μ r m g)."""
    dim = 2 if kind == "pin" else 3
    system, body, friction = wheel(dim)
    if kind == "ball":
        joint = system.add(cm.Spherical(system.ground, body, at=vector(dim), **friction))
    else:
        axis = {} if dim == 2 else {"axis": (0, 0, 1)}
        joint = system.add(cm.Revolute(system.ground, body, at=vector(dim), **axis, **friction))
    torque = MU * 0.01 * 2.0 * G
    time = 0.02 * 20.0 / torque
    options = {**options, "step": 1e-2} if "step" in options else options
    result = cm.simulate(system, 1.1 * time, **options)
    omega = result.sample([0.5 * time])[body].omega[0]
    assert (omega if dim == 2 else omega[2]) == pytest.approx(10.0, rel=1e-3)
    assert np.abs(result[body].omega[-1]).max() < 1e-9
    assert result.energy.friction[-1] == pytest.approx(0.5 * 0.02 * 400.0, rel=1e-9)
    sign = 1.0 if kind == "ball" else -1.0  # A ball has no coordinate: it is the magnitude.
    assert result.sample([0.5 * time])[joint].friction_torque[0] == pytest.approx(sign * torque, rel=1e-6)
    if kind != "ball":
        assert result[joint].angle[-1] == pytest.approx(400.0 * 0.02 / (2.0 * torque), rel=1e-3)


@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_swing_with_a_preloaded_pin_loses_two_torques_over_stiffness_per_half_swing(options):
    """A torsion spring with a constant dry torque T loses the amplitude 2 T/k in each half swing, then sticks."""
    system = cm.System()
    body = system.add(cm.Body("body", 1.0, 0.02, position=(0.0, 0.0), angle=1.0))
    pin = {"friction": cm.friction.Coulomb(0.5), "pin_radius": 0.02, "friction_load": 40.0}
    hinge = system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0), **pin))
    stiffness, torque = 8.0, 0.5 * 0.02 * 40.0
    system.add(cm.RotationalSpringDamper(joint=hinge, stiffness=stiffness, free_angle=0.0))
    half = math.pi * math.sqrt(0.02 / stiffness)
    times = half * np.arange(0, 7)
    result = cm.simulate(system, 16.0 * half, **({**options, "step": half / 500.0} if "step" in options else options))
    loss = 2.0 * torque / stiffness
    expected = [(-1.0) ** k * (1.0 - k * loss) for k in range(7)]
    assert result.sample(times)[hinge].angle == pytest.approx(expected, abs=5e-3 if "step" in options else 1e-6)
    end = result[hinge].angle[-1]
    assert abs(end) <= torque / stiffness
    assert abs(result[hinge].angle_rate[-1]) < 1e-6


@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_pendulum_with_pin_friction_loses_two_mu_r_over_l_per_half_swing(options):
    """For small swings the reaction is the weight, and the loss of amplitude in a half swing 2 μ r/l."""
    length, radius, mu, start = 0.8, 0.02, 0.2, 0.15
    system = cm.System(gravity=(0.0, -G))
    at = (length * math.sin(start), -length * math.cos(start))
    bob = system.add(cm.Body("bob", 1.5, 0.0, position=at))
    pin = {"friction": cm.friction.Coulomb(mu), "pin_radius": radius}
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), **pin))
    half = math.pi * math.sqrt(length / G)
    result = cm.simulate(system, 4.2 * half, **options)
    x = result[bob].x
    swings = [abs(np.arcsin(x[(result.t > (k - 0.5) * half) & (result.t < (k + 0.5) * half)] / length)).max()
              for k in range(1, 5)]  # fmt: skip
    losses = -np.diff([start, *swings])
    assert losses == pytest.approx(2.0 * mu * radius / length, rel=0.03)


@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
@pytest.mark.parametrize("lever", [0.1, 0.4])
def test_drawer_jams_where_twice_mu_lever_exceeds_the_guide(lever, options):
    """A pull F at a lever e needs μ · 2 F e/ℓ < F: with ℓ = 0.2 m and μ = 0.3 it slides for e < ℓ/(2 μ) = 0.33 m."""
    system = cm.System()
    drawer = system.add(cm.Body("drawer", 2.0, 0.1, position=(0.0, 0.0)))
    law = cm.friction.Coulomb(MU, regularisation=1e-5)
    system.add(cm.Prismatic(system.ground, drawer, axis=(1, 0), friction=law, guide_length=0.2))
    system.add(cm.PointForce(drawer.point(0.0, lever), force=(50.0, 0.0)))
    result = cm.simulate(system, 0.1, **options)
    factor = 1.0 - 2.0 * MU * lever / 0.2
    if factor < 0.0:
        assert result[drawer].x[-1] == pytest.approx(0.0, abs=1e-14 if "step" in options else 2e-6)
    else:
        assert result[drawer].x[-1] == pytest.approx(0.5 * 25.0 * factor * 0.01, rel=1e-4)


@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_steep_push_is_self_locking(options):
    """A force at more than the angle 1/μ to the guide cannot move a block, however large it is."""
    for push, moves in (((1e4, -4e4), False), ((1e4, -2e4), True)):
        system = cm.System()
        block = system.add(cm.Body("block", 2.0, 0.1, position=(0.0, 0.0)))
        law = cm.friction.Coulomb(MU, regularisation=1e-5)
        system.add(cm.Prismatic(system.ground, block, axis=(1, 0), friction=law))
        system.add(cm.PointForce(block, force=push))
        result = cm.simulate(system, 0.01, **options)
        assert (result[block].x[-1] > 0.1) == moves


@pytest.mark.parametrize(("offset", "moves"), [(0.002, False), (0.02, True)])
@pytest.mark.parametrize("options", FAST.values(), ids=FAST)
def test_ball_joint_holds_a_weight_beside_it(options, offset, moves):
    """A ball of radius r holds a centre of mass at a lever below μ r, about any axis."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    body = system.add(cm.Body("body", 2.0, (0.02, 0.03, 0.02), position=(0.6 * offset, 0.8 * offset, 0.0)))
    law = cm.friction.Coulomb(MU, regularisation=1e-5)
    system.add(cm.Spherical(system.ground, body, at=(0, 0, 0), friction=law, pin_radius=0.01))
    result = cm.simulate(system, 0.1, **options)
    turned = np.abs(result[body].position[-1] - result[body].position[0]).max()
    assert (turned > 1e-5) == moves
    if not moves and "step" in options:
        assert turned < 1e-8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"friction": cm.friction.Coulomb(0.1)}, "pin_radius is missing"),
        ({"pin_radius": 0.1}, "pin_radius requires friction="),
        ({"friction": 0.1, "pin_radius": 0.1}, "friction must be one of carom.friction"),
        ({"friction": cm.friction.LuGre(0.1, 0.1, 1.0, 1.0), "pin_radius": 0.1}, "without a state"),
    ],
)
def test_wrong_friction_is_an_error(arguments, message):
    """Messages name the joint and what is right."""
    system, body, _ = wheel(2)
    with pytest.raises(cm.ModelError, match=f"Revolute 'hinge': .*{message}"):
        cm.Revolute(system.ground, body, at=(0.0, 0.0), name="hinge", **arguments)


def test_methods_without_joint_friction_refuse_it():
    """Event-driven runs and the θ-method name the joint; model files keep its friction."""
    system, body, friction = wheel(2)
    system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0), name="hinge", **friction))
    for options in (
        {"method": "nonsmooth", "scheme": "event-driven"},
        {"method": "nonsmooth", "scheme": "theta", "step": 1e-3},
    ):
        with pytest.raises(cm.ModelError, match=r"Revolute 'hinge'.* friction"):
            cm.simulate(system, 0.1, **options)
    text = system.to_yaml()
    assert cm.System.from_yaml(text).to_yaml() == text
