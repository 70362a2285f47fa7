"""Every case, run once with its own settings, or nearly."""

import warnings
from functools import cache

import pytest

from carom.errors import CaromWarning
from carom.gallery import CASES
from carom.result import Result

IMPACTS = (
    "two_spheres", "slider_crank_block", "knee", "falling_ball", "pendulum_wall", "quick_return",
    "bouncing_ball", "newtons_cradle", "rocking_block", "stick_slip", "painleve_rod",
)  # fmt: skip
"""Cases that are checked at their impacts, by their energy, and where their joints hold them."""

SHORT = {"quick_return": {"t_end": 0.1}}
"""Cases that take seconds are cut short."""


@cache
def ran(name):
    case = CASES[name]()
    with warnings.catch_warnings():
        if name == "parallelogram":  # redundant on purpose
            warnings.simplefilter("ignore", CaromWarning)
        return case, case.run(**SHORT.get(name, {}))


@pytest.fixture(params=list(CASES))
def finished(request):
    """(case, result) of each case."""
    return ran(request.param)


@pytest.fixture(params=[name for name in CASES if name not in IMPACTS])
def followed(request):
    """(case, result) of each case that is checked at every node of its motion."""
    return ran(request.param)


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
