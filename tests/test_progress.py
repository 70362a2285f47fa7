"""Progress bar: hidden for short work, shown for long work, or replaced by a function of the user."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import carom as cm
from carom import progress
from carom.progress import BAR_DELAY, Progress
from carom.solve.compliant import cvode, rk_integrator
from solve.mechanisms import pendulum


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Clock with a settable time."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


def redirect_stderr(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Redirect standard error; call it inside a test, since pytest replaces standard error after the fixtures."""
    monkeypatch.setattr("sys.stderr", screen)
    return screen


@pytest.fixture
def clock(monkeypatch) -> Clock:
    settable = Clock()
    monkeypatch.setattr(progress.time, "perf_counter", settable.perf_counter)
    return settable


def work(bar: Progress, clock: Clock, seconds: float) -> None:
    """Report ten times over ``seconds`` of work."""
    with bar:
        for k in range(1, 11):
            clock.now += seconds / 10.0
            bar(0.1 * k * bar.total)


def test_short_work_shows_nothing(clock, monkeypatch):
    terminal = redirect_stderr(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, None), clock, 0.9 * BAR_DELAY)
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar_with_its_name(clock, monkeypatch):
    terminal = redirect_stderr(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, None), clock, 30.0 * BAR_DELAY)
    assert "swing" in terminal.getvalue()
    assert "of 5 s" in terminal.getvalue()


def test_bar_opens_only_after_its_delay(clock, monkeypatch):
    redirect_stderr(Terminal(), monkeypatch)
    bar = Progress("swing", 5.0, None)
    with bar:
        clock.now += 0.5 * BAR_DELAY
        bar(1.0)
        assert bar._bar is None
        clock.now += BAR_DELAY
        bar(2.0)
        assert bar._bar is not None
        assert bar._bar.tasks[0].completed == 2.0
    assert bar._bar is None


def test_true_shows_the_bar_from_the_start(clock, monkeypatch):
    terminal = redirect_stderr(Terminal(), monkeypatch)
    work(Progress("swing", 5.0, True), clock, 0.01)
    assert "swing" in terminal.getvalue()


@pytest.mark.parametrize("show", [False, None])
def test_no_bar_without_a_terminal_or_with_show_false(show, clock, monkeypatch):
    screen = redirect_stderr(Terminal() if show is False else io.StringIO(), monkeypatch)  # not a terminal: a log file
    work(Progress("swing", 5.0, show), clock, 60.0)
    assert screen.getvalue() == ""


def test_callback_gets_the_fraction_done(clock):
    fractions = []
    work(Progress("swing", 5.0, fractions.append), clock, 60.0)
    np.testing.assert_allclose(fractions, np.arange(1, 11) / 10.0)


def test_bar_is_closed_when_the_work_fails(clock, monkeypatch):
    redirect_stderr(Terminal(), monkeypatch)
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
    monkeypatch.setattr(cvode, "MAX_CHUNK", 50)
    fractions: list[float] = []
    t_end = 40.0 if integrator.startswith("dop") else 3.0
    result = cm.simulate(pendulum(), t_end, integrator=integrator, progress=fractions.append)
    assert result.outcome.ok
    assert len(fractions) >= 3
    assert np.all(np.diff(fractions) > 0.0)
    assert fractions[0] > 0.0
    assert fractions[-1] <= 1.0


def test_progress_does_not_change_the_run():
    assert cm.simulate(pendulum(), 20.0).same_as(cm.simulate(pendulum(), 20.0, progress=lambda fraction: None))


class NotebookDisplay:
    """IPython's module of displays, as a notebook has it: what is shown can be updated."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def HTML(self, text: str) -> str:
        return text

    def display(self, text: str, display_id: bool) -> NotebookDisplay:
        assert display_id
        return self

    def update(self, text: str) -> None:
        self.shown.append(text)


def test_a_notebook_shows_one_bar_without_widgets_and_removes_it(clock, monkeypatch):
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    notebook = NotebookDisplay()
    monkeypatch.setattr(progress, "import_module", {"IPython.display": notebook}.__getitem__)
    screen = redirect_stderr(io.StringIO(), monkeypatch)
    work(Progress("<swing>", 5.0, None), clock, 30.0 * BAR_DELAY)
    assert any('<progress max="1" value="0.5000"></progress> t = 2.5 of 5 s' in text for text in notebook.shown)
    assert all("<swing>" not in text for text in notebook.shown)
    assert notebook.shown[-1] == ""
    assert screen.getvalue() == ""
