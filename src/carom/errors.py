"""Exceptions and warnings of the library.

A message is one sentence: the object, the problem, the value with its unit, and what to do.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ModelError(ValueError):
    """Error in a model or in the arguments of a function.

    Examples
    --------
    >>> import carom as cm
    >>> cm.Body("ball", mass=-1.0)
    Traceback (most recent call last):
        ...
    carom.errors.ModelError: Body 'ball': mass must be positive or zero, got -1
    """


class MissingFileError(ModelError, FileNotFoundError):
    """Error about a file that does not exist."""


class DiskError(OSError):
    """Error about a file that cannot be written; names the file, the reason and what to do.

    Examples
    --------
    >>> import carom as cm
    >>> try:
    ...     cm.gallery.falling_ball().run().save("/dev/null")
    ... except cm.DiskError as error:
    ...     print(error)
    ...
    cannot use /dev/null: it is a device, not a regular file; choose another name
    """


class CaromWarning(UserWarning):
    """Warning about a model or a result, with advice.

    Examples
    --------
    >>> import carom as cm
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", cm.CaromWarning)  # hide advice
    ...     result = cm.gallery.falling_ball().run()
    ...
    >>> result.outcome.ok
    True
    """


_issued = 0
"""Number of warnings that were issued in this process."""


def count_of_warnings() -> int:
    """Return the number of warnings that were issued in this process, shown or not."""
    return _issued


def is_ignored(category: type[Warning]) -> bool:
    """Return True if the first filter for a category of warnings ignores all of them."""
    for action, message, kind, module, line in warnings.filters:
        if issubclass(category, kind):
            return action == "ignore" and message is None and module is None and line == 0
    return False


def warn(message: str, category: type[Warning] = CaromWarning) -> None:
    """Issue a warning at the line outside this package from which the library was called."""
    global _issued
    _issued += 1
    if is_ignored(category):  # to find the line of the call takes longer than many runs
        return
    package = Path(__file__).resolve().parent
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and package in Path(frame.f_code.co_filename).resolve().parents:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def suppress_warnings() -> Iterator[None]:
    """Suppress the warnings of the library, in runs with unsuitable values on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        yield
