"""Slave of FMI 2.0, on pythonfmu."""

from __future__ import annotations

from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from pythonfmu import DefaultExperiment, Fmi2Causality, Fmi2Initial, Fmi2Slave, Fmi2Variability, Real
from pythonfmu.enums import Fmi2Status

from carom.io.fmu.description import add_real_units, complete_description
from carom.io.fmu.instance_adapter import InstanceAdapter

_kept: list[dict[str, Any]] = []


def keep(names: dict[str, Any]) -> None:
    """Keep a reference to the names of a module: pythonfmu 0.7 releases one too many with every instance."""
    _kept.append(names)


class Fmi2ModelSlave(InstanceAdapter, Fmi2Slave):
    """Slave of FMI 2.0 of the model in its resources."""

    error_status = Fmi2Status.error

    def __init__(self, **arguments: Any):
        super().__init__(**arguments)
        interface = self.open()
        variables = interface.variables
        self.units = {variable.name: variable.unit for variable in variables}
        self.default_experiment = DefaultExperiment(0.0, interface.stop_time, interface.step)
        kinds: dict[str, dict[str, Any]] = {
            "parameter": {"variability": Fmi2Variability.fixed, "initial": Fmi2Initial.exact},
            "input": {"variability": Fmi2Variability.continuous},
            "output": {"variability": Fmi2Variability.continuous, "initial": Fmi2Initial.calculated},
        }
        for variable in variables:
            name, kind = variable.name, kinds[variable.causality]
            scalar = Real(
                name, causality=Fmi2Causality[variable.causality], description=variable.description,
                getter=partial(self.value_of, name), setter=partial(self.set_value, name), **kind,
            )  # fmt: skip
            self.register_variable(scalar, nested=False)

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Advance by a communication step [s]; return False, which is the status discard, if that fails."""
        return self.advance(current_time, step_size)

    def to_xml(self, model_options: Any = None) -> Element:
        """Return the model description."""
        root: Element = super().to_xml(model_options or {})
        complete_description(root, self.instance.interface.variables)
        add_real_units(root, self.units)
        return root
