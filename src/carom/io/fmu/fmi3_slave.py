"""Slave of FMI 3.0, on pythonfmu3."""

from __future__ import annotations

from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from pythonfmu3 import DefaultExperiment, Float64, Fmi3Causality, Fmi3Initial, Fmi3Slave, Fmi3Status, Fmi3Variability
from pythonfmu3.fmi3slave import Fmi3StepResult

from carom.io.fmu.description import complete_description
from carom.io.fmu.instance_adapter import InstanceAdapter
from carom.io.fmu.interface import TIME


def keep(names: dict[str, Any]) -> None:
    """Do nothing: pythonfmu3 keeps the module; see `carom.io.fmu.fmi2_slave.keep`."""


class Fmi3ModelSlave(InstanceAdapter, Fmi3Slave):
    """Slave of FMI 3.0 of the model in its resources."""

    error_status = Fmi3Status.error

    def __init__(self, **arguments: Any):
        super().__init__(**arguments)
        interface = self.open()
        self.default_experiment = DefaultExperiment(0.0, interface.stop_time, interface.step)
        kinds: dict[str, dict[str, Any]] = {
            "parameter": {"variability": Fmi3Variability.fixed, "initial": Fmi3Initial.exact},
            "input": {"variability": Fmi3Variability.continuous},
            "output": {"variability": Fmi3Variability.continuous, "initial": Fmi3Initial.calculated},
        }
        clock = Float64(
            TIME, causality=Fmi3Causality.independent, description="time", unit="s",
            getter=partial(self.value_of, TIME), variability=Fmi3Variability.continuous,
        )  # fmt: skip
        self.register_variable(clock, nested=False)
        for variable in interface.variables:
            name = variable.name
            scalar = Float64(
                name, causality=Fmi3Causality[variable.causality], description=variable.description,
                unit=variable.unit or None, getter=partial(self.value_of, name), setter=partial(self.set_value, name),
                **kinds[variable.causality],
            )  # fmt: skip
            self.register_variable(scalar, nested=False)

    def do_step(self, current_time: float, step_size: float) -> Fmi3StepResult:
        """Advance by a communication step [s]; the status is an error if that fails."""
        done = self.advance(current_time, step_size)
        return Fmi3StepResult(status=Fmi3Status.ok if done else Fmi3Status.error)

    def to_xml(self, model_options: Any = None) -> Element:
        """Return the model description."""
        root: Element = super().to_xml(model_options or {})
        complete_description(root, self.instance.interface.variables)
        return root
