"""Friction of joints among many bodies: the reaction limits it, and joints stick."""

from __future__ import annotations

import os

import numpy as np
import pytest

import carom as cm
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from solve.many_body.systems import GRAVITY, add_sphere
from solve.many_body.test_mechanism import idle_group

MASS, LENGTH, PIN = 1.0, 0.5, 0.05
OPTIONS = {"compliant": {"max_step": 2e-4}, "nonsmooth": {"method": "nonsmooth", "step": 2e-4}}


def place(dim: int, x: float, y: float) -> tuple[float, ...]:
    """Return a point of the plane."""
    return (x, y) if dim == 2 else (x, y, 0.0)


def system_of(dim: int, joint: str, coefficient: float, slope: float = 0.5) -> cm.System:
    """Return a rod on a hinge or a ball, or a block on an inclined guide."""
    system = cm.System(dim=dim, gravity=place(dim, 0.0, -GRAVITY))
    body = system.add(cm.Body("rod", MASS, 0.02 if dim == 2 else (0.01, 0.02, 0.02), place(dim, LENGTH, 0.0)))
    friction = cm.friction.Coulomb(coefficient)
    if joint == "guide":
        axis = place(dim, np.cos(slope), np.sin(slope))
        system.add(cm.Prismatic(system.ground, body, axis=axis, friction=friction, name="joint"))
        return system
    options = {"at": place(dim, 0.0, 0.0), "friction": friction, "pin_radius": PIN, "name": "joint"}
    if joint == "ball":
        system.add(cm.Spherical(system.ground, body, **options))
    else:
        axis = {} if dim == 2 else {"axis": (0.0, 0.0, 1.0)}
        system.add(cm.Revolute(system.ground, body, **axis, **options))
    return system


def add_idle_group(system: cm.System) -> None:
    """Make the run one of many bodies, in both physics."""
    idle_group(system)
    system.groups[-1].impact = cm.ImpactLaw(restitution=0.0)


@pytest.mark.parametrize("method", OPTIONS)
@pytest.mark.parametrize(("dim", "joint"), [(2, "hinge"), (3, "hinge"), (3, "ball")])
def test_a_pendulum_loses_as_much_as_in_other_runs(dim, joint, method):
    exact = cm.simulate(system_of(dim, joint, 0.3), 0.6, rtol=1e-9, atol=1e-11, output=0.1)
    system = system_of(dim, joint, 0.3)
    add_idle_group(system)
    result = cm.simulate(system, 0.6, output=0.1, **OPTIONS[method])
    step = 2e-4
    assert result["rod"].x == pytest.approx(exact["rod"].x, abs=0.1 * step)
    assert result["joint"].friction_torque[1:] == pytest.approx(exact["joint"].friction_torque[1:], abs=5.0 * step)
    assert result["joint"].fy[1:] == pytest.approx(exact["joint"].fy[1:], abs=100.0 * step)
    assert result.energy.friction[-1] == pytest.approx(exact.energy.friction[-1], rel=step)
    assert result.energy.friction[-1] > 0.1
    assert result.energy.drift < 1e-6


@pytest.mark.parametrize("method", OPTIONS)
@pytest.mark.parametrize("dim", [2, 3])
def test_a_block_slides_down_its_guide_as_theory_says(dim, method):
    """The acceleration down the slope is g (sin α − μ cos α), the friction force μ m g cos α."""
    system = system_of(dim, "guide", 0.3)
    add_idle_group(system)
    result = cm.simulate(system, 0.5, output=0.1, **OPTIONS[method])
    acceleration = GRAVITY * (np.sin(0.5) - 0.3 * np.cos(0.5))
    force = 0.3 * MASS * GRAVITY * np.cos(0.5)
    assert result["joint"].friction_force[1:] == pytest.approx(force, rel=1e-9)
    assert result["rod"].ay[1:] == pytest.approx(-acceleration * np.sin(0.5), rel=1e-9)
    distance = 0.5 * acceleration * 0.5**2
    assert result["rod"].y[-1] == pytest.approx(-distance * np.sin(0.5), rel=1e-9)
    assert result.energy.friction[-1] == pytest.approx(force * distance, rel=1e-9)


@pytest.mark.parametrize("method", OPTIONS)
@pytest.mark.parametrize("dim", [2, 3])
def test_a_block_sticks_on_its_guide(dim, method):
    """For μ > tan α the block stays; the friction carries m g sin α."""
    system = system_of(dim, "guide", 0.7)
    add_idle_group(system)
    result = cm.simulate(system, 0.2, output=0.05, **OPTIONS[method])
    assert abs(result["rod"].y).max() < 1e-15
    assert result["joint"].friction_force[1:] == pytest.approx(MASS * GRAVITY * np.sin(0.5), rel=1e-9)
    assert result["rod"].ay[1:] == pytest.approx(0.0, abs=1e-9)


def flap_under_spheres(coefficient: float) -> cm.System:
    """Return a horizontal flap on a hinge with friction, on which spheres fall."""
    system = cm.System(dim=3, gravity=(0.0, -GRAVITY, 0.0))
    flap = system.add(cm.Body("flap", 0.05, (1e-4, 1e-4, 1e-4)))
    hinge = {"at": (0.0, 0.0, 0.0), "axis": (0.0, 0.0, 1.0), "friction_load": 10.0}
    friction = cm.friction.Coulomb(coefficient)
    system.add(cm.Revolute(system.ground, flap, friction=friction, pin_radius=0.01, name="hinge", **hinge))
    plate = cm.Box(flap, half=(0.2, 0.01, 0.1))
    spheres = [add_sphere(system, f"b{k}", (0.03 + 0.03 * (k % 5), 0.025 + 0.025 * (k // 5), 0.0)) for k in range(30)]
    law = {"law": cm.laws.HuntCrossley(1e5, 0.8), "impact": cm.ImpactLaw(restitution=0.2)}
    system.add_contacts(spheres, [plate], name="grains", **law)
    return system


@pytest.mark.parametrize("method", OPTIONS)
def test_spheres_turn_a_flap_only_beyond_its_friction(method):
    """The friction torque μ r F is 2 N m, then 0.001 N m; the weight of the spheres has a torque of about 0.01 N m.

    Rigid impacts turn the flap before friction stops it; contacts that last do not.
    """
    kept = cm.simulate(flap_under_spheres(20.0), 0.1, output=0.01, **OPTIONS[method])
    turned = cm.simulate(flap_under_spheres(0.01), 0.1, output=0.01, **OPTIONS[method])
    assert kept["grains"].contacts.max() > 3.0
    assert abs(kept["hinge"].angle).max() < (1e-12 if method == "compliant" else 0.02)
    assert turned["hinge"].angle[-1] < -0.1
    assert kept["hinge"].friction_torque.max() > 1e-3
    for result in (kept, turned):
        assert result.energy.drift < 2e-3


@pytest.mark.parametrize("method", OPTIONS)
def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch, method):
    options = {**OPTIONS[method], "output": 0.01}
    whole = cm.simulate(flap_under_spheres(0.01), 0.1, **options)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    cm.simulate(flap_under_spheres(0.01), 0.1, stream=tmp_path / "run.h5", progress=stop, **options)
    resumed = cm.resume(tmp_path / "run.h5")
    assert resumed.outcome.ok
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)
    assert np.array_equal(resumed.energy.columns(), whole.energy.columns())


@pytest.mark.parametrize("group", [True, False])
def test_a_hinge_sticks_under_a_body_at_rest(group):
    """Non-smooth: friction balances the weight that a contact transfers; the hinge is still after the first steps."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    lever = system.add(cm.Body("lever", 0.5, 0.01))
    options = {"friction": cm.friction.Coulomb(0.5), "pin_radius": 0.1, "friction_load": 500.0}
    system.add(cm.Revolute(system.ground, lever, at=(0.0, 0.0), name="hinge", **options))
    ball = system.add(cm.Body("ball", 1.0, 1e-3, position=(0.3, 0.07)))
    shape, bar = cm.Sphere(ball, 0.05), cm.Segment(lever, (-0.5, 0.0), (0.5, 0.0), radius=0.02)
    impact = cm.ImpactLaw(restitution=0.0, friction=0.5)
    system.add(cm.Contact(shape, bar, impact=impact, rolling=cm.friction.Rolling(0.05), name="touch"))
    if group:
        add_idle_group(system)
    result = cm.simulate(system, 0.5, method="nonsmooth", step=1e-3, output=0.1)
    assert abs(result["hinge"].angle).max() < 3e-4
    assert np.ptp(result["hinge"].angle[1:]) < 1e-8
    assert abs(result["hinge"].angle_rate[-1]) < 1e-9
    assert abs(result["hinge"].friction_torque[-1]) == pytest.approx(GRAVITY * 0.3, rel=1e-4)
    assert result["touch"].normal_force[-1] == pytest.approx(GRAVITY, rel=1e-6)
