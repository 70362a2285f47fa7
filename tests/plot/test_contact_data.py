import numpy as np
import pytest

from carom.errors import ModelError
from carom.plot.contact_data import contact_samples, contact_series, find_impact, impact_time_span, results_by_name


def test_samples_are_the_nodes_of_their_impact(bouncing):
    _, result = bouncing
    impact = result.impacts[1]
    one = contact_samples(result, "floor", 1)
    assert one.t[0] == impact.t_start
    assert one.t[-1] == impact.t_end
    inside = (result.t > impact.t_start) & (result.t < impact.t_end)
    series = result["floor"]
    for part, signal in (
        (one.indentation, "indentation"),
        (one.indentation_rate, "indentation_rate"),
        (one.force, "normal_force"),
    ):
        assert np.array_equal(part[1:-1], getattr(series, signal)[inside])
    assert one.indentation_rate[0] == pytest.approx(impact.approach_speed, rel=1e-9)
    assert one.indentation_rate[-1] == pytest.approx(-impact.separation_speed, rel=1e-6)


def test_successive_impacts_are_separated_by_nan(bouncing):
    _, result = bouncing
    assert len(result.impacts) == 3
    gaps = np.flatnonzero(np.isnan(contact_samples(result, "floor").t))
    assert len(gaps) == 2
    single = [len(contact_samples(result, "floor", number).t) for number in range(3)]
    assert len(contact_samples(result, "floor").t) == sum(single) + 2
    assert np.array_equal(
        contact_samples(result, "floor").force[: single[0]], contact_samples(result, "floor", 0).force
    )


def test_a_contact_without_impacts_has_no_samples(bouncing):
    _, result = bouncing
    short = type(result)(**{**vars_of(result), "impacts": ()})
    assert len(contact_samples(short, "floor").t) == 0


def vars_of(result):
    facts = ("name", "dim", "t", "q", "v", "a", "signals", "bodies", "elements", "stats", "outcome", "message")
    return {**{fact: getattr(result, fact) for fact in facts}, "ledger": result.energy, "settings": result.settings}


def test_an_impact_is_selected_by_index_or_as_an_object(bouncing):
    _, result = bouncing
    assert find_impact(result, "floor", 0) is result.impacts[0]
    assert find_impact(result, "floor", -1) is result.impacts[-1]
    assert find_impact(result, "floor", result.impacts[1]) is result.impacts[1]
    with pytest.raises(ModelError, match="'floor' in result 'bouncing ball' has 3 impacts, got impact=3"):
        find_impact(result, "floor", 3)


def test_the_time_span_of_an_impact_has_a_margin_and_ends_with_the_run(bouncing):
    _, result = bouncing
    impact = result.impacts[0]
    start, stop, zero = impact_time_span(result, "floor", 0, 2.0)
    assert zero == impact.t_start
    assert start == pytest.approx(impact.t_start - 2.0 * impact.duration)
    assert stop == pytest.approx(impact.t_end + 2.0 * impact.duration)
    assert impact_time_span(result, "floor", 0, 1e9)[:2] == (0.0, 1.0)
    assert impact_time_span(result, "floor", None, 1.0) == (0.0, 1.0, 0.0)


def test_an_unknown_contact_is_reported_with_the_known_ones(bouncing, throw):
    with pytest.raises(ModelError, match="unknown contact 'ball' in result 'bouncing ball'; choose from 'floor'"):
        contact_series(bouncing[1], "ball")
    with pytest.raises(ModelError, match="unknown contact 'motor' in result 'throw'; it has no contacts"):
        contact_series(throw, "motor")


def test_a_single_run_has_its_own_name(throw):
    assert results_by_name(throw) == {"throw": throw}
    assert list(results_by_name({"a": throw, "b": throw})) == ["a", "b"]
    with pytest.raises(ModelError, match="got an empty mapping"):
        results_by_name({})
