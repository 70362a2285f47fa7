import numpy as np
import pytest

from carom.result import BodyInfo, Outcome


def test_summary_contains_outcome_and_cost(throw):
    lines = throw.summary().splitlines()
    assert lines[0] == "throw"
    assert lines[1].strip() == "The run reached its end at t = 1 s."
    assert "0 to 1 s, 11 nodes" in lines[2]
    assert lines[3].split(maxsplit=1) == ["work", "120 steps, 7 rejected, 841 evaluations, 3.1 ms of wall time"]
    assert lines[4].split()[:2] == ["energy", "drift"]


def test_summary_ends_with_final_states_in_aligned_columns(throw):
    header, ball, anvil = throw.summary().splitlines()[-3:]
    assert header.split() == ["final", "x", "[m]", "y", "[m]", "angle", "[rad]"]
    assert ball.split() == ["ball", "3", "-0.905", "5"]  # 4 - 9.81 / 2 after one second
    assert anvil.split() == ["anvil", "1", "2", "0"]
    assert len(header) == len(ball) == len(anvil)


def test_summary_without_a_message_contains_the_outcome(make_throw):
    run = make_throw(np.array([0.0, 1.0]), message="", stats={}, outcome=Outcome.NOT_CONVERGED)
    assert str(Outcome.NOT_CONVERGED) in run.summary()
    assert "work" not in run.summary()


def test_summary_of_many_bodies_is_short(make_throw):
    n = 500
    columns = np.zeros((2, 3 * n))
    pile = make_throw(
        np.array([0.0, 1.0]),
        q=columns,
        v=columns,
        a=columns,
        bodies=tuple(BodyInfo(f"s{i}", 1.0, 1.0) for i in range(n)),
    )
    assert "… and 480 more bodies" in pile.summary()
    assert len(pile.summary().splitlines()) < 30


@pytest.mark.parametrize(("seconds", "text"), [(75.0, "75 s"), (0.25, "250 ms"), (4.2e-5, "42 µs")])
def test_wall_time_has_a_suitable_unit(make_throw, seconds, text):
    run = make_throw(np.array([0.0, 1.0]), stats={"wall_time": seconds})
    assert f"work    {text} of wall time" in run.summary()
