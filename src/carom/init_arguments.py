"""Mixins for objects with fixed attributes (`Sealed`) and objects that record their constructor arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, ClassVar

from carom.argument_checks import similar_names
from carom.errors import ModelError
from carom.input_value import inputs_in

Check = Callable[[str, str, Any], Any]
"""Function of the owner's label, the attribute name and the assigned value; returns the value to store."""

_changes = 0
"""Number of changes of finished objects in this process."""


def count_change() -> None:
    """Count a change of a finished object: an assigned attribute, an added element."""
    global _changes
    _changes += 1


def model_revision() -> int:
    """Return a number that is the same as before only if no `Sealed` object has changed since."""
    return _changes


class Sealed:
    """Object whose attributes are fixed after construction, except those in ``assignable``.

    A value assigned to an assignable attribute, in the constructor or later, goes through its check. Names that begin
    with an underscore can always be set, for caches. Copies and unpickled objects are sealed, too.
    """

    assignable: ClassVar[Mapping[str, Check]] = {}
    change_advice: ClassVar[str] = "build a new one instead"
    """Advice in the error message about an attribute that is fixed."""
    takes_inputs: ClassVar[bool] = False
    """True if numbers among the constructor arguments may follow an input of the system."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", _sealing(vars(cls)["__init__"]))  # noqa: B010  (mypy forbids assigning methods)

    def __setattr__(self, key: str, value: Any) -> None:
        if key in self.assignable:
            if inputs_in(value):
                raise self._input_error(key)
            value = self._check_assignment(key, value)
        elif "_unsealed" not in self.__dict__ and key[0] != "_":
            raise self._assignment_error(key)
        object.__setattr__(self, key, value)
        if key in self.assignable and "_unsealed" not in self.__dict__:
            count_change()

    def _check_assignment(self, key: str, value: Any) -> Any:
        """Check a value assigned to an assignable attribute; return the value to store."""
        return self.assignable[key](self.label, key, value)

    @property
    def label(self) -> str:
        """Kind and name of the object, for messages."""
        return type(self).__name__

    def _assignment_error(self, key: str) -> ModelError:
        """Return the error for an assignment to ``key``."""
        if hasattr(self, key):
            return ModelError(f"{self.label}: {key} cannot be changed; {self.change_advice}")
        public = [name for name in dir(self) if not name.startswith("_")]
        close = similar_names(key, public, n=1)
        assignable = ", ".join(self.assignable) or "none"
        advice = f"did you mean {close[0]!r}?" if close else f"attributes that can be set: {assignable}"
        return ModelError(f"{self.label} has no attribute {key!r}; {advice}")

    def _start_init(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Allow assignments during construction; ``args`` and ``kwargs`` are the constructor arguments.

        Arguments that follow inputs are kept in ``_input_arguments``, as attributes are plain numbers.
        """
        self.__dict__["_unsealed"] = True
        if any(map(inputs_in, args)) or any(map(inputs_in, kwargs.values())):
            bound = inspect.signature(type(self)).bind(*args, **kwargs).arguments
            follows = {key: value for key, value in bound.items() if inputs_in(value)}
            if not self.takes_inputs:
                raise self._input_error(next(iter(follows)))
            self.__dict__["_input_arguments"] = follows

    def _input_error(self, key: str) -> ModelError:
        """Return the error for an input as the value of ``key``."""
        return ModelError(
            f"{type(self).__name__}: {key} cannot follow an input; inputs change parameters of force elements and "
            "laws, the speed of a ConstantSpeed, and the motion of a Driver"
        )

    def _seal(self) -> None:
        """Fix the attributes."""
        del self.__dict__["_unsealed"]


class InitArguments(Sealed):
    """Object that records its constructor arguments, so that a model file can be written from it.

    ``constructor_method`` is the name of the class method that built the object; None if the class itself was called.
    """

    init_call: tuple[tuple[Any, ...], dict[str, Any]]
    constructor_method: str | None = None

    def _start_init(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._start_init(args, kwargs)
        self.init_call = (args, kwargs)

    def keywords(self) -> dict[str, Any]:
        """Return the recorded constructor arguments by name, without omitted ones; they rebuild the object."""
        args, kwargs = self.init_call
        return dict(constructor_signature(type(self), self.constructor_method).bind(*args, **kwargs).arguments)


def constructor_signature(kind: Any, method: str | None = None) -> inspect.Signature:
    """Return the signature of a class, or of its class method that builds objects."""
    return _constructor_signature(kind, method)


@cache
def _constructor_signature(kind: Any, method: str | None) -> inspect.Signature:
    return inspect.signature(kind if method is None else getattr(kind, method))


def _sealing(init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that calls ``init`` and then seals the object."""
    update_arguments = getattr(init, "update_arguments", None)  # set by `deprecated_arguments`

    @wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if "_unsealed" in self.__dict__:  # The constructor of a subclass calls this one and seals afterwards.
            init(self, *args, **kwargs)
            return
        if update_arguments is not None:  # The new form is recorded.
            args, kwargs = update_arguments(args, kwargs)
        self._start_init(args, kwargs)
        init(self, *args, **kwargs)
        self._seal()

    return __init__
