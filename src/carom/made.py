"""Objects that remember how they were made."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any


class Made:
    """Something that keeps the arguments it was made with, as they were given.

    ``keywords`` are what makes it again; a model file writes them. ``maker`` is the name of the class method that made
    it, where it was not the class itself.
    """

    made_with: tuple[tuple[Any, ...], dict[str, Any]]
    maker: str | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            setattr(cls, "__init__", _remembering(vars(cls)["__init__"]))  # noqa: B010  (mypy knows methods as fixed)

    def keywords(self) -> dict[str, Any]:
        """The arguments that make this object again, by name; those left out are left out."""
        args, kwargs = self.made_with
        call: Callable[..., Any] = type(self) if self.maker is None else getattr(type(self), self.maker)
        bound = inspect.signature(call).bind(*args, **kwargs)
        return dict(bound.arguments)


def _remembering(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if "made_with" not in self.__dict__:  # the outermost constructor is what was called
            self.made_with = (args, kwargs)
        init(self, *args, **kwargs)

    return __init__
