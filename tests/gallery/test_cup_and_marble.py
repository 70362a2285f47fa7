"""Marble in a cup: laws, tables, windows and crank; impacts and persistent contact; compliant and non-smooth runs."""

import math
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest

import carom as cm
from carom.gallery import CheckFailed, cup_and_marble
from carom.geometry.shapes.surface import Surface
from quick import slow_but

POINTS = 333


@lru_cache(4)  # A case keeps its tables in memory.
def ran(t_end: float, **parameters):
    case = cup_and_marble(**({"points": POINTS} | parameters))
    return case, case.run(t_end=t_end)


ANALYTIC, BICUBIC = {"surface": "analytic"}, {"interpolation": "bicubic"}
BILINEAR = {"interpolation": "bilinear", "points": 999}
QUICK = [("hertz", "driven", ANALYTIC), ("flores", "free", BICUBIC)]


@pytest.mark.parametrize(
    ("law", "crank", "surface"),
    slow_but(QUICK, product(("hertz", "flores"), ("driven", "free"), (ANALYTIC, BICUBIC, BILINEAR))),
)
def test_the_check_holds_for_all_variants(law: str, crank: str, surface: dict):
    case, result = ran(0.05, law=law, crank=crank, **surface)
    assert result.outcome.name == "FINISHED"
    case.check(result)


@pytest.mark.parametrize("surface", [ANALYTIC, BICUBIC])
def test_three_elastic_impacts_in_a_tenth_of_a_second(surface: dict):
    _, result = ran(0.1, law="hertz", **surface)
    assert len(result.impacts) == 3


@pytest.mark.parametrize("surface", [ANALYTIC, BICUBIC])
def test_eight_dissipative_impacts_then_persistent_contact(surface: dict):
    _, result = ran(0.1, law="flores", **surface)
    bounced = [impact for impact in result.impacts if impact.t_end < result.t[-1]]
    assert len(bounced) >= 8
    assert result["touch"].indentation[-1] > 0.0
    peaks = [impact.peak_force for impact in bounced[:8]]
    assert all(later < earlier for earlier, later in pairwise(peaks))


def test_all_surfaces_agree():
    """Compare the start of the impacts of tables and exact spheres."""
    exact = [impact.t_start for impact in ran(0.1, law="hertz", surface="analytic")[1].impacts]
    cubic = [impact.t_start for impact in ran(0.1, law="hertz", interpolation="bicubic")[1].impacts]
    assert cubic == pytest.approx(exact, abs=1e-6)


def test_check_rejects_small_errors(doctored):
    case, result = ran(0.05, law="hertz", surface="analytic", crank="driven")
    late = [replace(impact, t_start=impact.t_start + 1e-6) for impact in result.impacts]
    with pytest.raises(CheckFailed, match="start of impact 1"):
        case.check(doctored(result, impacts=late))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"surface": "paper"}, "surface must be one of"),
        ({"crank": "broken"}, "crank must be one of"),
        ({"points": 3}, "points must be a whole number from 4 to 1000, got 3"),
        ({"points": 10.5}, "points must be a whole number"),
        ({"window": 5}, "window must be None, a pair"),
        ({"window": ((1, 2), (3,))}, "window must be None, a pair"),
        ({"window": (0, 1), "points": 50}, "window must be None, a pair"),
        ({"interpolation": "cubic", "points": 50}, "interpolation must be one of"),
    ],
)
def test_invalid_parameters(parameters: dict, message: str):
    with pytest.raises(cm.ModelError, match=message):
        cup_and_marble(**parameters)


def test_marble_and_cup_may_have_different_windows():
    case = cup_and_marble(points=200, window=((3, 5), (1, 2)))
    (contact,) = case.system.contacts
    assert [shape.window.size for shape in contact.shapes] == [(3, 5), (1, 2)]


# ---- the other physics


def dropped(restitution: float, table: str | None) -> cm.System:
    """Return a marble 10 mm above the bottom of a fixed cup."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 0.011, (4e-7,) * 3, position=(0.0, 0.0, -0.03)))
    half, down = math.pi / 4.0, (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    skins = [cm.surfaces.Sphere(r, u=(-half, half), v=(-half, half), inside=r > 0.02) for r in (0.01, 0.05)]
    if table is not None:
        skins = [cm.lookup.build(skin, (101, 101), (27, 27), f"{table}/{k}.lut") for k, skin in enumerate(skins)]
    system.add(
        cm.Contact(
            Surface(ball, skins[0], orientation=down), Surface(system.ground, skins[1], orientation=down),
            law=cm.laws.Hertz(1e8), impact=cm.ImpactLaw(restitution, 0.0), name="touch",
        )
    )  # fmt: skip
    return system


@pytest.mark.parametrize(("restitution", "tabled"), [(0.0, True), (0.5, False), (0.5, True), (0.8, False)])
def test_nonsmooth_marble_bounces_with_its_restitution(tmp_path, restitution: float, tabled: bool):
    result = cm.simulate(dropped(restitution, str(tmp_path) if tabled else None), 0.06, method="nonsmooth", step=1e-5)
    fall = math.sqrt(2.0 * 0.01 / 9.81)
    speed = math.sqrt(2.0 * 0.01 * 9.81)
    after = result["ball"].vz[result.t > fall + 2e-4]
    assert after[0] == pytest.approx(restitution * speed - 9.81 * 2e-4, abs=4e-3)
    assert np.max(np.abs(result["ball"].x)) < 1e-9


def test_compliant_elastic_marble_returns_to_its_height():
    result = cm.simulate(dropped(0.5, None), 0.1)
    impact = result.impacts[0]
    assert impact.t_start == pytest.approx(math.sqrt(2.0 * 0.01 / 9.81), abs=1e-7)
    top = impact.t_end + impact.t_start
    assert result.sample([top])["ball"].z[0] == pytest.approx(-0.03, abs=1e-6)


def test_cup_on_its_crank_runs_nonsmooth():
    """Check the first bounce with Newton's impact law."""
    case = cup_and_marble(surface="analytic")
    contact = case.system.contacts[0]
    contact.impact = cm.ImpactLaw(0.6275, 0.0)
    result = cm.simulate(case.system, 0.05, method="nonsmooth", step=1e-5)
    hertz = ran(0.05, law="hertz", surface="analytic", crank="driven")[1]
    start = hertz.impacts[0].t_start
    before = np.searchsorted(result.t, start) - 2
    later = before + 5

    def relative(k: int, *names: str) -> np.ndarray:
        return np.array([getattr(result["ball"], name)[k] - getattr(result["cup"], name)[k] for name in names])

    out = relative(before, "x", "y", "z")
    v, w = (relative(k, "vx", "vy", "vz") @ out for k in (before, later))
    assert w == pytest.approx(-0.6275 * v, rel=2e-2)
