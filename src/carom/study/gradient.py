"""Gradients of a run: exact derivatives of its outputs with respect to parameters, through all its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.result.export import import_optional
from carom.result.result import Result
from carom.scene.html_table import table
from carom.solve.run import RunRequest
from carom.solve.sensitivity.derivatives import derivatives_of, text_list
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.recorded_run import RecordedRun
from carom.solve.simulate import requested_options
from carom.study.gradient_outputs import Output, SeriesDerivatives, output_by_name
from carom.study.study_model import StudyModelLike, as_study_model
from carom.study.varied_model import VariedModel

if TYPE_CHECKING:
    import pandas

NOT_FOR_GRADIENTS = ("progress", "stream", "every")
"""Run options that do not apply."""


@dataclass(frozen=True, repr=False)
class Gradient:
    """Outputs of a run, and their derivatives with respect to parameters.

    ``jacobian`` has a row per output and a column per parameter; a column is NaN where the run is not differentiable
    with respect to the parameter: ``not_differentiable_at`` says where. ``result`` is the run itself.
    """

    outputs: tuple[str, ...]
    parameters: tuple[str, ...]
    values: np.ndarray
    jacobian: np.ndarray
    parameter_values: np.ndarray
    not_differentiable_at: dict[str, str]
    result: Result

    def __getitem__(self, names: tuple[str, str]) -> float:
        """Return the derivative of an output with respect to a parameter, both given by name."""
        output, parameter = names
        for name, known, kind in ((output, self.outputs, "output"), (parameter, self.parameters, "parameter")):
            if name not in known:
                raise ModelError(f"gradient: unknown {kind} {name!r}; choose from {', '.join(known)}")
        return float(self.jacobian[self.outputs.index(output), self.parameters.index(parameter)])

    @property
    def relative(self) -> np.ndarray:
        """Derivatives in per cent per per cent: (p/x) ∂x/∂p; NaN for outputs that are zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: np.ndarray = self.jacobian * self.parameter_values / self.values[:, None]
        return np.where(np.isfinite(ratio), ratio, np.nan)

    def to_dataframe(self) -> pandas.DataFrame:
        """Return the Jacobian as a DataFrame with outputs as rows and parameters as columns."""
        frame = import_optional("pandas").DataFrame(self.jacobian, list(self.outputs), list(self.parameters))
        frame.index.name = "output"
        return frame

    def _headings(self) -> list[str]:
        return ["output", "value", *self.parameters]

    def _rows(self) -> list[list[str]]:
        """Return a row per output: its name, its value and its derivatives."""
        return [
            [name, f"{value:.6g}", *(f"{slope:.6g}" for slope in slopes)]
            for name, value, slopes in zip(self.outputs, self.values, self.jacobian, strict=True)
        ]

    def _notes(self) -> list[str]:
        return [f"not differentiable in {name} at {place}" for name, place in self.not_differentiable_at.items()]

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        from carom.plot.notebook import notebook_html

        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return notebook_html(repr(self), table(self._headings(), self._rows()) + notes)

    def __repr__(self) -> str:
        return f"<Gradient of {', '.join(self.outputs)} with respect to {', '.join(self.parameters)}>"

    def __str__(self) -> str:
        from carom.study.sweep_result import align_columns

        return "\n".join([*align_columns([self._headings(), *self._rows()]), *self._notes()])


def gradient(
    case: StudyModelLike,
    t_end: float | None = None,
    *,
    parameters: Sequence[str],
    outputs: Sequence[str],
    **values: Any,
) -> Gradient:
    """Return the exact derivatives of ``outputs`` of a run with respect to ``parameters``, through all its events.

    Parameters
    ----------
    case
        system, gallery case, model file, or function that returns one.
    t_end
        end time [s]; a case has its own.
    parameters
        names as in `sweep`: parameters of the case, and paths in the model such as "touch.law.stiffness",
        "ball.mass", "ball.velocity.y", "gravity.y"; "gravity" is its magnitude, the name of an input its initial value.
    outputs
        "ball.vy" is the value at the end of the run, "touch.normal_force.max" an extremum,
        "impacts[0].duration" a quantity of an impact, "energy.kinetic.mean" a mean or an integral.
    values
        run options (``method``, ``rtol`` …) and values of parameters that apply to the run.

    The derivatives are those of neighbouring runs that take the same steps, with every event where it lies in them, so
    that the times of impacts are differentiated, too. At ordinary tolerances they are accurate to about ``rtol``; at
    rtol = 1e-9 and below, differences of sixth order are used. In time stepping, impacts happen at fixed steps:
    the derivative is that of the steps with their active sets.

    Examples
    --------
    >>> import carom as cm
    >>> g = cm.gradient("falling_ball", parameters=["height"], outputs=["impacts[0].approach_speed"])
    >>> bool(abs(g.jacobian[0, 0] - 9.81 / g.values[0]) < 1e-6)  # v = √(2 g h), dv/dh = g/v
    True
    """
    names, wanted = text_list("parameters", parameters), text_list("outputs", outputs)
    if t_end is not None:
        values = {**values, "t_end": positive("gradient", "t_end", t_end)}
    varied = VariedModel(as_study_model(case), values)
    for name in names:
        varied.value(name)
    run = recorded_run(request_of(varied))
    measured = [output_by_name(name, run) for name in wanted]
    jacobian = np.full((len(measured), len(names)), np.nan)
    derivatives, refused = derivatives_of(run, varied, names)
    places = nodes_of(measured, run)
    for column, name in enumerate(names):
        if name in derivatives:
            slopes = SeriesDerivatives(derivatives[name], places)
            jacobian[:, column] = [output.derivative(slopes) for output in measured]
    numbers = np.array([varied.value(name) for name in names])
    values_of = np.array([output.value for output in measured])
    return Gradient(tuple(wanted), tuple(names), values_of, jacobian, numbers, refused, run.result)


def request_of(varied: VariedModel) -> RunRequest:
    """Return the request of the run of a model."""
    built = varied.built
    defaults, given = dict(built.options), {k: v for k, v in varied.options.items() if k not in NOT_FOR_GRADIENTS}
    if given.get("method", defaults.get("method", "compliant")) != defaults.get("method", "compliant"):
        defaults = {"t_end": defaults["t_end"]} if "t_end" in defaults else {}
    options = {**defaults, **given}
    if options.get("method", "compliant") == "compliant" and "step" in options:
        options["max_step"] = options.pop("step")
    if "t_end" not in options:
        raise ModelError(f"gradient: t_end is missing; set the end time of the run of {built.name} [s]")
    t_end, output = options.pop("t_end"), options.pop("output", None)
    return RunRequest(built.system, float(t_end), requested_options(options), output, progress=False)


def nodes_of(outputs: Sequence[Output], run: RecordedRun) -> np.ndarray:
    """Return the nodes that the outputs need."""
    if any(output.places is None for output in outputs) or not run.result.smooth:
        return np.arange(len(run.t))
    return np.unique(np.concatenate([output.places for output in outputs if output.places is not None]))
