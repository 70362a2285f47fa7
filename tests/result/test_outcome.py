import pytest

from carom.result.outcome import Outcome


def test_only_finished_is_ok():
    assert [outcome for outcome in Outcome if outcome.ok] == [Outcome.FINISHED]


@pytest.mark.parametrize("outcome", Outcome)
def test_outcome_reads_as_its_own_sentence(outcome):
    assert str(outcome) == outcome.value
    assert outcome.value[0].isupper()
    assert outcome.value.endswith(".")


def test_no_two_outcomes_share_a_sentence():
    # Enum members with equal values would silently become one member.
    assert len(Outcome) == len(Outcome.__members__) == 9
