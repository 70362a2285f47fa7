"""Results as MAT files for MATLAB and Octave."""

from __future__ import annotations

import os
import re
from typing import Any

from carom.io.atomic_write import atomic_write
from carom.result.energy import Energy
from carom.result.result import Result

MAX_NAME = 63
"""Characters of a name in MATLAB."""


def write_mat(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result to a MAT file, completely or not at all.

    It contains ``t`` [s] and the structures ``bodies``, ``elements`` and ``energy`` with column vectors in SI units:
    ``bodies.crank.x``, ``elements.pivot.fx``, ``energy.kinetic``. Characters that MATLAB does not allow in names become
    underscores.
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
    }
    with atomic_write(path) as part:
        savemat(part, content, appendmat=False, long_field_names=True, do_compression=True, oned_as="column")


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
