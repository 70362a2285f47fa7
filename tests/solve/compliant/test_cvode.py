"""The multistep methods where they cannot go on."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

import carom as cm
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.solve.compliant import cvode
from solve.mechanisms import parallelogram


@pytest.mark.parametrize("bars", [2, 3])
def test_bdf_names_the_joints_of_the_singular_position_it_does_not_pass(bars):
    """Released 0.3 rad above the flat position, where a parallelogram may also become an antiparallelogram."""
    with pytest.warns(cm.CaromWarning) if bars > 2 else nullcontext():
        result = cm.simulate(parallelogram(0.3, bars=bars), 2.0, integrator="bdf")
    assert result.outcome is cm.Outcome.SINGULAR
    assert all(f"'foot {k}'" in result.message for k in range(2))


def stack(count: int) -> cm.System:
    """Boxes above each other, 10 µm apart, each on its two lower corners: both touch at one moment."""
    half, gap = 0.05, 1e-5
    system = cm.System(gravity=(0.0, -9.81), name="stack")
    top = cm.Plane(system.ground)
    for k in range(count):
        box = system.add(cm.Body(f"box{k}", 1.0, 1e-3, position=(0.0, half * (2 * k + 1) + gap * (k + 1))))
        for side, x in (("left", -half), ("right", half)):
            system.add(cm.Contact(cm.Point(box, (x, -half)), top, law=KelvinVoigt(1e6, 500.0), name=f"{side}{k}"))
        top = cm.Plane(box, (0.0, half))
    return system


def test_bdf_takes_contacts_that_begin_together_once():
    """Each corner touches once, as for an explicit method; at rest below, each box weighs on the two corners."""
    runs = [cm.simulate(stack(5), 0.06, integrator=name) for name in ("bdf", "dopri5")]
    for result in runs:
        assert result.outcome is cm.Outcome.FINISHED
        assert len(result.impacts) == result.stats["events"] == 10
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-11)


def test_multistep_run_without_progress_ends_at_a_contact(monkeypatch):
    monkeypatch.setattr(cvode, "MIN_ADVANCE", 0.5)
    monkeypatch.setattr(cvode, "MAX_TRIES", 100)
    result = cm.simulate(stack(5), 0.06, integrator="bdf")
    assert result.outcome is cm.Outcome.STALLED
    assert re.search(r"last event was at contact '(left|right)\d'", result.message)
