"""Slider-crank that meets a free block twice, against two Lagrangian coordinates in long double."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.gallery import slider_crank_block
from physics.drops import relative
from physics.reference import slider_crank_block as reference
from quick import slow_but

IMPACT = ("t_start", "t_end", "approach_speed", "separation_speed", "peak_force", "max_indentation")
LAWS = (
    "hertz",
    "hunt_crossley",
    "herbert_mcwhannell",
    "lee_wang",
    "lankarani_nikravesh",
    "gonthier",
    "gonthier_approximate",
    "zhiying_qishao",
    "flores",
)

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the range:carom.CaromWarning")


def final(result: cm.Result) -> list[float]:
    """The last state in the order of the reference."""
    crank, block = result["crank"], result["block"]
    series = (crank.angle, block.x, crank.omega, block.vx, result["slider"].x)
    return [float(values[-1]) for values in series]


def check(result: cm.Result, expected: dict, tolerance: float) -> None:
    assert result.outcome.ok
    assert len(result.impacts) == len(expected["impacts"]) == 2
    for impact, numbers in zip(result.impacts, expected["impacts"], strict=True):
        for name in IMPACT:
            assert getattr(impact, name) == pytest.approx(numbers[name], rel=tolerance), name
        assert impact.finished
        assert not impact.persistent
        assert abs(impact.initial_indentation) < 1e-14
    assert final(result) == pytest.approx(list(expected["final"].values()), rel=tolerance)


@pytest.mark.parametrize("law", slow_but(LAWS[:3], LAWS))
def test_both_impacts_and_the_end(law):
    case = slider_crank_block("gonthier", exact=False) if law == "gonthier_approximate" else slider_crank_block(law)
    result = case.run()
    check(result, reference.solve(law), 1e-8)
    assert result.energy.drift < 1e-9


def test_rod_of_the_inertia_that_fits_its_length():
    light, heavy = slider_crank_block().run(), slider_crank_block(rod_inertia=5.9e-4).run()
    check(heavy, reference.solve(rod_inertia="5.9e-4"), 1e-8)
    assert relative(final(light), final(heavy)) > 1e-2


@pytest.mark.parametrize("integrator", slow_but(["dop853", "bdf"], ["dop853", "tsit5", "adams", "bdf"]))
def test_integrators_agree(integrator):
    check(slider_crank_block().run(integrator=integrator), reference.solve(), 1e-7)


def test_fixed_steps_agree():
    check(slider_crank_block().run(integrator="rk4", max_step=1e-4), reference.solve(), 1e-5)


@pytest.mark.parametrize("constraints", ["baumgarte", "augmented"])
def test_other_treatments_of_the_joints_agree(constraints):
    check(slider_crank_block().run(constraints=constraints), reference.solve(), 1e-5)


@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_other_restitutions(restitution):
    check(slider_crank_block(restitution=restitution).run(), reference.solve(restitution=restitution), 1e-7)


def test_energy_lost_is_what_the_impacts_took():
    result = slider_crank_block().run()
    lost = sum(impact.energy_lost for impact in result.impacts)
    assert result.energy.dissipated[-1] == pytest.approx(lost, rel=1e-12)
    assert result.energy.total[0] - result.energy.total[-1] == pytest.approx(lost, rel=1e-9)


def test_tighter_tolerances_come_closer():
    expected = reference.solve()
    errors = [
        relative(final(slider_crank_block().run(rtol=rtol, atol=0.01 * rtol)), list(expected["final"].values()))
        for rtol in (1e-6, 1e-8, 1e-10)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-10


def test_motion_between_the_impacts():
    times = (0.002, 0.01, 0.02, 0.05, 0.07)
    crank = slider_crank_block().run(output=list(times))["crank"]
    expected = reference.solve(times=times)["states"]
    np.testing.assert_allclose(crank.angle[1:6], expected[:, 0], rtol=1e-8)
    np.testing.assert_allclose(crank.omega[1:6], expected[:, 2], rtol=1e-8)
