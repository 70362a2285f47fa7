"""Gradients of a run: exact derivatives of its outputs with respect to parameters, through all its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import is_list, short_repr
from carom.errors import ModelError, warn
from carom.gallery.case_variants import suppress_warnings
from carom.result.export import import_optional
from carom.result.result import Result
from carom.result.sensitivities import NeighbouringResults, Sensitivities
from carom.scene.html_table import table
from carom.solve.run import RunRequest
from carom.solve.sensitivity.differences import (
    ACCURATE,
    FAST,
    MAX_BEND,
    MAX_GROWTH,
    TIGHT,
    ParameterDerivative,
    StepRule,
    differentiate,
)
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.recorded_run import NotNeighbouring, RecordedRun
from carom.solve.simulate import requested_options
from carom.study.gradient_outputs import Output, SeriesDerivatives, output_by_name
from carom.study.measures import series_by_path
from carom.study.parameter_paths import VariedModel
from carom.study.study_model import StudyModelLike, as_study_model

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
    case : system, gallery case, model file, or function that returns one.
    t_end : end time [s]; a case has its own.
    parameters : names as in `sweep`: parameters of the case, and paths in the model such as "touch.law.stiffness",
        "ball.mass", "ball.velocity.y", "gravity.y".
    outputs : "ball.vy" is the value at the end of the run, "touch.normal_force.max" an extremum,
        "impacts[0].duration" a quantity of an impact, "energy.kinetic.mean" a mean or an integral.
    values : run options (``method``, ``rtol`` …) and values of parameters that apply to the run.

    The derivatives are those of neighbouring runs that take the same steps, with every event where it lies in them, so
    that the times of impacts are differentiated, too. At ordinary tolerances they are accurate to about ``rtol``; at
    rtol = 1e-9 and below, neighbouring runs of fourth order are used. In time stepping, impacts happen at fixed steps:
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
        values = {**values, "t_end": t_end}
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


def text_list(what: str, names: Any) -> list[str]:
    """Return names as a list; raise if they are none or occur twice."""
    listed = list(names) if is_list(names) else [names]
    if not listed or not all(isinstance(name, str) for name in listed):
        raise ModelError(f"gradient: {what} must be a list of names, got {short_repr(names)}")
    twice = sorted({name for name in listed if listed.count(name) > 1})
    if twice:
        raise ModelError(f"gradient: {what} must be unique, got {', '.join(twice)} twice")
    return listed


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


def rule_of(run: RecordedRun) -> StepRule:
    """Return the rule of the differences: those of fourth order for tight tolerances."""
    rtol = getattr(run.request.options, "rtol", 1.0)
    return ACCURATE if run.moves_nodes and rtol <= TIGHT else FAST


def derivatives_of(
    run: RecordedRun, varied: VariedModel, names: Sequence[str]
) -> tuple[dict[str, ParameterDerivative], dict[str, str]]:
    """Return the derivatives by parameter, and the places where the run is not differentiable, by parameter."""
    derivatives: dict[str, ParameterDerivative] = {}
    refused: dict[str, str] = {}
    for name in names:
        value, scale = varied.value(name), varied.scale(name)
        try:
            with suppress_warnings():
                system_with = partial(varied.system_with, name)
                derivatives[name] = differentiate(run, system_with, value, scale, rule_of(run))
        except NotNeighbouring as place:
            refused[name] = str(place)
    warn_of_growth(derivatives)
    if refused and repeats_differently(run):
        warn(
            f"gradient: the motion is chaotic: from {next(iter(refused.values()))} on rounding changes its events, so "
            f"that there are no derivatives with respect to {', '.join(refused)}; shorten the run"
        )
    elif refused:
        listed = "; ".join(f"{name} at {place}" for name, place in refused.items())
        warn(
            f"gradient: not differentiable: {listed}; neighbouring runs pass through other events there, however near "
            "they are"
        )
    if not run.moves_nodes and run.impacts:
        warn(
            "gradient: impacts of time stepping happen at fixed steps, so that the derivatives do not contain the "
            "change of the times of impacts; use scheme='event-driven' or a compliant run for those of the motion"
        )
    return derivatives, refused


def repeats_differently(run: RecordedRun) -> bool:
    """Return True if a run with the same parameters passes through other events."""
    try:
        run.neighbour(run.request.system)
    except NotNeighbouring:
        return True
    return False


def warn_of_growth(derivatives: dict[str, ParameterDerivative]) -> None:
    """Warn of motions so sensitive that their derivatives say little about finite changes."""
    chaotic = {name: d.growth for name, d in derivatives.items() if d.growth > MAX_GROWTH or d.bend > MAX_BEND}
    if chaotic:
        name = max(chaotic, key=lambda key: chaotic[key])
        warn(
            f"gradient: the motion is chaotic: a relative change of {name} grows by a factor of {chaotic[name]:.1g}; "
            "its derivatives hold for tiny changes only; shorten the run, or compare distributions of many runs"
        )


def nodes_of(outputs: Sequence[Output], run: RecordedRun) -> np.ndarray:
    """Return the nodes that the outputs need."""
    if any(output.places is None for output in outputs) or not run.result.smooth:
        return np.arange(len(run.t))
    return np.unique(np.concatenate([output.places for output in outputs if output.places is not None]))


def simulate_with_sensitivities(request: RunRequest, parameters: Sequence[str]) -> Result:
    """Return the result of a run with the derivatives of all its series with respect to ``parameters``."""
    names = text_list("sensitivities", parameters)
    varied = VariedModel(as_study_model(request.system), {})
    for name in names:
        varied.value(name)
    run = recorded_run(request)
    derivatives, refused = derivatives_of(run, varied, names)
    neighbours = {}
    for name, derivative in derivatives.items():
        weights = {k: weight / derivative.step for k, weight in derivative.formula.items()}
        neighbours[name] = NeighbouringResults(derivative.results(slice(None)), weights)
    result = run.result
    result.sensitivity = Sensitivities(neighbours, series_by_path, refused)
    return result
