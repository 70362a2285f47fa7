"""Checks of every registered planar joint: Φ_q and γ are the derivatives of Φ in random poses."""

import math
from collections.abc import Callable

import numpy as np

import carom as cm
from carom.geometry.marker import rotate
from carom.geometry.spline import Spline
from carom.joints.base import Joint
from carom.joints.driver import BODY_COORDINATES
from carom.joints.registry import JOINTS
from carom.solve.model_evaluator import ModelEvaluator
from checkers import check_coordinate, check_parameters, check_rows, disturbed, three_bodies
from quick import each

SLOT = [(-1.2, -0.3), (-0.4, 0.5), (0.3, 0.6), (0.9, -0.1), (1.5, -0.2), (2.1, 0.6)]
RING = [(1.2, 0.1), (0.5, 0.9), (-0.6, 0.8), (-1.1, -0.1), (-0.5, -0.9), (0.6, -0.8)]

Rng = np.random.Generator
Example = Callable[[Rng, cm.Body, cm.Body, cm.Body], Joint]


def spot(rng: Rng) -> np.ndarray:
    return rng.uniform(-0.4, 0.4, 2)


def marker(rng: Rng, body: cm.Body) -> cm.Marker:
    return body.marker(spot(rng), rng.uniform(-3.0, 3.0))


def axis(rng: Rng) -> tuple[float, float]:
    angle = rng.uniform(0.0, 2.0 * math.pi)
    return (math.cos(angle), math.sin(angle))


def swing(rng: Rng) -> cm.SineMotion:
    return cm.SineMotion(amplitude=rng.uniform(0.2, 0.6), frequency=0.3, phase=rng.uniform(0.0, 3.0))


def in_slot(rng: Rng, a: cm.Body, b: cm.Body, closed: bool) -> Joint:
    """Return a joint with the pin up to 0.1 m beside the curve, away from knots (the third derivative jumps there)."""
    frame = marker(rng, a)
    points = RING if closed else SLOT
    curve = Spline("test", points, closed)
    k = rng.integers(len(curve.knots) - 1)
    s = curve.knots[k] + rng.uniform(0.4, 0.6) * (curve.knots[k + 1] - curve.knots[k])
    tangent = curve.spline(s, 1) / np.hypot(*curve.spline(s, 1))
    local = curve.spline(s) + rng.uniform(-0.1, 0.1) * np.array([-tangent[1], tangent[0]])
    at = np.add(frame.position, rotate(tuple(local), frame.orientation))
    return cm.PointOnCurve(frame, b, points, closed, at=at)


def beyond_slot(rng: Rng, a: cm.Body, b: cm.Body) -> Joint:
    """Return a joint with the pin beyond the end of an open slot, which continues straight."""
    curve = Spline("test", SLOT)
    end = curve.spline(curve.length) + rng.uniform(0.3, 0.5) * curve.spline(curve.length, 1)
    return cm.PointOnCurve(a, b, SLOT, at=a.to_global(end + rng.uniform(-0.1, 0.1, 2)))


EXAMPLES: dict[str, dict[str, Example]] = {
    "Revolute": {
        "at a point": lambda rng, a, b, c: cm.Revolute(a, b, at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.Revolute(marker(rng, a), marker(rng, b)),
    },
    "Prismatic": {
        "along an axis": lambda rng, a, b, c: cm.Prismatic(a, b, axis=axis(rng), at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.Prismatic(marker(rng, a), marker(rng, b)),
    },
    "Weld": {
        "as they stand": lambda rng, a, b, c: cm.Weld(a, b),
        "of markers": lambda rng, a, b, c: cm.Weld(marker(rng, a), marker(rng, b)),
    },
    "Distance": {
        "of points": lambda rng, a, b, c: cm.Distance(marker(rng, a), marker(rng, b), 0.8),
        "actuator": lambda rng, a, b, c: cm.Distance(marker(rng, a), marker(rng, b), swing(rng)),
    },
    "PointOnLine": {
        "along an axis": lambda rng, a, b, c: cm.PointOnLine(a, b, axis=axis(rng), at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.PointOnLine(marker(rng, a), marker(rng, b)),
    },
    "PointOnCurve": {
        "open": lambda rng, a, b, c: in_slot(rng, a, b, closed=False),
        "closed": lambda rng, a, b, c: in_slot(rng, a, b, closed=True),
        "beyond its end": lambda rng, a, b, c: beyond_slot(rng, a, b),
    },
    "Gear": {
        "on the ground": lambda rng, a, b, c: cm.Gear(a, b, ratio=rng.uniform(-3.0, 3.0)),
        "on a carrier": lambda rng, a, b, c: cm.Gear(a, b, teeth=(17, 40), carrier=c),
        "ring": lambda rng, a, b, c: cm.Gear(a, b, teeth=(20, 60), internal=True, carrier=c),
    },
    "RackPinion": {
        "along an axis": lambda rng, a, b, c: cm.RackPinion(a, b, radius=0.3, axis=axis(rng)),
        "of markers": lambda rng, a, b, c: cm.RackPinion(marker(rng, a), marker(rng, b), radius=-0.2),
    },
    "Driver": {
        **{
            f"of a body's {name}": lambda rng, a, b, c, name=name: cm.Driver(b, swing(rng), name)
            for name in BODY_COORDINATES
        },
        **{
            f"of a marker's {name}": lambda rng, a, b, c, name=name: cm.Driver((marker(rng, b), name), swing(rng))
            for name in BODY_COORDINATES
        },
    },
}
SPREAD = {"PointOnCurve": 0.02}  # Farther away, the closest point may cross a knot.
CASES = [(kind, example) for kind, examples in EXAMPLES.items() for example in examples]


SPATIAL_ONLY = {"Spherical", "Universal", "Cylindrical", "Planar", "Screw"}


def test_every_registered_joint_has_an_example():
    assert set(EXAMPLES) == set(JOINTS) - SPATIAL_ONLY


HAS_DATA = {"PointOnCurve"}  # the curve follows the parameters


@each("kind, example", CASES)
def test_parameters_agree_with_the_record_of_the_kernel(kind: str, example: str):
    rng = np.random.default_rng(0)
    joint = EXAMPLES[kind][example](rng, *three_bodies(rng)[1])
    check_parameters(joint.parameters, joint.kernel, kind in HAS_DATA)
    for coordinate in joint.coordinates.values():
        check_coordinate(coordinate, joint.kernel)


@each("seed", range(5))
@each("kind, example", CASES)
def test_jacobian_and_gamma_are_derivatives_of_the_residual(kind: str, example: str, seed: int):
    rng = np.random.default_rng(seed)
    system, bodies = three_bodies(rng)
    joint = system.add(EXAMPLES[kind][example](rng, *bodies))
    assert type(joint) is JOINTS[kind]
    for coordinate in joint.coordinates:  # The free coordinates are checked through drivers.
        system.add(cm.Driver(joint, swing(rng), coordinate))
    mechanism = ModelEvaluator(system)
    assert mechanism.m == joint.rows + len(joint.coordinates)
    check_rows(mechanism, disturbed(mechanism, rng, SPREAD.get(kind, 0.3)), t=0.37)


TWO_BODY = [(kind, example) for kind, example in CASES if kind != "Driver"]


@each("first", [True, False])
@each("kind, example", TWO_BODY)
def test_rows_are_derivatives_with_the_ground_as_a_body(kind: str, example: str, first: bool):
    rng = np.random.default_rng(11)
    system, (a, b, c) = three_bodies(rng)
    pair = (system.ground, b) if first else (a, system.ground)
    joint = system.add(EXAMPLES[kind][example](rng, *pair, c))
    for coordinate in joint.coordinates:
        system.add(cm.Driver(joint, swing(rng), coordinate))
    mechanism = ModelEvaluator(system)
    check_rows(mechanism, disturbed(mechanism, rng, SPREAD.get(kind, 0.3)), t=0.2)


@each("kind, example", CASES)
def test_a_joint_declares_which_bodies_it_can_rotate(kind: str, example: str):
    rng = np.random.default_rng(7)
    system, bodies = three_bodies(rng)
    joint = system.add(EXAMPLES[kind][example](rng, *bodies))
    mechanism = ModelEvaluator(system)
    jacobian = mechanism.jacobian(0.0, disturbed(mechanism, rng, SPREAD.get(kind, 0.3))).toarray()
    for k, body in enumerate(bodies):
        assert joint.turns(body) or not jacobian[:, 3 * k + 2].any()


@each("name", sorted(JOINTS))
def test_coordinates_carry_units_of_length_or_angle(name: str):
    assert all((c.unit, c.rate_unit) in {("m", "m/s"), ("rad", "rad/s")} for c in JOINTS[name].coordinates.values())
