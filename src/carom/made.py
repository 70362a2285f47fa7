"""Objects that are fixed once built, and objects that keep the arguments of their constructor."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar

from carom.errors import ModelError

Check = Callable[[str, str, Any], Any]
"""Returns the value to store, from the owner's label, the name of the attribute and the assigned value."""


class Sealed:
    """An object whose attributes are fixed when its constructor has returned, but those in ``assignable``.

    A value assigned to one of these, in the constructor or later, goes through its check. Names that begin with an
    underscore stay free, for caches. Copies and unpickled objects are sealed, too.
    """

    assignable: ClassVar[Mapping[str, Check]] = {}
    instead: ClassVar[str] = "build a new one instead"
    """Advice in the error about an attribute that is fixed."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", _sealing(vars(cls)["__init__"]))  # noqa: B010  (mypy knows methods as fixed)

    def __setattr__(self, key: str, value: Any) -> None:
        if key in self.assignable:
            value = self._accepted(key, value)
        elif "_unsealed" not in self.__dict__ and key[0] != "_":
            raise self._refusal(key)
        object.__setattr__(self, key, value)

    def _accepted(self, key: str, value: Any) -> Any:
        """Return the value to store for an assignable attribute."""
        return self.assignable[key](self.label, key, value)

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return type(self).__name__

    def _refusal(self, key: str) -> ModelError:
        """The error for an assignment to ``key``."""
        if hasattr(self, key):
            return ModelError(f"{self.label}: {key} cannot be changed; {self.instead}")
        public = [name for name in dir(self) if not name.startswith("_")]
        close = difflib.get_close_matches(key, public, n=1)
        free = ", ".join(self.assignable) or "none"
        advice = f"did you mean {close[0]!r}?" if close else f"attributes that can be set: {free}"
        return ModelError(f"{self.label} has no attribute {key!r}; {advice}")

    def _begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Open the object for its constructor, which was called with these arguments."""
        self.__dict__["_unsealed"] = True

    def _seal(self) -> None:
        """Fix the attributes."""
        del self.__dict__["_unsealed"]


class Made(Sealed):
    """An object that keeps the arguments it was made with, as they were given.

    ``keywords`` are what makes it again; a model file writes them. ``maker`` is the name of the class method that made
    it, where it was not the class itself.
    """

    made_with: tuple[tuple[Any, ...], dict[str, Any]]
    maker: str | None = None

    def _begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super()._begin(args, kwargs)
        self.made_with = (args, kwargs)

    def keywords(self) -> dict[str, Any]:
        """Return the arguments that make this object again, by name, without those that were left out."""
        args, kwargs = self.made_with
        call: Callable[..., Any] = type(self) if self.maker is None else getattr(type(self), self.maker)
        bound = inspect.signature(call).bind(*args, **kwargs)
        return dict(bound.arguments)


def _sealing(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if "_unsealed" in self.__dict__:  # called by the constructor of a subclass
            init(self, *args, **kwargs)
            return
        self._begin(args, kwargs)
        init(self, *args, **kwargs)
        self._seal()

    return __init__
