"""Instances of FMUs in tests, through FMPy, with one interface for both versions of FMI."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import fmpy
from fmpy.simulation import instantiate_fmu

VERSIONS = ("3.0", "2.0")


class Instance:
    """Instance of an FMU whose variables are read and set by name."""

    def __init__(self, path: Path):
        self.description = fmpy.read_model_description(str(path))
        self.folder = fmpy.extract(str(path))
        self.messages: list[str] = []
        self.is_fmi3 = self.description.fmiVersion == "3.0"
        logger = self._log3 if self.is_fmi3 else self._log2
        self.fmu: Any = instantiate_fmu(self.folder, self.description, debug_logging=True, logger=logger)
        self.reference = {variable.name: variable.valueReference for variable in self.description.modelVariables}

    def _log3(self, environment, status, category, message):
        self.messages.append(message.decode())

    def _log2(self, environment, name, status, category, message):
        self.messages.append(message.decode())

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *_: object) -> None:
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)

    def initialize(self, start_time: float = 0.0, **values: float) -> Instance:
        for name, value in values.items():
            self[name] = value
        if not self.is_fmi3:
            self.fmu.setupExperiment(startTime=start_time)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def __getitem__(self, name: str) -> float:
        get = self.fmu.getFloat64 if self.is_fmi3 else self.fmu.getReal
        return float(get([self.reference[name]])[0])

    def __setitem__(self, name: str, value: float) -> None:
        put = self.fmu.setFloat64 if self.is_fmi3 else self.fmu.setReal
        put([self.reference[name]], [value])

    def step(self, t: float, step: float) -> None:
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=step)

    def save(self) -> Any:
        return self.fmu.getFMUState() if self.is_fmi3 else self.fmu.getFMUstate()

    def restore(self, state: Any) -> None:
        (self.fmu.setFMUState if self.is_fmi3 else self.fmu.setFMUstate)(state)

    def to_bytes(self, state: Any) -> bytes:
        return (self.fmu.serializeFMUState if self.is_fmi3 else self.fmu.serializeFMUstate)(state)

    def from_bytes(self, content: bytes) -> Any:
        return (self.fmu.deserializeFMUState if self.is_fmi3 else self.fmu.deSerializeFMUstate)(content)
