import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from carom.result import BodyInfo, BodySeries, ElementSeries, Energy, Outcome

GRAVITY = 9.81  # as in the thrown body of conftest


def test_lookup_by_name_and_by_object(throw):
    assert isinstance(throw["ball"], BodySeries)
    assert isinstance(throw["pivot"], ElementSeries)
    np.testing.assert_array_equal(throw[SimpleNamespace(name="ball")].x, 3.0 * throw.t)
    assert throw["anvil"].y[0] == 2.0
    np.testing.assert_allclose(throw["pivot"].force, 5.0 * throw.t, rtol=1e-15)
    np.testing.assert_array_equal(throw["motor"].force, throw.t**2)


def test_unknown_name_raises_with_all_names(throw):
    with pytest.raises(KeyError) as error:
        throw["bal"]
    assert str(error.value) == (
        "Result 'throw': unknown name 'bal'; did you mean 'ball'? choose from 'ball', 'anvil', 'pivot', 'motor'"
    )


def test_membership_by_name(throw):
    assert "pivot" in throw
    assert "ball" in throw
    assert "crank" not in throw


def test_sample_is_a_result_with_the_exact_motion_at_other_times(throw):
    times = np.array([0.0, 0.123, 0.777, 1.0])
    sampled = throw.sample(times)
    np.testing.assert_array_equal(sampled.t, times)
    np.testing.assert_allclose(sampled["ball"].y, 4.0 * times - GRAVITY * times**2 / 2, atol=1e-14)
    np.testing.assert_allclose(sampled["ball"].vy, 4.0 - GRAVITY * times, atol=1e-13)
    np.testing.assert_allclose(sampled["ball"].ay, -GRAVITY, rtol=1e-11)
    np.testing.assert_allclose(sampled["pivot"].force, 5.0 * times, atol=1e-14)
    np.testing.assert_allclose(sampled["motor"].force, times**2, atol=1e-14)
    assert (sampled.name, sampled.outcome, sampled.stats) == (throw.name, throw.outcome, throw.stats)


def test_sample_at_one_time_and_again_from_the_sample(throw):
    assert throw.sample(0.5)["ball"].x == pytest.approx([1.5])
    again = throw.sample(np.linspace(0.0, 1.0, 6)).sample(0.55)
    assert again["ball"].y == pytest.approx([4.0 * 0.55 - GRAVITY * 0.55**2 / 2], rel=1e-13)


def test_sampled_energy_keeps_its_balance(throw):
    assert throw.energy.drift < 1e-15
    assert throw.sample(np.linspace(0.0, 1.0, 101)).energy.drift < 1e-14


def test_sample_copies_the_times(throw):
    times = np.array([0.2, 0.4])
    sampled = throw.sample(times)
    times[:] = 9.0
    np.testing.assert_array_equal(sampled.t, [0.2, 0.4])


def test_sample_at_times_outside_the_run_or_decreasing_raises(throw):
    with pytest.raises(ValueError, match=r"times must lie in the run, from 0 to 1 s, got 1\.5 s"):
        throw.sample([0.5, 1.5])
    with pytest.raises(ValueError, match=r"'throw'.*got 0\.2 s after 0\.5 s"):
        throw.sample([0.5, 0.2])


def test_series_are_read_only(throw):
    for array in (throw.t, throw.q, throw["ball"].x, throw["pivot"].fx, throw.energy.kinetic):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_arrays_of_the_caller_stay_writeable(make_throw):
    t = np.linspace(0.0, 1.0, 3)
    make_throw(t)
    assert t.flags.writeable


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dim": 7}, "dim must be one of"),
        ({"t": np.zeros((3, 1))}, "t must have shape"),
        ({"t": np.array([0.0, 2.0, 1.0])}, "times must not decrease, got 1 s after 2 s"),
        ({"q": np.zeros((3, 5))}, r"q must have shape \(3, 6\), got \(3, 5\)"),
        ({"v": np.zeros((2, 6))}, "v must have shape"),
        ({"signals": np.zeros((3, 2))}, r"signals must have shape \(3, 3\)"),
        ({"ledger": Energy.from_columns(np.zeros((2, 7)))}, "ledger must have 3 nodes, got 2"),
        ({"bodies": (BodyInfo("ball", 1.0, 1.0), BodyInfo("pivot", 1.0, 1.0))}, "names must be unique, got pivot"),
    ],
)
def test_inconsistent_arguments_raise(make_throw, change, words):
    with pytest.raises(ValueError, match=rf"Result 'throw': .*{words}"):
        make_throw(np.array([0.0, 0.5, 1.0]), **change)


def test_same_as_detects_a_single_bit(make_throw):
    t = np.linspace(0.0, 1.0, 5)
    run = make_throw(t)
    assert run.same_as(make_throw(t.copy(), stats={"wall_time": 9.0}))
    q = run.q.copy()
    q[3, 1] = np.nextafter(q[3, 1], np.inf)
    assert not run.same_as(make_throw(t, q=q))
    assert not run.same_as(make_throw(t, outcome=Outcome.INTERRUPTED))
    assert not run.same_as(make_throw(t[:4]))


def test_result_can_be_pickled(throw):
    assert pickle.loads(pickle.dumps(throw)).same_as(throw)


def test_settings_and_stats_are_plain_copies(make_throw):
    settings = {"output": np.array([0.0, 0.5]), "max_step": None}
    run = make_throw(np.array([0.0, 1.0]), settings=settings)
    settings["max_step"] = 1.0
    assert run.settings == {"output": (0.0, 0.5), "max_step": None}


def test_plot_method_calls_plot_result(throw, monkeypatch):
    calls = []
    figures = SimpleNamespace(plot_result=lambda *what, **options: calls.append((what, options)) or "figure")
    monkeypatch.setitem(__import__("sys").modules, "carom.plot", figures)
    assert throw.plot("ball", title="a") == "figure"
    assert calls == [((throw, "ball"), {"title": "a"})]


def test_repr_is_one_line(throw):
    assert repr(throw) == "<Result 'throw': FINISHED, t = 0 … 1 s, 11 nodes, 2 bodies, 2 elements>"
