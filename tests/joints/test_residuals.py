"""Residuals and coordinates of the joints against plane geometry in complex numbers."""

import cmath
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import carom as cm
from carom.geometry.spline import Spline
from carom.joints.base import Joint
from carom.solve.model_evaluator import ModelEvaluator
from checkers import assert_close, disturbed, three_bodies

SEEDS = range(3)
TIGHT = 1e-13


@dataclass
class Pose:
    """System in a random pose, away from the one in which its joints were built."""

    mechanism: ModelEvaluator
    y: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        return self.mechanism.rows(0.0, self.y)[0]

    def angle(self, body: cm.Body) -> float:
        k = self.mechanism.system.bodies.index(body)
        return float(self.y[3 * k + 2])

    def point(self, marker: cm.Marker) -> complex:
        k = self.mechanism.system.bodies.index(marker.body)
        return complex(*self.y[3 * k : 3 * k + 2]) + complex(*marker.at) * cmath.exp(1j * self.angle(marker.body))

    def direction(self, marker: cm.Marker) -> float:
        return self.angle(marker.body) + marker.angle


def pose_of(system: cm.System, joint: Joint, rng: np.random.Generator, spread: float = 0.4) -> Pose:
    """Return a random pose; its rows are those of the joint, then the values of its coordinates."""
    system.add(joint)
    for coordinate in joint.coordinates:
        system.add(cm.Driver(joint, cm.ConstantSpeed(0.0, start=0.0), coordinate))
    mechanism = ModelEvaluator(system)
    return Pose(mechanism, disturbed(mechanism, rng, spread))


def markers(rng: np.random.Generator, *bodies: cm.Body) -> list[cm.Marker]:
    return [body.marker(rng.uniform(-0.4, 0.4, 2), rng.uniform(-3.0, 3.0)) for body in bodies]


@pytest.mark.parametrize("seed", SEEDS)
def test_revolute_measures_the_gap_between_its_points_and_the_angle_between_its_axes(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    pose = pose_of(system, cm.Revolute(p, q), rng)
    gap = pose.point(q) - pose.point(p)
    assert_close(pose.rows, [gap.real, gap.imag, pose.direction(q) - pose.direction(p)], TIGHT, "rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_weld_measures_gap_and_angle(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    pose = pose_of(system, cm.Weld(p, q), rng)
    gap = pose.point(q) - pose.point(p)
    assert_close(pose.rows, [gap.real, gap.imag, pose.direction(q) - pose.direction(p)], TIGHT, "rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_prismatic_measures_the_distance_from_its_axis_and_the_displacement_along_it(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    pose = pose_of(system, cm.Prismatic(p, q), rng)
    local = (pose.point(q) - pose.point(p)) * cmath.exp(-1j * pose.direction(p))
    assert_close(pose.rows, [local.imag, pose.direction(q) - pose.direction(p), local.real], TIGHT, "rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_point_on_line_measures_the_distance_from_its_slot(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    pose = pose_of(system, cm.PointOnLine(p, q), rng)
    local = (pose.point(q) - pose.point(p)) * cmath.exp(-1j * pose.direction(p))
    assert_close(pose.rows, [local.imag, local.real, pose.direction(q) - pose.direction(p)], TIGHT, "rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_distance_measures_the_length_error_of_its_rod(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    pose = pose_of(system, cm.Distance(p, q, length=0.7), rng)
    assert_close(pose.rows, [abs(pose.point(q) - pose.point(p)) - 0.7], TIGHT, "rows")


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("seed", SEEDS)
def test_point_on_curve_measures_the_signed_distance_to_the_nearest_point(seed: int, closed: bool):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    points = [(1.2, 0.1), (0.5, 0.9), (-0.6, 0.8), (-1.1, -0.1), (-0.5, -0.9), (0.6, -0.8)]
    curve = Spline("test", points, closed)
    slot, pin = markers(rng, a, b)
    here = curve.spline(0.55 * curve.length) * 1.1
    there = complex(*slot.position) + complex(*here) * cmath.exp(1j * slot.orientation)
    pin = b.marker(b.to_local((there.real, there.imag)))
    pose = pose_of(system, cm.PointOnCurve(slot, pin, points, closed), rng, spread=0.05)
    local = (pose.point(pin) - pose.point(slot)) * cmath.exp(-1j * pose.direction(slot))

    def distance(s: float) -> float:
        return abs(complex(*curve.spline(s)) - local)

    middle = 0.55 * curve.length
    found = minimize_scalar(distance, bounds=(middle - 0.8, middle + 0.8), method="bounded", options={"xatol": 1e-12})
    tangent = complex(*curve.spline(found.x, 1))
    left = ((local - complex(*curve.spline(found.x))) / tangent).imag > 0.0
    assert pose.rows[0] == pytest.approx(found.fun if left else -found.fun, abs=1e-12)
    assert pose.rows[1] == pytest.approx(found.x, abs=1e-6)  # flat minimum: half the digits


@pytest.mark.parametrize("seed", SEEDS)
def test_gears_rotate_in_their_ratio_relative_to_the_carrier(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, c) = three_bodies(rng)
    pose = pose_of(system, cm.Gear(a, b, teeth=(15, 45), carrier=c), rng)
    turned_a, turned_b, turned_c = (pose.angle(body) - body.angle for body in (a, b, c))
    assert_close(pose.rows, [(turned_b - turned_c) + (turned_a - turned_c) / 3.0], TIGHT, "rows")


def test_ring_gear_rotates_in_the_same_direction_as_its_pinion():
    rng = np.random.default_rng(0)
    system, (a, b, _) = three_bodies(rng)
    pose = pose_of(system, cm.Gear(a, b, teeth=(20, 80), internal=True), rng)
    turned_a, turned_b = (pose.angle(body) - body.angle for body in (a, b))
    assert_close(pose.rows, [turned_b - turned_a / 4.0], TIGHT, "rows")


@pytest.mark.parametrize("seed", SEEDS)
def test_pinion_rolls_along_its_rack(seed: int):
    rng = np.random.default_rng(seed)
    system, (a, b, _) = three_bodies(rng)
    p, q = markers(rng, a, b)
    before = ((complex(*q.position) - complex(*p.position)) * cmath.exp(-1j * p.orientation)).real
    pose = pose_of(system, cm.RackPinion(p, q, radius=0.3), rng)
    after = ((pose.point(q) - pose.point(p)) * cmath.exp(-1j * pose.direction(p))).real
    turned = (pose.angle(b) - b.angle) - (pose.angle(a) - a.angle)
    assert_close(pose.rows, [after - before + 0.3 * turned], TIGHT, "rows")


@pytest.mark.parametrize("coordinate", ["x", "y", "angle"])
def test_driver_holds_a_body_coordinate_to_its_motion(coordinate: str):
    rng = np.random.default_rng(5)
    system, (a, _, _) = three_bodies(rng)
    (p,) = markers(rng, a)
    system.add(cm.Driver(p, cm.PolynomialMotion([0.2, 0.5]), coordinate))
    mechanism = ModelEvaluator(system)
    pose = Pose(mechanism, disturbed(mechanism, rng, 0.4))
    value = {"x": pose.point(p).real, "y": pose.point(p).imag, "angle": pose.angle(a)}[coordinate]
    assert_close(mechanism.rows(2.0, pose.y)[0], [value - 1.2], TIGHT, "rows")
