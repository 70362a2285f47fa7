import numpy as np
import pytest

from carom.errors import ModelError
from carom.plot.touches import contact_of, impact_of, named, touch, window


def test_a_touch_is_what_the_nodes_of_its_impact_say(bouncing):
    _, result = bouncing
    impact = result.impacts[1]
    one = touch(result, "floor", 1)
    assert one.t[0] == impact.t_start
    assert one.t[-1] == impact.t_end
    inside = (result.t > impact.t_start) & (result.t < impact.t_end)
    series = result["floor"]
    for part, signal in ((one.indentation, "indentation"), (one.rate, "rate"), (one.force, "normal_force")):
        assert np.array_equal(part[1:-1], getattr(series, signal)[inside])
    assert one.rate[0] == pytest.approx(impact.approach_speed, rel=1e-9)
    assert one.rate[-1] == pytest.approx(-impact.separation_speed, rel=1e-6)


def test_all_impacts_stand_one_after_the_other_with_a_gap_between(bouncing):
    _, result = bouncing
    assert len(result.impacts) == 3
    gaps = np.flatnonzero(np.isnan(touch(result, "floor").t))
    assert len(gaps) == 2
    single = [len(touch(result, "floor", number).t) for number in range(3)]
    assert len(touch(result, "floor").t) == sum(single) + 2
    assert np.array_equal(touch(result, "floor").force[: single[0]], touch(result, "floor", 0).force)


def test_a_contact_that_never_happened_is_empty(bouncing):
    _, result = bouncing
    short = type(result)(**{**vars_of(result), "impacts": ()})
    assert len(touch(short, "floor").t) == 0


def vars_of(result):
    facts = ("name", "dim", "t", "q", "v", "a", "signals", "bodies", "elements", "stats", "outcome", "message")
    return {**{fact: getattr(result, fact) for fact in facts}, "ledger": result.energy, "settings": result.settings}


def test_an_impact_is_found_by_number_from_both_ends_or_is_itself(bouncing):
    _, result = bouncing
    assert impact_of(result, "floor", 0) is result.impacts[0]
    assert impact_of(result, "floor", -1) is result.impacts[-1]
    assert impact_of(result, "floor", result.impacts[1]) is result.impacts[1]
    with pytest.raises(ModelError, match="'floor' of the result 'bouncing ball' has 3 impacts, there is no number 3"):
        impact_of(result, "floor", 3)


def test_the_window_of_an_impact_has_a_margin_and_ends_with_the_run(bouncing):
    _, result = bouncing
    impact = result.impacts[0]
    start, stop, zero = window(result, "floor", 0, 2.0)
    assert zero == impact.t_start
    assert start == pytest.approx(impact.t_start - 2.0 * impact.duration)
    assert stop == pytest.approx(impact.t_end + 2.0 * impact.duration)
    assert window(result, "floor", 0, 1e9)[:2] == (0.0, 1.0)
    assert window(result, "floor", None, 1.0) == (0.0, 1.0, 0.0)


def test_what_is_no_contact_is_named_with_those_there_are(bouncing, throw):
    with pytest.raises(ModelError, match="'ball' is no contact of the result 'bouncing ball'; it has 'floor'"):
        contact_of(bouncing[1], "ball")
    with pytest.raises(ModelError, match="'motor' is no contact of the result 'throw'; it has none"):
        contact_of(throw, "motor")


def test_one_run_is_known_by_its_own_name(throw):
    assert named(throw) == {"throw": throw}
    assert list(named({"a": throw, "b": throw})) == ["a", "b"]
    with pytest.raises(ModelError, match="got none"):
        named({})
