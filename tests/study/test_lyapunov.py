"""Lyapunov exponents against theory, tangent maps and variational equations."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.signal import lfilter

import carom as cm
from carom.errors import CaromWarning, ModelError
from carom.study.fitting.confidence import mean_error

G = 9.81
RESTITUTION, PERIOD = 0.5, 0.1
EVENTS = {"method": "nonsmooth", "scheme": "event-driven"}


def linear(stiffness, damping):
    """Return the system x'' = −stiffness x − damping x' at rest, with a gap that stays open."""
    return cm.GeneralizedSystem(
        q0=[0.0], u0=[0.0], mass=[[1.0]], force=lambda q, u: -stiffness * q[0] - damping * u[0],
        gaps=lambda q: q[0] + 1e3, impact=cm.ImpactLaw(), name="linear",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stiffness", "damping", "exponent"),
    [(-4.0, 0.0, 2.0), (9.0, 1.0, -0.5), (-2.0, 1.0, 1.0)],
)
def test_exponent_of_a_linear_system_is_the_real_part_of_its_eigenvalue(stiffness, damping, exponent):
    found = cm.lyapunov(linear(stiffness, damping), 30.0, interval=1.0, **EVENTS)
    late = found.growth[len(found.growth) // 2 :]
    # In an oscillation the norm varies by the factor √k, which adds up to ln √k over the time.
    assert np.mean(late) == pytest.approx(exponent, abs=max(1e-3, math.log(max(stiffness, 1.0)) / 2.0 / 15.0))
    assert found.chaotic == (exponent > 0.0)


def test_a_pendulum_is_regular():
    """Neighbours with different periods diverge in proportion to time: ln t/t is zero within the error."""
    found = cm.lyapunov("pendulum", 40.0, interval=0.5)
    assert abs(found.exponent) <= found.error
    assert found.exponent < 0.15
    assert not found.chaotic
    assert "regular" in str(found)


def test_exponent_of_a_double_pendulum_agrees_with_the_growth_of_its_tolerance_error():
    """Second method: growth rate of the difference between two tolerances."""
    found = cm.lyapunov("double_pendulum", 60.0, angles=(2.5, 2.5))
    check = cm.check_tolerance("double_pendulum", t_end=20.0, angles=(2.5, 2.5))
    assert found.chaotic
    assert found.exponent == pytest.approx(check.growth, rel=0.35)
    assert found.plot().axes


def test_constant_series_with_rounding_errors_are_not_compared():
    """The couplers of an N-four-bar do not rotate, so that their angles contain only rounding errors."""
    found = cm.check_tolerance("n_four_bar")
    assert found.valid_to_end
    assert "rod 0.angle" in found.times
    assert "coupler 1.angle" not in found.times


def test_a_temporary_difference_is_not_a_divergence():
    """A slider strikes its guide: the runs differ by a hundredth at times, and agree again."""
    found = cm.check_tolerance("slider_crank_clearance")
    assert found.difference["slider.y"].max() > found.threshold
    assert found.difference["slider.y"][-1] < 0.1 * found.threshold
    assert found.valid_to_end


def bouncing(restitution, drive, omega):
    """Return a ball on a table that vibrates with the amplitude ``drive`` g/ω²."""
    size = drive * G / omega**2
    return cm.GeneralizedSystem(
        q0=[1e-3], u0=[1.0 + size * omega], mass=[[1.0]], force=[-G],
        gaps=lambda q, t: q[0] - size * math.sin(omega * t), impact=cm.ImpactLaw(restitution=restitution), name="table",
    )  # fmt: skip


def tangent_map(restitution, drive, omega, impacts):
    """Return the exponent [1/s] from the exact map of impact to impact and its derivative."""
    size, period = drive * G / omega**2, 2.0 * math.pi / omega
    e, t, v, total, began = restitution, 0.0, 1.0, 0.0, 0.0
    d = np.array([1.0, 0.3])
    for k in range(impacts):

        def gap(x, t=t, v=v):
            return size * math.sin(omega * t) + v * (x - t) - 0.5 * G * (x - t) ** 2 - size * math.sin(omega * x)

        a = t + 1e-6 * period
        b = a + 0.01 * period
        while gap(b) > 0.0:
            a, b = b, b + 0.01 * period
        after = brentq(gap, a, b, xtol=1e-15)
        flight = after - t
        w = v - G * flight
        table = size * omega * math.cos(omega * after)
        dt = -((size * omega * math.cos(omega * t) - w) * d[0] + flight * d[1]) / (w - table)
        dv = -(1.0 + e) * size * omega**2 * math.sin(omega * after) * dt - e * (d[1] - G * (dt - d[0]))
        t, v = after, (1.0 + e) * table - e * w
        d = np.array([dt, dv])
        length = math.hypot(d[0] * omega, d[1] / (size * omega))
        if k < 50:
            began = t
        else:
            total += math.log(length)
        d /= length
    return total / (t - began)


def test_exponent_of_a_ball_on_a_vibrating_table_is_that_of_its_map():
    omega = 20.0 * math.pi
    expected = tangent_map(0.9, 3.0, omega, 1500)
    found = cm.lyapunov(bouncing(0.9, 3.0, omega), 200.0, interval=0.5, transient=5.0, **EVENTS)
    assert found.chaotic
    assert found.exponent == pytest.approx(expected, abs=1.5 * found.error)
    assert found.error < 0.35 * expected


def test_intervals_need_not_be_periods_of_the_drive():
    """Below the period doubling the multipliers of the motion have the modulus ε: the exponent is ln ε/T."""
    found = cm.lyapunov(bouncing(RESTITUTION, 1.3, 20.0 * math.pi), 10.0, interval=0.0837, transient=2.0, **EVENTS)
    assert found.exponent == pytest.approx(math.log(RESTITUTION) / PERIOD, rel=0.05)


def oscillator(name="oscillator"):
    """Return the oscillator x'' + x = cos 2.8t with a stop at 0 and restitution 0.8."""
    return cm.GeneralizedSystem(
        q0=[0.3], u0=[0.0], mass=[[1.0]], force=lambda q, u, t: -q[0] + math.cos(2.8 * t), gaps=lambda q: q[0],
        impact=cm.ImpactLaw(restitution=0.8), name=name,
    )  # fmt: skip


def saltation(impacts, restitution=0.8, omega=2.8):
    """Return the exponent [1/s] of `oscillator` from exact flights and saltation matrices."""
    c = 1.0 / (1.0 - omega**2)
    t, x, v, began, total, d = 0.0, 0.3, 0.0, 0.0, 0.0, np.array([1.0, 0.3])
    for k in range(impacts):
        a, b = x - c * math.cos(omega * t), v + c * omega * math.sin(omega * t)

        def position(s, t=t, a=a, b=b):
            return a * math.cos(s - t) + b * math.sin(s - t) + c * math.cos(omega * s)

        after = t + 1e-7
        while position(after + 0.01) > 0.0:
            after += 0.01
        after = brentq(position, after, after + 0.01, xtol=1e-14)
        flight = after - t
        before = -a * math.sin(flight) + b * math.cos(flight) - c * omega * math.sin(omega * after)
        force, jump = math.cos(omega * after), np.diag([1.0, -restitution])
        arriving, leaving = np.array([before, force]), np.array([-restitution * before, force])
        d = np.array([[math.cos(flight), math.sin(flight)], [-math.sin(flight), math.cos(flight)]]) @ d
        d = jump @ d + (leaving - jump @ arriving) * d[0] / before
        t, x, v = after, 0.0, -restitution * before
        size = np.linalg.norm(d)
        began, total, d = (t, 0.0, d / size) if k < 100 else (began, total + math.log(size), d / size)
    return total / (t - began)


def test_exponent_of_an_impact_oscillator_is_that_of_its_saltation_matrices():
    """Time stepping would lose the growth by different impact times and give a stable motion."""
    with pytest.warns(CaromWarning, match="integrated event-driven, not by scheme='midpoint'"):
        found = cm.lyapunov(oscillator(), 400.0, transient=50.0, method="nonsmooth", scheme="midpoint", step=1e-3)
    expected = saltation(4000)
    assert expected == pytest.approx(0.143, abs=0.008)
    assert found.exponent == pytest.approx(expected, abs=found.error)
    assert found.error < 0.5 * expected
    assert found.chaotic


def billiard(half=0.5, radius=0.3, ball=0.05):
    """Return a ball between four planes and a disc; its centre moves as the point in Sinai's billiard."""
    system = cm.System(gravity=(0.0, 0.0), name="billiard")
    body = system.add(cm.Body("ball", 1.0, 1.0, position=(0.4, -0.2), velocity=(math.cos(0.7), math.sin(0.7))))
    elastic, wide = cm.ImpactLaw(restitution=1.0), half + ball
    for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
        wall = cm.Plane(system.ground, at=(-wide * x, -wide * y), normal=(x, y))
        system.add(cm.Contact(cm.Sphere(body, ball), wall, impact=elastic, name=f"wall {k}"))
    disc = cm.Sphere(system.ground, radius - ball)
    system.add(cm.Contact(cm.Sphere(body, ball), disc, impact=elastic, name="disc"))
    return system


def billiard_map(impacts, half=0.5, radius=0.3):
    """Return the exponent [1/s] from exact flights and the derivatives of reflections."""
    x, v = np.array([0.4, -0.2]), np.array([math.cos(0.7), math.sin(0.7)])
    dx, dv, total, t = np.array([1.0, 0.2]), np.array([0.3, -0.5]), 0.0, 0.0
    for _ in range(impacts):
        flights = (np.copysign(half, v) - x) / v
        axis = int(np.argmin(flights))
        flight, curvature, b = flights[axis], 0.0, x @ v
        if b < 0.0 and b * b > x @ x - radius**2 and -b - math.sqrt(b * b - x @ x + radius**2) < flight:
            flight, curvature = -b - math.sqrt(b * b - x @ x + radius**2), 1.0 / radius
        x, dx, t = x + flight * v, dx + flight * dv, t + flight
        normal = x / np.linalg.norm(x) if curvature else -np.sign(v[axis]) * np.eye(2)[axis]
        later = -(dx @ normal) / (v @ normal)
        along, after = dx + later * v, v - 2.0 * (v @ normal) * normal
        turned = curvature * along
        dv = dv - 2.0 * ((dv @ normal + v @ turned) * normal + (v @ normal) * turned)
        dx, v = along - later * after, after
        size = math.sqrt(dx @ dx + dv @ dv)
        dx, dv, total = dx / size, dv / size, total + math.log(size)
    return total / t


def test_exponent_of_a_billiard_is_that_of_its_map():
    found = cm.lyapunov(billiard(), 60.0, interval=0.5, method="nonsmooth")
    assert found.chaotic
    assert found.exponent == pytest.approx(billiard_map(3000), abs=found.error)


def soft_stop():
    """Return the oscillator x'' + x = cos 2.8t with a contact law that depends on the approach speed."""
    system = cm.System(gravity=(0.0, 0.0), name="soft stop")
    body = system.add(cm.Body("mass", 1.0, 1.0, position=(0.3, 0.0)))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    system.add(cm.PointForce(body, lambda t: (math.cos(2.8 * t), 0.0)))
    system.add(cm.SpringDamper(cm.Marker(system.ground, (-10.0, 0.0)), body, stiffness=1.0, free_length=10.0))
    law = cm.laws.Flores(20.0, 0.5)
    system.add(cm.Contact(cm.Sphere(body, 0.1, at=(0.1, 0.0)), cm.Plane(system.ground, normal=(1.0, 0.0)), law=law))
    return system


def soft_stop_multipliers():
    """Return the multipliers of the periodic motion of `soft_stop` from the map between onsets, and its period [s]."""

    def until(rates, t, y, crossing, sign):
        def event(s, y):
            return crossing(y) if s > t + 1e-6 else -sign

        event.terminal, event.direction = True, sign
        run = solve_ivp(rates, (t, t + 50.0), y, events=event, rtol=1e-9, atol=1e-11)
        return run.t[-1], run.y[:, -1]

    def force(x, ratio):  # A = 8 (1 − c)/(5c) = 1.6; the force is never tensile.
        return 20.0 * max(-x, 0.0) ** 1.5 * max(1.0 - 1.6 * ratio, 0.0)

    def following(t, speed):
        def flight(s, y):
            return y[1], -y[0] + math.cos(2.8 * s)

        def contact(s, y):
            return y[1], -y[0] + math.cos(2.8 * s) + force(y[0], y[1] / speed)

        t, y = until(contact, t, [0.0, -speed], lambda y: y[0], 1.0)
        t, y = until(flight, t, [0.0, y[1]], lambda y: y[0], -1.0)
        return np.array([t, -y[1]])

    point = np.array([0.4, 0.09])
    for _ in range(20):
        point = following(*point)
    h = 1e-5 * np.eye(2)
    rows = [(following(*(point + step)) - following(*(point - step))) / 2e-5 for step in h]
    return np.linalg.eigvals(np.transpose(rows)), following(*point)[0] - point[0]


def test_intervals_preserve_the_approach_speed_of_compliant_contacts():
    """For any phase of the intervals the exponent is −0.151, from the multipliers of the periodic motion."""
    multipliers, length = soft_stop_multipliers()
    period = 2.0 * math.pi / 2.8
    assert length == pytest.approx(2.0 * period, rel=1e-6)
    expected = math.log(np.abs(multipliers).max()) / length
    assert expected == pytest.approx(-0.151, abs=1e-3)
    system = soft_stop()
    for phase in (0.0, 0.2, 0.7):
        found = cm.lyapunov(system, 40.0 * period, interval=period, transient=(40.0 + phase) * period)
        assert found.exponent == pytest.approx(expected, abs=0.02)


def test_runs_coincide_after_complete_chatter():
    """A table with an acceleration below g does not lift the ball, so that the bounces of both runs end."""
    ball = bouncing(0.5, 0.4, 20.0 * math.pi)
    with pytest.warns(CaromWarning, match=r"coincide after .*complete chatter"):
        found = cm.lyapunov(ball, 4.0, **EVENTS)
    assert found.exponent == -math.inf
    assert not found.chaotic
    assert "coincide" in str(found)
    assert found.plot().axes
    assert 0.0 < found.coincident < 1.0


def test_a_strong_contraction_is_not_a_coincidence():
    """x'' = −9x − 10x' has the eigenvalues −1 and −9: in an interval the distance decreases by e⁻⁵ to e⁻⁴⁵."""
    found = cm.lyapunov(linear(9.0, 10.0), 150.0, interval=5.0, **EVENTS)
    assert found.growth[-1] == pytest.approx(-1.0, abs=1e-3)


def test_spatial_nonsmooth_runs_raise():
    system = cm.System(dim=3, name="space")
    system.add(cm.Body("ball", 1.0, (1.0, 1.0, 1.0)))
    with pytest.raises(ModelError, match=r"one tangential direction only.*method='compliant'"):
        cm.lyapunov(system, 1.0, method="nonsmooth")


def test_error_covers_the_mean_of_a_correlated_series():
    """Autoregressive series with a correlation time of 1/20 of its length; 12 batches alone would cover 85 %."""
    random, decay, hits = np.random.default_rng(0), math.exp(-0.1), 0
    series = lfilter([1.0], [1.0, -decay], random.normal(size=(300, 400)))[:, 200:]
    hits = sum(abs(row.mean()) <= mean_error(row, np.ones(200)) for row in series)
    assert hits >= 0.94 * 300


def test_the_system_is_not_changed():
    system = cm.gallery.pendulum().system
    before = [body.position for body in system.bodies]
    cm.lyapunov(system, 2.0, interval=0.05)
    assert [body.position for body in system.bodies] == before


def test_a_driver_applies_to_the_neighbour_too():
    """The table of the neighbour is driven, too, so that there is no direction without change."""
    omega = 2.0 * math.pi / PERIOD
    size = 1.3 * G / omega**2
    system = cm.System(gravity=(0.0, -G), name="driven table")
    table = system.add(cm.Body("table", 1.0, 1.0, velocity=(0.0, size * omega)))
    ball = system.add(cm.Body("ball", 1.0, 1.0, position=(0.0, 1e-3), velocity=(0.0, 1.0 + size * omega)))
    guide = system.add(cm.Prismatic(system.ground, table, axis=(0.0, 1.0)))
    system.add(cm.Prismatic(system.ground, ball, axis=(0.0, 1.0)))
    system.add(cm.Driver(guide, cm.SineMotion(size, 1.0 / PERIOD)))
    plane = cm.Plane(table, normal=(0.0, 1.0))
    impact = cm.ImpactLaw(restitution=RESTITUTION)
    system.add(cm.Contact(cm.Sphere(ball, 0.01, at=(0.0, 0.01)), plane, impact=impact, name="hit"))
    found = cm.lyapunov(system, 10.0, interval=PERIOD, transient=2.0, **EVENTS)
    assert found.exponent == pytest.approx(math.log(RESTITUTION) / PERIOD, rel=0.05)
