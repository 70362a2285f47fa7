"""Knee: one contact of two profiles that lasts, between ligaments, against the common normal of two graphs."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.gallery import knee
from physics.reference import knee as reference
from physics.reference.knee_values import APPROACH, ONSET, PEAK_FORCE, TIMES, VALUES

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the range:carom.CaromWarning")


def table(result: cm.Result) -> np.ndarray:
    """The columns of the reference at its times."""
    tibia, touch = result["tibia"], result["cartilage"]
    columns = (tibia.x, tibia.y, tibia.angle, tibia.vx, tibia.vy, tibia.omega, touch.normal_force, touch.indentation)
    return np.column_stack(columns)[1:]


def test_stiffness_comes_from_the_radii_at_the_start():
    assert knee().system["cartilage"].law.stiffness == pytest.approx(reference.initial()["stiffness"], rel=1e-9)


@pytest.mark.parametrize("law", VALUES)
def test_motion_and_contact(law):
    result = knee(law).run(output=list(TIMES))
    scale = np.abs(VALUES[law]).max(axis=0)
    np.testing.assert_allclose(table(result) / scale, VALUES[law] / scale, rtol=0.0, atol=1e-7)
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(ONSET, abs=1e-9)
    assert impact.approach_speed == pytest.approx(APPROACH, rel=1e-7)
    assert impact.peak_force == pytest.approx(PEAK_FORCE[law], rel=1e-7)
    assert impact.persistent
    assert not impact.finished
    assert impact.t_end == result.t[-1]
    assert result.energy.drift < 1e-9


@pytest.mark.parametrize("integrator", ["dop853", "bdf"])
def test_integrators_agree(integrator):
    result = knee("flores").run(integrator=integrator, output=list(TIMES))
    scale = np.abs(VALUES["flores"]).max(axis=0)
    np.testing.assert_allclose(table(result) / scale, VALUES["flores"] / scale, rtol=0.0, atol=2e-7)


def test_force_acts_along_the_common_normal():
    result = knee().run(t_end=0.2)
    touch = result["cartilage"]
    pressing = touch.normal_force > 0.0
    np.testing.assert_allclose(np.hypot(touch.fx, touch.fy)[pressing], touch.normal_force[pressing], rtol=1e-12)
    femur = reference.Knee(np.float64)
    tibia = result["tibia"]
    for k in np.flatnonzero(pressing)[::40]:
        a, _, gap, (nx, ny), _ = femur.common_normal(tibia.x[k], tibia.y[k], tibia.angle[k])
        assert touch.indentation[k] == pytest.approx(-gap, abs=1e-14)
        assert (touch.nx[k], touch.ny[k]) == pytest.approx((-nx, -ny), abs=1e-9)  # from the tibia to the femur
        assert touch.x[k] == pytest.approx(a, abs=2e-3)


def test_signals_say_when_it_touches():
    touch = knee().run(t_end=0.2)["cartilage"]
    assert np.all(touch.contact_mode[touch.t < ONSET - 1e-6] == 0.0)
    assert np.all(touch.contact_mode[touch.t > ONSET + 1e-6] == 2.0)
    assert not touch.normal_force[touch.contact_mode == 0.0].any()
