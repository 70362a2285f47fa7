"""Every case, run once with its own settings."""

import warnings
from functools import cache

import pytest

from carom.errors import CaromWarning
from carom.gallery import CASES
from carom.result import Result


@cache
def ran(name):
    case = CASES[name]()
    with warnings.catch_warnings():
        if name == "parallelogram":  # redundant on purpose
            warnings.simplefilter("ignore", CaromWarning)
        return case, case.run()


@pytest.fixture(params=list(CASES))
def finished(request):
    """(case, result) of each case."""
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
        facts = ("name", "dim", "bodies", "elements", "stats", "outcome", "message", "settings")
        parts = {part: getattr(result, part) for part in (*arrays, *facts)}
        return Result(**{**parts, "ledger": result.energy, **changes})

    return change
