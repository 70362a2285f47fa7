"""Moreau's midpoint rule: second order between impacts, free, held by joints, and in lasting contact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from solve.mechanisms import FourBar, parallelogram, pendulum, slider_crank
from solve.timestepping.scenes import GRAVITY, disc, order, run, world

STEPS = (4e-3, 2e-3, 1e-3)
THEORY = pytest.approx(2.0, abs=0.15)


def driven_slider_crank() -> cm.System:
    system = slider_crank(angle=0.3)
    system.add(cm.Driver(system["bearing"], cm.ConstantSpeed(10.0), name="motor"))
    return system.assemble()


def damped_mass() -> cm.System:
    system = world()
    mass = system.add(cm.Body("mass", 1.0, 0.1, position=(1.0, 0.0), velocity=(0.0, 2.0), angular_velocity=1.0))
    system.add(cm.SpringDamper(system.ground, mass, stiffness=50.0, damping=1.0, free_length=0.5))
    return system


CASES = {
    "pendulum": (lambda: pendulum(0.3, inertia=0.1), "bob", ("pivot", "fx")),
    "four-bar": (lambda: FourBar(1.0, 3.0, 2.5, 3.2).system(0.5), "coupler", ("B", "fx")),
    "parallelogram": (lambda: parallelogram(0.7), "coupler", None),
    "damped mass": (damped_mass, "mass", None),
}


def errors(make, body, reaction, scheme):
    """Return the errors of positions, velocities, reactions (means of steps) and energies, for halved steps."""
    reference = cm.simulate(make(), 1.0, rtol=1e-11, atol=1e-12, progress=False)
    found = []
    for step in STEPS:
        r = run(make(), 1.0, step=step, scheme=scheme)
        there = reference.sample(r.t)
        row = [np.abs(r[body].x - there[body].x).max(), np.abs(r[body].vy - there[body].vy).max(), r.energy.drift]
        if reaction:
            name, signal = reaction
            middle = reference.sample(np.maximum(r.t - 0.5 * step, 0.0))
            row.append(np.abs(getattr(r[name], signal) - getattr(middle[name], signal))[2:].max())
        found.append(row)
    return np.array(found).T


@pytest.mark.filterwarnings("ignore:.*redundant:carom.CaromWarning")
@pytest.mark.parametrize("case", CASES)
def test_smooth_motion_is_of_second_order(case):
    """Positions, velocities, the ledger, and the reactions in the middle of the steps."""
    for row in errors(*CASES[case], "midpoint"):
        assert order(row) == THEORY


@pytest.mark.filterwarnings("ignore:.*redundant:carom.CaromWarning")
def test_reactions_of_redundant_joints_are_the_smallest_that_fit():
    """As in a compliant run; the coupler's weight is shared by three bars."""
    reference = cm.simulate(parallelogram(0.7), 0.3, rtol=1e-10, atol=1e-11, progress=False)
    r = run(parallelogram(0.7), 0.3, step=2.5e-4)
    there = reference.sample(np.maximum(r.t - 1.25e-4, 0.0))
    for name in ("foot 0", "foot 1", "foot 2", "top 1"):
        for one, two in ((r[name].fx, there[name].fx), (r[name].fy, there[name].fy)):
            np.testing.assert_allclose(one[2:], two[2:], atol=2e-2)


def test_as_published_forces_that_depend_on_velocities_are_of_first_order():
    make, body, _ = CASES["damped mass"]
    for row in errors(make, body, None, "moreau"):
        assert order(row) == pytest.approx(1.0, abs=0.15)


def test_driven_mechanism_needs_the_torque_that_inverse_dynamics_gives():
    """The motion is prescribed; effort, its work and the energy are of second order."""
    reference = cm.kinematics(driven_slider_crank(), 1.0, points=8001)
    found = []
    for step in STEPS:
        r = run(driven_slider_crank(), 1.0, step=step)
        there = reference.sample(np.maximum(r.t - 0.5 * step, 0.0))
        found.append([np.abs(r["motor"].effort - there["motor"].effort)[1:].max(), r.energy.drift])
        np.testing.assert_allclose(r["crank"].angle, 0.3 + 10.0 * r.t, atol=1e-12)
    assert order(np.array(found)[:, 0]) == THEORY
    assert order(np.array(found)[:, 1]) == pytest.approx(2.0, abs=0.3)
    assert found[-1][1] < 1e-5


# ---- lasting contact


def journal(clearance: float, angle: float) -> cm.System:
    """A journal of 1 kg at rest against its bearing, ``angle`` from below."""
    system = world()
    at = (clearance * math.sin(angle), -clearance * math.cos(angle))
    pin = disc(system, "journal", at, 0.0095)
    joint = cm.RevoluteClearance(
        system.ground.marker(), pin.marker(), journal_radius=0.0095, bearing_radius=0.0095 + clearance,
        impact=cm.ImpactLaw(), name="bearing",
    )  # fmt: skip
    system.add(joint)
    return system


def test_journal_swings_in_its_bearing_like_a_pendulum():
    """Without friction the journal is a pendulum as long as the clearance, with N = m (g cos φ + c φ'²)."""
    c, start = 5e-4, 0.5
    found = []
    for step in (1e-4, 5e-5, 2.5e-5):
        r = run(journal(c, start), 0.1, step=step)
        # States at the nodes; forces are means of the steps: at their middles.
        times = np.unique(np.concatenate([r.t, r.t[1:] - 0.5 * step]))
        swing = solve_ivp(
            lambda t, y: (y[1], -GRAVITY / c * math.sin(y[0])), (0.0, 0.1), (start, 0.0), t_eval=times, rtol=1e-11,
            atol=1e-13,
        )  # fmt: skip
        phi, rate = np.interp(r.t, times, swing.y[0]), np.interp(r.t[1:] - 0.5 * step, times, swing.y[1])
        middle = np.interp(r.t[1:] - 0.5 * step, times, swing.y[0])
        force = GRAVITY * np.cos(middle) + c * rate**2
        found.append(
            (np.abs(r["journal"].x - c * np.sin(phi)).max() / c, np.abs(r["bearing"].normal_force[1:] - force).max())
        )
        assert np.abs(r["bearing"].eccentricity / c - 1.0).max() < 1e-3
        assert set(r["bearing"].contact_mode[1:]) == {2.0}
        assert len(r.impacts) == 1
    position, force = np.array(found).T
    assert order(position) == THEORY
    assert position[-1] < 1e-4
    assert order(force) == THEORY


def test_as_published_lasting_contact_drifts_with_the_step():
    c = 5e-4
    sunk = [
        run(journal(c, 0.5), 0.1, step=h, scheme="moreau")["bearing"].eccentricity[-1] / c - 1 for h in (2e-4, 1e-4)
    ]
    assert sunk[0] > 5e-3
    assert order(sunk) == pytest.approx(1.0, abs=0.2)


def shaken_plate(restitution: float = 0.0) -> cm.System:
    """A ball on a plate that a driver moves by 0.01 sin 20 t: at most 4 m/s², so the ball stays on it."""
    system = world()
    plate = system.add(cm.Body("plate", 5.0, 1.0, velocity=(0.0, 0.2)))
    guide = system.add(cm.Prismatic(system.ground, plate, axis=(0.0, 1.0), name="guide"))
    system.add(cm.Driver(guide, cm.SineMotion(0.01, 20.0 / (2.0 * math.pi)), name="shaker"))
    ball = disc(system, "ball", (0.0, 0.1), velocity=(0.0, 0.2))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(plate), impact=cm.ImpactLaw(restitution), name="touch"))
    return system


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_ball_stays_on_a_shaken_plate(restitution):
    """Force on the ball m (g + y''), effort of the driver (m + M)(g + y''), in the middle of the steps."""
    forces, efforts, balances = [], [], []
    for step in (1e-3, 5e-4):
        r = run(shaken_plate(restitution), 1.0, step=step)
        np.testing.assert_allclose(r["ball"].y, 0.1 + 0.01 * np.sin(20.0 * r.t), atol=3.0 * step**2)
        lift = GRAVITY - 4.0 * np.sin(20.0 * (r.t - 0.5 * step))
        forces.append(np.abs(r["touch"].normal_force - lift)[3:].max())
        efforts.append(np.abs(r["shaker"].effort - 6.0 * lift)[3:].max())
        balances.append(r.energy.drift)
        assert len(r.impacts) == 1
    assert forces[-1] < 1e-3
    assert efforts[-1] < 1e-3
    assert balances[-1] < 1e-5
    assert order(balances) > 1.7
