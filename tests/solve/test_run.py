"""The driver of all runs, with a method of the test."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.kernels import Kernel
from carom.result.outcome import Outcome
from carom.solve.compliant import rk_integrator, rk_loop
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
    assert reported == [float(t) for t in range(1, 11)]
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


@pytest.mark.parametrize("integrator", ["dopri5", "adams"])
def test_an_interruption_of_the_last_report_loses_nothing(integrator):
    def stop(fraction):
        if fraction >= 1.0:
            raise KeyboardInterrupt

    result = cm.simulate(pendulum(), 0.5, integrator=integrator, progress=stop)
    assert result.outcome is Outcome.FINISHED
    assert result.t[-1] == 0.5


def test_ctrl_c_between_two_chunks_keeps_the_nodes(monkeypatch):
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 64)
    whole = cm.simulate(pendulum(), 20.0)
    call, count = Kernel.call, 0

    def interrupted(self, *arguments):
        nonlocal count
        count += self is rk_loop.run_chunk
        if self is rk_loop.run_chunk and count == 3:
            raise KeyboardInterrupt
        return call(self, *arguments)

    monkeypatch.setattr(Kernel, "call", interrupted)
    stopped = cm.simulate(pendulum(), 20.0)
    assert stopped.outcome is Outcome.INTERRUPTED
    np.testing.assert_array_equal(stopped.q, whole.q[: len(stopped.t)])


@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "rk4", "max_step": 1e-3}, {"integrator": "adams"}, {"method": "nonsmooth", "step": 1e-3},
     {"method": "nonsmooth", "scheme": "event-driven"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("streamed", [False, True])
def test_a_failed_function_of_a_user_interrupts_every_run(options, streamed, tmp_path):
    def late(t):
        if t > 0.2:
            raise ZeroDivisionError("late")
        return 0.0

    system = pendulum()
    system.add(cm.Torque(system["bob"], late))
    stream = {"stream": tmp_path / "run.h5"} if streamed else {}
    with pytest.raises(ZeroDivisionError, match="late") as caught:
        cm.simulate(system, 0.6, **options, **stream)
    result = caught.value.result
    assert result.outcome is Outcome.INTERRUPTED
    assert streamed or "An exception in a user's function ended the run" in result.message
    assert result.t[-1] <= 0.21
