"""Results as columns, xarray datasets and pandas data frames."""

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.result.energy import Energy

if TYPE_CHECKING:
    import pandas
    import xarray

    from carom.result.plain_data import FloatArray
    from carom.result.result import Result


def columns(result: "Result") -> "dict[str, tuple[FloatArray, str]]":
    """Return values (n,) and unit of all series by name: "<body>.<series>", "<element>.<signal>", "energy.<name>"."""
    motion = {
        f"{body.name}.{quantity}": (getattr(result[body.name], quantity), unit)
        for body in result.bodies
        for quantity, unit in result.series_type.units.items()
    }
    return {**motion, **_signals(result), **_energies(result)}


def to_xarray(result: "Result") -> "xarray.Dataset":
    """Return a Dataset: motion over (time, body), and one variable over time for each signal and each energy.

    Variables are x, y, angle, vx, vy, omega, ax, ay, alpha, then "<element>.<signal>", then "energy.<name>", each
    with its unit in the attribute "units". A jump is a repeated time.
    """
    xarray = import_optional("xarray")
    motion = {
        quantity: (("time", "body"), _over_bodies(result, quantity), {"units": unit})
        for quantity, unit in result.series_type.units.items()
    }
    over_time = {
        name: ("time", values, {"units": unit})
        for name, (values, unit) in {**_signals(result), **_energies(result)}.items()
    }
    return xarray.Dataset(
        {**motion, **over_time},
        coords={"time": ("time", result.t, {"units": "s"}), "body": [body.name for body in result.bodies]},
        attrs={"name": result.name, "outcome": result.outcome.name, "message": result.message},
    )


def to_dataframe(result: "Result") -> "pandas.DataFrame":
    """Return a DataFrame indexed by t [s], with columns "<body>.<series>", "<element>.<signal>", "energy.<name>".

    Its attribute ``attrs["units"]`` is the unit of each column.
    """
    pandas = import_optional("pandas")
    series = columns(result)
    frame = pandas.DataFrame(
        {name: values for name, (values, _) in series.items()}, index=pandas.Index(result.t, name="t")
    )
    frame.attrs["units"] = {"t": "s", **{name: unit for name, (_, unit) in series.items()}}
    return frame


def _over_bodies(result: "Result", quantity: str) -> "FloatArray":
    """Return one scalar series of all bodies as an array of shape (n, bodies)."""
    rows = [getattr(result[body.name], quantity) for body in result.bodies]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(result.t)).T


def _signals(result: "Result") -> "dict[str, tuple[FloatArray, str]]":
    """Return values and unit of each signal by name."""
    return {
        f"{element.name}.{signal}": (result.signals[:, column], unit)
        for element in result.elements
        for column, signal, unit in zip(range(*element.columns), element.signals, element.units, strict=True)
    }


def _energies(result: "Result") -> "dict[str, tuple[FloatArray, str]]":
    """Return values and unit of each energy by name."""
    return {f"energy.{name}": (getattr(result.energy, name), "J") for name in Energy.names()}


def import_optional(module: str, extra: str = "data") -> Any:
    """Import an optional dependency; raise with the install command if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} is required but not installed; run: pip install carom[{extra}]") from error
