"""Limits of joints among many bodies: the stops act as in other runs."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

import carom as cm
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from solve.many_body.systems import GRAVITY, add_sphere
from solve.many_body.test_mechanism import idle_group

MASS, LENGTH = 1.0, 0.5
LAWS = {
    "flores": cm.laws.Flores(stiffness=1e5, restitution=0.5),
    "kelvin-voigt": cm.laws.KelvinVoigt(stiffness=2e3, damping=4.0),
    "plastic": cm.laws.PlasticUnloading(stiffness=1e5, restitution=0.6),
}


def falling_rod(dim: int, joint: str, **stop) -> cm.System:
    """Return a rod on a hinge, or a slider on a guide, that falls onto a stop."""
    place = (lambda x, y: (x, y)) if dim == 2 else (lambda x, y: (x, y, 0.0))
    system = cm.System(dim=dim, gravity=place(0.0, -GRAVITY))
    inertia = 0.02 if dim == 2 else (0.01, 0.02, 0.02)
    rod = system.add(cm.Body("rod", MASS, inertia, place(LENGTH, 0.0)))
    if joint == "hinge":
        axis = {} if dim == 2 else {"axis": (0.0, 0.0, 1.0)}
        system.add(
            cm.Revolute(system.ground, rod, at=place(0.0, 0.0), limits=(-0.2, 1.0), name="joint", **axis, **stop)
        )
    else:
        guide = {"axis": place(0.0, 1.0), "limits": (-0.1, None), "name": "joint"}
        system.add(cm.Prismatic(system.ground, rod, **guide, **stop))
    return system


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("dim", "joint"), [(2, "hinge"), (3, "hinge"), (3, "guide")])
def test_a_stop_with_a_law_acts_as_in_other_runs(dim, joint, law):
    """Impacts on the stop agree with those of an adaptive integrator; the energy error is of second order."""
    exact = cm.simulate(falling_rod(dim, joint, law=LAWS[law]), 0.5, rtol=1e-9, atol=1e-11, output=0.02)
    coordinate = "angle" if joint == "hinge" else "displacement"
    expected = getattr(exact["joint"], coordinate)
    drifts = []
    for step in (4e-5, 1e-5):
        system = falling_rod(dim, joint, law=LAWS[law])
        idle_group(system)
        result = cm.simulate(system, 0.5, max_step=step, output=0.02)
        drifts.append(result.energy.drift)
        assert getattr(result["joint"], coordinate) == pytest.approx(expected, abs=3.0 * step)  # onset within a step
    assert np.ptp(expected) > 0.05
    assert drifts[0] < 1e-5
    assert drifts[1] < 0.15 * drifts[0]


@pytest.mark.parametrize("dim", [2, 3])
def test_a_rod_rests_on_a_stop_without_a_law(dim):
    """At rest the torque of the stop is m g l; the elastic energy is that of its spring, half torque times angle."""
    system = falling_rod(dim, "hinge")
    idle_group(system)
    result = cm.simulate(system, 1.0, max_step=1e-4, output=0.1)
    stop = result["joint lower stop"]
    torque = MASS * GRAVITY * LENGTH * np.cos(0.2)
    assert stop.normal_force[-1] == pytest.approx(torque, rel=2e-3)
    assert result["joint"].angle[-1] == pytest.approx(-0.2 - stop.indentation[-1], abs=1e-12)
    assert 0.0 < stop.indentation[-1] < 1e-3
    assert result["joint"].stop_torque[-1] == pytest.approx(stop.normal_force[-1])
    assert result["joint upper stop"].normal_force.tolist() == [0.0] * 11
    assert abs(result["rod"].omega[-1]).max() < 1e-9
    assert result.energy.elastic[-1] == pytest.approx(0.5 * stop.normal_force[-1] * stop.indentation[-1], rel=1e-6)
    lost = MASS * GRAVITY * LENGTH * np.sin(0.2 + stop.indentation[-1]) - result.energy.elastic[-1]
    # At an onset inside a step of 1/120 period, the work of the spring is wrong by up to (π/120)² of the energy.
    assert result.energy.dissipated[-1] == pytest.approx(lost, rel=7e-4)


def flap_with_spheres() -> cm.System:
    """Return a flap that spheres push onto its lower stop."""
    system = falling_rod(3, "hinge")
    plate = cm.Box(system.bodies[0], half=(0.2, 0.01, 0.1))
    spheres = [add_sphere(system, f"b{k}", (0.4 + 0.03 * (k % 5), 0.05 + 0.025 * (k // 5), 0.0)) for k in range(30)]
    system.add_contacts(spheres, [plate], law=cm.laws.HuntCrossley(1e5, 0.8), name="grains")
    return system


def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch):
    with warnings.catch_warnings(record=True) as of_whole:
        whole = cm.simulate(flap_with_spheres(), 0.3, max_step=1e-4, output=0.02)
    assert whole["grains"].contacts.max() > 3.0
    assert np.ptp(whole["joint lower stop"].normal_force) > 0.0
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.75:
            raise KeyboardInterrupt

    options = {"max_step": 1e-4, "output": 0.02, "progress": stop}
    cm.simulate(flap_with_spheres(), 0.3, stream=tmp_path / "run.h5", **options)
    with warnings.catch_warnings(record=True) as of_resumed:
        resumed = cm.resume(tmp_path / "run.h5")
    assert [str(warning.message) for warning in of_resumed] == [str(warning.message) for warning in of_whole]
    assert resumed.outcome.ok
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)
    assert np.array_equal(resumed.energy.columns(), whole.energy.columns())


def test_the_default_step_resolves_a_stiff_stop():
    """A stop of 1e9 N/m with an effective mass of 1 kg has a contact of about π √(m/k) = 0.1 ms."""
    system = falling_rod(3, "guide", law=cm.laws.Linear(stiffness=1e9))
    idle_group(system)
    result = cm.simulate(system, 1e-3)
    assert result.settings["max_step"] == pytest.approx(np.pi * np.sqrt(1.0 / 1e9) / 30.0, rel=1e-3)
    assert "stops" in result.settings["step_from"]
