"""carom's compiled loop alone, without building the model, recording and evaluating nodes: what other programs time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import carom as cm
from carom.solve.run import METHODS, RunRequest, choose_method, load_class
from carom.solve.run_output import RunOutput
from measured import timed

LOOP = "loop alone"
"""In the name of a way that was measured so."""


def bare_loop(system: cm.System, t_end: float, **options: Any) -> Callable[[], tuple[float, Any]]:
    """A function that runs the loop once from the start; it returns CPU seconds and the method, with its state."""
    name, request = choose_method(RunRequest(system, t_end, cm.Compliant(**options), output=t_end))
    problem = load_class(METHODS[name].problem)(request)

    def output() -> RunOutput:
        return RunOutput(problem.requested_times)

    method = load_class(METHODS[name].method)(problem.method_request(output(), lambda *_: None))

    def advance() -> None:
        while not method.finished:
            method.advance()

    def run() -> tuple[float, Any]:
        method.output = output()
        method.prepare()
        return timed(advance), method

    return run
