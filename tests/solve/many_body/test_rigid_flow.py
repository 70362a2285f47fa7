"""Inlets, outlets and periodic directions in non-smooth runs with many bodies."""

from __future__ import annotations

import math
import os
import warnings

import numpy as np
import pytest

import carom as cm
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from solve.many_body.rigid_systems import add_rigid_group, run, spatial_system
from solve.many_body.systems import GRAVITY, MASS, RADIUS, add_sphere

STEP = 1e-3
BOUNDS = {"x": (-0.1, 0.1), "y": (-0.1, 0.1), "z": (-0.1, 0.1)}


def thrown_body(dim: int) -> tuple[cm.System, cm.Body]:
    """Return a system with one body that appears at 0.0312 s with a velocity and a spin, far from another one."""
    gravity, velocity = ((0.0, -GRAVITY), (0.3, 1.0)) if dim == 2 else ((0.0, 0.0, -GRAVITY), (0.3, 0.0, 1.0))
    system = cm.System(dim=dim, gravity=gravity)
    spin, inertia = (3.0, 0.1) if dim == 2 else ((0.0, 0.0, 3.0), (0.1, 0.2, 0.3))
    body = cm.Body("ball", MASS, inertia, np.full(dim, 0.5), velocity=velocity, angular_velocity=spin)
    other = cm.Body("other", MASS, inertia, np.full(dim, 7.0))
    shapes = [cm.Sphere(system.add(body), RADIUS), cm.Sphere(system.add(other), RADIUS)]
    system.add(cm.Contact(*shapes, impact=cm.ImpactLaw(0.5)))
    system.add(cm.Inlet([body], times=[0.0312], name="feed"))
    return system, body


@pytest.mark.parametrize("dim", [2, 3])
def test_a_body_waits_and_then_falls_exactly(dim):
    """The midpoint rule is exact for constant acceleration, if the steps end exactly at the time of the inlet."""
    system, body = thrown_body(dim)
    result = run(system, 0.1, STEP, output=0.01)
    ball, t = result[body], result.t - 0.0312
    waits = t < 0.0
    assert np.array_equal(ball.position[waits], np.full((4, dim), 0.5))
    assert not ball.velocity[waits].any()
    assert not ball.omega[waits].any()
    fall = np.zeros(dim)
    fall[-1] = -GRAVITY
    t = t[~waits, None]
    assert ball.position[~waits] == pytest.approx(0.5 + np.array(body.velocity) * t + 0.5 * fall * t**2, abs=1e-14)
    assert ball.velocity[~waits] == pytest.approx(np.array(body.velocity) + fall * t, abs=1e-13)
    assert np.array_equal(result["feed"].count, ~waits)
    kinetic = 0.5 * MASS * np.dot(body.velocity, body.velocity) + 0.5 * (0.1 if dim == 2 else 0.3) * 3.0**2
    assert result.energy.applied_work[-1] == pytest.approx(kinetic)
    assert result.energy.drift < 1e-12


def chute(count: int = 40) -> cm.System:
    """Return spheres from two inlets that fall on a slope and slide through an outlet."""
    system = cm.System(dim=3, gravity=(3.0, 0.0, -GRAVITY), name="chute")
    places = [(0.0, 0.03 * (k % 3), 0.06) for k in range(count)]
    spheres = [add_sphere(system, f"b{k}", place, (1.0, 0.0, -0.5)) for k, place in enumerate(places)]
    system.add_contacts(spheres, [cm.Plane(system.ground)], impact=cm.ImpactLaw(0.5, 0.1))
    bodies = [sphere.body for sphere in spheres]
    system.add(cm.Inlet(bodies[: count // 2], rate=100.0, name="one"))
    system.add(cm.Inlet(bodies[count // 2 :], rate=80.0, start=0.05, name="two"))
    system.add(cm.Outlet(box=((0.08, -1.0, 0.0), (0.3, 1.0, 1.0)), interval=0.005, name="end"))
    return system


def test_bodies_in_equal_bodies_present_and_out():
    system = chute()
    result = run(system, 0.4, STEP, output=0.01)
    speed = np.array([np.linalg.norm(result[body].velocity, axis=1) for body in system.bodies])
    entered, left = result["one"].count + result["two"].count, result["end"].count
    assert np.array_equal(np.count_nonzero(speed > 0.0, axis=0), entered - left)
    assert left[-1] > 20.0
    assert result["end"].mass == pytest.approx(MASS * left)
    assert result.energy.drift < 1e-10
    assert result.stats["sleeping_bodies"] == 0


def test_a_body_waits_until_its_place_is_free():
    system = spatial_system()
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, 1.0)) for k in range(3)]
    add_rigid_group(system, spheres, [cm.Plane(system.ground)])
    system.add(cm.Inlet([sphere.body for sphere in spheres], times=[0.0, 0.0, 0.0], name="feed"))
    result = run(system, 0.3, STEP, output=0.005)
    assert result["grains"].contacts.max() == 0.0
    fall = math.sqrt(2.0 * 2.0 * RADIUS / GRAVITY)
    starts = [result.t[np.flatnonzero(result[f"b{k}"].vz)[0]] for k in range(3)]
    assert starts[1] == pytest.approx(fall, abs=0.026)  # a check every 20 steps, a node every 5
    assert starts[2] == pytest.approx(2.0 * fall, abs=0.051)
    assert result.energy.drift < 1e-10


def test_bodies_that_never_find_a_free_place_give_a_warning():
    system = cm.System(dim=3)
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, 1.0)) for k in range(3)]
    add_rigid_group(system, spheres)
    system.add(cm.Inlet([sphere.body for sphere in spheres], rate=1e3, name="feed"))
    with pytest.warns(cm.CaromWarning, match=r"Inlet 'feed': 2 of 3 bodies still wait for a free place at t = 0.3 s"):
        run(system, 0.3, STEP)


@pytest.mark.parametrize("sleeping", [True, False])
def test_a_body_falls_when_the_one_below_leaves(sleeping):
    """The lower one of two spheres falls into an outlet, and comes to rest before it is checked."""
    system = spatial_system()
    places = (("low", 1.2 * RADIUS), ("high", 3.2 * RADIUS))
    shapes = [add_sphere(system, name, (0.0, 0.0, z)) for name, z in places]
    add_rigid_group(system, shapes, [cm.Plane(system.ground)])
    system.add(cm.Outlet(box=((-1.0, -1.0, 0.0), (1.0, 1.0, 1.1 * RADIUS)), interval=0.2, name="out"))
    result = run(system, 0.23, STEP, output=0.01, sleeping=sleeping)
    rest, leaves = 19, 20
    assert result["high"].z[rest] == pytest.approx(3.0 * RADIUS, rel=1e-3)
    assert (not result["high"].vz[rest].any()) == sleeping
    assert result["contacts on ground"].fz[rest] == pytest.approx(-2.0 * MASS * GRAVITY)
    assert result["out"].count.tolist() == [0.0] * leaves + [1.0] * 4
    fall = result["high"].z[rest] - 0.5 * GRAVITY * 0.03**2
    assert result["high"].z[-1] == pytest.approx(fall, rel=1e-9)
    assert result["grains"].contacts[leaves:].tolist() == [0.0] * 4
    assert not result["contacts on ground"].fz[leaves:].any()
    assert result.energy.drift < 1e-9


# ---- periodic directions


def collision(kind: str, offset, periodic=None) -> cm.System:
    """Return two bodies that collide off-centre at ``offset``."""
    system = cm.System(dim=3, periodic=periodic)
    shapes = []
    for name, place, velocity in (
        ("a", (-0.01113, 0.001, 0.0), (0.5, 0.1, 0.2)),
        ("b", (0.011, 0.0, 0.002), (0.0, 0.0, 0.0)),
    ):
        body = system.add(cm.Body(name, MASS, (1e-6, 2e-6, 2.5e-6), np.add(place, offset), velocity=velocity))
        shape = cm.Sphere(body, RADIUS) if kind == "sphere" else cm.Box(body, (0.8 * RADIUS,) * 3)
        shapes.append(shape if kind != "mixed" or name == "a" else cm.Sphere(body, RADIUS, (0.0, 0.001, 0.0)))
    add_rigid_group(system, shapes, impact=cm.ImpactLaw(0.6, 0.3))
    return system


@pytest.mark.parametrize("kind", ["sphere", "box", "mixed"])
@pytest.mark.parametrize("corner", [(0.1, 0.0, 0.0), (0.1, 0.1, -0.1), (-0.3, 0.5, 0.1)])
def test_bodies_collide_across_the_boundary_as_in_the_middle(kind, corner):
    inside = run(collision(kind, (0.0, 0.0, 0.0)), 0.03, STEP, output=1e-3)
    across = run(collision(kind, corner, BOUNDS), 0.03, STEP, output=1e-3)
    assert inside["grains"].contacts.max() > 0.0
    for name in "ab":
        assert across[name].position - corner == pytest.approx(inside[name].position, abs=1e-11)
        assert across[name].velocity == pytest.approx(inside[name].velocity, abs=1e-9)
    momentum = MASS * (across["a"].velocity + across["b"].velocity)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-12)


def periodic_layer(shift: float = 0.0) -> cm.System:
    """Return spheres that slide and roll along a periodic floor, all moved by ``shift`` [m]."""
    system = cm.System(dim=3, gravity=(2.0, 0.0, -GRAVITY), periodic={"x": (0.0, 0.12), "y": (0.0, 0.12)})
    rng = np.random.default_rng(1)
    shapes = []
    for k in range(50):
        place = (0.024 * (k % 5) + shift, 0.024 * (k // 5 % 5), 0.012 + 0.024 * (k // 25))
        shapes.append(add_sphere(system, f"b{k}", place, rng.normal(0.0, 0.3, 3)))
    system.add_contacts(shapes, [cm.Plane(system.ground)], impact=cm.ImpactLaw(0.3, 0.2), name="grains")
    return system


def test_a_periodic_layer_keeps_lateral_momentum_and_energy():
    """The floor is the only other body; what its friction takes is the change of the momentum."""
    system = periodic_layer()
    result = run(system, 0.4, STEP, output=STEP)
    velocity = sum(body.mass * result[body.name].velocity for body in system.bodies)
    forces = np.column_stack([getattr(result["contacts on ground"], name)[1:] for name in ("fx", "fy", "fz")])
    weight = sum(body.mass for body in system.bodies) * np.array(system.gravity)
    assert np.diff(velocity, axis=0) / STEP == pytest.approx(weight - forces, abs=1e-9)
    assert max(result[body.name].x.max() for body in system.bodies) > 0.2  # far beyond the boundary
    assert result.energy.drift < 1e-9
    assert result.stats["max_penetration"] < 0.1 * RADIUS


def test_a_shifted_copy_has_the_same_contacts():
    one, two = (run(periodic_layer(shift), 0.05, STEP, output=0.01) for shift in (0.0, 0.06))
    assert one["grains"].contacts.tolist() == two["grains"].contacts.tolist()
    assert one["b7"].position[-1] + (0.06, 0.0, 0.0) == pytest.approx(two["b7"].position[-1], abs=1e-7)


def fed_layer() -> cm.System:
    """Return a periodic layer with an inlet and an outlet."""
    system = periodic_layer()
    system.add(cm.Inlet(system.bodies[-10:], rate=100.0, start=0.02, name="in"))
    system.add(cm.Outlet(box=((0.0, 0.0, 0.0), (0.02, 0.12, 1.0)), interval=0.05, name="out"))
    return system


def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch):
    whole = run(fed_layer(), 0.2, STEP, output=0.01)
    assert 0.0 < whole["out"].count[-2] < whole["out"].count[-1]
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.62:
            raise KeyboardInterrupt

    part = run(fed_layer(), 0.2, STEP, output=0.01, progress=stop, stream=tmp_path / "run.h5")
    assert part.outcome is cm.Outcome.INTERRUPTED
    assert part["out"].count[-1] > 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = cm.resume(tmp_path / "run.h5")
    assert resumed.outcome.ok
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)
    assert np.array_equal(resumed.energy.columns(), whole.energy.columns())
