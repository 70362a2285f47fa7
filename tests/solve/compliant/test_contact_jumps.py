"""A contact whose geometry jumps ends the run with its name, and legitimate impacts do not."""

import pytest

import carom as cm
from carom.geometry.pairs.base import PairKernel, pair_kernel
from carom.geometry.pairs.registry import PAIRS
from carom.geometry.pairs.sphere_plane import PARAMS
from carom.result.outcome import Outcome

JUMP = 0.016


@pair_kernel(PARAMS)
def jumping(pose_a, pose_b, params, warm_start, out):
    """Compute the gap of a sphere of radius 0.1 m above z = 0, which falls by 16 mm at an overlap of 1 µm."""
    gap = pose_a.z - 0.1
    if gap < -1e-6:
        gap -= 0.016
    out.gap = gap
    for d in range(3):
        out.normal[d] = 1.0 if d == 2 else 0.0
        out.point_a[d] = 0.0
        out.point_b[d] = 0.0
        out.force_point[d] = 0.0


def falling(speed: float = 1.0, stiffness: float = 1e8) -> cm.System:
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 1.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, 0.11), velocity=(0.0, 0.0, -speed)))
    law = cm.laws.Hertz(stiffness=stiffness)
    impact = cm.ImpactLaw(restitution=0.5)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, impact=impact, name="floor"))
    return system


@pytest.fixture
def jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAIRS, ("Sphere", "Plane"), PairKernel(jumping, PARAMS))


@pytest.mark.parametrize("integrator", ["auto", "implicit", "bdf"])
def test_a_jump_of_the_gap_ends_the_run_with_the_name_of_the_contact(jumps, integrator: str):
    result = cm.simulate(falling(), t_end=0.05, integrator=integrator)
    assert result.outcome is Outcome.CONTACT_JUMP
    assert "'floor'" in result.message
    assert "0.016" in result.message
    assert 0.009 < result.t[-1] < 0.011  # 10 mm at 1 m/s; what was computed is kept
    assert result["ball"].z[-1] == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize(("speed", "stiffness"), [(0.001, 1e8), (1.0, 1e8), (100.0, 1e8), (10.0, 1e5), (1000.0, 1e10)])
def test_fast_and_soft_impacts_are_no_jumps(speed: float, stiffness: float):
    result = cm.simulate(falling(speed, stiffness), t_end=2.0 * (0.01 / speed + 2e-3))
    assert result.outcome.ok
    assert len(result.impacts) == 1


@pytest.mark.parametrize("onset", ["reject", "interpolate", "none"])
def test_impacts_of_runs_without_event_location_are_no_jumps(onset: str):
    assert cm.simulate(falling(), t_end=0.05, onset=onset).outcome.ok
