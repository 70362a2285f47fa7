"""What users give a `GeneralizedSystem`, checked: functions, what they return, names, impacts, the mass matrix."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from carom.errors import ModelError, vector
from carom.kernels.user import name_of
from carom.laws.impact import Impact


def constant(table: np.ndarray) -> Callable[[], np.ndarray]:
    def constant():
        return table

    return constant


def taken(owner: str, function: Any, allowed: str) -> tuple[str, ...]:
    """Which of q, u, t the function takes."""
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {function!r} is not a Python function with readable parameters") from None
    wanted = " and ".join(allowed) if len(allowed) < 3 else f"{', '.join(allowed[:-1])} and {allowed[-1]}"
    for parameter in parameters:
        plain = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        other = parameter.name not in allowed and (parameter.default is parameter.empty or parameter.name in "qut")
        if not plain or other:
            raise ModelError(f"{owner}: {name_of(function)!r} has the parameter {parameter.name!r}; it may take "
                             f"{wanted}, by these names")  # fmt: skip
    return tuple(parameter.name for parameter in parameters if parameter.name in allowed)


def table(owner: str, value: Any) -> np.ndarray:
    """What a function returned, as an array of real numbers."""
    try:
        table = np.asarray(value)
    except ValueError:
        raise ModelError(f"{owner}: must give numbers in equal rows, got {value!r}") from None
    if table.dtype.kind not in "iuf":
        raise ModelError(f"{owner}: must give real numbers, got {value!r}")
    return table.astype(float)


def shape_text(shape: Sequence[int]) -> str:
    if len(shape) == 0:
        return "a number"
    if len(shape) == 1:
        return f"{shape[0]} number{'s' if shape[0] != 1 else ''}"
    return f"an array ({', '.join(map(str, shape))})"


def numbers(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    return vector(owner, what, [value] if isinstance(value, Real) else value, size)


def named(owner: str, what: str, given: Sequence[str] | None, count: int, usual: str) -> tuple[str, ...]:
    if given is None:
        return tuple(usual.format(k + 1) for k in range(count))
    if isinstance(given, str) or len(given) != count:
        raise ModelError(f"{owner}: {what} must be {count} names, got {given!r}")
    for name in given:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{owner}: {what} must be non-empty strings, got {name!r}")
    return tuple(given)


def each_impact(owner: str, impact: Any, contacts: Sequence[str]) -> tuple[Impact, ...]:
    if not contacts:
        if impact is not None:
            raise ModelError(f"{owner}: impact without gaps; give the gap of each contact, too")
        return ()
    if impact is None:
        raise ModelError(f"{owner}: impact is missing; give Impact(restitution=...) for the gaps, or a list of "
                         f"{len(contacts)}")  # fmt: skip
    items = (impact,) * len(contacts) if isinstance(impact, Impact) else impact
    if not isinstance(items, (list, tuple)) or len(items) != len(contacts):
        raise ModelError(f"{owner}: impact must be one Impact or a list of {len(contacts)}, got {impact!r}")
    for contact, item in zip(contacts, items, strict=True):
        if not isinstance(item, Impact):
            raise ModelError(f"{owner}: impact of {contact!r} must be an Impact, got {item!r}")
    return tuple(items)


def check_mass(owner: str, coordinates: Sequence[str], mass: np.ndarray) -> None:
    """Finite, symmetric, positive definite; else the coordinates that are at fault are named."""
    for (i, j), value in np.ndenumerate(mass):
        if not np.isfinite(value):
            raise ModelError(f"{owner}: mass[{i}, {j}] must be finite, got {value} at the start")
        if abs(value - mass[j, i]) > 1e-9 * np.abs(mass).max():
            raise ModelError(f"{owner}: mass must be symmetric, got mass[{i}, {j}] = {value:g} and mass[{j}, {i}] = "
                             f"{mass[j, i]:g}")  # fmt: skip
    for name, value in zip(coordinates, np.diag(mass), strict=True):
        if value <= 0.0:
            raise ModelError(f"{owner}: mass must be positive definite, got {value:g} on its diagonal for {name!r}")
    scale = 1.0 / np.sqrt(np.diag(mass))
    size, shapes = np.linalg.eigh(mass * np.outer(scale, scale))
    if size[0] <= 1e-12:
        shape = np.abs(shapes[:, 0])
        involved = [repr(name) for name, part in zip(coordinates, shape, strict=True) if part > 0.1 * shape.max()]
        raise ModelError(f"{owner}: mass must be positive definite, but it is singular at the start; a motion of "
                         f"{' and '.join(involved)} has no inertia")  # fmt: skip
