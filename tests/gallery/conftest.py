"""Fixtures: every case, run once with its own settings or a shorter end."""

import gc
import warnings
from functools import lru_cache

import pytest

from carom.errors import CaromWarning
from carom.gallery import CASES
from carom.result import Result

IMPACTS = (
    "two_spheres", "slider_crank_block", "knee", "falling_ball", "pendulum_wall", "quick_return", "condyles",
    "bouncing_ball", "newtons_cradle", "rocking_block", "stick_slip", "painleve_rod", "ball_on_swinging_disc",
    "cam_follower", "ball_on_incline", "dominoes", "box_of_spheres",
    "drop_test", "bumper", "worn_slider_crank", "piston_pin", "four_bar_clearance", "crank_press",
    "five_bar_clearance",
)  # fmt: skip
"""Cases whose checks do not compare every node: impacts, energy, joints, or part of a run only."""

SHORT = {
    "quick_return": {"t_end": 0.1}, "differential": {"t_end": 0.3}, "dominoes": {"t_end": 0.05},
    "piston_pin": {"t_end": 0.01}, "four_bar_clearance": {"t_end": 0.05}, "crank_press": {"t_end": 0.06},
    "five_bar_clearance": {"t_end": 0.05},
    "ball_on_swinging_disc": {"t_end": 0.2}, "cam_follower": {"t_end": 0.8},
}  # fmt: skip
"""Options that shorten cases with a long computing time."""

SMALL = {
    "box_of_spheres": {"balls": 128}, "cup_and_marble": {"points": 333},
    "worn_slider_crank": {"cycles": 40, "cycle_factor": 20.0},
}  # fmt: skip
"""Parameters that reduce the size of cases."""


@lru_cache(3)  # Long runs need much memory, and the tests of one case run one after the other.
def ran(name):
    case = CASES[name](**SMALL.get(name, {}))
    with warnings.catch_warnings():
        if name == "parallelogram":  # It has a redundant constraint on purpose.
            warnings.simplefilter("ignore", CaromWarning)
        return case, case.run(**SHORT.get(name, {}))


@pytest.fixture(scope="module", params=list(CASES))
def finished(request):
    """Return (case, result) of each case."""
    return ran(request.param)


@pytest.fixture(scope="module", params=[name for name in CASES if name not in IMPACTS])
def followed(request):
    """Return (case, result) of each case that is checked at every node of its motion."""
    return ran(request.param)


@pytest.fixture(autouse=True, scope="module")
def end_of_runs():
    """Delete the last runs; figures contain reference cycles that only the garbage collector removes."""
    yield
    ran.cache_clear()
    gc.collect()


@pytest.fixture
def run_of():
    """Return a function that returns (case, result) of a case by name."""
    return ran


@pytest.fixture
def doctored():
    """Return a function that copies a result with some of its parts changed."""

    def change(result: Result, **changes) -> Result:
        arrays = ("t", "q", "v", "a", "signals")
        facts = ("name", "dim", "bodies", "elements", "stats", "outcome", "message", "settings", "impacts")
        parts = {part: getattr(result, part) for part in (*arrays, *facts)}
        return Result(**{**parts, "ledger": result.energy, **changes})

    return change
