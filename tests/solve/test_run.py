"""The driver of all runs, with a method of the test."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.result.outcome import Outcome
from carom.solve.method import Method
from carom.solve.run import METHODS, advance_to_end, load_class
from carom.solve.run_output import RunOutput
from solve.mechanisms import pendulum


class Counter(Method):
    """Counts seconds up to ten; ``failure`` is raised or set at three."""

    def __init__(self, failure: BaseException | Outcome | None = None):
        self.output, self.failure = RunOutput(), failure
        self.t, self.calls = 0.0, []

    def prepare(self):
        self.calls.append("prepare")
        self.store()

    def store(self):
        self.output.add(np.array([self.t]), np.array([[self.t]]))

    def advance(self):
        self.t += 1.0
        if self.t == 3.0 and isinstance(self.failure, KeyboardInterrupt):
            raise self.failure
        if self.t == 3.0 and isinstance(self.failure, Outcome):
            self.output.outcome, self.finished = self.failure, True
            return
        self.store()
        self.finished = self.t == 10.0

    def checkpoint(self):
        return {"t": np.array(self.t)}

    def contact_log(self):
        return [np.array([self.t])]

    def open_contacts(self):
        return [np.array([-1.0])]

    def update_counts(self):
        self.output.t_reached = self.t

    @property
    def progress(self):
        return self.t, 1.0, None

    def flush(self, at_end=False):
        self.calls.append("flush at end" if at_end else "flush")

    def close(self):
        self.calls.append("close")


def test_a_method_is_advanced_to_its_end():
    method, reported = Counter(), []
    advance_to_end(method, lambda *progress: reported.append(progress[0]))
    assert method.output.outcome is Outcome.FINISHED
    np.testing.assert_array_equal(method.output.nodes()[0], np.arange(11.0))
    assert reported == [float(t) for t in range(1, 10)]  # the end is reported by `run`
    assert method.output.t_reached == 10.0
    assert [float(row[0]) for row in method.output.contact_log] == [*range(1, 11), 10.0, -1.0]
    assert method.calls == ["prepare", "flush", "close", "flush at end"]


def test_ctrl_c_keeps_the_computed_part():
    method = Counter(KeyboardInterrupt())
    advance_to_end(method, lambda *_: None)
    assert method.output.outcome is Outcome.INTERRUPTED
    np.testing.assert_array_equal(method.output.nodes()[0], [0.0, 1.0, 2.0])
    assert "close" in method.calls


def test_a_failure_ends_the_run_without_a_checkpoint():
    method = Counter(Outcome.SINGULAR)
    advance_to_end(method, lambda *_: None)
    assert method.output.outcome is Outcome.SINGULAR
    assert "flush" not in method.calls


def test_ctrl_c_before_the_first_node_is_raised():
    class Early(Counter):
        def prepare(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        advance_to_end(Early(), lambda *_: None)


def test_every_entry_of_the_registry_is_a_method():
    for entry in METHODS.values():
        assert issubclass(load_class(entry.method), Method)
        for name in ("method_request", "digest_values", "impacts", "statistics", "message", "warn_after"):
            assert callable(getattr(load_class(entry.problem), name))


@pytest.mark.parametrize("options", [{}, {"integrator": "adams"}], ids=str)
def test_progress_ends_with_the_whole_run(options):
    fractions: list[float] = []
    cm.simulate(pendulum(), 0.5, progress=fractions.append, **options)
    assert fractions[-1] == 1.0
