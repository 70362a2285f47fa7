"""Every case, run once with its own settings, or nearly."""

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
)  # fmt: skip
"""Cases that are checked at their impacts, by their energy, where their joints hold them, or for part of a run."""

SHORT = {
    "quick_return": {"t_end": 0.1}, "differential": {"t_end": 0.3}, "dominoes": {"t_end": 0.05},
    "ball_on_swinging_disc": {"t_end": 0.2}, "cam_follower": {"t_end": 0.8},
}  # fmt: skip
"""Cases that take seconds are cut short."""

SMALL = {"box_of_spheres": {"balls": 128}, "cup_and_marble": {"points": 333}}
"""Cases whose size is a parameter are taken small."""


@lru_cache(3)  # long runs take much memory, and tests of one case follow each other
def ran(name):
    case = CASES[name](**SMALL.get(name, {}))
    with warnings.catch_warnings():
        if name == "parallelogram":  # redundant on purpose
            warnings.simplefilter("ignore", CaromWarning)
        return case, case.run(**SHORT.get(name, {}))


@pytest.fixture(scope="module", params=list(CASES))
def finished(request):
    """(case, result) of each case."""
    return ran(request.param)


@pytest.fixture(scope="module", params=[name for name in CASES if name not in IMPACTS])
def followed(request):
    """(case, result) of each case that is checked at every node of its motion."""
    return ran(request.param)


@pytest.fixture(autouse=True, scope="module")
def end_of_runs():
    """Forget the last runs; figures refer to themselves, and are found only by the garbage collector."""
    yield
    ran.cache_clear()
    gc.collect()


@pytest.fixture
def run_of():
    """The same of a case by name."""
    return ran


@pytest.fixture
def doctored():
    """A copy of a result with some of its parts changed."""

    def change(result: Result, **changes) -> Result:
        arrays = ("t", "q", "v", "a", "signals")
        facts = ("name", "dim", "bodies", "elements", "stats", "outcome", "message", "settings", "impacts")
        parts = {part: getattr(result, part) for part in (*arrays, *facts)}
        return Result(**{**parts, "ledger": result.energy, **changes})

    return change
