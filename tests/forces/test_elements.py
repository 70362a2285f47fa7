"""Each force against its formula, by plane geometry in complex numbers."""

import cmath
import math

import numpy as np
import pytest

import carom as cm
from carom.forces.base import Force
from checkers import Effect, ForceProbe, assert_close, disturbed, three_bodies

TIGHT = 1e-13


def measured(system: cm.System, force: Force, rng: np.random.Generator) -> tuple[Effect, np.ndarray]:
    """Return the effect of ``force`` in a random state, and that state: a row (x, y, angle, vx, vy, omega) per body."""
    system.add(force)
    probe = ForceProbe(system)
    y = disturbed(probe.mechanism, rng, 0.3)
    n = probe.mechanism.n
    return probe.effect(force, 0.8, y), np.hstack([y[:n].reshape(-1, 3), y[n : 2 * n].reshape(-1, 3)])


def point(state: np.ndarray, at: tuple[float, ...]) -> tuple[complex, complex]:
    """Return a point of a body and its velocity."""
    x, y, angle, vx, vy, omega = state
    arm = complex(*at) * cmath.exp(1j * angle)
    return complex(x, y) + arm, complex(vx, vy) + 1j * omega * arm


def wrench(force: complex, at: complex, state: np.ndarray, torque: float = 0.0) -> list[float]:
    """Return the wrench of a force at a point: force and moment about the centre of mass."""
    arm = at - complex(*state[:2])
    return [force.real, force.imag, (arm.conjugate() * force).imag + torque]


@pytest.mark.parametrize("frame", ["global", "body"])
def test_point_force_acts_at_its_point_in_its_frame(frame: str):
    rng = np.random.default_rng(0)
    system, (a, _, _) = three_bodies(rng)
    effect, state = measured(system, cm.PointForce(a.point(0.3, -0.2), (2.0, -3.0), frame), rng)
    force = complex(2.0, -3.0) * (cmath.exp(1j * state[0, 2]) if frame == "body" else 1.0)
    at, velocity = point(state[0], (0.3, -0.2))
    assert_close(effect.wrenches, [wrench(force, at, state[0])], TIGHT, "wrench")
    assert_close(effect.applied, (force.conjugate() * velocity).real, TIGHT, "power")
    assert_close(effect.signals, [force.real, force.imag], TIGHT, "signals")


def test_torque_acts_on_its_body_and_opposite_on_the_reaction_body():
    rng = np.random.default_rng(1)
    system, (a, b, _) = three_bodies(rng)
    effect, state = measured(system, cm.Torque(b, 4.0, reaction_body=a), rng)
    assert_close(effect.wrenches, [[0.0, 0.0, -4.0], [0.0, 0.0, 4.0]], 0.0, "wrenches")
    assert_close(effect.applied, 4.0 * (state[1, 5] - state[0, 5]), TIGHT, "power")


def test_spring_damper_pulls_with_stiffness_damping_and_tension():
    rng = np.random.default_rng(2)
    system, (a, b, _) = three_bodies(rng)
    force = cm.SpringDamper(a.point(0.1, 0.2), b.point(-0.3, 0.1), 40.0, 3.0, 0.9, tension=5.0)
    effect, state = measured(system, force, rng)
    (p, vp), (q, vq) = point(state[0], (0.1, 0.2)), point(state[1], (-0.3, 0.1))
    length = abs(q - p)
    along = (q - p) / length
    rate = (along.conjugate() * (vq - vp)).real
    tension = 40.0 * (length - 0.9) + 3.0 * rate + 5.0
    assert_close(effect.signals, [length, rate, tension], TIGHT, "signals")
    pulls = [wrench(tension * along, p, state[0]), wrench(-tension * along, q, state[1])]
    assert_close(effect.wrenches, pulls, TIGHT, "wrenches")
    assert_close(effect.potential, 20.0 * (length - 0.9) ** 2, TIGHT, "energy")
    assert_close(effect.dissipated, 3.0 * rate**2, TIGHT, "dissipation")


def test_a_spring_of_length_zero_has_no_force():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1))
    spring = system.add(cm.SpringDamper(system.ground, ball, stiffness=10.0, damping=1.0))
    probe = ForceProbe(system)
    assert_close(probe.effect(spring, 0.0, probe.start).wrenches, np.zeros((2, 3)), 0.0, "wrenches")


def test_torsion_spring_opposes_the_angle_between_its_bodies():
    rng = np.random.default_rng(3)
    system, (a, b, _) = three_bodies(rng)
    effect, state = measured(system, cm.RotationalSpringDamper(a, b, 12.0, 2.0, free_angle=0.3, torque=4.0), rng)
    angle, rate = state[1, 2] - state[0, 2], state[1, 5] - state[0, 5]
    torque = 4.0 - 12.0 * (angle - 0.3) - 2.0 * rate
    assert_close(effect.wrenches, [[0.0, 0.0, -torque], [0.0, 0.0, torque]], TIGHT, "wrenches")
    assert_close(effect.signals, [angle, rate, torque], TIGHT, "signals")
    assert_close(effect.potential, 6.0 * (angle - 0.3) ** 2, TIGHT, "energy")


@pytest.mark.parametrize(("order", "power"), [("linear", 1), ("quadratic", 2)])
def test_ligament_pulls_with_a_power_of_its_elongation(order: str, power: int):
    rng = np.random.default_rng(4)
    system, (a, b, _) = three_bodies(rng)
    effect, state = measured(system, cm.Ligament(a.point(0.1, 0.2), b, 60.0, 0.4, order), rng)
    (p, _), (q, _) = point(state[0], (0.1, 0.2)), point(state[1], (0.0, 0.0))
    stretch = abs(q - p) - 0.4
    assert stretch > 0.0
    tension = 60.0 * stretch**power
    assert_close(effect.signals[2], tension, TIGHT, "tension")
    assert_close(effect.potential, 60.0 * stretch ** (power + 1) / (power + 1), TIGHT, "energy")
    assert_close(effect.wrenches[1][:2] @ [(q - p).real, (q - p).imag], -tension * abs(q - p), TIGHT, "pull")


@pytest.mark.parametrize("order", ["linear", "quadratic"])
@pytest.mark.parametrize("length", [0.2, 0.999])
def test_ligament_has_no_force_in_compression(order: str, length: float):
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(length, 0.0), velocity=(-3.0, 0.0)))
    cord = system.add(cm.Ligament(system.ground, ball, 1e4, 1.0, order))
    probe = ForceProbe(system)
    effect = probe.effect(cord, 0.0, probe.start)
    assert_close(effect.wrenches, np.zeros((2, 3)), 0.0, "wrenches")
    assert (effect.potential, effect.dissipated) == (0.0, 0.0)
    assert tuple(effect.signals) == (length, -3.0, 0.0)


def test_bushing_resists_in_the_axes_of_its_first_marker():
    rng = np.random.default_rng(5)
    system, (a, b, _) = three_bodies(rng)
    first, second = a.marker((0.1, 0.2), 0.7), b.marker((-0.3, 0.1), -0.4)
    effect, state = measured(system, cm.Bushing(first, second, (30.0, 50.0, 4.0), (3.0, 2.0, 1.0)), rng)
    (p, _), (q, vq) = point(state[0], first.at), point(state[1], second.at)
    axes = cmath.exp(1j * (state[0, 2] + 0.7))
    shift = (q - p) / axes
    turned = state[1, 2] - 0.4 - state[0, 2] - 0.7
    carried = complex(*state[0, 3:5]) + 1j * state[0, 5] * (q - complex(*state[0, :2]))  # as if fixed to a
    drift = (vq - carried) / axes
    spin = state[1, 5] - state[0, 5]
    force = -complex(30.0 * shift.real + 3.0 * drift.real, 50.0 * shift.imag + 2.0 * drift.imag) * axes
    torque = -4.0 * turned - 1.0 * spin
    expected = [shift.real, shift.imag, turned, force.real, force.imag, torque]
    assert_close(effect.signals, expected, TIGHT, "signals")
    assert_close(effect.wrenches[1], wrench(force, q, state[1], torque), TIGHT, "wrench on b")
    energy = 0.5 * (30.0 * shift.real**2 + 50.0 * shift.imag**2 + 4.0 * turned**2)
    assert_close(effect.potential, energy, TIGHT, "energy")


@pytest.mark.parametrize("where", ["bodies", "a point", "a's marker", "b's marker"])
def test_bushing_is_force_free_in_the_current_pose(where: str):
    system, (a, b, _) = three_bodies(np.random.default_rng(6))
    stiffness = (30.0, 50.0, 4.0)
    bushing = {
        "bodies": lambda: cm.Bushing(a, b, stiffness),
        "a point": lambda: cm.Bushing(a, b, stiffness, at=(0.2, 0.3)),
        "a's marker": lambda: cm.Bushing(a.point(0.1, 0.2), b, stiffness),
        "b's marker": lambda: cm.Bushing(a, b.point(0.1, 0.2), stiffness),
    }[where]()
    system.add(bushing)
    probe = ForceProbe(system)
    assert_close(probe.effect(bushing, 0.0, probe.start).wrenches, 0.0, 1e-13, where)


def test_free_lengths_and_angles_default_to_the_current_ones():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(3.0, 4.0), angle=0.6))
    assert cm.SpringDamper(system.ground, ball, 10.0).free_length == pytest.approx(5.0, rel=1e-15)
    assert cm.Ligament(system.ground, ball, 10.0).free_length == pytest.approx(5.0, rel=1e-15)
    assert cm.RotationalSpringDamper(system.ground, ball, 10.0).free_angle == pytest.approx(0.6, rel=1e-15)


def test_mass_on_a_spring_oscillates_at_its_natural_frequency():
    system = cm.System()
    block = system.add(cm.Body("block", mass=2.0, inertia=1.0, position=(1.3, 0.0)))
    system.add(cm.SpringDamper(system.ground, block, stiffness=50.0, free_length=1.0))
    result = cm.simulate(system, 0.9, rtol=1e-10, atol=1e-12)
    assert result["block"].x[-1] == pytest.approx(1.0 + 0.3 * math.cos(5.0 * 0.9), abs=1e-9)
