"""Results as MAT files for MATLAB and Octave."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from carom.io.atomic_write import atomic_write
from carom.result.energy import Energy
from carom.result.impact_records import UNITS as IMPACT_UNITS
from carom.result.result import Result

MAX_NAME = 63
"""Characters of a name in MATLAB."""


def write_mat(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result to a MAT file, completely or not at all.

    It contains ``t`` [s] and the structures ``bodies``, ``elements``, ``energy`` and ``impacts`` with column vectors in
    SI units: ``bodies.crank.x``, ``elements.pivot.fx``, ``energy.kinetic``, ``impacts.peak_force``; the structure
    ``units`` has the same fields with texts: ``units.elements.pivot.fx``. Characters that MATLAB does not allow in
    names become underscores.
    """
    from scipy.io import savemat

    quantities = tuple(result.series_type.units)
    bodies = {body.name: {name: getattr(result[body.name], name) for name in quantities} for body in result.bodies}
    elements = {
        item.name: {name: result.signals[:, k] for k, name in zip(range(*item.columns), item.signals, strict=True)}
        for item in result.elements
    }
    content: dict[str, Any] = {
        "name": result.name,
        "outcome": result.outcome.name,
        "t": result.t,
        "bodies": _with_valid_names(bodies),
        "elements": _with_valid_names(elements),
        "energy": {name: getattr(result.energy, name) for name in Energy.names()},
        "impacts": {name: _column(values) for name, values in result.impacts.columns().items()},
        "units": {
            "t": "s",
            "bodies": _with_valid_names({body.name: dict(result.series_type.units) for body in result.bodies}),
            "elements": _with_valid_names(
                {item.name: dict(zip(item.signals, item.units, strict=True)) for item in result.elements}
            ),
            "energy": dict.fromkeys(Energy.names(), "J"),
            "impacts": IMPACT_UNITS,
        },
    }
    with atomic_write(path) as part:
        savemat(part, content, appendmat=False, long_field_names=True, do_compression=True, oned_as="column")


def _column(values: list[Any]) -> np.ndarray:
    """Return a column of numbers, NaN for None, or of texts."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _with_valid_names(items: dict[str, Any]) -> dict[str, Any]:
    """Return the items by names that are valid in MATLAB and unique."""
    valid: dict[str, Any] = {}
    for name, value in items.items():
        base = re.sub(r"\W", "_", name, flags=re.ASCII)
        base = (base if base[:1].isalpha() else f"x{base}")[: MAX_NAME - 4]
        unique, count = base, 1
        while unique in valid:
            count += 1
            unique = f"{base}_{count}"
        valid[unique] = value
    return valid
