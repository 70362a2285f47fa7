"""Instance of an FMU: a model file, values of its variables, and the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from carom.argument_checks import finite_float
from carom.errors import ModelError
from carom.io.fmu.interface import TIME, read_interface
from carom.io.fmu.model_resource import MODEL
from carom.io.model.model_reader import read
from carom.solve.input_driver import measure_of
from carom.solve.simulation import Simulation, SimulationState

INTERFACE = "interface.json"
"""Name of the file with the interface, in the resources of the FMU."""
FOLDER = "model"
"""Folder of the model file in the resources."""
SAME_TIME = 1e-6
"""Largest difference of the importer's time from that of the instance, relative to the step [-]."""


@dataclass(frozen=True)
class InstanceState:
    """State of an instance, with which it continues to the same bits."""

    starts: Mapping[str, float]
    """Start values that were set before initialisation."""
    inputs: Mapping[str, float]
    """Inputs that were set after initialisation."""
    origin: float | None
    """Time of the importer at which the model is at t = 0 [s]; None before the first step."""
    initialized: bool
    simulation: SimulationState | None
    """State of the simulation; None if it has not been built, or has failed."""
    failure: str = ""


class ModelInstance:
    """Instance of the model in the folder ``resources``."""

    def __init__(self, resources: Path):
        self.resources = resources
        self.interface = read_interface(resources / INTERFACE)
        self.variables = {variable.name: variable for variable in self.interface.variables}
        self.state = InstanceState({}, {}, None, False, None)
        self.refused: dict[str, str] = {}
        """Messages about values that were refused, by variable."""
        self._simulation: Simulation | None = None
        self._readers: dict[str, Any] = {}

    # ---- values

    def value(self, name: str) -> float:
        """Return the value of a variable."""
        if name == TIME:
            return self.time
        variable = self.variables[name]
        if variable.causality == "output":
            simulation = self.simulation
            return float(self._readers[name](simulation))
        start = self.state.starts.get(name, variable.start)
        assert start is not None
        return self.state.inputs.get(name, start)

    def set(self, name: str, value: float) -> None:
        """Set a parameter or an input; a refused value makes steps fail until the variable has another one."""
        variable = self.variables[name]
        try:
            number = finite_float(f"FMU: {variable.causality} {name!r}", "value", value)
            if not self.state.initialized:
                self._set_start(name, number)
            elif variable.causality == "parameter":
                if number != self.value(name):
                    raise ModelError(f"FMU: the parameter {name!r} can be set before initialisation only")
            else:
                self.simulation[name] = number
                self.state = replace(self.state, inputs={**self.state.inputs, name: number})
        except ModelError as error:
            self.refused[name] = str(error)
            raise
        self.refused.pop(name, None)

    def _set_start(self, name: str, value: float) -> None:
        """Set the start value of a parameter or an input."""
        starts = {key: start for key, start in self.state.starts.items() if key != name}
        if value != self.variables[name].start:
            starts[name] = value
        self.state = replace(self.state, starts=starts)
        self._simulation = None

    @property
    def time(self) -> float:
        """Time of the importer [s]."""
        reached = 0.0 if self._simulation is None else self._simulation.time
        return (self.state.origin or 0.0) + reached

    # ---- simulation

    @property
    def simulation(self) -> Simulation:
        """Simulation with the start values; it is built when it is first needed."""
        if self._simulation is None:
            starts = {self.variables[name]: value for name, value in self.state.starts.items()}
            inputs = {f"inputs.{one.name}.value": value for one, value in starts.items() if one.causality == "input"}
            paths = {one.name: value for one, value in starts.items() if one.is_path}
            own = {one.name: value for one, value in starts.items() if one.causality == "parameter" and not one.is_path}
            system = read(self.resources / FOLDER / MODEL, own, {**paths, **inputs}).system
            self._simulation = Simulation(system, **self.interface.options)
            outputs = [one.name for one in self.interface.variables if one.causality == "output"]
            self._readers = {name: measure_of("FMU", name, system) for name in outputs}
        return self._simulation

    def initialize(self) -> None:
        """Build the simulation with the start values; from now on, inputs act at the current time."""
        self.state = replace(self.state, initialized=True)
        try:
            self.simulation  # noqa: B018
        except ModelError as error:
            self.state = replace(self.state, failure=str(error))
            raise

    def step(self, t: float, step: float) -> None:
        """Advance from the importer's time ``t`` [s] by ``step`` [s]."""
        if self.state.failure:
            raise ModelError(f"FMU: the run has ended. {self.state.failure} Reset it, or set an earlier state.")
        if self.refused:
            raise ModelError("; ".join(self.refused.values()))
        if not step > 0.0:
            raise ModelError(f"FMU: the communication step must be positive, got {step:.9g} s")
        if self.state.origin is None:
            self.state = replace(self.state, origin=t)
        if abs(t - self.time) > SAME_TIME * step + 1e-12 * abs(t):
            raise ModelError(f"FMU: it is at {self.time:.9g} s, but the step begins at {t:.9g} s")
        assert self.state.origin is not None
        try:
            self.simulation.run_until(t + step - self.state.origin)
        except ModelError as error:
            self.state = replace(self.state, failure=str(error))
            raise

    # ---- states

    def save(self) -> InstanceState:
        """Return the state."""
        simulation = None if self.state.failure or self._simulation is None else self._simulation.save_state()
        return replace(self.state, simulation=simulation)

    def restore(self, state: InstanceState) -> None:
        """Return to a saved state; what follows has the same bits as what followed it."""
        unknown = ({*state.starts} | {*state.inputs}) - {*self.variables}
        if unknown:
            raise ModelError(f"FMU: the state belongs to another FMU; this one has no variable {min(unknown)!r}")
        if state.starts != self.state.starts:
            self._simulation = None
        self.state = replace(state, simulation=None)
        self.refused.clear()
        try:
            if state.simulation is not None:
                self.simulation.restore(state.simulation)
            elif self._simulation is not None and not state.failure:
                self._simulation.reset()
        except ModelError as error:
            self.state = replace(self.state, failure=str(error))
            raise
