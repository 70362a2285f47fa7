"""Evaluation of the nodes of a run with the readings of the sensors of its system behind the signals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from carom.model.sensors.base import Sensor
from carom.model.system import System
from carom.result.column_info import ElementInfo
from carom.result.outcome import Outcome
from carom.solve.input_driver import SAME_TIME
from carom.solve.node_batches import NodeBatch, NodeEvaluator, ResultMetadata, result_of
from carom.solve.sensor_noise import stream_key, white_noise


def sensor_facts(system: Any) -> np.ndarray:
    """Return numbers that distinguish the sensors of a system from others with the same names and signals."""
    facts = [
        (sensor.name, sensor.rate, sensor.noise, sensor.seed, getattr(sensor, "resolution", None),
         getattr(sensor, "threshold", None), getattr(getattr(sensor, "marker", None), "at", None))
        for sensor in getattr(system, "sensors", ())
    ]  # fmt: skip
    return np.frombuffer(repr(facts).encode(), np.uint8)


class SensorReadings:
    """Readings of one sensor at the nodes of a run, in their order."""

    def __init__(self, sensor: Sensor, system: System):
        self.sensor, self.period = sensor, sensor.period
        self.measure = sensor.measurement(system)
        self.keys = [stream_key(sensor.seed, str(sensor.name), signal) for signal in sensor.signals]
        self.held = np.zeros(len(sensor.signals) if self.period is not None else 0)
        """Last sample."""

    def evaluate(self, result: Any) -> np.ndarray:
        """Return the readings at the nodes of a result, a column for each signal."""
        t, values = result.t, np.array(self.measure(result), float)
        if self.period is None:
            return self.sensor.reading(self._with_noise(values, t.view(np.int64)))
        numbers = np.round(t / self.period)
        is_sample = np.abs(numbers * self.period - t) <= SAME_TIME * np.abs(t)
        samples = self.sensor.reading(self._with_noise(values, numbers.astype(np.int64)))
        last = np.maximum.accumulate(np.where(is_sample, np.arange(len(t)), -1))  # at each node
        readings = np.where(last[:, None] >= 0, samples[last], self.held)
        if len(t):
            self.held[:] = readings[-1]
        return readings

    def _with_noise(self, values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return values with the noise that belongs to the numbers of the nodes."""
        for k, (key, deviation) in enumerate(zip(self.keys, self.sensor.noise, strict=True)):
            if deviation > 0.0:
                values[:, k] += deviation * white_noise(key, numbers)
        return values


class SensorEvaluator:
    """Evaluator of a run, with columns for the sensors of its system; all else is that of ``inner``."""

    def __init__(self, inner: NodeEvaluator, system: System):
        self.inner = inner
        self.sensors = [SensorReadings(sensor, system) for sensor in system.sensors]
        infos, column = [], max((info.columns[1] for info in inner.metadata.elements), default=0)
        for sensor in system.sensors:
            members = tuple(body.name for body in sensor.members if body is not None)
            columns = column, column + len(sensor.signals)
            kind = type(sensor).__name__
            infos.append(ElementInfo(str(sensor.name), kind, "sensor", members, sensor.signals, sensor.units, columns))
            column = columns[1]
        self.metadata: ResultMetadata = replace(inner.metadata, elements=(*inner.metadata.elements, *infos))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "inner" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.inner, name)

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""
        batch = self.inner.evaluate(t, nodes, t_next)
        result = result_of(self.inner.metadata, batch, {}, Outcome.FINISHED, "", {})
        return replace(batch, signals=np.column_stack([batch.signals, *(one.evaluate(result) for one in self.sensors)]))

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations: those of ``inner``, and the samples that sensors hold."""
        held = {f"sample of {one.sensor.name}": one.held for one in self.sensors if one.period is not None}
        return {**self.inner.mutable_arrays(), **held}
