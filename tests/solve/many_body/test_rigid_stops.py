"""Limits of joints in non-smooth runs with many bodies: the stops act as with exact solvers."""

from __future__ import annotations

import os

import numpy as np
import pytest

import carom as cm
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from solve.many_body.rigid_systems import GRAVITY, add_rigid_group, run, spatial_system
from solve.many_body.systems import MASS, RADIUS, add_sphere
from solve.many_body.test_mechanism import FAR
from solve.many_body.test_mechanism_stops import falling_rod

MASS_OF_ROD, LENGTH = 1.0, 0.5


def with_idle_group(system: cm.System) -> cm.System:
    """Add two spheres that never touch anything, so that the run is one of many bodies."""
    if system.dim == 3:
        spheres = [add_sphere(system, f"idle {k}", (FAR + k, 0.0, 0.0)) for k in range(2)]
    else:
        bodies = [system.add(cm.Body(f"idle {k}", 1.0, 1.0, position=(FAR + k, 0.0))) for k in range(2)]
        spheres = [cm.Sphere(body, RADIUS) for body in bodies]
    add_rigid_group(system, spheres)
    return system


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize(("dim", "joint"), [(2, "hinge"), (3, "hinge"), (2, "guide"), (3, "guide")])
def test_stops_act_as_with_exact_solvers(dim, joint, restitution):
    def system() -> cm.System:
        return falling_rod(dim, joint, impact=cm.ImpactLaw(restitution))

    exact, many = run(system(), 0.8, output=0.02), run(with_idle_group(system()), 0.8, output=0.02)
    coordinate, force = ("angle", "stop_torque") if joint == "hinge" else ("displacement", "stop_force")
    moved = getattr(exact["joint"], coordinate)
    assert np.ptp(moved) > 0.05
    assert getattr(many["joint"], coordinate) == pytest.approx(moved, abs=1e-7)
    expected = MASS_OF_ROD * GRAVITY * (LENGTH * np.cos(0.2) if joint == "hinge" else 1.0)
    assert many["joint lower stop"].normal_force[-1] == pytest.approx(expected, rel=1e-7)
    assert getattr(many["joint"], force)[-1] == pytest.approx(expected, rel=1e-7)
    assert many["joint lower stop"].indentation.max() < 1e-7
    assert many.energy.dissipated == pytest.approx(exact.energy.dissipated, abs=1e-6)
    assert many.energy.drift < 1e-6


def test_the_order_of_the_bodies_does_not_matter():
    """A rod that hangs on a hinge turns away from one limit and strikes the other one."""
    angles = []
    for first in (True, False):
        system = cm.System(gravity=(0.0, -GRAVITY))
        rod = system.add(cm.Body("rod", 1.0, 0.02, (LENGTH, 0.0)))
        members = (system.ground, rod) if first else (rod, system.ground)
        limits = (-0.2, 0.1) if first else (-0.1, 0.2)
        system.add(cm.Revolute(*members, at=(0.0, 0.0), limits=limits, name="joint", impact=cm.ImpactLaw(0.5)))
        result = run(with_idle_group(system), 0.5, output=0.02)
        angles.append(result["rod"].angle)
    assert angles[0].min() == pytest.approx(-0.2, abs=2e-3)  # an impact in a step of 1 ms
    assert angles[1] == pytest.approx(angles[0], abs=1e-12)


def flap_with_spheres() -> cm.System:
    """Return a flap that spheres push onto its lower stop, where they lie on it."""
    system = spatial_system()
    flap = system.add(cm.Body("flap", 0.2, (1e-3, 1e-3, 2e-3), (0.1, 0.0, 0.0)))
    system.add(
        cm.Revolute(system.ground, flap, at=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0), limits=(-0.02, None), name="joint")
    )
    places = [(0.05 + 0.022 * (k % 5), 0.03 * (k // 5 - 1), 0.02) for k in range(15)]
    spheres = [add_sphere(system, f"b{k}", place) for k, place in enumerate(places)]
    add_rigid_group(system, spheres, [cm.Box(flap, (0.1, 0.1, 0.005))], impact=cm.ImpactLaw(0.1, 0.6))
    return system


def test_the_stop_of_a_flap_carries_the_spheres_on_it():
    """At rest the moment of the stop about the hinge is that of all weights."""
    result = run(flap_with_spheres(), 0.5, output=0.05)
    levers = [result[f"b{k}"].x[-1] * MASS for k in range(15)] + [0.2 * result["flap"].x[-1]]
    assert result["joint lower stop"].normal_force[-1] == pytest.approx(GRAVITY * sum(levers), rel=1e-2)
    assert result["joint"].angle[-1] == pytest.approx(-0.02, abs=1e-6)
    assert result.energy.drift < 1e-6


def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch):
    whole = run(flap_with_spheres(), 0.2, output=0.02)
    assert whole["joint lower stop"].normal_force[-1] > 0.0
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.6:
            raise KeyboardInterrupt

    run(flap_with_spheres(), 0.2, output=0.02, stream=tmp_path / "run.h5", progress=stop)
    resumed = cm.resume(tmp_path / "run.h5", system=flap_with_spheres())
    assert resumed.outcome.ok
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)
    assert np.array_equal(resumed.energy.columns(), whole.energy.columns())


@pytest.mark.parametrize("method", ["nonsmooth", "compliant"])
def test_a_start_beyond_a_limit_is_refused(method):
    system = spatial_system()
    rod = system.add(cm.Body("rod", 1.0, (0.02,) * 3, (LENGTH, 0.0, 0.0)))
    system.add(cm.Prismatic(system.ground, rod, axis=(1.0, 0.0, 0.0), limits=(0.1, None), name="joint"))
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, 3.0 * RADIUS * (k + 10))) for k in range(2)]
    group = add_rigid_group(system, spheres)
    group.law = cm.laws.Hertz(1e5)
    options = {"step": 1e-3} if method == "nonsmooth" else {}
    with pytest.raises(cm.ModelError, match="'joint': displacement is 0 m at the start, below its lower limit"):
        cm.simulate(system, 0.01, method=method, **options)
