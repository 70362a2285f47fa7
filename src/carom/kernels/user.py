"""Functions written by users, put where ours go.

A plain Python function is compiled on first use. One that Numba cannot compile still runs, through a callback
into the interpreter, with one notice; what it raises is kept and raised again when the run has ended.
"""

from __future__ import annotations

import ctypes
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import types

from carom.errors import CaromWarning, ModelError
from carom.kernels.address import FLOATS, INTS, untyped
from carom.kernels.compile import OPTIONS
from carom.kernels.signatures import USER

_CTYPES: dict[Any, Any] = {
    types.float64: ctypes.c_double,
    types.int64: ctypes.c_int64,
    FLOATS: ctypes.POINTER(ctypes.c_double),
    INTS: ctypes.POINTER(ctypes.c_int64),
    types.void: None,
}


class UserKernel:
    """The compiled form of a user's function, or the callback that stands in for it.

    ``wrap(function, view)`` returns the family's kernel around ``function``; ``view(bodies)`` gives the state
    by names. The same ``wrap`` serves compiled and interpreted functions.
    """

    def __init__(self, owner: str, function: Callable[..., Any], signature: Any, wrap: Callable[..., Any], record: Any):
        self.owner = owner
        self.error: BaseException | None = None
        self.slow = False
        try:
            compiled = numba.njit(**OPTIONS)(function)
            self._keep: Any = numba.cfunc(signature, error_model=OPTIONS["error_model"])(
                wrap(compiled, _compiled_view(record))
            )
            self.address = int(self._keep.address)
        except numba.core.errors.NumbaError as trouble:
            self.slow = True
            warnings.warn(
                f"{owner}: Numba cannot compile {function.__name__!r} ({_reason(trouble)}); it runs as plain Python, "
                "which is some hundred times slower",
                CaromWarning,
                stacklevel=2,
            )
            self._keep = _callback_type(signature)(self._guarded(wrap(function, _python_view(record))))
            self.address = int(ctypes.cast(self._keep, ctypes.c_void_p).value or 0)

    def _guarded(self, call: Callable[..., None]) -> Callable[..., None]:
        """ctypes would print an exception and go on; keep the first one and let NaN end the run."""

        def guarded(*args: Any) -> None:
            if self.error is None:
                try:
                    call(*args)
                    return
                except BaseException as error:  # noqa: BLE001  (KeyboardInterrupt too; raised again after the run)
                    self.error = error
            args[-1][0] = float("nan")

        return guarded


def _reason(trouble: Exception) -> str:
    """The line of Numba's report that says what is wrong."""
    lines = [line.strip() for line in str(trouble).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Failed in", "During", "File", "[1]"))]
    return (telling or lines or ["no reason given"])[0]


def _callback_type(signature: Any) -> Any:
    return ctypes.CFUNCTYPE(_CTYPES[signature.return_type], *[_CTYPES[a] for a in signature.args])


def _compiled_view(record: np.dtype) -> Any:
    @numba.njit(**OPTIONS)
    def view(bodies):
        return numba.carray(untyped(bodies), 1, record)[0]

    return view


def _python_view(record: np.dtype) -> Callable[[Any], Any]:
    count = record.itemsize // 8

    def view(bodies):
        return np.ctypeslib.as_array(bodies, shape=(count,)).view(record).view(np.recarray)[0]

    return view


def parameters_of(owner: str, function: Callable[..., Any], allowed: tuple[int, ...]) -> int:
    """How many arguments the user's function takes; an error when it is not one of ``allowed``."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        found = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {function!r} is not a Python function with readable arguments") from None
    required = sum(p.default is p.empty for p in found)
    for count in sorted(allowed, reverse=True):
        if required <= count <= len(found):
            return count
    wanted = " or ".join(str(a) for a in allowed)
    raise ModelError(f"{owner}: the function must take {wanted} arguments, {function.__name__!r} takes {len(found)}")


class UserFunction:
    """A user's function of time, of the state by names, or of an element's own quantities.

    ``styles`` are the argument lists the element offers, such as ``("t", "state")`` or ``("t", "length", "rate")``;
    the one with as many arguments as the function is taken. ``inputs`` orders the quantities the element computes.
    """

    def __init__(
        self,
        owner: str,
        function: Callable[..., Any],
        styles: Sequence[tuple[str, ...]],
        inputs: tuple[str, ...] = (),
        outputs: int = 1,
    ):
        count = parameters_of(owner, function, tuple(len(style) for style in styles))
        self.owner, self.function, self.inputs, self.outputs = owner, function, inputs, outputs
        self.style = next(style for style in styles if len(style) == count)

    def compile(self, record: np.dtype) -> UserKernel:
        return UserKernel(self.owner, self.function, USER, self._wrap, record)

    def _wrap(self, f: Any, view: Any) -> Any:
        """A kernel of the USER family, written out for this list of arguments."""
        arguments = [
            {"t": "t", "state": "view(bodies)"}.get(word) or f"inputs[{self.inputs.index(word)}]" for word in self.style
        ]
        call = f"f({', '.join(arguments)})"
        if self.outputs == 1:
            lines = [f"outputs[0] = {call}"]
        else:
            names = [f"out{k}" for k in range(self.outputs)]
            lines = [f"{', '.join(names)} = {call}", *(f"outputs[{k}] = {name}" for k, name in enumerate(names))]
        source = "def user(t, bodies, inputs, outputs):\n" + "".join(f"    {line}\n" for line in lines)
        scope: dict[str, Any] = {"f": f, "view": view}
        exec(compile(source, f"<{self.owner}>", "exec"), scope)
        return scope["user"]
