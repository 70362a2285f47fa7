"""Bodies that stick by elastic–plastic friction: no creep on inclines and turntables, and a balance of energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.spatial_scenes import GRAVITY, TURNS, Rotation, Scene

MU, STIFFNESS, NORMAL = 0.5, 1e5, 1e5
pytestmark = pytest.mark.filterwarnings("ignore:.* overlap:carom.CaromWarning")


def block_on_incline(friction: cm.laws.friction.FrictionLaw, slope: float, mass: float = 2.0) -> cm.System:
    """A block that does not turn, on one foot, at the depth where the floor carries it."""
    system = cm.System(gravity=(GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)))
    depth = mass * GRAVITY * math.cos(slope) / NORMAL
    block = system.add(cm.Body("block", mass, 1e-2, position=(0.0, 0.1 - depth)))
    law = cm.laws.KelvinVoigt(NORMAL, damping=300.0)
    system.add(cm.Driver((block, "angle"), cm.ConstantSpeed(0.0)))
    system.add(cm.Contact(cm.Point(block, (0.0, -0.1)), cm.Plane(system.ground), law, friction, name="foot"))
    return system


def test_a_block_below_the_friction_angle_has_the_deflection_of_its_spring():
    """x = m g sin β/σ₀, and no velocity is left."""
    slope, mass = math.atan(0.35 * MU), 2.0
    system = block_on_incline(cm.friction.ElastoPlastic(MU, STIFFNESS, 2.0 * math.sqrt(mass * STIFFNESS)), slope)
    result = cm.simulate(system, 2.0)
    deflection = mass * GRAVITY * math.sin(slope) / STIFFNESS
    assert result["block"].x[-1] == pytest.approx(deflection, rel=1e-8)
    later = result.sample([0.5, 2.0])["block"].x
    assert abs(later[1] - later[0]) / 1.5 < 1e-12
    assert abs(result["block"].vx[-1]) < 1e-12
    assert result["foot"].friction_force[-1] == pytest.approx(mass * GRAVITY * math.sin(slope), rel=1e-8)
    stored = 0.5 * STIFFNESS * deflection**2 + 0.5 * (mass * GRAVITY * math.cos(slope)) ** 2 / NORMAL
    assert result.energy.elastic[-1] == pytest.approx(stored, rel=1e-8)
    assert result.energy.drift < 1e-9


@pytest.mark.parametrize("used", [0.5, 0.9, 0.99])
def test_regularised_friction_creeps_and_the_spring_does_not(used: float):
    """Coulomb friction with tanh creeps at v₀ artanh(tan β/μ), for ever."""
    slope = math.atan(used * MU)
    creep = {}
    for friction in (cm.friction.Coulomb(MU, 1e-3), cm.friction.ElastoPlastic(MU, STIFFNESS, 800.0)):
        x = cm.simulate(block_on_incline(friction, slope), 2.0, output=[1.0, 2.0])["block"].x
        creep[friction.name] = x[-1] - x[-2]
    assert creep["coulomb"] == pytest.approx(1e-3 * math.atanh(used), rel=1e-5)
    assert abs(creep["elasto_plastic"]) < 1e-12


def test_a_block_above_the_friction_angle_slides():
    """Acceleration g (sin β − μ cos β) once the spring is deflected."""
    slope = 0.6
    result = cm.simulate(block_on_incline(cm.friction.ElastoPlastic(MU, STIFFNESS, 300.0), slope), 0.3)
    v = result.sample([0.1, 0.3])["block"].vx
    assert (v[1] - v[0]) / 0.2 == pytest.approx(GRAVITY * (math.sin(slope) - MU * math.cos(slope)), rel=1e-6)
    assert result.energy.drift < 1e-9
    assert np.diff(result.energy.friction).min() > -1e-12


def test_a_pushed_block_slips_and_sticks_again():
    """A push above μ m g for 20 ms; then the block stands still beside its old place."""
    system = block_on_incline(cm.friction.ElastoPlastic(MU, STIFFNESS, 500.0), 0.0)
    push = 1.5 * MU * 2.0 * GRAVITY

    def force(t):
        return (push if t < 0.02 else 0.0, 0.0)

    system.add(cm.PointForce(system["block"], force))
    result = cm.simulate(system, 1.0, output=[0.5, 1.0], max_step=1e-3)
    x = result["block"].x
    # Sliding distance of the two phases: a₁ = μ g/2 for 20 ms, then μ g against it; the spring adds some 0.1 mm.
    assert x[-1] == pytest.approx(0.5 * 0.5 * MU * GRAVITY * 0.02**2 * 1.5, abs=2e-4)
    assert x[-1] > 1e-4
    assert abs(x[-1] - x[-2]) < 1e-12


def ball(dim: int, friction: cm.laws.friction.FrictionLaw, velocity: float) -> cm.System:
    """A ball that falls on a floor and slides there."""
    gravity, place = np.zeros(dim), np.zeros(dim)
    gravity[-1], place[-1] = -GRAVITY, 0.15
    system = cm.System(dim=dim, gravity=tuple(gravity))
    spin = 1.0 if dim == 2 else (3.0, 0.0, 40.0)
    speed = (velocity, 0.0) if dim == 2 else (velocity, 0.3, 0.0)
    body = system.add(cm.Body("ball", 1.0, 4e-3, position=tuple(place), velocity=speed, angular_velocity=spin))
    floor = cm.Plane(system.ground, normal=tuple(-gravity / GRAVITY))
    system.add(cm.Contact(cm.Sphere(body, 0.1), floor, cm.laws.Flores(1e7, 0.7), friction, name="floor"))
    return system


@pytest.mark.parametrize(("integrator", "drift"), [("dopri5", 1e-9), ("auto", 1e-6)])
@pytest.mark.parametrize("velocity", [0.1, 2.0])
@pytest.mark.parametrize("dim", [2, 3])
def test_the_energy_of_impacts_with_friction_is_balanced(dim: int, velocity: float, integrator: str, drift: float):
    """The energy of the spring is elastic energy; what is left of it at the separation is lost to friction."""
    friction = cm.friction.ElastoPlastic(0.3, 1e6, 50.0)
    result = cm.simulate(ball(dim, friction, velocity), 0.5, integrator=integrator)
    energy = result.energy
    assert len(result.impacts) >= 2
    assert energy.drift < drift
    assert np.diff(energy.friction).min() > -1e-12
    finished = [impact for impact in result.impacts if impact.finished]
    assert sum(impact.friction_loss for impact in finished) <= energy.friction[-1] * (1.0 + 1e-12)
    flying = result["floor"].contact_mode == 0.0
    np.testing.assert_array_equal(energy.elastic[flying], 0.0)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_block_on_a_turntable_does_not_creep(turn: Rotation):
    """The friction turns with table and block: after three turns the block is where it was on the table."""
    omega, radius, mass = 6.0, 0.1, 1.0
    scene = Scene(turn)
    table = scene.add("table", 10.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), omega=(0.0, 0.0, omega))
    depth = mass * GRAVITY / 3.0 / NORMAL
    block = scene.add("block", mass, (1e-3,) * 3, (radius, 0.0, 0.05 - depth), (0.0, radius * omega, 0.0),
                      (0.0, 0.0, omega))  # fmt: skip
    axis = turn.apply([0.0, 0.0, 1.0])
    scene.system.add(cm.Revolute(scene.system.ground, table, at=(0.0, 0.0, 0.0), axis=axis))
    law = cm.laws.KelvinVoigt(NORMAL, damping=300.0)
    friction = cm.friction.ElastoPlastic(MU, STIFFNESS, 200.0)
    top = cm.Plane(table, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    for k in range(3):
        angle = 2.0 * math.pi * k / 3.0
        foot = cm.Point(block, (0.05 * math.cos(angle), 0.05 * math.sin(angle), -0.05))
        scene.system.add(cm.Contact(foot, top, law, friction, name=f"foot {k}"))
    result = cm.simulate(scene.system, 3.0, rtol=1e-9, output=[1.0, 3.0])
    places = []
    for node in (1, 2):
        matrix = Rotation.from_matrix(result["table"].rotation[node])
        places.append(matrix.inv().apply(result["block"].position[node] - result["table"].position[node]))
    np.testing.assert_allclose(places[1], places[0], rtol=0.0, atol=1e-10)
    force = sum(scene.force(result, f"foot {k}")[-1] for k in range(3))
    spin = scene.spin(result, "table")[-1][2]
    assert np.hypot(*force[:2]) == pytest.approx(mass * spin**2 * np.hypot(*places[1][:2]), rel=1e-6)


def test_many_bodies_stick_and_balance_their_energy():
    """A box on an incline by velocity Verlet: m g sin β is held by the springs of its four corners."""
    slope = 0.2
    system = cm.System(dim=3, gravity=(GRAVITY * math.sin(slope), 0.0, -GRAVITY * math.cos(slope)))
    depth = GRAVITY * math.cos(slope) / 4.0 / NORMAL
    box = system.add(cm.Body("box", 1.0, (1e-3,) * 3, position=(0.0, 0.0, 0.03 - depth)))
    floor = cm.Plane(system.ground, normal=(0.0, 0.0, 1.0))
    law, friction = cm.laws.KelvinVoigt(NORMAL, 100.0), cm.friction.ElastoPlastic(MU, 5e4, 30.0)
    system.add_contacts([cm.Box(box, (0.05, 0.05, 0.03))], [floor], law=law, friction=friction)
    result = cm.simulate(system, 1.0, integrator="verlet", max_step=2e-5, output=[0.5, 1.0])
    assert abs(result["box"].x[-1] - result["box"].x[-2]) < 1e-15
    assert np.diff(result.energy.friction).min() > -1e-12
    assert result.energy.drift < 1e-5
    springs = (GRAVITY * math.sin(slope)) ** 2 / (2.0 * 4.0 * 5e4)
    lean = 0.03 - depth  # lever of the weight, carried by the corners 0.05 m from the middle
    tilt = GRAVITY * math.sin(slope) * lean / (4.0 * 0.05**2 * NORMAL)
    normal = (GRAVITY * math.cos(slope)) ** 2 / (2.0 * 4.0 * NORMAL) + 0.5 * NORMAL * 4.0 * (0.05 * tilt) ** 2
    assert result.energy.elastic[-1] == pytest.approx(springs + normal, rel=1e-3)


@pytest.mark.parametrize("friction", [cm.friction.ElastoPlastic(0.3, 1e4), cm.friction.Dahl(0.3, 1e4)], ids=repr)
def test_rolling_keeps_the_friction_state_in_the_tangent_plane(friction):
    """A ball pushed sideways while it rolls: traction stays as it is, and its energy is balanced."""
    scene = Scene()
    radius = 0.1
    depth = (GRAVITY / 1e7) ** (2.0 / 3.0)
    ball = scene.add("ball", 1.0, (4e-3,) * 3, (0.0, 0.0, radius - depth), (3.0, 0.0, 0.0), (0.0, 30.0, 0.0))
    law = cm.laws.Flores(1e7, 0.3)
    scene.system.add(cm.Contact(cm.Sphere(ball, radius), scene.floor, law, friction, name="floor"))
    scene.system.add(cm.PointForce(ball, (0.4, 0.6, 0.0)))
    result = cm.simulate(scene.system, 1.0)
    # A ball of inertia I rolls with a = F/(m + I/r²), held back by I/r² a.
    extra = 4e-3 / radius**2
    expected = np.array([3.0, 0.0]) + np.array([0.4, 0.6]) / (1.0 + extra)
    np.testing.assert_allclose([result["ball"].vx[-1], result["ball"].vy[-1]], expected, atol=2e-3)
    assert result.energy.drift < 1e-6
