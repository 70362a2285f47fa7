"""The progress bar: silent on short work, there on long work, or the user's own function."""

from __future__ import annotations

import io

import numpy as np
import pytest

import carom as cm
from carom import progress
from carom.progress import PATIENCE, Progress
from carom.solve.compliant import rk_integrator
from solve.mechanisms import pendulum


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


def look_at(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Standard error goes to ``screen``; set inside a test, for pytest sets its own between fixtures and test."""
    monkeypatch.setattr("sys.stderr", screen)
    return screen


@pytest.fixture
def clock(monkeypatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(progress.time, "perf_counter", hand.perf_counter)
    return hand


def work(bar: Progress, clock: Clock, seconds: float) -> None:
    """Ten reports over ``seconds`` of work."""
    with bar:
        for k in range(1, 11):
            clock.now += seconds / 10.0
            bar(0.1 * k * bar.total)


def test_short_work_shows_nothing(clock, monkeypatch):
    terminal = look_at(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, None), clock, 0.9 * PATIENCE)
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar_with_its_name(clock, monkeypatch):
    terminal = look_at(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, None), clock, 30.0 * PATIENCE)
    assert "swing" in terminal.getvalue()
    assert "of 5 s" in terminal.getvalue()


def test_bar_opens_only_after_the_patience_is_used_up(clock, monkeypatch):
    look_at(Terminal(), monkeypatch)
    bar = Progress("swing", 5.0, None)
    with bar:
        clock.now += 0.5 * PATIENCE
        bar(1.0)
        assert bar._bar is None
        clock.now += PATIENCE
        bar(2.0)
        assert bar._bar is not None
        assert bar._bar.tasks[0].completed == 2.0
    assert bar._bar is None


def test_true_shows_the_bar_from_the_start(clock, monkeypatch):
    terminal = look_at(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, True), clock, 0.01)
    assert "swing" in terminal.getvalue()


@pytest.mark.parametrize("show", [False, None])
def test_nothing_is_shown_where_nobody_looks(show, clock, monkeypatch):
    screen = look_at(Terminal() if show is False else io.StringIO(), monkeypatch)  # not a terminal: a log file
    work(Progress("swing", 5.0, show), clock, 60.0)
    assert screen.getvalue() == ""


def test_function_of_the_user_gets_the_fraction_done(clock):
    seen = []
    work(Progress("swing", 5.0, seen.append), clock, 60.0)
    np.testing.assert_allclose(seen, np.arange(1, 11) / 10.0)


def test_bar_is_closed_when_the_work_fails(clock, monkeypatch):
    look_at(Terminal(), monkeypatch)
    bar = Progress("swing", 5.0, True)

    def fail():
        with bar:
            bar(1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert bar._bar is None


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "adams", "bdf"])
def test_run_reports_rising_fractions(integrator, monkeypatch):
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", 1e-3)  # so that no machine is done before it reports
    seen: list[float] = []
    t_end = 40.0 if integrator.startswith("dop") else 3.0
    result = cm.simulate(pendulum(), t_end, integrator=integrator, progress=seen.append)
    assert result.outcome.ok
    assert len(seen) >= 3
    assert np.all(np.diff(seen) > 0.0)
    assert seen[0] > 0.0
    assert seen[-1] <= 1.0


def test_progress_does_not_change_the_run():
    assert cm.simulate(pendulum(), 20.0).same_as(cm.simulate(pendulum(), 20.0, progress=lambda fraction: None))
