"""Deprecated names and arguments: the old form works for one release and issues a `DeprecationWarning`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from carom.errors import warn

F = TypeVar("F", bound=Callable[..., Any])


def warn_deprecated(old: str, new: str) -> None:
    """Issue a `DeprecationWarning` that names the old form and its replacement."""
    warn(f"{old} is deprecated; use {new}", DeprecationWarning)


def deprecated_arguments(
    *,
    renamed: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[str, str]] | None = None,
    order: Sequence[str] = (),
) -> Callable[[F], F]:
    """Return a decorator for a function that also accepts arguments in an old form.

    ``renamed`` are old and new names of arguments, ``values`` old and new texts of arguments by their new name.
    ``order`` are the new names of all positional arguments in the old order; it applies if there are more positional
    arguments than the function has. The function is called with the new form. Its attribute ``update_arguments``
    converts arguments without a call, ``renamed_arguments`` is ``renamed``, and ``renamed_values`` is ``values``.
    """
    names = dict(renamed or {})
    texts = {name: dict(pairs) for name, pairs in (values or {}).items()}

    def decorate(function: F) -> F:
        positional = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
        n_bound = 1 if positional[:1] in (["self"], ["cls"]) else 0
        n_positional = len(positional) - n_bound
        owner = function.__qualname__.removesuffix(".__init__")

        def update_value(key: str, value: Any) -> Any:
            """Return the new value of an argument; warn if its name ``key`` or its value is an old one."""
            name = names.get(key, key)
            new = texts.get(name, {}).get(value, value) if isinstance(value, str) else value
            if new is not value:
                warn_deprecated(f"{owner}: {key}={value!r}", f"{name}={new!r}")
            elif name != key:
                warn_deprecated(f"{owner}: {key}=", f"{name}=")
            return new

        def update_arguments(
            args: tuple[Any, ...], kwargs: Mapping[str, Any]
        ) -> tuple[tuple[Any, ...], dict[str, Any]]:
            """Return the arguments in the new form; warn if the old one was used."""
            result: dict[str, Any] = {}
            if n_positional < len(args) <= len(order):
                keywords = dict(zip(order[n_positional:], args[n_positional:], strict=False))
                advice = ", ".join(f"{name}=" for name in keywords)
                warn_deprecated(f"{owner}: passing {', '.join(keywords)} by position", advice)
                args, result = args[:n_positional], keywords
            args = tuple(
                update_value(positional[n_bound + k], value) if n_bound + k < len(positional) else value
                for k, value in enumerate(args)
            )
            for key, value in kwargs.items():
                name, value = names.get(key, key), update_value(key, value)
                if name in result:
                    raise TypeError(f"{owner}: got two values for argument {name!r}")
                result[name] = value
            return args, result

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            positional, keywords = update_arguments(args[n_bound:], kwargs)
            return function(*args[:n_bound], *positional, **keywords)

        setattr(call, "update_arguments", update_arguments)  # noqa: B010  (mypy knows no attributes of functions)
        setattr(call, "renamed_arguments", names)  # noqa: B010
        setattr(call, "renamed_values", texts)  # noqa: B010
        return call  # type: ignore[return-value]

    return decorate


def current_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of a function in the new form; warn if they are in an old one."""
    update_arguments = getattr(function, "update_arguments", None)  # set by `deprecated_arguments`
    return dict(arguments) if update_arguments is None else update_arguments((), arguments)[1]


class DeprecatedName:
    """Deprecated attribute or method of a class; reading it warns and returns the attribute ``new``.

    ``values`` are new values of the attribute and those that are returned for them.
    """

    def __init__(self, new: str, values: Mapping[str, str] | None = None):
        self.new, self.values = new, dict(values or {})

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = f"{owner.__name__}.{name}"

    def __get__(self, instance: Any, owner: type) -> Any:
        warn_deprecated(self.old, self.new)
        value = getattr(owner if instance is None else instance, self.new)
        return self.values.get(value, value) if isinstance(value, str) else value
