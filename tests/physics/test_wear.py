"""Wear of joints in runs: volumes, energy, restart, saved states, both physics."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm

COEFFICIENT, HARDNESS, FRICTION = 1e-4, 2e9, 0.05
SIZES = {"journal_radius": 9.9e-3, "bearing_radius": 10e-3}
OMEGA, TURN = 60.0, 2.0 * np.pi / 60.0
METHODS = {"compliant": {"rtol": 1e-8}, "nonsmooth": {"method": "nonsmooth", "step": 2e-5}}


def shaft(wear: cm.wear.Archard, load: float = 100.0) -> cm.System:
    """Return a shaft that turns at constant speed and rests in its bearing under a load."""
    system = cm.System(gravity=(0.0, -load), name="shaft")
    start = -1e-4 - (load / 1e9) ** (2.0 / 3.0)
    body = system.add(cm.Body("shaft", 1.0, 1e-3, position=(0.0, start), angular_velocity=OMEGA))
    joint = cm.RevoluteClearance(
        system.ground.point(0.0, 0.0), body.point(0.0, 0.0), law=cm.laws.ExactRestitution(1e9, restitution=0.3),
        impact=cm.ImpactLaw(0.0), wear=wear, name="bearing", **SIZES,
    )  # fmt: skip
    system.add(joint)
    system.add(cm.Driver((body, "angle"), cm.ConstantSpeed(OMEGA)))
    return system


def crank(wear: cm.wear.Archard | None) -> cm.System:
    """Return a driven slider-crank with clearance and friction in the piston pin."""
    system = cm.System(gravity=(0.0, -9.81), name="crank")
    arm = system.add(cm.Body("crank", 0.1, 1e-4, position=(0.025, 0.0)))
    rod = system.add(cm.Body("rod", 0.2, 1e-3, position=(0.125, 0.0)))
    slider = system.add(cm.Body("slider", 0.3, 1e-3, position=(0.2, 0.0)))
    pivot = system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
    system.add(cm.Revolute(arm, rod, at=(0.05, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    law = cm.laws.LankaraniNikravesh(stiffness=5e9, restitution=0.9)
    system.add(
        cm.RevoluteClearance(
            rod,
            slider,
            at=(0.2, 0.0),
            law=law,
            friction=cm.friction.Coulomb(FRICTION),
            impact=cm.ImpactLaw(0.5, FRICTION),
            wear=wear,
            name="pin",
            **SIZES,
        )
    )
    system.add(cm.Driver(pivot, cm.ConstantSpeed(OMEGA)))
    return system


def archard(**values) -> cm.wear.Archard:
    """Return a law of wear with a bearing of 20 mm."""
    return cm.wear.Archard(COEFFICIENT, HARDNESS, **{"length": 0.02, **values})


def test_a_constant_load_removes_k_f_s_over_h():
    """A shaft at rest in its bearing under a constant load: F and s are known."""
    result = cm.simulate(shaft(archard(interval=1.0)), 0.1, output=0.05)
    expected = COEFFICIENT / HARDNESS * 100.0 * 0.1 * OMEGA * (9.9e-3 - 0.5 * (100.0 / 1e9) ** (2.0 / 3.0))
    record = result.wear["bearing"]
    assert record.volume == pytest.approx(expected, rel=1e-6)
    assert record.mass == pytest.approx(7850.0 * expected, rel=1e-6)
    assert record.volumes[-1] == pytest.approx(0.5 * np.full(2, expected), rel=1e-6)
    assert record.first[-1].argmax() == 540  # below: the load's direction in the axes of the ground
    assert np.ptp(record.second[-1]) > 0.0


@pytest.mark.parametrize("method", METHODS)
def test_the_volume_is_that_of_the_work_of_friction(method):
    """Coulomb's friction dissipates μ ∫ F |v| dt: a second way to F s, in impacts and while the geometry changes."""
    factor = 1e4
    wear = archard(interval=0.25 * TURN, cycle_factor=factor)
    result = cm.simulate(crank(wear), TURN, output=0.02 * TURN, **METHODS[method])
    record = result.wear["pin"]
    expected = COEFFICIENT / HARDNESS * result.energy.friction[-1] / FRICTION * factor
    assert result.outcome.ok
    assert record.volume == pytest.approx(expected, rel=2e-6 if method == "compliant" else 1e-3)
    assert len(record.t) == 5
    assert np.all(np.diff(record.volumes.sum(axis=1)) > 0.0)
    assert result.energy.drift < (1e-7 if method == "compliant" else 1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_the_journal_sinks_into_the_bearing(method):
    """The shaft's centre follows the worn spot: clearance + depth of the lune of the removed volume."""
    wear = archard(interval=0.01, cycle_factor=2e4, share=1.0)
    options = {"compliant": {}, "nonsmooth": {"method": "nonsmooth", "step": 2e-5}}[method]
    result = cm.simulate(shaft(wear), 0.2, output=0.01, **options)
    record, seen = result.wear["bearing"], result["bearing"]
    depth = record.first[:, record.first[-1].argmax()]
    assert depth[-1] > 5e-6
    sunk = seen.eccentricity[-1] - (seen.indentation[-1] if method == "compliant" else 0.0)
    assert sunk == pytest.approx(1e-4 + depth[-2], abs=6e-7)  # that of the last update; corners are rounded
    assert np.all(record.second == 0.0)


def test_a_saved_state_continues_to_the_same_bits():
    sim = cm.Simulation(crank(archard(interval=0.2 * TURN, cycle_factor=1e4)), t_end=TURN)
    sim.run_until(0.5 * TURN)
    state = sim.save_state()
    ends = []
    for _ in range(2):
        sim.run_until(0.9 * TURN)
        ends.append((sim["slider"].x, sim.result.wear["pin"].first[-1].tobytes(), sim.result.energy.drift))
        sim.restore(state)
    assert ends[0] == ends[1]


def test_a_run_is_its_first_half_and_its_second_one():
    """A run from a worn profile begins with it; its volumes add up."""
    first = cm.simulate(crank(archard(cycle_factor=1e3)), 0.5 * TURN, output=0.1 * TURN)
    profile = first.wear["pin"].profile
    second = cm.simulate(crank(archard(cycle_factor=1e3, profile=profile)), 0.5 * TURN, output=0.1 * TURN)
    record = second.wear["pin"]
    assert np.array_equal(record.first[0], first.wear["pin"].first[-1])
    assert record.volumes[0] == pytest.approx(first.wear["pin"].volumes[-1], rel=1e-12)
    expected = COEFFICIENT / HARDNESS * second.energy.friction[-1] / FRICTION * 1e3
    assert record.mass == pytest.approx(7850.0 * expected, rel=1e-5)


def test_model_and_result_files_keep_the_wear(tmp_path):
    system = crank(archard(cycle_factor=1e3, interval=0.25 * TURN))
    result = cm.simulate(system, 0.5 * TURN, output=0.1 * TURN)
    again = cm.simulate(cm.System.from_yaml(system.to_yaml()), 0.5 * TURN, output=0.1 * TURN)
    assert again.same_as(result)
    assert np.array_equal(again.wear["pin"].first, result.wear["pin"].first)
    result.save(tmp_path / "run.h5")
    loaded = cm.load(tmp_path / "run.h5").wear["pin"]
    for name in ("t", "first", "second", "volumes"):
        assert np.array_equal(getattr(loaded, name), getattr(result.wear["pin"], name))
    assert loaded.mass == result.wear["pin"].mass


def test_too_much_wear_is_an_error_with_the_number():
    with pytest.raises(cm.ModelError, match=r"exceeds the wall of 0.002 m; reduce cycle_factor \(now 1e\+09\)"):
        cm.simulate(shaft(archard(interval=0.01, cycle_factor=1e9, wall=2e-3)), 0.1, output=0.05)
    with pytest.warns(cm.CaromWarning, match="of the clearance; reduce cycle_factor"):
        cm.simulate(shaft(archard(interval=0.01, cycle_factor=1e6)), 0.02, output=0.01)


def test_a_simulation_without_end_needs_an_interval():
    with pytest.raises(cm.ModelError, match="needs the interval of its wear; set interval="):
        cm.Simulation(shaft(archard()))


@pytest.mark.parametrize("options", [{"integrator": "bdf"}, {"method": "nonsmooth", "scheme": "event-driven"}])
def test_methods_without_wear_refuse_it(options):
    with pytest.raises(cm.ModelError, match=r"wear; use|cannot be driven"):
        cm.simulate(shaft(archard(interval=0.01)), 0.1, **options)
