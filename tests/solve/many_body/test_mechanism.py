"""Mechanisms among many bodies: joints, drivers and force elements in runs with large groups of contacts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.geometry.rotation import matrix_of
from carom.solve.many_body.mechanism_state import create_mechanism
from carom.solve.many_body.verlet_engine import VerletEngine
from solve.many_body.systems import GRAVITY, MASS, RADIUS, add_group, add_sphere

FAR = 100.0
"""Position of a group that touches nothing [m]."""


def idle_group(system: cm.System) -> None:
    """Add two spheres that never touch anything, so that the run is one of many bodies."""
    if system.dim == 3:
        spheres = [add_sphere(system, f"idle {k}", (FAR + k, 0.0, 0.0)) for k in range(2)]
    else:
        bodies = [system.add(cm.Body(f"idle {k}", 1.0, 1.0, position=(FAR + k, 0.0))) for k in range(2)]
        spheres = [cm.Sphere(body, RADIUS) for body in bodies]
    add_group(system, spheres, name="idle")


def slider_crank(dim: int) -> cm.System:
    """Return a driven slider-crank with a spring-damper at its slider."""
    up = (0.0, 0.0, 1.0)
    place = (lambda x, y: (x, y)) if dim == 2 else (lambda x, y: (x, y, 0.0))
    inertia = (lambda value: value) if dim == 2 else (lambda value: (value, value, value))
    axis = {} if dim == 2 else {"axis": up}
    system = cm.System(dim=dim, gravity=place(0.0, -GRAVITY))
    crank = system.add(cm.Body("crank", 1.0, inertia(0.01), place(0.05, 0.0)))
    rod = system.add(cm.Body("rod", 0.5, inertia(0.02), place(0.25, 0.0)))
    slider = system.add(cm.Body("slider", 2.0, inertia(0.01), place(0.4, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, crank, at=place(0.0, 0.0), name="hinge", **axis))
    system.add(cm.Revolute(crank, rod, at=place(0.1, 0.0), name="pin", **axis))
    system.add(cm.Revolute(rod, slider, at=place(0.4, 0.0), name="wrist", **axis))
    system.add(cm.Prismatic(system.ground, slider, axis=place(1.0, 0.0), name="guide"))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(20.0), name="motor"))
    system.add(
        cm.SpringDamper(cm.Marker(system.ground, place(1.0, 0.0)), slider, 500.0, 5.0, free_length=0.6, name="spring")
    )
    system.assemble(keep=[(crank, "angle" if dim == 2 else "orientation")])
    return system


@pytest.mark.parametrize("dim", [2, 3])
def test_a_driven_mechanism_moves_as_in_other_runs(dim):
    """Motion, reactions and works of a slider-crank agree with those of an adaptive integrator."""
    exact = cm.simulate(slider_crank(dim), 0.4, rtol=1e-10, atol=1e-12, output=0.1)
    system = slider_crank(dim)
    idle_group(system)
    errors = []
    for step in (1e-4, 5e-5):
        result = cm.simulate(system, 0.4, max_step=step, output=0.1)
        assert result["slider"].x == pytest.approx(exact["slider"].x, abs=1e-9)  # driven: the joints are exact
        assert result["hinge"].fx[1:] == pytest.approx(exact["hinge"].fx[1:], rel=1e-4, abs=1e-3)
        assert result.energy.drift < 1e-5
        errors.append(abs(result.energy.driver_work[-1] - exact.energy.driver_work[-1]))
    assert result.energy.dissipated[-1] == pytest.approx(exact.energy.dissipated[-1], rel=1e-5)
    assert errors[1] < 0.3 * errors[0]
    assert errors[1] < 1e-5 * abs(exact.energy.driver_work[-1])


def double_pendulum(dim: int) -> cm.System:
    system = cm.System(dim=dim, gravity=(0.0, -GRAVITY) if dim == 2 else (0.0, -GRAVITY, 0.0))
    place = (lambda x, y: (x, y)) if dim == 2 else (lambda x, y: (x, y, 0.0))
    joint = cm.Revolute if dim == 2 else cm.Spherical
    one = system.add(cm.Body("one", 1.0, 0.01 if dim == 2 else (0.01, 0.02, 0.03), place(0.5, 0.0)))
    two = system.add(cm.Body("two", 1.0, 0.01 if dim == 2 else (0.01, 0.02, 0.03), place(1.5, 0.0)))
    if dim == 3:
        one.angular_velocity, two.angular_velocity = (1.0, 2.0, 0.5), (0.0, 0.0, 3.0)
    system.add(joint(system.ground, one, at=place(0.0, 0.0), name="pivot"))
    system.add(joint(one, two, at=place(1.0, 0.0), name="elbow"))
    return system.assemble()


@pytest.mark.parametrize("dim", [2, 3])
def test_a_pendulum_converges_with_the_square_of_the_step(dim):
    exact = cm.simulate(double_pendulum(dim), 0.5, rtol=1e-11, atol=1e-13)
    system = double_pendulum(dim)
    idle_group(system)
    errors, drifts = [], []
    for step in (2e-3, 1e-3):
        result = cm.simulate(system, 0.5, max_step=step, output=0.5)
        errors.append(float(np.abs(result["two"].position[-1] - exact["two"].position[-1]).max()))
        drifts.append(result.energy.drift)
    assert errors[0] < 1e-3
    assert errors[1] == pytest.approx(0.25 * errors[0], rel=0.15)
    assert drifts[1] < 1e-5


def tray(dim: int = 3) -> tuple[cm.System, list[cm.Body]]:
    """Return a tray on a vertical guide that is driven by a sine, with one sphere on it."""
    place = (lambda z: (0.0, z)) if dim == 2 else (lambda z: (0.0, 0.0, z))
    system = cm.System(dim=dim, gravity=place(-GRAVITY))
    plate = system.add(cm.Body("plate", 5.0, 1.0 if dim == 2 else (1.0, 1.0, 1.0)))
    guide = system.add(cm.Prismatic(system.ground, plate, axis=place(1.0), name="guide"))
    system.add(cm.Driver(guide, cm.SineMotion(amplitude=1e-3, frequency=10.0), name="shaker"))
    return system, [plate]


@pytest.mark.parametrize("dim", [2, 3])
def test_a_sphere_stays_on_a_shaken_tray_below_one_g(dim):
    """Its contact force is m (g + a) with the acceleration a of the tray."""
    system, (plate,) = tray(dim)
    place = (0.0, RADIUS) if dim == 2 else (0.0, 0.0, RADIUS)
    mass = 0.1
    ball = system.add(cm.Body("ball", mass, 1e-5 if dim == 2 else (1e-5,) * 3, place))
    top = cm.Plane(plate, normal=(0.0, 1.0) if dim == 2 else (0.0, 0.0, 1.0))
    add_group(system, [cm.Sphere(ball, RADIUS)], [top], cm.laws.KelvinVoigt(1e5, damping=60.0))
    result = cm.simulate(system, 0.5, max_step=1e-5, output=0.0125)
    omega = 2.0 * math.pi * 10.0
    acceleration = -1e-3 * omega**2 * np.sin(omega * result.t)
    late = result.t > 0.2
    assert result["grains"].normal_force[late] == pytest.approx((mass * (GRAVITY + acceleration))[late], rel=5e-3)
    work = result.energy
    assert work.drift < 1e-4


def test_action_equals_reaction_and_momentum_is_conserved():
    """Two free jointed bodies are hit by spheres without gravity: linear and angular momentum stay what they were."""
    system = cm.System(dim=3)
    one = system.add(cm.Body("one", 0.2, (1e-3, 2e-3, 2e-3), (-0.1, 0.0, 0.0)))
    two = system.add(cm.Body("two", 0.3, (1e-3, 3e-3, 2e-3), (0.1, 0.0, 0.0), angular_velocity=(1.0, 0.0, 0.0)))
    system.add(cm.Spherical(one, two, at=(0.0, 0.0, 0.0)))
    system.assemble()
    spheres = [add_sphere(system, f"s{k}", (0.02 * k - 0.1, 0.004 * k, 0.05), (0.0, 0.01 * k, -1.0)) for k in range(10)]
    bars = [cm.Segment(body, start=(-0.1, 0.0, 0.0), end=(0.1, 0.0, 0.0), radius=0.01) for body in (one, two)]
    add_group(system, spheres, bars, friction=cm.friction.Coulomb(0.3))
    result = cm.simulate(system, 0.2, max_step=2e-5, output=0.05)
    assert result["grains"].contacts.max() >= 0
    linear, angular = np.zeros((len(result.t), 3)), np.zeros((len(result.t), 3))
    for body in system.bodies:
        series = result[body]
        inertia = np.array(body.inertia)
        for k in range(len(result.t)):
            rotation = rotation_of(series, k)
            linear[k] += body.mass * series.velocity[k]
            spin = rotation @ (inertia @ series.omega[k])
            angular[k] += np.cross(series.position[k], body.mass * series.velocity[k]) + spin
    assert np.abs(linear - linear[0]).max() < 1e-14
    assert np.abs(angular - angular[0]).max() < 1e-9  # discretisation error of the spatial rotations
    assert np.abs(result["one"].velocity[-1] - result["one"].velocity[0]).max() > 1e-3
    assert result.energy.drift < 1e-3


def rotation_of(series, k: int) -> np.ndarray:
    """Return the rotation matrix of a spatial body at a node."""
    return np.asarray(matrix_of(series.orientation[k]))


def arm_in_grains(count: int = 30) -> cm.System:
    """Return a driven arm that sweeps through a bed of spheres."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    arm = system.add(cm.Body("arm", 1.0, (0.01, 0.01, 0.01), (0.0, 0.0, 0.05)))
    hinge = system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0, 0.05), axis=(0.0, 0.0, 1.0), name="hinge"))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(3.0), name="motor"))
    spheres = [
        add_sphere(system, f"g{k}", (0.03 * (k % 6) - 0.075, 0.03 * (k // 6) - 0.06, RADIUS + 1e-4))
        for k in range(count)
    ]
    floor = cm.Plane(system.ground)
    blade = cm.Segment(arm, start=(-0.1, 0.0, -0.03), end=(0.1, 0.0, -0.03), radius=0.01)
    add_group(system, spheres, [floor, blade], friction=cm.friction.Coulomb(0.4))
    return system


def test_results_do_not_depend_on_the_number_of_threads():
    ends = []
    for threads in (1, 2):
        system = arm_in_grains()
        with VerletEngine(ManyBodyData(system), threads, create_mechanism(system, 1.0)) as engine:
            engine.evaluate(5e-5)
            assert engine.advance(0.1, 5e-5)
            values = (*engine.model.body_values, engine.energy_losses, *engine.mechanism.mutable_arrays().values())
            ends.append([array.tobytes() for array in values])
    assert ends[0] == ends[1]


def test_a_resumed_run_has_the_same_bits():
    def create() -> VerletEngine:
        system = arm_in_grains()
        return VerletEngine(ManyBodyData(system), 1, create_mechanism(system, 1.0))

    whole, part, resumed = create(), create(), create()
    for engine in (whole, part):
        engine.evaluate(5e-5)
        assert engine.advance(0.05, 5e-5)
    resumed.restore({name: array.copy() for name, array in part.mutable_state().items()})
    for engine in (whole, resumed):
        assert engine.advance(0.05, 5e-5, t=0.05)
    first, second = whole.mutable_state(), resumed.mutable_state()
    assert first.keys() == second.keys()
    different = [name for name in first if first[name].tobytes() != second[name].tobytes()]
    assert different in ([], ["output"])  # open pairs keep the output of their last contact


def discs(count: int = 40, large: bool = True) -> cm.System:
    """Return discs that fall into a planar box on a hinged flap."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    shapes = []
    for k in range(count):
        at = (0.025 * (k % 8) + 0.0137 * (k // 8 % 2) * 0.1, 0.05 + 0.025 * (k // 8))
        body = system.add(cm.Body(f"d{k}", 0.01, 0.5 * 0.01 * RADIUS**2, position=at, angular_velocity=2.0))
        shapes.append(cm.Sphere(body, RADIUS))
    ground = system.ground
    walls = [
        cm.Plane(ground, at=(0.0, 0.0), normal=(0.0, 1.0)),
        cm.Plane(ground, at=(-0.02, 0.0), normal=(1.0, 0.0)),
        cm.Plane(ground, at=(0.2, 0.0), normal=(-1.0, 0.0)),
    ]
    system.add_contacts(shapes, walls, cm.laws.HuntCrossley(1e5, 0.7), cm.friction.Coulomb(0.3), name="discs")
    assert bool(system.groups) is large
    return system


def test_planar_discs_move_as_with_single_contacts():
    """Few discs as single contacts, by an adaptive integrator, and by the many-body engine, until they touch often."""
    ends = []
    for integrator in ("dopri5", "verlet"):
        options = {"max_step": 5e-6} if integrator == "verlet" else {"rtol": 1e-9}
        result = cm.simulate(discs(6, large=False), 0.12, integrator=integrator, output=0.02, **options)
        ends.append([result[f"d{k}"] for k in range(6)])
        assert result.energy.drift < 1e-4
    for one, other in zip(*ends, strict=True):
        assert other.position == pytest.approx(one.position, abs=2e-6)
        assert other.angle == pytest.approx(one.angle, abs=1e-3)


def test_a_heap_of_planar_discs_carries_its_weight():
    result = cm.simulate(discs(), 1.0, max_step=2e-5, output=0.1)
    assert result.energy.drift < 2e-3
    heights = np.array([result[f"d{k}"].y[-1] for k in range(40)])
    assert heights.min() > 0.9 * RADIUS
    assert np.abs([result[f"d{k}"].vy[-1] for k in range(40)]).max() < 0.05


@settings(max_examples=15, deadline=None)
@given(
    masses=st.lists(st.floats(0.05, 2.0), min_size=2, max_size=4),
    speed=st.floats(0.2, 2.0),
    stiffness=st.floats(10.0, 300.0),
    dim=st.sampled_from([2, 3]),
)
def test_energy_and_momentum_of_random_chains_hit_by_spheres(masses, speed, stiffness, dim):
    """Bodies on springs in a row are hit by a sphere: momentum is conserved, and the energy balance closes."""
    place = (lambda x, y=0.0: (x, y)) if dim == 2 else (lambda x, y=0.0: (x, y, 0.0))
    system = cm.System(dim=dim)
    inertia = (lambda m: 0.4 * m * 1e-2) if dim == 2 else (lambda m: (0.4 * m * 1e-2,) * 3)
    links = [system.add(cm.Body(f"l{k}", m, inertia(m), place(0.3 * k))) for k, m in enumerate(masses)]
    for a, b in itertools.pairwise(links):
        system.add(cm.SpringDamper(a, b, stiffness=stiffness, free_length=0.3))
    shot = system.add(cm.Body("shot", MASS, inertia(MASS * 0.01), place(-0.12, 0.004), velocity=place(speed)))
    shapes = [cm.Sphere(shot, RADIUS), *(cm.Sphere(link, 0.1) for link in links)]
    add_group(system, shapes, law=cm.laws.HuntCrossley(1e5, 0.8), friction=cm.friction.Coulomb(0.2))
    result = cm.simulate(system, 0.3, max_step=2e-5, output=0.05)
    momentum = sum(body.mass * result[body].velocity for body in system.bodies)
    assert np.abs(momentum - momentum[0]).max() < 1e-13 * MASS * speed / 1e-3
    assert result.energy.drift < 2e-3
    assert np.abs(result["l0"].velocity[-1]).max() > 0.0


def test_a_mechanism_that_cannot_be_moved_ends_with_a_message():
    """The end of a jointed rod is driven along a line, farther than the rod reaches."""
    system = cm.System()
    one = system.add(cm.Body("one", 1.0, 0.1, position=(0.4, 0.3), angle=math.atan2(0.6, 0.8)))
    two = system.add(cm.Body("two", 1.0, 0.1, position=(1.2, 0.3), angle=-math.atan2(0.6, 0.8)))
    end = system.add(cm.Body("end", 1.0, 0.1, position=(1.6, 0.0)))
    system.add(cm.Revolute(system.ground, one, at=(0.0, 0.0)))
    system.add(cm.Revolute(one, two, at=(0.8, 0.6)))
    system.add(cm.Revolute(two, end, at=(1.6, 0.0)))
    slide = system.add(cm.Prismatic(system.ground, end, axis=(1.0, 0.0)))
    system.add(cm.Driver(slide, cm.ConstantSpeed(1.0)))
    system.assemble(keep=[(end, "position")])
    idle_group(system)
    result = cm.simulate(system, 2.0, max_step=1e-3)
    assert result.outcome in (cm.Outcome.NOT_CONVERGED, cm.Outcome.SINGULAR)
    assert 0.35 < result.t[-1] < 0.41
    assert "t = 0." in result.message
