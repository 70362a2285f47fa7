"""States of FMU instances as bytes: plain data and arrays, no Python objects."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.io.binary_records import pack, unpack
from carom.io.fmu.model_instance import InstanceState
from carom.solve.input_driver import DriverState
from carom.solve.simulation import SimulationState


def to_bytes(state: InstanceState) -> bytes:
    """Return a state as bytes."""
    arrays: dict[str, np.ndarray] = {}
    plain = {field.name: getattr(state, field.name) for field in fields(state) if field.name != "simulation"}
    plain["starts"], plain["inputs"] = dict(state.starts), dict(state.inputs)
    return pack({**plain, "simulation": flatten(simulation_data(state.simulation), "", arrays)}, arrays)


def from_bytes(content: bytes) -> InstanceState:
    """Return the state that `to_bytes` wrote."""
    try:
        plain, arrays = unpack(content)
        data = unflatten(plain["simulation"], arrays)
        return InstanceState(**{**plain, "simulation": None if data is None else simulation_state(data)})
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise ModelError(f"FMU: these bytes are not a state of it: {error}") from None


def simulation_data(state: SimulationState | None) -> Any:
    """Return the state of a simulation as plain data and arrays."""
    if state is None:
        return None
    data = {field.name: getattr(state, field.name) for field in fields(state)}
    driver = {field.name: getattr(state.driver, field.name) for field in fields(state.driver)}
    driver["targets"] = tuple(driver["targets"].items())  # keys of plain data are texts
    return {**data, "driver": driver}


def simulation_state(data: Any) -> SimulationState:
    """Return the state of a simulation of plain data and arrays."""
    driver = DriverState(**{**data["driver"], "targets": dict(data["driver"]["targets"])})
    return SimulationState(**{**data, "driver": driver})


def flatten(value: Any, path: str, arrays: dict[str, np.ndarray]) -> Any:
    """Return nested data in which every array is a reference; ``arrays`` receives the arrays by their path."""
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return {"array": path}
    if isinstance(value, dict):
        return {"items": {key: flatten(item, f"{path}/{key}", arrays) for key, item in value.items()}}
    if isinstance(value, tuple):
        return tuple(flatten(item, f"{path}/{k}", arrays) for k, item in enumerate(value))
    return value.item() if isinstance(value, np.generic) else value


def unflatten(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return nested data with its arrays."""
    if isinstance(value, tuple):
        return tuple(unflatten(item, arrays) for item in value)
    if isinstance(value, dict):
        if "array" in value:
            return arrays[value["array"]]
        return {key: unflatten(item, arrays) for key, item in value["items"].items()}
    return value
