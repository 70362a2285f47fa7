"""A run with controllers, sensors with a rate, or inputs that follow tables: a simulation driven to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from carom.errors import ModelError
from carom.progress import Progress
from carom.result.outcome import Outcome
from carom.solve import run_warnings
from carom.solve.simulation import Simulation

if TYPE_CHECKING:
    from carom.solve.run import FinishedRun, RunRequest


def driven_run(request: RunRequest) -> FinishedRun:
    """Simulate a model with controllers, sensors and tables that act at their own times."""
    from carom.solve.run import FinishedRun, run_label

    refuse(request)
    sim = Simulation.of_request(request)
    problem, method, output = sim.parts
    error: Exception | None = None
    with Progress(run_label(request, problem), request.t_end, request.progress) as report:
        try:
            for t in goals(problem.requested_times, request.t_end):
                sim.go_to(t)
                if output.error is not None or not output.outcome.ok:
                    break
                report(*method.progress)
        except KeyboardInterrupt:
            output.outcome = Outcome.INTERRUPTED
        except ModelError as failure:  # of a controller
            error, output.outcome = failure, Outcome.INTERRUPTED
        finally:
            method.close()
    if output.error is not None:
        output.outcome = Outcome.INTERRUPTED
    result = sim.result
    if error is not None:
        error.add_note("the result up to then is this exception's .result")
        error.result = result  # type: ignore[attr-defined]
        raise error
    problem.warn_after(method, result)
    output.raise_with(result)
    run_warnings.after(request.system, result)
    return FinishedRun(problem, method, result)


def goals(requested: np.ndarray | None, t_end: float) -> list[float]:
    """Return the times of the nodes after t = 0 [s]; only the end if every step is a node."""
    return [t_end] if requested is None else requested[requested > 0.0].tolist()


def refuse(request: RunRequest) -> None:
    """Raise for what a run with controllers does not support."""
    from carom.solve.run import driving_items

    label = driving_items(request.system)[0].label  # type: ignore[arg-type]  # only a System is driven
    if request.checkpoint is not None:
        raise ModelError(f"simulate: {label} cannot be resumed from a file; omit stream=, and save the result instead")
    if request.recorder is not None:
        raise ModelError(
            f"{label}: runs with controllers, sensors with a rate, tables of inputs, or wear have no derivatives"
        )
