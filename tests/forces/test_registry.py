"""Checks of every registered planar force: balance of energy and momentum in random states."""

from collections.abc import Callable

import numpy as np

import carom as cm
from carom.forces.base import Force
from carom.forces.registry import FORCES
from carom.mechanics.planar_body import DOF
from checkers import (
    ForceProbe,
    assert_close,
    check_output,
    check_parameters,
    derivative,
    disturbed,
    drifted,
    gradient,
    moved,
    three_bodies,
)
from quick import each

Rng = np.random.Generator
Example = Callable[[Rng, cm.Body, cm.Body], Force]
TOLERANCE = 1e-9


def marker(rng: Rng, body: cm.Body) -> cm.Marker:
    return body.marker(rng.uniform(-0.4, 0.4, 2), rng.uniform(-3.0, 3.0))


EXAMPLES: dict[str, dict[str, Example]] = {
    "PointForce": {
        "constant": lambda rng, a, b: cm.PointForce(marker(rng, b), (2.0, -3.0)),
        "turning": lambda rng, a, b: cm.PointForce(marker(rng, b), (2.0, -3.0), frame="body"),
        "of time": lambda rng, a, b: cm.PointForce(marker(rng, b), lambda t: (3.0 * t, -2.0 + t)),
        "of the state": lambda rng, a, b: cm.PointForce(b, lambda t, s: (-3.0 * s.b.vx, s.a.y)),
    },
    "Torque": {
        "constant": lambda rng, a, b: cm.Torque(b, 1.5),
        "between bodies": lambda rng, a, b: cm.Torque(b, -2.0, reaction_body=a),
        "of the state": lambda rng, a, b: cm.Torque(b, lambda t, s: -0.7 * s.b.omega + t, reaction_body=a),
    },
    "SpringDamper": {
        "spring": lambda rng, a, b: cm.SpringDamper(marker(rng, a), marker(rng, b), stiffness=40.0, free_length=0.8),
        "damper": lambda rng, a, b: cm.SpringDamper(marker(rng, a), marker(rng, b), damping=3.0),
        "actuator": lambda rng, a, b: cm.SpringDamper(marker(rng, a), marker(rng, b), 40.0, 3.0, 1.2, tension=5.0),
        "characteristic": lambda rng, a, b: cm.SpringDamper(
            marker(rng, a), marker(rng, b), 10.0, 1.0, 0.5, tension=lambda t, length, rate: length**3 + t * rate
        ),
    },
    "RotationalSpringDamper": {
        "spring": lambda rng, a, b: cm.RotationalSpringDamper(a, b, stiffness=12.0, free_angle=0.3),
        "damper": lambda rng, a, b: cm.RotationalSpringDamper(a, b, damping=2.0),
        "motor": lambda rng, a, b: cm.RotationalSpringDamper(a, b, 12.0, 2.0, torque=4.0),
        "characteristic": lambda rng, a, b: cm.RotationalSpringDamper(
            a, b, 5.0, 0.5, torque=lambda angle, rate: angle**3
        ),
    },
    "Ligament": {
        "quadratic": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 0.3),
        "linear": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 0.3, order="linear"),
        "slack": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 9.0),
    },
    "Bushing": {
        "elastic": lambda rng, a, b: cm.Bushing(marker(rng, a), marker(rng, b), (30.0, 50.0, 4.0)),
        "damped": lambda rng, a, b: cm.Bushing(marker(rng, a), marker(rng, b), (30.0, 50.0, 4.0), (3.0, 2.0, 1.0)),
        "as they stand": lambda rng, a, b: cm.Bushing(a, b, (30.0, 50.0, 4.0), (0.0, 2.0, 0.0)),
    },
}
CONSERVATIVE = {
    ("SpringDamper", "spring"),
    ("RotationalSpringDamper", "spring"),
    ("Ligament", "quadratic"),
    ("Ligament", "linear"),
    ("Ligament", "slack"),
    ("Bushing", "elastic"),
}
CASES = [(kind, example) for kind, examples in EXAMPLES.items() for example in examples]
INTERNAL = [case for case in CASES if case[0] != "PointForce" and case != ("Torque", "constant")]
RATED = [case for case in CASES if "rate" in FORCES[case[0]].signals]
SEEDS = range(3)


def names(cases: list[tuple[str, str]]) -> list[str]:
    return [f"{kind} {example}" for kind, example in cases]


def example_at(kind: str, example: str, seed: int, ground: bool = False) -> tuple[ForceProbe, Force, np.ndarray]:
    """Return the evaluator of a force, the force, and a random state away from the one in which it was built."""
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    force = system.add(EXAMPLES[kind][example](rng, system.ground if ground else a, b))
    assert type(force) is FORCES[kind]
    probe = ForceProbe(system)
    return probe, force, disturbed(probe.mechanism, rng, 0.3)


def test_every_registered_force_has_an_example():
    assert set(EXAMPLES) == set(FORCES)


@each("kind", sorted(FORCES))
def test_every_signal_has_a_unit(kind: str):
    assert len(FORCES[kind].signals) == len(FORCES[kind].units) > 0


@each("kind, example", CASES)
def test_parameters_and_output_agree_with_the_records_of_the_kernel(kind: str, example: str):
    _, force, _ = example_at(kind, example, seed=0)
    check_parameters(force.parameters, force.kernel)
    check_output(force)


@each("ground", [False, True])
@each("seed", SEEDS)
@each("kind, example", CASES)
def test_power_of_the_wrench_is_loss_of_potential_minus_dissipation_plus_applied(
    kind: str, example: str, seed: int, ground: bool
):
    probe, force, y = example_at(kind, example, seed, ground)
    n, t = probe.mechanism.n, 0.6
    effect = probe.effect(force, t, y)
    power = probe.generalised(force, t, y) @ y[n : 2 * n]
    stored = derivative(lambda x: probe.effect(force, t, drifted(probe.mechanism, y, x)).potential)
    assert_close(power, -stored - effect.dissipated + effect.applied, TOLERANCE, "power")
    assert effect.dissipated >= 0.0


@each("seed", SEEDS)
@each("kind, example", sorted(CONSERVATIVE))
def test_a_conservative_wrench_is_minus_the_gradient_of_its_energy(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    q = y[: probe.mechanism.n].copy()
    slope = gradient(lambda q: probe.effect(force, 0.0, moved(probe.mechanism, y, q)).potential, q)
    assert_close(probe.generalised(force, 0.0, y), -slope, TOLERANCE, "wrench")
    assert probe.effect(force, 0.0, y).dissipated == 0.0
    assert probe.effect(force, 0.0, y).applied == 0.0


@each("seed", SEEDS)
@each("kind, example", INTERNAL)
def test_internal_forces_have_zero_resultant_force_and_moment(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    wrenches = probe.effect(force, 0.6, y).wrenches
    bodies = probe.mechanism.system.bodies
    places = [y[DOF * k : DOF * k + 2] for body in force.members for k, known in enumerate(bodies) if known is body]
    moment = sum(x * fy - z * fx + torque for (x, z), (fx, fy, torque) in zip(places, wrenches, strict=True))
    assert_close(wrenches[:, :2].sum(axis=0), [0.0, 0.0], 1e-14, "force")
    assert_close(moment, 0.0, 1e-13 * max(1.0, np.abs(wrenches).max()), "moment about the origin")


@each("kind, example", CASES)
def test_a_force_declares_which_bodies_it_can_rotate(kind: str, example: str):
    probe, force, y = example_at(kind, example, seed=7)
    torques = probe.generalised(force, 0.6, y)[2::DOF]
    for body, torque in zip(probe.mechanism.system.bodies, torques, strict=True):
        assert force.turns(body) or torque == 0.0


@each("seed", SEEDS)
@each("kind, example", RATED)
def test_rate_signals_are_derivatives(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    value, rate = (force.signals.index(name) for name in (force.signals[0], "rate"))
    slope = derivative(lambda x: probe.effect(force, 0.6, drifted(probe.mechanism, y, x)).signals[value])
    assert_close(probe.effect(force, 0.6, y).signals[rate], slope, TOLERANCE, "rate")
