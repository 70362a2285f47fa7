"""Checks of every registered spatial joint: Φ_q and γ are the derivatives of Φ in random poses."""

from collections.abc import Callable

import numpy as np

import carom as cm
from carom.geometry.spline import Spline
from carom.joints.base import Joint
from carom.joints.driver import SPATIAL_COORDINATES
from carom.joints.registry import JOINTS
from carom.solve.model_evaluator import ModelEvaluator
from checkers import check_coordinate, check_parameters, check_rows, disturbed, random_rotation, three_spatial_bodies
from quick import each

PATH = [(-1.2, -0.3, 0.1), (-0.4, 0.5, 0.6), (0.3, 0.6, -0.2), (0.9, -0.1, -0.4), (1.5, -0.2, 0.3), (2.1, 0.6, 0.2)]
RING = [(1.2, 0.1, 0.2), (0.5, 0.9, -0.3), (-0.6, 0.8, 0.1), (-1.1, -0.1, 0.4), (-0.5, -0.9, 0.0), (0.6, -0.8, -0.3)]
PLANAR_ONLY = {"RackPinion"}

Rng = np.random.Generator
Example = Callable[[Rng, cm.Body, cm.Body, cm.Body], Joint]


def spot(rng: Rng) -> np.ndarray:
    return rng.uniform(-0.4, 0.4, 3)


def marker(rng: Rng, body: cm.Body) -> cm.Marker:
    return body.marker(spot(rng), orientation=random_rotation(rng))


def axis(rng: Rng) -> np.ndarray:
    return rng.standard_normal(3)


def across(rng: Rng, a: cm.Body, b: cm.Body) -> Joint:
    u, w = np.linalg.qr(rng.standard_normal((3, 2)))[0].T
    return cm.Universal(a, b, spot(rng), u, w)


def swing(rng: Rng) -> cm.SineMotion:
    return cm.SineMotion(amplitude=rng.uniform(0.2, 0.6), frequency=0.3, phase=rng.uniform(0.0, 3.0))


def on_curve(rng: Rng, a: cm.Body, b: cm.Body, closed: bool) -> Joint:
    """Return a joint with the pin up to 0.1 m beside the curve, away from knots (the third derivative jumps there)."""
    frame = marker(rng, a)
    points = RING if closed else PATH
    curve = Spline("test", points, closed, size=3)
    k = rng.integers(len(curve.knots) - 1)
    s = curve.knots[k] + rng.uniform(0.4, 0.6) * (curve.knots[k + 1] - curve.knots[k])
    local = curve.spline(s) + rng.uniform(-0.05, 0.05, 3)
    return cm.PointOnCurve(frame, b, points, closed, at=frame.position + frame.frame @ local)


def beyond_curve(rng: Rng, a: cm.Body, b: cm.Body) -> Joint:
    """Return a joint with the pin beyond the end of an open curve, which continues straight."""
    curve = Spline("test", PATH, size=3)
    end = curve.spline(curve.length) + rng.uniform(0.3, 0.5) * curve.spline(curve.length, 1)
    return cm.PointOnCurve(a, b, PATH, at=a.to_global(end + rng.uniform(-0.1, 0.1, 3)))


def geared(rng: Rng, a: cm.Body, b: cm.Body, c: cm.Body, **ratio: float) -> Joint:
    """Return a gear of the wheels a and b with skew axes, both in c."""
    hinges = [cm.Revolute(c, wheel, at=spot(rng), axis=axis(rng)) for wheel in (a, b)]
    return cm.Gear(*hinges, **ratio)


EXAMPLES: dict[str, dict[str, Example]] = {
    "Revolute": {
        "about an axis": lambda rng, a, b, c: cm.Revolute(a, b, at=spot(rng), axis=axis(rng)),
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
        "rod": lambda rng, a, b, c: cm.Distance(marker(rng, a), marker(rng, b)),
        "actuator": lambda rng, a, b, c: cm.Distance(marker(rng, a), marker(rng, b), swing(rng)),
    },
    "PointOnLine": {
        "along an axis": lambda rng, a, b, c: cm.PointOnLine(a, b, axis=axis(rng), at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.PointOnLine(marker(rng, a), marker(rng, b)),
    },
    "PointOnCurve": {
        "open": lambda rng, a, b, c: on_curve(rng, a, b, closed=False),
        "closed": lambda rng, a, b, c: on_curve(rng, a, b, closed=True),
        "beyond its end": lambda rng, a, b, c: beyond_curve(rng, a, b),
    },
    "Gear": {
        "of teeth": lambda rng, a, b, c: geared(rng, a, b, c, teeth=(17, 40)),
        "of a ratio": lambda rng, a, b, c: geared(rng, a, b, c, ratio=rng.uniform(-3.0, 3.0)),
        "in a row": lambda rng, a, b, c: cm.Gear(
            cm.Revolute(c, a, at=spot(rng), axis=axis(rng)), cm.Cylindrical(a, b, axis=axis(rng)), ratio=-1.7
        ),
    },
    "Spherical": {
        "at a point": lambda rng, a, b, c: cm.Spherical(a, b, at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.Spherical(marker(rng, a), marker(rng, b)),
    },
    "Universal": {
        "across": lambda rng, a, b, c: across(rng, a, b),
        "of markers": lambda rng, a, b, c: cm.Universal(marker(rng, a), marker(rng, b)),
    },
    "Cylindrical": {
        "along an axis": lambda rng, a, b, c: cm.Cylindrical(a, b, axis=axis(rng), at=spot(rng)),
        "of markers": lambda rng, a, b, c: cm.Cylindrical(marker(rng, a), marker(rng, b)),
    },
    "Planar": {
        "with a normal": lambda rng, a, b, c: cm.Planar(a, b, at=spot(rng), normal=axis(rng)),
        "of markers": lambda rng, a, b, c: cm.Planar(marker(rng, a), marker(rng, b)),
    },
    "Screw": {
        "right-handed": lambda rng, a, b, c: cm.Screw(a, b, axis=axis(rng), at=spot(rng), pitch=5.0),
        "left-handed": lambda rng, a, b, c: cm.Screw(marker(rng, a), marker(rng, b), pitch=-4.0),
    },
    "Driver": {
        **{
            f"of a body's {name}": lambda rng, a, b, c, name=name: cm.Driver(b, swing(rng), name)
            for name in SPATIAL_COORDINATES
        },
        **{
            f"of a marker's {name}": lambda rng, a, b, c, name=name: cm.Driver((marker(rng, b), name), swing(rng))
            for name in SPATIAL_COORDINATES
        },
    },
}
SPREAD = {"PointOnCurve": 0.02, "Gear": 0.05}  # Farther away, a closest point may cross a knot, or a gear skip a tooth.
CASES = [(kind, example) for kind, examples in EXAMPLES.items() for example in examples]
IDS = [f"{kind} {example}" for kind, example in CASES]
FREE = {"Spherical": 3, "Universal": 2, "Cylindrical": 2, "Planar": 3, "Screw": 1, "Revolute": 1, "Prismatic": 1}
FREE |= {"Weld": 0, "Distance": 5, "PointOnLine": 4, "PointOnCurve": 4}


def test_every_registered_joint_has_an_example():
    assert set(EXAMPLES) == set(JOINTS) - PLANAR_ONLY


HAS_DATA = {"PointOnCurve", "Gear"}  # the curve, or the two hinges, follow the parameters


@each("kind, example", CASES)
def test_parameters_agree_with_the_record_of_the_kernel(kind: str, example: str):
    rng = np.random.default_rng(0)
    joint = EXAMPLES[kind][example](rng, *three_spatial_bodies(rng)[1])
    check_parameters(joint.parameters, joint.kernel, kind in HAS_DATA)
    for coordinate in joint.coordinates.values():
        check_coordinate(coordinate, joint.kernel)


def checked(rng: Rng, system: cm.System, joint: Joint) -> ModelEvaluator:
    system.add(joint)
    for coordinate in joint.coordinates:  # The free coordinates are checked through drivers.
        system.add(cm.Driver(joint, swing(rng), coordinate))
    mechanism = ModelEvaluator(system)
    assert mechanism.m == joint.rows + len(joint.coordinates)
    return mechanism


@each("seed", range(4))
@each("kind, example", CASES)
def test_jacobian_and_gamma_are_derivatives_of_the_residual(kind: str, example: str, seed: int):
    rng = np.random.default_rng(seed)
    system, bodies = three_spatial_bodies(rng)
    joint = EXAMPLES[kind][example](rng, *bodies)
    assert type(joint) is JOINTS[kind]
    mechanism = checked(rng, system, joint)
    check_rows(mechanism, disturbed(mechanism, rng, SPREAD.get(kind, 0.3)), t=0.37, tolerance=5e-9)


TWO_BODY = [(kind, example) for kind, example in CASES if kind not in ("Driver", "Gear")]


@each("first", [True, False])
@each("kind, example", TWO_BODY)
def test_rows_are_derivatives_with_the_ground_as_a_body(kind: str, example: str, first: bool):
    rng = np.random.default_rng(11)
    system, (a, b, c) = three_spatial_bodies(rng)
    pair = (system.ground, b) if first else (a, system.ground)
    mechanism = checked(rng, system, EXAMPLES[kind][example](rng, *pair, c))
    check_rows(mechanism, disturbed(mechanism, rng, SPREAD.get(kind, 0.3)), t=0.2, tolerance=5e-9)


@each("kind, example", CASES)
def test_a_joint_declares_which_bodies_it_can_rotate(kind: str, example: str):
    rng = np.random.default_rng(7)
    system, bodies = three_spatial_bodies(rng)
    joint = system.add(EXAMPLES[kind][example](rng, *bodies))
    mechanism = ModelEvaluator(system)
    jacobian = mechanism.jacobian(0.0, disturbed(mechanism, rng, SPREAD.get(kind, 0.3))).toarray()
    for k, body in enumerate(bodies):
        assert joint.turns(body) or not jacobian[:, 6 * k + 3 : 6 * k + 6].any()


@each("kind", sorted(FREE))
def test_a_joint_removes_the_degrees_of_freedom_of_its_kind(kind: str):
    rng = np.random.default_rng(3)
    for example in EXAMPLES[kind]:
        system, (_, b, _) = three_spatial_bodies(rng)
        joint = EXAMPLES[kind][example](rng, system.ground, b, None)
        held = system.add(joint)
        assert system.degrees_of_freedom == 18 - held.rows == 12 + FREE[kind], example
