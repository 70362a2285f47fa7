"""Derivatives of a recorded run with respect to several parameters, and of the series of a result over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from carom.argument_checks import is_list, short_repr
from carom.compiled_model.changed_numbers import NotInPlace
from carom.errors import ModelError, suppress_warnings, warn
from carom.result.result import Result
from carom.result.sensitivities import NeighbouringResults, Sensitivities
from carom.solve.run import RunRequest
from carom.solve.sensitivity.compliant_neighbours import RecordedCompliantRun
from carom.solve.sensitivity.differences import (
    ACCURATE,
    FAST,
    MAX_BEND,
    MAX_GROWTH,
    TIGHT,
    BuiltNeighbours,
    ParameterDerivative,
    StepRule,
    differentiate,
)
from carom.solve.sensitivity.in_place_neighbours import InPlaceNeighbours
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.recorded_run import NotNeighbouring, RecordedRun
from carom.solve.sensitivity.varied_system import VariedSystem


class Varied(Protocol):
    """A model whose parameters have names."""

    def value(self, name: str) -> float:
        """Return the value of a parameter."""

    def scale(self, name: str) -> float:
        """Return the size of a parameter."""

    def system_with(self, name: str, value: float) -> Any:
        """Return the system with another value of one parameter."""


def text_list(what: str, names: Any) -> list[str]:
    """Return names as a list; raise if they are none or occur twice."""
    listed = list(names) if is_list(names) else [names]
    if not listed or not all(isinstance(name, str) for name in listed):
        raise ModelError(f"gradient: {what} must be a list of names, got {short_repr(names)}")
    twice = sorted({name for name in listed if listed.count(name) > 1})
    if twice:
        raise ModelError(f"gradient: {what} must be unique, got {', '.join(twice)} twice")
    return listed


def rule_of(run: RecordedRun) -> StepRule:
    """Return the rule of the differences: those of sixth order for tight tolerances."""
    rtol = getattr(run.request.options, "rtol", 1.0)
    return ACCURATE if run.moves_nodes and rtol <= TIGHT else FAST


def derivatives_of(
    run: RecordedRun, varied: Varied, names: Sequence[str]
) -> tuple[dict[str, ParameterDerivative], dict[str, str]]:
    """Return the derivatives by parameter, and the places where the run is not differentiable, by parameter."""
    derivatives: dict[str, ParameterDerivative] = {}
    refused: dict[str, str] = {}
    for name in names:
        try:
            derivatives[name] = derivative_of(run, varied, name, varied.scale(name), rule_of(run))
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


def derivative_of(run: RecordedRun, varied: Varied, name: str, scale: float, rule: StepRule) -> ParameterDerivative:
    """Return the derivative with respect to a parameter of the size ``scale``, from runs in place where possible."""
    value, system_with = varied.value(name), partial(varied.system_with, name)
    with suppress_warnings():
        if isinstance(run, RecordedCompliantRun) and "." in name and run.in_place is not None:
            try:
                trial = value + rule.first * scale
                return differentiate(run, InPlaceNeighbours(run.in_place, name, system_with, trial), value, scale, rule)
            except NotInPlace:
                pass
        return differentiate(run, BuiltNeighbours(run, system_with), value, scale, rule)


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


def simulate_with_sensitivities(request: RunRequest, parameters: Sequence[str]) -> Result:
    """Return the result of a run with the derivatives of all its series with respect to ``parameters``."""
    names = text_list("sensitivities", parameters)
    varied = VariedSystem(request.system)
    for name in names:
        varied.value(name)
    run = recorded_run(request)
    derivatives, refused = derivatives_of(run, varied, names)
    neighbours = {}
    for name, derivative in derivatives.items():
        weights = {k: weight / derivative.step for k, weight in derivative.formula.items()}
        neighbours[name] = NeighbouringResults(derivative.results(slice(None)), weights)
    result = run.result
    result.sensitivity = Sensitivities(neighbours, refused)
    return result
