"""Cans, cones, stones and eggs: dropped, tipped, rolled and rocked, against theory."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm
from quick import each

GRAVITY = 9.81
RADIUS, HALF, MASS = 0.033, 0.06, 0.35
ACROSS = MASS * (3.0 * RADIUS**2 + 4.0 * HALF**2) / 12.0
CAN_INERTIA = (ACROSS, ACROSS, 0.5 * MASS * RADIUS**2)
STONE = np.random.default_rng(3).normal(size=(30, 3)) * 0.04
BRICK = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (0.05, 0.03, 0.02)
SHAPES = {
    "can": lambda body: cm.Cylinder(body, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), RADIUS, HALF),
    "cone": lambda body: cm.Cone(body, (0.0, 0.0, 0.015), (0.0, 0.0, 1.0), 0.06, 0.03),
    "stone": lambda body: cm.ConvexHull(body, STONE),
    "brick": lambda body: cm.ConvexHull(body, BRICK),
}
FLOORS = {
    "plane": lambda ground: cm.Plane(ground),
    "slab": lambda ground: cm.Box(ground, (0.5, 0.5, 0.1), at=(0.0, 0.0, -0.1)),
}


def scene(shape: str, floor: str = "plane", tilt: float = 0.0, friction: float = 0.3, restitution: float = 0.3):
    """A body at rest on a floor that is tilted about y; gravity pulls towards +x."""
    system = cm.System(dim=3, gravity=(GRAVITY * math.sin(tilt), 0.0, -GRAVITY * math.cos(tilt)))
    body = system.add(cm.Body("body", MASS, CAN_INERTIA, position=(0.0, 0.0, HALF)))
    contact = cm.Contact(
        SHAPES[shape](body),
        FLOORS[floor](system.ground),
        cm.laws.ExactRestitution(stiffness=1e7, restitution=max(restitution, 0.1)),
        cm.friction.Coulomb(friction),
        impact=cm.ImpactLaw(restitution=restitution, friction=friction),
        name="floor",
    )
    system.add(contact)
    return system, body, contact


def dropped(shape: str, floor: str, restitution: float, **method):
    system, body, contact = scene(shape, floor, restitution=restitution)
    body.position, body.angular_velocity = (0.0, 0.0, 0.1), (3.0, 2.0, 1.0)
    body.orientation = (0.9, 0.3, 0.2, 0.1)
    result = cm.simulate(system, **method)
    system.set_state(result, result.t[-1])
    return result, body, cm.closest(*contact.shapes)


@each("shape, floor", [(shape, floor) for shape in SHAPES for floor in FLOORS])
def test_dropped_bodies_lose_energy_only_and_do_not_sink_in_rigid_contact(shape: str, floor: str):
    result, _, closest = dropped(shape, floor, 0.0, t_end=0.6, method="nonsmooth", step=5e-4)
    energy = result.energy
    exchanged = MASS * GRAVITY * 0.1
    assert np.diff(energy.kinetic + energy.potential).max() < 5e-4 * exchanged
    assert abs(energy.drift) < 1e-4
    assert closest.gap > -1e-6
    assert (energy.kinetic + energy.potential)[-1] < (energy.kinetic + energy.potential)[0]


@each("shape, floor, spots", [("stone", "plane", 3), ("brick", "slab", 4)])
def test_dropped_hulls_come_to_rest_on_a_face_in_compliant_contact(shape: str, floor: str, spots: int):
    result, body, closest = dropped(shape, floor, 0.3, t_end=1.0)
    assert abs(result.energy.drift) < 1e-7
    assert np.linalg.norm(result.sample([1.0])[body].velocity) < 1e-3
    assert len(closest.spots) == spots
    # The springs of the spots carry the weight: F = K δ^1.5 each.
    depth = sum(max(-spot.gap, 0.0) ** 1.5 for spot in closest.spots)
    assert 1e7 * depth == pytest.approx(MASS * GRAVITY, rel=0.02)


@each("floor", FLOORS)
@each("ratio", [0.95, 1.05])
def test_a_standing_can_tips_where_its_weight_leaves_the_rim(floor: str, ratio: float):
    """tan(α) = R/h."""
    system, body, _ = scene("can", floor, math.atan(ratio * RADIUS / HALF), friction=1.0, restitution=0.0)
    result = cm.simulate(system, t_end=0.5, method="nonsmooth", step=5e-4)
    lean = abs(Rotation.from_quat(result[body].orientation[-1], scalar_first=True).as_matrix()[2, 2])
    assert (lean < 0.99) == (ratio > 1.0)
    if ratio < 1.0:
        assert lean == pytest.approx(1.0, abs=1e-9)


@each("floor", FLOORS)
def test_a_lying_can_rolls_down_a_slope_with_two_thirds_of_the_acceleration_of_a_sliding_one(floor: str):
    tilt, duration = math.radians(5.0), 0.3
    system, body, contact = scene("can", floor, tilt, restitution=0.0)
    body.orientation = Rotation.from_rotvec((math.pi / 2.0, 0.0, 0.0)).as_quat(scalar_first=True)
    body.position = (0.0, 0.0, RADIUS)
    result = cm.simulate(system, t_end=duration, method="nonsmooth", step=2e-4)
    distance = 0.5 * (2.0 / 3.0) * GRAVITY * math.sin(tilt) * duration**2
    assert result[body].x[-1] == pytest.approx(distance, rel=2e-3)
    assert result[body].y[-1] == pytest.approx(0.0, abs=1e-6)
    system.set_state(result, duration)
    assert len(cm.closest(*contact.shapes).spots) == 2


def test_an_egg_on_a_smooth_floor_rocks_at_the_frequency_of_theory():
    """ω² = m g (b²/c − c)/I, with the radius of curvature b²/c at the lowest point."""
    a, b, c, inertia = 0.03, 0.05, 0.03, 2e-4
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    body = system.add(cm.Body("egg", MASS, (inertia, inertia, inertia)))
    lean = 0.02
    body.orientation = (math.cos(0.5 * lean), math.sin(0.5 * lean), 0.0, 0.0)
    body.position = (0.0, 0.0, math.hypot(b * math.sin(lean), c * math.cos(lean)))
    system.add(
        cm.Contact(cm.Ellipsoid(body, (a, b, c)), cm.Plane(system.ground), cm.laws.Hertz(1e8), impact=cm.ImpactLaw(0.0))
    )
    result = cm.simulate(system, t_end=1.0, method="nonsmooth", step=2e-4)
    turn = 2.0 * result[body].orientation[:, 1]
    crossings = np.flatnonzero(np.diff(np.sign(turn)))
    times = result.t[crossings] - turn[crossings] * np.diff(result.t)[crossings] / np.diff(turn)[crossings]
    period = 2.0 * np.mean(np.diff(times))
    expected = 2.0 * math.pi / math.sqrt(MASS * GRAVITY * (b * b / c - c) / inertia)
    assert period == pytest.approx(expected, rel=2e-3)


@each("floor", FLOORS)
def test_a_cone_on_its_base_stays_where_it_is(floor: str):
    system, body, contact = scene("cone", floor, restitution=0.0)
    body.position = (0.1, 0.0, 0.015)
    result = cm.simulate(system, t_end=0.1, method="nonsmooth", step=5e-4)
    assert np.abs(result[body].position[-1] - (0.1, 0.0, 0.015)).max() < 1e-9
    assert np.abs(result[body].omega).max() < 1e-9
    assert len(cm.closest(*contact.shapes).spots) >= 3
