"""Event-driven runs of mechanisms against closed forms, an independent event-driven solution, and time stepping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk

import carom as cm
from physics.reference import slider_crank_clearance as reference
from quick import slow_but
from solve.event_driven.event_runs import G, obeys_the_laws, run

# ---- joints and drivers


@pytest.mark.parametrize("restitution", [0.8, 0.5])
def test_pendulum_against_a_wall(restitution):
    """Between impacts half a period, 2 K(k) √(l/g) with k = ω/2 √(l/g), ω ε times that of the impact before."""
    length = 0.7
    system = cm.System(gravity=(0.0, -G), name="wall")
    bob = system.add(cm.Body("bob", 1.0, 0.0, (-length, 0.0)))
    system.add(cm.Revolute(bob, system.ground, (0.0, 0.0), name="pivot"))
    wall = cm.Plane(system.ground, (0.0, 0.0), (-1.0, 0.0))
    system.add(cm.Contact(cm.Point(bob), wall, impact=cm.ImpactLaw(restitution), name="wall"))
    slow = math.sqrt(length / G)
    result = run(system, 3.0, rtol=1e-10, atol=1e-12)
    times = [ellipk(0.5) * slow]
    modulus = math.sqrt(0.5)
    while times[-1] < 3.0:
        modulus *= restitution
        times.append(times[-1] + 2.0 * ellipk(modulus**2) * slow)
    found = [impact.t_start for impact in result.impacts]
    assert found == pytest.approx(times[:-1], abs=1e-8)
    assert np.hypot(result["bob"].x, result["bob"].y) == pytest.approx(length, abs=1e-13)
    assert np.abs(result.energy.balance).max() < 1e-8
    for impact in result.impacts:
        assert impact.separation_speed == pytest.approx(restitution * impact.approach_speed, rel=1e-9)


def belt(friction: float, speed: float, stiffness: float) -> cm.System:
    """A block of 1 kg, held by a spring, on a belt that a driver moves."""
    system = cm.System(gravity=(0.0, -G), name="belt")
    mass = system.add(cm.Body("mass", 1.0, 0.01, (0.0, 0.1)))
    tape = system.add(cm.Body("tape", 5.0, 1.0, (0.0, -0.1)))
    system.add(cm.Prismatic(tape, system.ground, axis=(1.0, 0.0), at=(0.0, -0.1), name="rail"))
    system.add(cm.Driver((tape, "x"), cm.ConstantSpeed(speed), name="motor"))
    system.add(cm.SpringDamper(mass, cm.Marker(system.ground, (-1.0, 0.1)), stiffness, name="spring"))
    top = cm.Plane(tape, (0.0, 0.1), (0.0, 1.0))
    for name, x in (("rear", -0.2), ("front", 0.2)):
        system.add(cm.Contact(cm.Point(mass, (x, -0.1)), top, impact=cm.ImpactLaw(0.0, friction), name=name))
    return system


def test_stick_slip_oscillator():
    """From rest the belt drags the mass along: x = x_e (1 − cos ωt), x_e = μ m g/k, until it moves with the belt; it
    stays on it until x = x_e, and then swings, x = x_e + (v/ω) sin ω(t − t₂)."""
    friction, speed, stiffness = 0.4, 0.3, 50.0
    omega, place = math.sqrt(stiffness), 0.4 * G / stiffness
    stick = math.asin(speed / (place * omega)) / omega
    slip = stick + (place - place * (1.0 - math.cos(omega * stick))) / speed
    later = slip + 0.5
    result = run(belt(friction, speed, stiffness), later)
    jumps = result.t[np.flatnonzero(np.diff(result.t) == 0.0)]
    assert jumps[:2] == pytest.approx([stick, slip], abs=1e-8)
    assert result["mass"].x[-1] == pytest.approx(place + speed / omega * math.sin(0.5 * omega), abs=1e-8)
    sticking = (result.t > stick) & (result.t < slip)
    assert result["mass"].vx[sticking] == pytest.approx(speed, abs=1e-12)
    assert np.abs(result.energy.balance).max() < 1e-8


def shaking_table(amplitude: float, omega: float) -> cm.System:
    """A ball that lies on a table, which a driver moves up and down."""
    system = cm.System(gravity=(0.0, -G), name="table")
    speed = (0.0, amplitude * omega)
    ball = system.add(cm.Body("ball", 0.5, 0.001, (0.0, 0.1), velocity=speed))
    table = system.add(cm.Body("table", 3.0, 1.0, (0.0, 0.0), velocity=speed))
    system.add(cm.Prismatic(table, system.ground, axis=(0.0, 1.0), at=(0.0, 0.0), name="rail"))
    system.add(cm.Driver((table, "y"), cm.SineMotion(amplitude, omega / (2.0 * math.pi)), name="shaker"))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(table), impact=cm.ImpactLaw(0.2), name="floor"))
    return system


def test_ball_stays_on_a_table_that_shakes_a_little():
    result = run(shaking_table(0.01, 30.0), 0.25)
    force = 0.5 * (G - 9.0 * np.sin(30.0 * result.t))
    assert result["floor"].normal_force == pytest.approx(force, abs=1e-7)


def test_ball_leaves_a_shaking_table():
    """Where A Ω² sin Ωt = g; it lands where the table meets its parabola."""
    amplitude, omega = 0.02, 30.0
    result = run(shaking_table(amplitude, omega), 0.25)
    leave = math.asin(G / (amplitude * omega**2)) / omega
    height, speed = amplitude * math.sin(omega * leave), amplitude * omega * math.cos(omega * leave)

    def above(t):
        return height + (t - leave) * (speed - 0.5 * G * (t - leave)) - amplitude * math.sin(omega * t)

    land = brentq(above, 0.1, 0.2)
    jumps = result.t[np.flatnonzero(np.diff(result.t) == 0.0)]
    assert jumps[:2] == pytest.approx([leave, land], abs=1e-9)
    hit = result.impacts[1]
    assert hit.t_start == pytest.approx(land, abs=1e-9)
    approach = amplitude * omega * math.cos(omega * land) - speed + G * (land - leave)
    assert hit.approach_speed == pytest.approx(approach, rel=1e-8)
    assert np.abs(result.energy.balance).max() < 1e-9


def test_driver_that_begins_suddenly():
    """A table that a cubic step lifts: its acceleration jumps, and so does the force it takes, m (g + 6 s/T²)."""
    system = cm.System(gravity=(0.0, -G), name="lift")
    ball = system.add(cm.Body("ball", 0.5, 0.001, (0.0, 0.1)))
    table = system.add(cm.Body("table", 3.0, 1.0, (0.0, 0.0)))
    system.add(cm.Prismatic(table, system.ground, axis=(0.0, 1.0), at=(0.0, 0.0), name="rail"))
    system.add(cm.Driver((table, "y"), cm.StepMotion(0.1, 0.0, 0.3, 0.05, "cubic"), name="lift"))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(table), impact=cm.ImpactLaw(0.3), name="floor"))
    result = run(system, 0.4)
    force = result["floor"].normal_force
    for time, before, after in ((0.1, 0.0, 7.5), (0.3, -7.5, 0.0)):
        i = np.flatnonzero(result.t == time)
        assert force[i] == pytest.approx([0.5 * (G + before), 0.5 * (G + after)], rel=1e-9)
    assert result["ball"].y[-1] == pytest.approx(0.15, abs=1e-10)
    assert result["rail"].fy == pytest.approx(0.0, abs=1e-9)
    assert np.abs(result.energy.balance).max() < 1e-9


def test_pin_in_a_narrow_bearing():
    """Slider-crank with a clearance of 0.05 mm at the slider's pin: the normal turns a thousand times faster than the
    crank. Tighter tolerances give the same answer, and so do short time steps."""
    system = cm.System(name="bearing")
    one, two, speed = 0.05, 0.12, 20.0 * math.pi
    crank = cm.Body("crank", 0.3, 1e-4, (0.5 * one, 0.0), velocity=(0.0, 0.5 * one * speed), angular_velocity=speed)
    rod = cm.Body("rod", 0.21, 2.5e-4, (one + 0.5 * two, 0.0), velocity=(0.0, 0.5 * one * speed),
                  angular_velocity=-speed * one / two)  # fmt: skip
    slider = cm.Body("slider", 0.14, 1e-4, (one + two, 0.0))
    for body in (crank, rod, slider):
        system.add(body)
    system.add(cm.Revolute(crank, system.ground, (0.0, 0.0), name="main"))
    system.add(cm.Revolute(crank, rod, (one, 0.0), name="pin"))
    system.add(cm.Prismatic(slider, system.ground, axis=(1.0, 0.0), at=(one + two, 0.0), name="guide"))
    system.add(cm.Driver((crank, "angle"), cm.ConstantSpeed(speed), name="motor"))
    impact = cm.ImpactLaw(0.5, 0.05)
    system.add(cm.RevoluteClearance(rod, slider, (one + two, 0.0), 0.01, 0.01005, impact=impact, name="bearing"))
    results = [run(system, 0.05, rtol=rtol, atol=1e-2 * rtol) for rtol in (1e-8, 1e-10)]
    assert results[0]["slider"].vx[-1] == pytest.approx(results[1]["slider"].vx[-1], abs=1e-6)
    stepped = cm.simulate(system, 0.05, method="nonsmooth", step=1e-6)
    assert stepped["slider"].vx[-1] == pytest.approx(results[1]["slider"].vx[-1], abs=2e-3)
    obeys_the_laws(results[1], 0.05)


# ---- the slider-crank with play in its guide


def cartesian(restitution: float, slider_angle: float, driven: bool) -> cm.System:
    """Case 7 with bodies and joints."""
    l1, l2, a, b = reference.L1, reference.L2, reference.A, reference.B + reference.C
    system = cm.System(gravity=(0.0, -G), name="slider-crank")
    speed = 150.0 * l1
    crank = cm.Body(
        "crank", reference.M1, reference.J1, (0.5 * l1, 0.0), 0.0, (0.0, 0.5 * speed), angular_velocity=150.0
    )
    rod = cm.Body("rod", reference.M2, reference.J2, (l1 + 0.5 * l2, 0.0), 0.0, (0.0, 0.5 * speed),
                  angular_velocity=-75.0)  # fmt: skip
    slider = cm.Body("slider", reference.M3, reference.J3, (l1 + l2, 0.0), slider_angle)
    for body in (crank, rod, slider):
        system.add(body)
    system.add(cm.Revolute(crank, system.ground, (0.0, 0.0), name="main"))
    system.add(cm.Revolute(crank, rod, (l1, 0.0), name="pin"))
    system.add(cm.Revolute(rod, slider, (l1 + l2, 0.0), name="wrist"))
    if driven:
        system.add(cm.Driver((crank, "angle"), cm.ConstantSpeed(150.0), name="motor"))
    for k in range(4):
        x, side = reference.SX[k] * a, reference.SY[k]
        wall = cm.Plane(system.ground, (0.0, side * b), (0.0, -side))
        corner = cm.Point(slider, (x, side * reference.B))
        system.add(cm.Contact(corner, wall, impact=cm.ImpactLaw(restitution, 0.01), name=f"corner {k + 1}"))
    return system


@pytest.mark.parametrize(
    ("restitution", "slider_angle", "crank"), [(0.4, 0.0, "free"), (0.6, 1e-3, "free"), (0.4, 1e-3, "driven")]
)
def test_bodies_and_joints_against_the_reference(restitution, slider_angle, crank):
    driven = crank == "driven"
    result = run(cartesian(restitution, slider_angle, driven), 0.1, rtol=1e-10, atol=1e-12)
    expected = reference.event_driven(restitution, crank=crank, t_end=0.1, slider_angle=slider_angle)
    assert expected["faults"] == 0
    final = [result[name].omega[-1] for name in ("crank", "rod", "slider")]
    assert final == pytest.approx(expected["final"][3:], abs=1e-5)
    obeys_the_laws(result, 0.01)


def slider_crank(restitution: float, slider_angle: float = 0.0) -> cm.GeneralizedSystem:
    """Case 7 in q = (θ1, θ2, θ3)."""
    l1, l2, a, b, c = reference.L1, reference.L2, reference.A, reference.B, reference.C
    m1, m2, m3, j1, j2, j3 = (getattr(reference, name) for name in ("M1", "M2", "M3", "J1", "J2", "J3"))

    def mass(q):
        k = (m2 / 2 + m3) * l1 * l2 * math.cos(q[1] - q[0])
        return np.array(
            [[j1 + (m1 / 4 + m2 + m3) * l1**2, k, 0.0], [k, j2 + (m2 / 4 + m3) * l2**2, 0.0], [0.0, 0.0, j3]]
        )

    def force(q, u):
        k = (m2 / 2 + m3) * l1 * l2 * math.sin(q[1] - q[0])
        one = k * u[1] ** 2 - (m1 / 2 + m2 + m3) * G * l1 * math.cos(q[0])
        return np.array([one, -k * u[0] ** 2 - (m2 / 2 + m3) * G * l2 * math.cos(q[1]), 0.0])

    def gaps(q):
        y, s, k = l1 * math.sin(q[0]) + l2 * math.sin(q[1]), a * math.sin(q[2]), b + c - b * math.cos(q[2])
        return np.array([k - y + s, k - y - s, k + y - s, k + y + s])

    def slips(q):
        x, p, s = l1 * math.cos(q[0]) + l2 * math.cos(q[1]), a * math.cos(q[2]), b * math.sin(q[2])
        return np.array([x - p - s, x + p - s, x - p + s, x + p + s])

    def potential(q):
        return (m1 / 2 + m2 + m3) * G * l1 * math.sin(q[0]) + (m2 / 2 + m3) * G * l2 * math.sin(q[1])

    return cm.GeneralizedSystem(
        [0.0, 0.0, slider_angle], [150.0, -75.0, 0.0], mass, force, gaps, tangential=slips, potential=potential,
        impact=cm.ImpactLaw(restitution, 0.01), coordinates=["crank", "rod", "slider"],
        bodies={"pin": lambda q: (l1 * math.cos(q[0]) + l2 * math.cos(q[1]), l1 * math.sin(q[0]), q[2])},
    )  # fmt: skip


LENGTHS = [(0.4, 0.0, 0.05), (0.6, 1e-3, 0.05), (0.6, 1e-3, 0.01)]


@pytest.mark.parametrize(("restitution", "slider_angle", "t_end"), slow_but(LENGTHS[2:], LENGTHS))
def test_slider_crank_against_the_reference(restitution, slider_angle, t_end):
    result = run(slider_crank(restitution, slider_angle), t_end, rtol=1e-10, atol=1e-12)
    expected = reference.event_driven(restitution, t_end=t_end, slider_angle=slider_angle)
    final = [result[name].rate[-1] for name in ("crank", "rod", "slider")]
    assert final == pytest.approx(expected["final"][3:], rel=1e-6, abs=1e-5)
    assert result.energy.drift < 1e-7
    assert np.all([result[f"contact {k}"].indentation.max() < 1e-12 for k in (1, 2, 3, 4)])
    first = expected["impacts"]["t"][0]
    assert result.impacts[0].t_start == pytest.approx(first, abs=1e-10)
    check_accelerations(result)


@pytest.mark.parametrize(
    ("restitution", "slider_angle", "speed"),
    [(0.4, 0.0, 70.895507), (0.6, 0.0, 74.090290), (0.4, 1e-3, 70.772727), (0.6, 1e-3, 73.482865)],
)
def test_slider_crank_after_five_turns(restitution, slider_angle, speed):
    """The crank's speed after 0.2 s, from the reference in steps of 2e-5 s."""
    result = run(cartesian(restitution, slider_angle, False), 0.2)
    assert result["crank"].omega[-1] == pytest.approx(speed, abs=3e-5)


def check_accelerations(result: cm.Result) -> None:
    """Check velocity and acceleration of a body that generalised coordinates move."""
    crank, rod, pin = result["crank"], result["rod"], result["pin"]
    l1, l2 = reference.L1, reference.L2
    i = 10
    step = 1e-6
    ends = result.sample([result.t[i] - step, result.t[i] + step])
    assert pin.vx[i] == pytest.approx(
        -l1 * math.sin(crank.value[i]) * crank.rate[i] - l2 * math.sin(rod.value[i]) * rod.rate[i], rel=1e-12
    )
    assert pin.ax[i] == pytest.approx((ends["pin"].vx[1] - ends["pin"].vx[0]) / (2.0 * step), rel=1e-6)


# ---- against time stepping


def test_time_stepping_converges_to_it():
    """A double pendulum strikes a rough wall: the midpoint rule comes closer as its steps get shorter."""
    system = cm.System(gravity=(0.0, -G), name="double")
    upper = system.add(cm.Body("upper", 1.0, 0.02, (-0.25, 0.0)))
    lower = system.add(cm.Body("lower", 1.0, 0.02, (-0.75, 0.0)))
    system.add(cm.Revolute(upper, system.ground, (0.0, 0.0), name="pivot"))
    system.add(cm.Revolute(lower, upper, (-0.5, 0.0), name="elbow"))
    wall = cm.Plane(system.ground, (0.1, 0.0), (-1.0, 0.0))
    system.add(cm.Contact(cm.Point(lower, (-0.25, 0.0)), wall, impact=cm.ImpactLaw(0.5, 0.2), name="wall"))
    exact = run(system, 0.7, rtol=1e-10, atol=1e-12)
    assert len(exact.impacts) > 0
    errors = []
    for step in (1e-3, 1e-4):
        other = cm.simulate(system, 0.7, method="nonsmooth", step=step)
        errors.append(abs(other["lower"].angle[-1] - exact["lower"].angle[-1]))
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 2e-3
