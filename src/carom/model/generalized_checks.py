"""Checks of the arguments of a `GeneralizedSystem`: functions, their values, names, impact laws, mass matrix."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from carom.argument_checks import short_repr, vector
from carom.errors import ModelError
from carom.kernels.derivatives import Derivative, Rows
from carom.kernels.state_functions import Function
from carom.kernels.user_functions import name_of
from carom.laws.impact_law import ImpactLaw


def constant_function(values: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a function without arguments that returns ``values``."""

    def constant() -> np.ndarray:
        return values

    return constant


def used_arguments(owner: str, function: Any, allowed: str) -> tuple[str, ...]:
    """Return the arguments of a function, some of ``allowed`` (q, u, t); raise for others."""
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {function!r} is not a Python function with readable parameters") from None
    expected = " and ".join(allowed) if len(allowed) < 3 else f"{', '.join(allowed[:-1])} and {allowed[-1]}"
    for parameter in parameters:
        plain = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        other = parameter.name not in allowed and (parameter.default is parameter.empty or parameter.name in "qut")
        if not plain or other:
            raise ModelError(f"{owner}: {name_of(function)!r} has the parameter {parameter.name!r}; allowed are "
                             f"{expected}, by these names")  # fmt: skip
    return tuple(parameter.name for parameter in parameters if parameter.name in allowed)


def as_array(owner: str, value: Any) -> np.ndarray:
    """Return the value of a function as an array of real numbers; raise for other values."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ModelError(f"{owner}: must return numbers in equal rows, got {short_repr(value)}") from None
    if array.dtype.kind not in "iuf":
        raise ModelError(f"{owner}: must return real numbers, got {short_repr(value)}")
    return array.astype(float)


def shape_text(shape: Sequence[int]) -> str:
    """Return the shape of an array as text, e.g. "an array (2, 3)"."""
    if len(shape) == 0:
        return "a number"
    if len(shape) == 1:
        return f"{shape[0]} number{'s' if shape[0] != 1 else ''}"
    return f"an array ({', '.join(map(str, shape))})"


def as_vector(owner: str, what: str, value: Any, size: int | None = None) -> tuple[float, ...]:
    """Return a number or a vector as a tuple; raise unless it has ``size`` finite numbers."""
    return vector(owner, what, [value] if isinstance(value, Real) else value, size)


def check_names(owner: str, what: str, names: Sequence[str] | None, count: int, default: str) -> tuple[str, ...]:
    """Return ``count`` names, by default numbered ones; raise for other values."""
    if names is None:
        return tuple(default.format(k + 1) for k in range(count))
    if isinstance(names, str) or len(names) != count:
        raise ModelError(f"{owner}: {what} must be {count} names, got {short_repr(names)}")
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{owner}: {what} must be non-empty strings, got {short_repr(name)}")
    return tuple(names)


def impact_of_each(owner: str, impact: Any, contacts: Sequence[str]) -> tuple[ImpactLaw, ...]:
    """Return the impact law of each contact."""
    if not contacts:
        if impact is not None:
            raise ModelError(f"{owner}: impact requires gaps; set gaps=")
        return ()
    if impact is None:
        raise ModelError(f"{owner}: impact is missing; set impact=ImpactLaw(restitution=...), or a list of "
                         f"{len(contacts)}")  # fmt: skip
    items = (impact,) * len(contacts) if isinstance(impact, ImpactLaw) else impact
    if not isinstance(items, (list, tuple)) or len(items) != len(contacts):
        raise ModelError(
            f"{owner}: impact must be one ImpactLaw or a list of {len(contacts)}, got {short_repr(impact)}"
        )
    for contact, item in zip(contacts, items, strict=True):
        if not isinstance(item, ImpactLaw):
            raise ModelError(f"{owner}: impact of {contact!r} must be an ImpactLaw, got {short_repr(item)}")
    return tuple(items)


def check_mass(owner: str, coordinates: Sequence[str], mass: np.ndarray) -> None:
    """Raise unless the mass matrix is finite, symmetric and positive definite; name the coordinates."""
    for (i, j), value in np.ndenumerate(mass):
        if not np.isfinite(value):
            raise ModelError(f"{owner}: mass[{i}, {j}] must be finite, got {value} in the initial state")
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
        raise ModelError(f"{owner}: mass must be positive definite, but it is singular in the initial state; "
                         f"a motion of {' and '.join(involved)} has no inertia")  # fmt: skip


def check_affine(function: Function, q0: Sequence[float], u0: Sequence[float]) -> None:
    """Raise unless tangential velocities are linear in u: w·u + w̃."""
    if "u" not in function.arguments:
        return
    q, u = np.array(q0), 1.0 + np.arange(len(u0)) + np.abs(u0)
    rows = Derivative(function, Rows(0, 1, 1)).evaluate(q, u, 0.0)
    size = np.abs(rows) @ np.append(u, 1.0)
    if np.any(np.abs(function.evaluate(q, u, 0.0) - rows @ np.append(u, 1.0)) > 1e-9 * (1.0 + size)):
        raise ModelError(f"{function.owner}: tangential {name_of(function.function)!r} has the argument u, so it must "
                         "return velocities w·u + w̃ that are linear in u")  # fmt: skip


def check_jacobian(
    what: str,
    functions: Sequence[Function],
    jacobian: Function | None,
    coordinates: Sequence[str],
    q0: Sequence[float],
    u0: Sequence[float],
) -> None:
    """Raise if a Jacobian differs from the difference quotients of the functions.

    It is compared in two states, the initial one and one close to it, since a function may have a kink in one of them.
    """
    if jacobian is None:
        return
    start, shift, u = np.array(q0), 0.01 * np.cos(np.arange(1.0, 1.0 + len(q0))), np.array(u0)
    values = jacobian.evaluate(start, u, 0.0).reshape(-1, start.size)
    for k, j in np.argwhere(~np.isfinite(values)):
        raise ModelError(f"{jacobian.owner}: {what}[{k}, {j}] must be finite, got {values[k, j]} in the initial state")
    derivatives = [Derivative(function, Rows(0, 1, 1)) for function in functions]
    if not derivatives:
        return
    wrong = np.ones(values.shape, dtype=bool)
    for q in (start + shift, start):
        try:
            values = jacobian.evaluate(q, u, 0.0).reshape(values.shape)
            rows = np.vstack([derivative.evaluate(q, u, 0.0, exact=False)[:, :-1] for derivative in derivatives])
        except Exception:  # noqa: BLE001  (the user function may not be defined in this state)
            return
        wrong &= np.abs(values - rows) > 1e-4 * (1.0 + np.abs(rows))
    for k, j in np.argwhere(wrong):
        raise ModelError(f"{jacobian.owner}: {what}[{k}, {j}] is {values[k, j]:.6g} in the initial state, "
                         f"but the derivative by {coordinates[j]!r} is {rows[k, j]:.6g}")  # fmt: skip
