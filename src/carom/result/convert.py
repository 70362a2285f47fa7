"""A result as an xarray Dataset or a pandas DataFrame."""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.energy import Energy

if TYPE_CHECKING:
    import pandas
    import xarray

    from carom.result.arrays import FloatArray
    from carom.result.result import Result


def to_xarray(result: "Result") -> "xarray.Dataset":
    """A Dataset: motion over (time, body), and one variable over time for every signal and every energy.

    Variables are x, y, angle, vx, vy, omega, ax, ay, alpha, then "<element>.<signal>", then "energy.<name>", each
    with its unit in the attribute "units". A jump is a time that stands twice.
    """
    xarray = need("xarray")
    motion = {
        quantity: (("time", "body"), _over_bodies(result, quantity), {"units": unit})
        for quantity, unit in result.series_type.units.items()
    }
    columns = {
        name: ("time", values, {"units": unit})
        for name, (values, unit) in {**_signals(result), **_energies(result)}.items()
    }
    return xarray.Dataset(
        {**motion, **columns},
        coords={"time": ("time", result.t, {"units": "s"}), "body": [body.name for body in result.bodies]},
        attrs={"name": result.name, "outcome": result.outcome.name, "message": result.message},
    )


def to_dataframe(result: "Result") -> "pandas.DataFrame":
    """A DataFrame indexed by t [s] with columns "<body>.<series>", "<element>.<signal>" and "energy.<name>"."""
    pandas = need("pandas")
    motion = {
        f"{body.name}.{quantity}": getattr(result[body.name], quantity)
        for body in result.bodies
        for quantity in result.series_type.units
    }
    columns = {name: values for name, (values, _) in {**_signals(result), **_energies(result)}.items()}
    return pandas.DataFrame({**motion, **columns}, index=pandas.Index(result.t, name="t"))


def _over_bodies(result: "Result", quantity: str) -> "FloatArray":
    """(n, bodies) of one scalar series."""
    rows = [getattr(result[body.name], quantity) for body in result.bodies]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(result.t)).T


def _signals(result: "Result") -> "dict[str, tuple[FloatArray, str]]":
    return {
        f"{element.name}.{signal}": (result.signals[:, column], unit)
        for element in result.elements
        for column, signal, unit in zip(range(*element.columns), element.signals, element.units, strict=True)
    }


def _energies(result: "Result") -> "dict[str, tuple[FloatArray, str]]":
    return {f"energy.{name}": (getattr(result.energy, name), "J") for name in Energy.names()}


def need(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {module}, which is not installed: pip install carom[data]") from error
