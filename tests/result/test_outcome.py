import pytest

from carom.result.outcome import Outcome


def test_only_finished_is_ok():
    assert [outcome for outcome in Outcome if outcome.ok] == [Outcome.FINISHED]


@pytest.mark.parametrize("outcome", Outcome)
def test_text_of_an_outcome_is_its_value(outcome):
    assert str(outcome) == outcome.value
    assert outcome.value[0].isupper()
    assert outcome.value.endswith(".")


def test_texts_of_outcomes_are_different():
    # Enum members with equal values would silently become one member; two names of earlier versions are aliases.
    aliases = {name for name, outcome in Outcome.__members__.items() if outcome.name != name}
    assert aliases == {"APART", "NO_IMPULSES"}
    assert len(Outcome) == len(Outcome.__members__) - len(aliases) == 10
