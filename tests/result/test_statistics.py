import pytest

from carom.result.statistics import Statistics


def test_old_names_are_renamed_and_still_found():
    stats = Statistics({"steps": 3, "unsolved": 2})
    assert dict(stats) == {"steps": 3, "inexact_solutions": 2}
    with pytest.warns(DeprecationWarning, match="inexact_solutions"):
        assert stats["unsolved"] == 2


def test_unknown_names_are_not_found():
    with pytest.raises(KeyError, match="contacts"):
        Statistics({"steps": 3})["contacts"]
    with pytest.raises(KeyError, match="unsolved"):
        Statistics({"steps": 3})["unsolved"]
