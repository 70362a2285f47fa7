"""Impact records and their table in results."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import carom as cm
from carom.result.impact_records import ImpactRecord, ImpactTable
from physics.drops import drop


def impact(**changes) -> ImpactRecord:
    """Return an impact record with different numbers in all fields."""
    numbers = {
        "contact": "touch", "t_start": 0.25, "t_end": 0.26, "approach_speed": 2.0, "separation_speed": 1.5,
        "peak_force": 300.0, "max_indentation": 1e-4, "energy_lost": 0.7, "friction_loss": 0.02, "compressions": 1,
        "initial_indentation": 1e-17, "finished": True,
    }  # fmt: skip
    return ImpactRecord(**{**numbers, **changes})


# ---- one impact


def test_restitution_and_duration():
    one = impact()
    assert one.restitution == 0.75
    assert one.duration == pytest.approx(0.01, rel=1e-12)


def test_restitution_of_a_contact_starting_at_rest_is_nan():
    assert math.isnan(impact(approach_speed=0.0).restitution)


@pytest.mark.parametrize(
    ("compressions", "finished", "persistent"), [(1, True, False), (2, True, True), (0, False, True)]
)
def test_contact_with_two_compressions_or_without_an_end_is_persistent(compressions, finished, persistent):
    record = impact(compressions=compressions, finished=finished)
    assert record.persistent is persistent
    with pytest.warns(DeprecationWarning, match="use persistent"):
        assert record.lasting is persistent


def test_impact_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        impact().t_start = 0.0


# ---- all of them


def test_impacts_are_sorted_by_onset():
    late, early, same = impact(t_start=0.5), impact(t_start=0.1), impact(t_start=0.5, contact="other")
    assert list(ImpactTable([late, early, same])) == [early, same, late]


def test_impacts_of_one_contact():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1))
    contact = cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e6), name="other")
    everything = ImpactTable([impact(), impact(contact="other", t_start=0.3), impact(t_start=0.4)])
    assert [one.t_start for one in everything.of("touch")] == [0.25, 0.4]
    assert [one.t_start for one in everything.of(contact)] == [0.3]
    assert everything.of("nothing") == ()
    assert isinstance(everything.of("touch"), ImpactTable)


def test_columns():
    columns = ImpactTable([impact(), impact(t_start=0.3, contact="other")]).columns()
    assert list(columns) == [field.name for field in dataclasses.fields(ImpactRecord)]
    assert columns["contact"] == ["touch", "other"]
    assert columns["t_start"] == [0.25, 0.3]
    assert ImpactTable(ImpactRecord(*row) for row in zip(*columns.values(), strict=True)) == ImpactTable(
        [impact(), impact(t_start=0.3, contact="other")]
    )


def test_no_impacts():
    nothing = ImpactTable()
    assert len(nothing) == 0
    assert nothing.columns()["peak_force"] == []
    assert str(nothing).startswith("contact")


def test_impacts_as_text():
    text = str(ImpactTable([impact(), impact(t_start=0.3, finished=False, separation_speed=0.0)]))
    head, first, second = text.splitlines()
    assert head.split()[:3] == ["contact", "start", "[s]"]
    assert first.split() == ["touch", "0.25", "0.01", "2", "1.5", "0.75", "300", "0.0001", "0.72"]
    assert "…" in second
    assert len({line.index("touch") for line in (first, second)}) == 1


# ---- in a result


@pytest.fixture(scope="module")
def bounces() -> cm.Result:
    return cm.simulate(drop(cm.laws.Flores(1e8, 0.7), 0.2, velocity=(1.0, 0.0), friction=cm.friction.Coulomb(0.1)), 0.9)


def test_impact_record_agrees_with_the_series(bounces):
    floor = bounces["floor"]
    assert len(bounces.impacts) >= 3
    for one in bounces.impacts:
        during = (bounces.t >= one.t_start) & (bounces.t <= one.t_end)
        assert floor.normal_force[during].max() == pytest.approx(one.peak_force, rel=1e-3)
        assert floor.normal_force[during].max() <= one.peak_force * (1.0 + 1e-12)
        assert floor.indentation[during].max() == pytest.approx(one.max_indentation, rel=1e-3)
        assert floor.indentation_rate[bounces.t == one.t_start][0] == pytest.approx(one.approach_speed, rel=1e-12)
        if one.finished:
            assert floor.indentation_rate[bounces.t == one.t_end][-1] == pytest.approx(-one.separation_speed, rel=1e-12)
    lost = sum(one.energy_lost for one in bounces.impacts)
    rubbed = sum(one.friction_loss for one in bounces.impacts)
    assert bounces.energy.dissipated[-1] == pytest.approx(lost, rel=1e-12)
    assert bounces.energy.friction[-1] == pytest.approx(rubbed, rel=1e-12)


def test_impulse_is_the_change_of_momentum(bounces):
    """Compare ∫F dt over the nodes of each impact with the velocities before and after."""
    floor, ball = bounces["floor"], bounces["ball"]
    for one in bounces.impacts[:2]:
        first = np.flatnonzero(bounces.t == one.t_start)[-1]
        last = np.flatnonzero(bounces.t == one.t_end)[0]
        part = slice(first, last + 1)
        impulse = np.trapezoid(floor.fy[part], bounces.t[part]) - 9.81 * one.duration
        assert impulse == pytest.approx(ball.vy[last] - ball.vy[first], rel=1e-3)


def test_loaded_run_is_identical(bounces, tmp_path):
    bounces.save(tmp_path / "run.h5")
    loaded = cm.load(tmp_path / "run.h5")
    assert loaded.same_as(bounces)
    assert loaded.impacts == bounces.impacts
    assert isinstance(loaded.impacts, ImpactTable)
    assert str(loaded.impacts) == str(bounces.impacts)
    np.testing.assert_array_equal(loaded["floor"].contact_mode, bounces["floor"].contact_mode)


def test_unfinished_contact_is_saved(tmp_path):
    result = cm.simulate(drop(cm.laws.Hertz(1e8), 0.0, velocity=(0.0, -1.0)), 2e-4)
    assert not result.impacts[0].finished
    result.save(tmp_path / "run.h5")
    assert cm.load(tmp_path / "run.h5").impacts == result.impacts


def test_sample_keeps_the_impacts(bounces):
    sample = bounces.sample([0.1, 0.2, 0.3])
    assert sample.impacts == bounces.impacts
    assert sample["floor"].normal_force.shape == (3,)


def test_sample_inside_an_impact_has_the_force(bounces):
    one = bounces.impacts[0]
    times = np.linspace(one.t_start, one.t_end, 41)[1:-1]
    sample = bounces.sample(times)
    expected = bounces["floor"]
    law = cm.laws.Flores(1e8, 0.7)
    force = law.force(sample["floor"].indentation, sample["floor"].indentation_rate, one.approach_speed)
    np.testing.assert_allclose(sample["floor"].normal_force, force, atol=2e-3 * expected.normal_force.max())
    np.testing.assert_array_equal(sample["floor"].contact_mode, 1.0)


def test_same_as_compares_the_impacts(bounces):
    again = bounces.sample(bounces.t)
    other = cm.simulate(
        drop(cm.laws.Flores(1e8, 0.7), 0.2, velocity=(1.0, 0.0), friction=cm.friction.Coulomb(0.1)), 0.9
    )
    assert other.same_as(bounces)
    assert not cm.simulate(drop(cm.laws.Flores(1e8, 0.7), 0.2), 0.9).same_as(bounces)
    parts = {name: getattr(bounces, name) for name in ("name", "dim", "t", "q", "v", "a", "signals", "bodies")}
    parts |= {name: getattr(bounces, name) for name in ("elements", "stats", "outcome", "message", "settings")}
    without = cm.Result(**parts, ledger=bounces.energy)
    assert not without.same_as(bounces)
    assert again.impacts == bounces.impacts


def test_repeated_run_is_identical():
    one, other = (cm.simulate(drop(cm.laws.PlasticUnloading(1e8, 0.6), 0.2), 0.9) for _ in range(2))
    assert one.same_as(other)


def test_runs_without_contacts_have_no_impacts():
    system = cm.System(gravity=(0.0, -9.81))
    system.add(cm.Body("ball", 1.0, 0.1))
    result = cm.simulate(system, 0.1)
    assert result.impacts == ()
    assert "events" not in result.stats
