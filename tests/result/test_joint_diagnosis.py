"""Diagnosis of joints with clearance: durations, impulses and reactions of motions that are known in closed form."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError

MASS, SPEED, STIFFNESS, CLEARANCE = 0.5, 0.2, 1e6, 5e-4
RADII = {"journal_radius": 0.0095, "bearing_radius": 0.0095 + CLEARANCE}
FLIGHT = 2.0 * CLEARANCE / SPEED
CONTACT = math.pi * math.sqrt(MASS / STIFFNESS)
"""Duration of a contact with a linear spring [s]."""


def bouncing_journal(angle=0.0, turned=0.0, **laws):
    """Return a free journal that bounces between opposite points of a bearing at ``angle`` in axes of the bearing."""
    system = cm.System(name="journal in a bearing")
    frame = system.add(cm.Body("frame", 1.0, 1e-4, angle=turned))
    system.add(cm.Weld(system.ground, frame))
    heading = angle + turned
    velocity = (SPEED * math.cos(heading), SPEED * math.sin(heading))
    journal = system.add(cm.Body("journal", MASS, 1e-4, velocity=velocity))
    system.add(cm.RevoluteClearance(frame, journal, at=(0.0, 0.0), name="pin", **RADII, **laws))
    return system


@pytest.fixture(scope="module")
def bounced():
    """Half a flight, then four contacts with three flights between them, then half a flight."""
    system = bouncing_journal(0.5, turned=1.0, law=cm.laws.Linear(STIFFNESS))
    return cm.simulate(system, t_end=4.0 * (FLIGHT + CONTACT), rtol=1e-10)


def test_shares_are_those_of_flights_and_half_oscillations(bounced):
    shares = cm.diagnose_joint(bounced, "pin").shares
    assert shares["impact"] == pytest.approx(CONTACT / (FLIGHT + CONTACT), rel=1e-8)
    assert shares["free flight"] == pytest.approx(FLIGHT / (FLIGHT + CONTACT), rel=1e-8)
    assert shares["following contact"] == 0.0


def test_modes_cover_the_run_without_gaps(bounced):
    spans = cm.diagnose_joint(bounced, "pin").spans
    assert [mode for mode, _, _ in spans] == ["free flight", *["impact", "free flight"] * 4]
    assert spans[0][1] == bounced.t[0]
    assert spans[-1][2] == bounced.t[-1]
    assert all(before[2] == after[1] for before, after in itertools.pairwise(spans))


def test_impulses_reverse_the_momentum_and_have_the_direction_in_the_bearing(bounced):
    diagnosis = cm.diagnose_joint(bounced, "pin")
    assert np.allclose(diagnosis.impulse, 2.0 * MASS * SPEED, rtol=2e-4)
    assert np.allclose(diagnosis.direction, [0.5, 0.5 - math.pi] * 2, atol=1e-9)
    assert np.allclose(diagnosis.approach_speed, SPEED, rtol=1e-9)
    hit = diagnosis.sector_impulse[0][diagnosis.sector_impulse[0] > 0.0]
    assert np.allclose(hit, 4.0 * MASS * SPEED, rtol=2e-4)


def test_a_start_time_leaves_out_what_is_before(bounced):
    diagnosis = cm.diagnose_joint(bounced, "pin", start=2.0 * (FLIGHT + CONTACT))
    assert len(diagnosis.t) == 2
    assert diagnosis.times[0] >= 2.0 * (FLIGHT + CONTACT)
    assert len(diagnosis.orbit) == len(diagnosis.reaction) == len(diagnosis.times)


def test_rigid_impacts_have_the_impulse_of_newtons_law():
    result = cm.simulate(bouncing_journal(impact=cm.ImpactLaw(0.5)), t_end=3.0 * FLIGHT, method="nonsmooth", step=1e-5)
    diagnosis = cm.diagnose_joint(result, "pin")
    assert diagnosis.impulse == pytest.approx([1.5 * MASS * SPEED, 0.75 * MASS * SPEED], rel=1e-9)
    assert diagnosis.shares["impact"] == 0.0


def resting_journal(**options):
    """Return a run of a journal that rests in its bearing under its weight."""
    law = cm.laws.KelvinVoigt(STIFFNESS, 200.0)
    sag = MASS * 9.81 / STIFFNESS
    system = cm.System(gravity=(0.0, -9.81))
    journal = system.add(cm.Body("journal", MASS, 1e-4, position=(0.0, -CLEARANCE - sag)))
    marker = cm.Marker(system.ground)
    system.add(cm.RevoluteClearance(marker, cm.Marker(journal), law=law, name="pin", **RADII, **options))
    return cm.simulate(system, t_end=0.02)


def test_a_journal_at_rest_follows_and_its_reaction_carries_the_weight():
    diagnosis = cm.diagnose_joint(resting_journal(), "pin")
    assert diagnosis.shares["following contact"] == 1.0
    assert np.allclose(diagnosis.reaction, [0.0, MASS * 9.81], atol=1e-6)
    assert diagnosis.mean_force == pytest.approx(MASS * 9.81, rel=1e-9)
    assert diagnosis.clearance == pytest.approx(CLEARANCE, rel=1e-12)
    assert np.sum(diagnosis.sector_impulse[1]) == pytest.approx(MASS * 9.81 * 0.02, rel=1e-3)
    assert diagnosis.sector_impulse[1].argmax() in (8, 9)  # below: −90°


def test_film_and_contact_carry_the_load_together():
    oil = cm.lubrication.ShortBearing(viscosity=0.1, length=0.02)
    diagnosis = cm.diagnose_joint(resting_journal(lubricant=oil), "pin")
    assert np.allclose(diagnosis.reaction, [0.0, MASS * 9.81], atol=1e-3)


def test_only_joints_with_clearance_have_a_diagnosis(bounced):
    with pytest.raises(ModelError, match="is not a joint with clearance; choose from 'pin'"):
        cm.diagnose_joint(bounced, bounced.elements[0].name)
    with pytest.raises(ModelError, match="start must be before the end of the run"):
        cm.diagnose_joint(bounced, "pin", start=1e3)


def test_coarse_output_leaves_impulses_unknown():
    system = bouncing_journal(law=cm.laws.Linear(STIFFNESS))
    result = cm.simulate(system, t_end=FLIGHT + CONTACT, output=FLIGHT)
    assert np.isnan(cm.diagnose_joint(result, "pin").impulse).all()
