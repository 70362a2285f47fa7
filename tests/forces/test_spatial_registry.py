"""Checks of every registered spatial force: balance of energy and momentum in random states."""

from collections.abc import Callable

import numpy as np

import carom as cm
from carom.forces.base import Force
from carom.forces.registry import FORCES
from carom.mechanics.spatial_body import SPATIAL_BODY, VELOCITY_OFFSET
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
    random_rotation,
    three_spatial_bodies,
)
from quick import each

Rng = np.random.Generator
Example = Callable[[Rng, cm.Body, cm.Body], Force]
TOLERANCE = 2e-9


def marker(rng: Rng, body: cm.Body) -> cm.Marker:
    return body.marker(rng.uniform(-0.4, 0.4, 3), orientation=random_rotation(rng))


def aligned(rng: Rng, a: cm.Body, b: cm.Body) -> tuple[cm.Marker, cm.Marker]:
    """Return markers whose axes differ by about a radian; a bushing allows less than half a revolution."""
    first = marker(rng, a)
    turned = cm.Body("turn", 1.0, orientation=(1.0, *rng.uniform(-0.4, 0.4, 3))).rotation
    return first, b.marker(rng.uniform(-0.4, 0.4, 3), orientation=b.rotation.T @ first.frame @ turned)


def hinge(rng: Rng, a: cm.Body, b: cm.Body) -> cm.Revolute:
    return cm.Revolute(a, b, at=rng.uniform(-0.4, 0.4, 3), axis=rng.standard_normal(3))


AXIS = (0.4, -0.7, 0.5)
STIFF, DAMPED = (30.0, 50.0, 20.0, 4.0, 3.0, 6.0), (3.0, 2.0, 1.0, 0.5, 0.8, 0.2)
EXAMPLES: dict[str, dict[str, Example]] = {
    "PointForce": {
        "constant": lambda rng, a, b: cm.PointForce(marker(rng, b), (2.0, -3.0, 1.0)),
        "turning": lambda rng, a, b: cm.PointForce(marker(rng, b), (2.0, -3.0, 1.0), frame="body"),
        "of time": lambda rng, a, b: cm.PointForce(marker(rng, b), lambda t: (3.0 * t, -2.0 + t, 1.0)),
        "of the state": lambda rng, a, b: cm.PointForce(b, lambda t, s: (-3.0 * s.b.vx, s.a.z, s.b.wy)),
    },
    "Torque": {
        "constant": lambda rng, a, b: cm.Torque(b, (1.5, 0.3, -0.6)),
        "between bodies": lambda rng, a, b: cm.Torque(b, (1.5, 0.3, -0.6), reaction_body=a),
        "about an axis": lambda rng, a, b: cm.Torque(b, -2.0, reaction_body=a, axis=AXIS),
        "of the state": lambda rng, a, b: cm.Torque(b, lambda t, s: -0.7 * s.b.wx + t, reaction_body=a, axis=AXIS),
        "vector of the state": lambda rng, a, b: cm.Torque(b, lambda t, s: (-s.b.wx, t, s.a.wz), reaction_body=a),
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
        "spring": lambda rng, a, b: cm.RotationalSpringDamper(stiffness=12.0, free_angle=0.3, joint=hinge(rng, a, b)),
        "damper": lambda rng, a, b: cm.RotationalSpringDamper(a, b, damping=2.0, axis=AXIS),
        "motor": lambda rng, a, b: cm.RotationalSpringDamper(a, b, 12.0, 2.0, torque=4.0, axis=AXIS),
        "characteristic": lambda rng, a, b: cm.RotationalSpringDamper(
            a, b, 5.0, 0.5, torque=lambda angle, rate: angle**3, axis=AXIS
        ),
    },
    "Ligament": {
        "quadratic": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 0.3),
        "linear": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 0.3, order="linear"),
        "slack": lambda rng, a, b: cm.Ligament(marker(rng, a), marker(rng, b), 60.0, 9.0),
    },
    "Bushing": {
        "elastic": lambda rng, a, b: cm.Bushing(*aligned(rng, a, b), STIFF),
        "damped": lambda rng, a, b: cm.Bushing(*aligned(rng, a, b), STIFF, DAMPED),
        "as they stand": lambda rng, a, b: cm.Bushing(a, b, STIFF, (0.0, 2.0, 0.0, 1.0, 0.0, 0.0)),
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
    system, (a, b, _) = three_spatial_bodies(rng)
    force = system.add(EXAMPLES[kind][example](rng, system.ground if ground else a, b))
    assert type(force) is FORCES[kind]
    probe = ForceProbe(system)
    return probe, force, disturbed(probe.mechanism, rng, 0.3)


def twists(probe: ForceProbe, y: np.ndarray) -> np.ndarray:
    """Return velocity and angular velocity of every body in global axes."""
    probe.mechanism.rate(0.0, y)
    bodies = probe.mechanism.tables["bodies"][1:]
    return bodies[:, VELOCITY_OFFSET : VELOCITY_OFFSET + 6]


def test_every_registered_force_has_an_example():
    assert set(EXAMPLES) == set(FORCES)


@each("kind, example", CASES)
def test_every_signal_has_a_unit(kind: str, example: str):
    _, force, _ = example_at(kind, example, seed=0)
    assert len(force.signals) == len(force.units) > 0


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
    t = 0.6
    effect = probe.effect(force, t, y)
    power = probe.generalised(force, t, y) @ twists(probe, y).ravel()
    stored = derivative(lambda x: probe.effect(force, t, drifted(probe.mechanism, y, x)).potential)
    assert_close(power, -stored - effect.dissipated + effect.applied, TOLERANCE, "power")
    assert effect.dissipated >= 0.0


@each("seed", SEEDS)
@each("kind, example", sorted(CONSERVATIVE))
def test_a_conservative_wrench_is_minus_the_gradient_of_its_energy(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    q = y[: probe.mechanism.n].copy()
    slope = gradient(lambda q: probe.effect(force, 0.0, moved(probe.mechanism, y, q)).potential, q)
    found = probe.generalised(force, 0.0, y).reshape(-1, 6)
    bodies = probe.mechanism.tables["bodies"].view(SPATIAL_BODY.dtype)[1:, 0]
    for wrench, body in zip(found, bodies, strict=True):
        wrench[3:] = (
            body["R_principal"].reshape(3, 3).T @ wrench[3:]
        )  # about the principal axes, as the coordinates turn
    assert_close(found.ravel(), -slope, TOLERANCE, "wrench")
    assert probe.effect(force, 0.0, y).dissipated == 0.0
    assert probe.effect(force, 0.0, y).applied == 0.0


@each("seed", SEEDS)
@each("kind, example", INTERNAL)
def test_internal_forces_have_zero_resultant_force_and_moment(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    wrenches = probe.effect(force, 0.6, y).wrenches
    bodies = probe.mechanism.system.bodies
    places = [y[6 * k : 6 * k + 3] for body in force.members for k, known in enumerate(bodies) if known is body]
    moment = sum(np.cross(place, wrench[:3]) + wrench[3:] for place, wrench in zip(places, wrenches, strict=True))
    size = max(1.0, np.abs(wrenches).max())
    assert_close(wrenches[:, :3].sum(axis=0), np.zeros(3), 1e-14, "force")
    assert_close(moment, np.zeros(3), 1e-13 * size, "moment about the origin")


@each("kind, example", CASES)
def test_a_force_declares_which_bodies_it_can_rotate(kind: str, example: str):
    probe, force, y = example_at(kind, example, seed=7)
    torques = probe.generalised(force, 0.6, y).reshape(-1, 6)[:, 3:]
    for body, torque in zip(probe.mechanism.system.bodies, torques, strict=True):
        assert force.turns(body) or not torque.any()


@each("seed", SEEDS)
@each("kind, example", RATED)
def test_rate_signals_are_derivatives(kind: str, example: str, seed: int):
    probe, force, y = example_at(kind, example, seed)
    value, rate = (force.signals.index(name) for name in (force.signals[0], "rate"))
    slope = derivative(lambda x: probe.effect(force, 0.6, drifted(probe.mechanism, y, x)).signals[value])
    assert_close(probe.effect(force, 0.6, y).signals[rate], slope, TOLERANCE, "rate")
