"""Limits of joint coordinates: stops in all methods, in two and three dimensions, and their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

INERTIA, SPEED = 0.4, 3.0


def rotor(dim: int, **limits):
    """Return a body that rotates about its centre of mass, with its hinge."""
    system = cm.System(dim=dim)
    spin = SPEED if dim == 2 else (0.0, 0.0, SPEED)
    inertia = INERTIA if dim == 2 else (0.25, 0.2, INERTIA)
    wheel = system.add(cm.Body("wheel", 1.0, inertia, position=(0.0,) * dim, angular_velocity=spin))
    axis = {} if dim == 2 else {"axis": (0, 0, 1)}
    return system, system.add(cm.Revolute(system.ground, wheel, at=(0.0,) * dim, name="hinge", **axis, **limits))


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize(
    "law",
    [cm.laws.KelvinVoigt(stiffness=4e4, restitution=0.6, mass=INERTIA), cm.laws.HuntCrossley(3e5, restitution=0.8)],
    ids=["KelvinVoigt", "HuntCrossley"],
)
def test_torsional_stop_is_a_free_impact_of_the_inertia(dim, law):
    """An impact on a torsional stop after 2.5 turns is that of a mass I at speed ω on the same law."""
    limit = 5.0 * math.pi
    system, hinge = rotor(dim, limits=(None, limit), law=law)
    result = cm.simulate(system, 1.1 * limit / SPEED + 0.1)
    (impact,) = result.impacts
    expected = law.impact(INERTIA, SPEED)
    assert impact.contact == "hinge upper stop"
    assert impact.t_start == pytest.approx(limit / SPEED, rel=1e-9)
    assert impact.approach_speed == pytest.approx(SPEED, rel=1e-9)
    assert impact.separation_speed == pytest.approx(SPEED * expected.restitution, rel=1e-4)
    assert impact.max_indentation == pytest.approx(expected.max_indentation, rel=1e-4)
    assert impact.peak_force == pytest.approx(expected.peak_force, rel=1e-4)
    assert result[hinge].angle.max() == pytest.approx(limit + impact.max_indentation, rel=1e-6)
    assert result[hinge].stop_torque.min() == pytest.approx(-result["hinge upper stop"].normal_force.max(), rel=1e-12)
    assert result.energy.drift <= 1e-8
    lost = 0.5 * INERTIA * SPEED**2 * (1.0 - expected.restitution**2)
    assert result.energy.dissipated[-1] == pytest.approx(lost, rel=1e-4)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("options", [{"step": 1e-3}, {"scheme": "event-driven"}], ids=["Moreau", "event-driven"])
def test_rigid_stops_return_the_restitution(dim, options):
    """Between two rigid stops the speed is multiplied by e at each; the times follow."""
    e, limit = 0.5, 0.9
    system, hinge = rotor(dim, limits=(-limit, limit), impact=cm.ImpactLaw(restitution=e))
    result = cm.simulate(system, 3.0, method="nonsmooth", **options)
    speeds = [SPEED, e * SPEED, e**2 * SPEED]
    times = np.cumsum([limit / SPEED, 2 * limit / speeds[1], 2 * limit / speeds[2]])
    early = [impact for impact in result.impacts if impact.t_start < 2.9]
    assert [impact.contact for impact in early] == ["hinge upper stop", "hinge lower stop", "hinge upper stop"][
        : len(early)
    ]
    for impact, time, speed in zip(early, times, speeds, strict=False):
        assert impact.t_start == pytest.approx(time, abs=3e-3 if "step" in options else 1e-9)
        assert impact.approach_speed == pytest.approx(speed, rel=1e-9)
        assert impact.separation_speed == pytest.approx(e * speed, rel=1e-9)
    assert np.abs(result[hinge].angle).max() <= limit + (3e-3 if "step" in options else 1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": "dopri5"},
        {"method": "nonsmooth", "step": 1e-3},
        {"method": "nonsmooth", "scheme": "event-driven"},
    ],
    ids=["compliant", "explicit", "Moreau", "event-driven"],
)
def test_a_pendulum_comes_to_rest_on_its_stop(options):
    """The stop then carries the torque of the weight, m g l cos φ."""
    system = cm.System(gravity=(0.0, -9.81))
    rod = system.add(cm.Body("rod", mass=2.0, inertia=0.1, position=(0.5, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), limits=(-1.0, None), name="hinge"))
    result = cm.simulate(system, 1.0, **options)
    torque = 2.0 * 9.81 * 0.5 * math.cos(1.0)
    assert result[hinge].stop_torque[-1] == pytest.approx(torque, rel=1e-3)
    assert result[hinge].angle[-1] == pytest.approx(-1.0, abs=1e-3)
    assert result[hinge].angle_rate[-1] == pytest.approx(0.0, abs=1e-5)
    fall = math.sqrt(2.0 * 2.0 * 9.81 * 0.5 * math.sin(1.0) / (0.1 + 2.0 * 0.25))
    assert result.impacts[0].approach_speed == pytest.approx(fall, rel=2e-3)
    assert result.energy.drift <= 1e-6


@pytest.mark.parametrize("dim", [2, 3])
def test_stop_of_a_slide_is_a_contact_with_a_wall(dim):
    """A block on a guide moves as one that meets a plane with a point."""
    law = cm.laws.HuntCrossley(stiffness=1e6, restitution=0.7)

    def run(with_limits):
        system = cm.System(dim=dim, gravity=(3.0, *[0.0] * (dim - 1)))
        axis, zero = (1.0, *[0.0] * (dim - 1)), (0.0,) * dim
        block = system.add(cm.Body("block", 1.5, 0.1, position=zero, velocity=tuple(2.0 * x for x in axis)))
        limits = {"limits": (None, 0.5), "law": law} if with_limits else {}
        system.add(cm.Prismatic(system.ground, block, axis=axis, name="guide", **limits))
        if not with_limits:
            wall = cm.Plane(system.ground, (0.5, *[0.0] * (dim - 1)), tuple(-x for x in axis))
            system.add(cm.Contact(cm.Point(block, zero), wall, law=law, name="wall"))
        return cm.simulate(system, 1.0)

    stop, wall = run(True), run(False)
    times = np.linspace(0.0, 0.9, 50)
    assert stop.sample(times)["block"].x == pytest.approx(wall.sample(times)["block"].x, abs=1e-8)
    assert len(stop.impacts) == len(wall.impacts) == 1


@pytest.mark.parametrize("dim", [2, 3])
def test_stop_in_a_slot_is_at_the_arc_length(dim):
    """A pin in a circular slot stops where the slot ends; the peak of the spring is √(m k) v."""
    radius, k = 0.5, 1e6
    angles = np.linspace(0.0, math.pi, 61)
    points = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), 0.0 * angles])[:, :dim]
    system = cm.System(dim=dim)
    velocity = (0.0, 1.5, 0.0)[:dim]
    pin = system.add(cm.Body("pin", 0.3, 0.1, position=tuple(points[0]), velocity=velocity))
    slot = cm.PointOnCurve(system.ground, pin, points, limits=(None, radius * 1.0), law=cm.laws.Linear(k), name="slot")
    system.add(slot)
    result = cm.simulate(system, 0.5)
    (impact,) = result.impacts
    s = np.linspace(0.0, radius, 20_001)
    length = np.trapezoid(np.linalg.norm(slot.curve.spline(s, 1), axis=1), s)
    speed = impact.approach_speed  # The start is on the tangent of the spline, which is not quite that of the circle.
    assert speed == pytest.approx(1.5, rel=1e-3)
    assert impact.t_start == pytest.approx(length / speed, rel=1e-7)
    assert impact.peak_force == pytest.approx(math.sqrt(0.3 * k) * speed, rel=1e-4)
    assert impact.separation_speed == pytest.approx(speed, rel=1e-6)
    assert result.energy.drift <= 1e-8


def several():
    """Return a system whose joints have limits of all coordinates in space, and its motion."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ground, inertia = system.ground, (0.1, 0.2, 0.15)
    shaft = system.add(cm.Body("shaft", 1.0, inertia, position=(0, 1, 0), angular_velocity=(0, 0, 20.0)))
    angle, slide = cm.laws.KelvinVoigt(1e4, restitution=0.5, mass=0.15), cm.laws.KelvinVoigt(1e5, 50.0)
    system.add(
        cm.Cylindrical(
            ground, shaft, axis=(0, 0, 1), limits={"displacement": (-0.5, 0.2), "angle": (None, 15.0)},
            law={"angle": angle, "displacement": slide}, name="cylindrical",
        )
    )  # fmt: skip
    nut = system.add(cm.Body("nut", 1.0, inertia, position=(3, 1, 0), velocity=(0, 0, -0.5),
                             angular_velocity=(0, 0, -10.0 * math.pi)))  # fmt: skip
    system.add(cm.Screw(ground, nut, axis=(0, 0, 1), pitch=0.1, limits={"angle": (-20.0, None)}, name="screw"))
    bar = system.add(cm.Body("bar", 1.0, inertia, position=(6, 1, -1), velocity=(1, 0, 0), angular_velocity=(0, -1, 0)))
    axes = {"axis_a": (0, 1, 0), "axis_b": (1, 0, 0)}
    system.add(cm.Universal(ground, bar, at=(6, 1, 0), limits={"angle_a": (-0.2, 0.2)}, name="universal", **axes))
    plate = system.add(cm.Body("plate", 1.0, inertia, position=(9, 1, -1), velocity=(1.0, 0.5, 0)))
    system.add(cm.Planar(ground, plate, normal=(0, 0, 1), limits={"x": (-1, 0.5), "y": (-0.25, 0.25)}, name="planar"))
    return system


COORDINATES = {
    ("cylindrical", "displacement"): (-0.5, 0.2), ("cylindrical", "angle"): (-math.inf, 15.0),
    ("screw", "angle"): (-20.0, math.inf), ("universal", "angle_a"): (-0.2, 0.2),
    ("planar", "x"): (-1.0, 0.5), ("planar", "y"): (-0.25, 0.25),
}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "excess"),
    [({}, 0.06), ({"method": "nonsmooth", "scheme": "event-driven"}, 1e-8)],
    ids=["compliant", "event-driven"],
)
def test_limits_of_all_spatial_coordinates_hold(options, excess):
    """Every coordinate reaches a limit, and none exceeds it by more than the stops indent."""
    result = cm.simulate(several(), 1.2, **options)
    for (joint, name), (low, high) in COORDINATES.items():
        value = getattr(result[joint], name)
        assert low - excess <= value.min()
        assert value.max() <= high + excess
    touched = {impact.contact for impact in result.impacts}
    assert touched >= {"cylindrical angle upper stop", "screw angle lower stop", "universal angle_a lower stop",
                       "planar x upper stop", "planar y upper stop", "cylindrical displacement lower stop"}  # fmt: skip
    assert result.energy.drift <= 1e-8


def test_limits_are_written_to_model_files():
    """A model file has limits and laws by coordinate, and no contacts for the stops."""
    text = several().to_yaml()
    again = cm.System.from_yaml(text)
    assert again.to_yaml() == text
    assert "stop" not in text
    assert [stop.name for stop in again["screw"].stops] == ["screw angle lower stop"]


def test_spatial_angle_starts_between_its_limits():
    """Limits beyond half a revolution choose the revolution of the angle, in the result, too."""
    system, hinge = rotor(3, limits=(6.0, 8.0), law=cm.laws.Linear(1e4))
    result = cm.simulate(system, 1.0)
    assert result[hinge].angle[0] == pytest.approx(2.0 * math.pi)
    assert 6.0 - 0.1 < result[hinge].angle.min() < result[hinge].angle.max() < 8.0 + 0.1


@pytest.mark.parametrize("law", [None, cm.laws.Linear(40.0)], ids=["stiff", "soft"])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_spatial_stop_under_load_stays_at_its_limit(side, law):
    """A run that starts at rest on a stop with one limit, beyond it by the load over the stiffness, keeps its angle."""
    weight, lever = 9.81, 0.5
    system = cm.System(dim=3, gravity=(0.0, -side * weight, 0.0))
    rod = system.add(cm.Body("rod", 1.0, (0.02, 0.02, 0.02), position=(lever, 0.0, 0.0)))
    limits = (-1.0, None) if side > 0.0 else (None, 1.0)
    hinge = system.add(cm.Revolute(system.ground, rod, at=(0, 0, 0), axis=(0, 0, 1), limits=limits, law=law))
    system.set_state(cm.statics(system))
    result = cm.simulate(system, 0.01)
    angle = result[hinge].angle
    assert -side * angle[0] > 1.0
    torque = weight * lever * math.cos(angle[0])
    assert result[hinge].stop_torque == pytest.approx(side * torque, rel=1e-4)
    if law is not None:
        assert -side * angle[0] == pytest.approx(1.0 + torque / 40.0, rel=1e-6)
        assert angle == pytest.approx(angle[0], abs=1e-6)


@pytest.mark.parametrize("options", [{}, {"method": "nonsmooth", "step": 1e-3}], ids=["compliant", "non-smooth"])
@pytest.mark.parametrize("name", ["angle_a", "angle_b"])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_one_limit_of_a_universal_joint_holds(side, name, options):
    """A rod that falls about one axis of the cross rests on its stop; the torque is that of its weight."""
    limit, lever, weight = 0.3, 0.4, 2.0 * 9.81
    axis = np.array([1.0, 0.0, 0.0] if name == "angle_a" else [0.0, 1.0, 0.0])
    down = np.array([0.0, 0.0, -lever])
    gravity = 9.81 * side * np.cross(axis, down) / lever  # turns the rod towards the limit
    system = cm.System(dim=3, gravity=tuple(gravity))
    rod = system.add(cm.Body("rod", 2.0, (0.02, 0.02, 0.02), position=tuple(down)))
    limits = {name: (None, limit) if side > 0.0 else (-limit, None)}
    axes = {"axis_a": (1, 0, 0), "axis_b": (0, 1, 0)}
    joint = system.add(cm.Universal(system.ground, rod, at=(0, 0, 0), limits=limits, name="cross", **axes))
    result = cm.simulate(system, 0.6, **options)
    assert getattr(result[joint], name)[-1] == pytest.approx(side * limit, abs=1e-5)
    torque = getattr(result[joint], f"{name}_stop_torque")[-1]
    assert torque == pytest.approx(-side * weight * lever * math.cos(limit), rel=1e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8])
def test_stop_without_law_returns_the_restitution_of_its_impact_law(restitution):
    """In a compliant run, and at least that of the damping ratio 2: exp(−2 α coth α) with cosh α = 2."""
    angle = math.acosh(2.0)
    least = math.exp(-2.0 * angle / math.tanh(angle))
    system, _ = rotor(2, limits=(None, 1.0), impact=cm.ImpactLaw(restitution=restitution))
    (impact,) = cm.simulate(system, 0.5).impacts
    assert impact.restitution == pytest.approx(max(restitution, least), rel=1e-5)


@pytest.mark.parametrize("integrator", ["auto", "bdf", "adams"])
def test_a_weight_comes_to_rest_on_a_stop_without_law(integrator):
    """Its force vanishes while it still overlaps, and returns; at rest it indents by g/ω² with the period 1 ms."""
    system = cm.System(gravity=(0.0, -9.81))
    weight = system.add(cm.Body("weight", 3.0, 0.1, position=(0.0, 0.1), velocity=(0.0, -3.0)))
    guide = system.add(cm.Prismatic(system.ground, weight, axis=(0.0, 1.0), limits=(-0.3, None), name="guide"))
    result = cm.simulate(system, 0.5, integrator=integrator)
    assert result.outcome.ok
    assert result[guide].displacement[-1] == pytest.approx(-0.3 - 9.81 / (2000.0 * math.pi) ** 2, abs=1e-10)
    assert result[guide].stop_force[-1] == pytest.approx(3.0 * 9.81, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"limits": (1.0, -1.0)}, "lower < upper"),
        ({"limits": (None, None)}, "no limit"),
        ({"limits": 1.0}, "must be \\(lower, upper\\)"),
        ({"limits": {"displacement": (0, 1)}}, "unknown coordinate 'displacement'"),
        ({"law": cm.laws.Linear(1.0)}, "requires limits"),
        ({"limits": (0.0, 1.0), "law": 3.0}, "law must be one of carom.laws"),
        ({"limits": (0.0, 1.0), "impact": cm.ImpactLaw(friction=0.1)}, "no friction"),
    ],
)
def test_wrong_limits_are_errors(arguments, message):
    """Errors name the joint and what is right."""
    with pytest.raises(cm.ModelError, match=f"Revolute 'hinge': .*{message}"):
        rotor(2, **arguments)


def test_limits_of_several_coordinates_need_names():
    """A pair of limits is ambiguous for a joint with several coordinates."""
    system = cm.System(dim=3)
    body = system.add(cm.Body("b", 1.0, 0.1, position=(0, 0, 0)))
    with pytest.raises(cm.ModelError, match="mapping for several coordinates"):
        cm.Cylindrical(system.ground, body, axis=(0, 0, 1), limits=(0.0, 1.0))
    ring = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)]
    with pytest.raises(cm.ModelError, match="open slot"):
        cm.PointOnCurve(system.ground, body, ring, closed=True, limits=(0.0, 1.0))


@pytest.mark.parametrize("options", [{}, {"method": "nonsmooth", "step": 1e-3}], ids=["compliant", "non-smooth"])
def test_start_beyond_a_limit_is_an_error(options):
    """The message names coordinate, value and limit."""
    system, _ = rotor(2, limits=(0.5, 1.0))
    with pytest.raises(cm.ModelError, match=r"angle is 0 rad at the start, below its lower limit 0\.5 rad"):
        cm.simulate(system, 0.1, **options)
