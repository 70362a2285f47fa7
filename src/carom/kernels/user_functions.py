"""User functions in compiled code.

A Python function is compiled on first use. A function that Numba cannot compile runs through a callback into the
interpreter, with one warning; an error that it raises is stored and raised again after the run.
"""

from __future__ import annotations

import ctypes
import dis
import inspect
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from carom.errors import ModelError, warn
from carom.kernels.argument_types import Number, Signature, c_function, is_record
from carom.kernels.captured_values import dependencies, identity
from carom.kernels.expression_breaks import declared_breaks
from carom.kernels.generated_source import is_stored
from carom.kernels.interpreted import PLAIN, address_of_argument
from carom.kernels.interpreted import floats as numbers_at
from carom.kernels.pointers import floats, untyped
from carom.kernels.record import address_of
from carom.kernels.signatures import USER
from carom.kernels.structure import with_structures

_lock = threading.RLock()
"""Lock of the compiled code that models share."""

MAX_SHARED = 200
"""Largest number of compiled functions and kernels kept for models that are built again."""


class UserKernel:
    """Compiled form of a user function, or the callback that replaces it.

    ``wrap(function, view)`` returns the family's kernel around ``function``, compiled or interpreted; ``view(bodies)``
    returns the state by names. ``sizes`` has the length of every argument of the kernel but the last (None for a
    number), with which a call that raised an error is repeated; it can be omitted for records. ``others`` are functions
    of the user in ``wrap``.
    """

    _functions: tuple[Callable[..., Any], ...] = ()
    """Functions of the user in the kernel; empty if they are not all known."""
    _dependencies: tuple[tuple[Any, ...] | None, ...] = ()
    """Code and values that they depended on when the kernel was compiled."""

    def __init__(
        self,
        owner: str,
        function: Callable[..., Any],
        signature: Signature,
        wrap: Callable[..., Any],
        record: np.dtype,
        sizes: Sequence[int | None] = (),
        others: Sequence[Callable[..., Any]] = (),
    ):
        self._start(owner, signature, wrap(function, _python_view(record)), sizes)
        self._functions = (function, *others)
        self._dependencies = self._current_dependencies()
        if PLAIN:
            self._take_callback()
            return
        try:
            self._take_code(wrap(compiled(function), _compiled_view(record)), may_raise(function))
        except Exception as error:  # noqa: BLE001  (Numba cannot compile the function: Python runs it, with a warning)
            notify_slow(owner, function, error)
            self._take_callback()

    def _start(
        self, owner: str, signature: Signature, interpreted: Any, sizes: Sequence[int | None] = (), outputs: int = 1
    ) -> None:
        """Set the kernel that Python runs; an error sets the first ``outputs`` numbers of the output to NaN."""
        self.owner = owner
        self.slow = False
        self._signature = signature
        self._interpreted = with_structures(interpreted, signature.arguments)
        self._outputs = outputs
        self._error: BaseException | None = None
        self._sizes = sizes or [_size(kind) for kind in signature.arguments[:-1]]
        self._failed_call = np.zeros(1 + sum(1 if size is None else size for size in self._sizes))
        """A flag, and the arguments of the first call that raised an error in compiled code."""

    def _take_code(self, inner: Any, raises: bool) -> None:
        """Set the machine code of the kernel ``inner``; raise an error of Numba if it cannot be compiled."""
        from carom.kernels.numba_compat import callee, compile_callback

        if raises:
            kinds = self._signature.arguments
            inner = callee(inner)
            inner = _with_error_handler(inner, kinds, self._sizes, self._failed_call, self._outputs)
        signature = self._signature
        self._callback: Any = shared_code(
            None if raises else ("callback", signature, identity(inner)),
            lambda: compile_callback(inner, signature, cached=is_stored(inner)),
        )
        self.address = int(self._callback.address)

    def _take_callback(self) -> None:
        """Set a callback to the interpreted function in place of machine code."""
        self.slow = True
        self._callback = c_function(self._signature)(self._guarded)
        self.address = int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    @property
    def is_current(self) -> bool:
        """True if the kernel is known to give the results of one that is compiled now.

        It is not known of kernels that Python runs, and of functions that may depend on more than captured values.
        """
        if self.slow or not self._functions or None in self._dependencies:
            return False
        return self._dependencies == self._current_dependencies()

    def _current_dependencies(self) -> tuple[tuple[Any, ...] | None, ...]:
        """Return what the functions depend on now."""
        return tuple(dependencies(function) for function in self._functions)

    @property
    def error(self) -> BaseException | None:
        """First error that the function raised, or None."""
        if self._error is None and self._failed_call[0] != 0.0:
            self._error = self._repeat()
        return self._error

    def forget(self) -> None:
        """Clear the error."""
        self._error = None
        self._failed_call[0] = 0.0

    def _guarded(self, *args: Any) -> None:
        """Call the interpreted function; store its first error and return NaN, because ctypes would ignore it."""
        if self._error is None:
            try:
                self._interpreted(*args)
                return
            except BaseException as error:  # noqa: BLE001  (KeyboardInterrupt too; raised again after the run)
                self._error = error
        output = numbers_at(address_of_argument(args[-1]))
        for k in range(self._outputs):
            output[k] = float("nan")

    def _repeat(self) -> BaseException:
        """Call the function as Python once more, with the arguments at which its compiled form raised."""
        offset = 1
        arguments: list[Any] = []
        for size in self._sizes:
            numbers = self._failed_call[offset : offset + (size or 1)]
            offset += 1 if size is None else size
            arguments.append(float(numbers[0]) if size is None else self._as_argument(numbers, len(arguments)))
        output = np.zeros(max(8, _size(self._signature.arguments[-1]) or 0, self._outputs))
        try:
            self._interpreted(*arguments, self._as_argument(output, -1))
        except Exception as error:  # noqa: BLE001  (the error of the user's function is the result)
            return error
        return RuntimeError(f"{self.owner}: its function raised an error in compiled code")

    def _as_argument(self, numbers: np.ndarray, position: int) -> Any:
        """Return numbers as the callback has them at a position: the address of a record, or a pointer."""
        kind = self._signature.arguments[position]
        return numbers.ctypes.data if is_record(kind) else numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function for messages; for callable objects and partial functions their ``repr``."""
    return str(getattr(function, "__name__", None) or repr(function))


def notify_slow(owner: str, function: Callable[..., Any], error: Exception) -> None:
    """Warn that a function runs as plain Python, with the reason."""
    warn(
        f"{owner}: Numba cannot compile {name_of(function)!r} ({_reason(error)}); it runs as plain Python, "
        "which is some hundred times slower"
    )


def compiled(function: Callable[..., Any]) -> Any:
    """Return the user function as kernels call it, compiled unless it is already."""
    if hasattr(function, "py_func"):
        return function
    from carom.kernels.numba_compat import callee

    return shared_code(("function", identity(function)), lambda: callee(function))


_recent: OrderedDict[Any, Any] = OrderedDict()
"""Compiled code by the identity of its source, least recently used first."""


def shared_code(key: tuple[Any, ...] | None, build: Callable[[], Any]) -> Any:
    """Return ``build()``, or the object built before for the same ``key`` if it is among those used last.

    A study builds its model again for every run, mostly with functions that it has built before. A key that is None, or
    contains None, equals no other.
    """
    if key is None or None in key:
        return build()
    with _lock:
        if key not in _recent:
            _recent[key] = build()
            while len(_recent) > MAX_SHARED:
                _recent.popitem(last=False)
        _recent.move_to_end(key)
        return _recent[key]


def may_raise(function: Callable[..., Any], visited: tuple[Any, ...] = ()) -> bool:
    """Return True if the function, or a compiled function it calls, has a raise or an assert."""
    function = getattr(function, "py_func", function)
    code = getattr(function, "__code__", None)
    if code is None or code in visited:
        return False
    if any(step.opname in ("RAISE_VARARGS", "LOAD_ASSERTION_ERROR") for step in dis.get_instructions(code)):
        return True
    names = inspect.getclosurevars(function)
    called = [getattr(value, "py_func", None) for value in (*names.globals.values(), *names.nonlocals.values())]
    return any(may_raise(other, (*visited, code)) for other in called if other is not None)


def _size(kind: Any) -> int | None:
    """Return the length of an argument that is a record or a pointer; None for a number."""
    if is_record(kind):
        return int(kind.size)
    return None if isinstance(kind, Number) else 0


def _with_error_handler(
    inner: Any, kinds: Sequence[Any], sizes: Sequence[int | None], failed_call: np.ndarray, outputs: int
) -> Any:
    """Return the kernel ``inner`` that on an error writes NaN and stores its arguments in ``failed_call``."""
    arguments = [f"a{k}" for k in range(len(kinds))]
    names = [
        f"floats(address_of({name}))" if is_record(kind) else name for name, kind in zip(arguments, kinds, strict=True)
    ]
    lines = ["try:", f"    inner({', '.join(arguments)})", "except Exception:"]
    lines += [f"    for k in range({outputs}):", f"        {names[-1]}[k] = nan"]
    lines += ["    failed_call = floats(address)", "    if failed_call[0] == 0.0:", "        failed_call[0] = 1.0"]
    offset = 1
    for name, size in zip(names, sizes, strict=False):
        if size is None:
            lines.append(f"        failed_call[{offset}] = {name}")
        else:
            lines += [f"        for k in range({size}):", f"            failed_call[{offset} + k] = {name}[k]"]
        offset += 1 if size is None else size
    source = f"def with_error_handler({', '.join(arguments)}):\n" + "".join(f"    {line}\n" for line in lines)
    scope: dict[str, Any] = {"inner": inner, "floats": floats, "address_of": address_of, "nan": float("nan")}
    scope["address"] = failed_call.ctypes.data
    exec(compile(source, "<with_error_handler>", "exec"), scope)
    return scope["with_error_handler"]


def _reason(error: Exception) -> str:
    """Return the line of Numba's report that contains the reason."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    informative = [line for line in lines if not line.startswith(("Failed in", "During", "File", "[1]"))]
    return (informative or lines or ["no reason reported"])[0]


@lru_cache(100)
def _compiled_view(record: np.dtype) -> Any:
    from numba import carray

    from carom.kernels.numba_compat import callee

    def view(bodies):
        return carray(untyped(bodies), 1, record)[0]

    return callee(view)


class _StateView:
    """Numbers by name, as ``s.crank`` or ``s["crank"]``; a record of records with ``fields`` by their names."""

    __slots__ = ("_fields", "_numbers", "_offsets")

    def __init__(
        self,
        numbers: np.ndarray,
        offsets: Mapping[str, int],
        fields: Mapping[str, Mapping[str, int]] | None = None,
    ):
        self._numbers, self._offsets, self._fields = numbers, offsets, fields

    def __getattr__(self, name: str) -> Any:
        if name not in self._offsets:
            raise AttributeError(f"the state has no {name!r}; it has {', '.join(self._offsets)}")
        return self[name]

    def __getitem__(self, name: str) -> Any:
        offset = self._offsets[name]
        if self._fields is None:
            return float(self._numbers[offset])
        return _StateView(self._numbers[offset:], self._fields[name])


def _python_view(record: np.dtype) -> Callable[[Any], Any]:
    """Return the view of the state by names for interpreted functions, with the names used in compiled ones."""
    count = record.itemsize // 8
    fields: Mapping[str, Any] = record.fields or {}
    bodies_at = {name: offset // 8 for name, (_, offset, *_) in fields.items()}
    numbers_at = {
        name: {field: place // 8 for field, (_, place, *_) in (entry[0].fields or {}).items()}
        for name, entry in fields.items()
    }

    def view(bodies: Any) -> _StateView:
        return _StateView(np.ctypeslib.as_array(bodies, shape=(count,)), bodies_at, numbers_at)

    return view


def parameters_of(owner: str, function: Callable[..., Any], allowed: tuple[int, ...]) -> int:
    """Return the number of arguments to call a user function with; raise unless it is one of ``allowed``."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        signature = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: {function!r} is not a Python function with readable arguments") from None
    parameters = [p for p in signature if p.kind in kinds]
    required = sum(p.default is p.empty for p in parameters)
    keyword_only = [p for p in signature if p.kind is inspect.Parameter.KEYWORD_ONLY]
    if any(p.default is p.empty for p in keyword_only):
        raise ModelError(
            f"{owner}: {name_of(function)!r} has keyword-only arguments without a default; make them positional"
        )
    for count in sorted(allowed, reverse=True):
        if required <= count <= len(parameters):
            return count
    expected = " or ".join(str(a) for a in allowed)
    raise ModelError(
        f"{owner}: the function must have {expected} arguments, {name_of(function)!r} has {len(parameters)}"
    )


class UserFunction:
    """User function of time, of the state by names, or of quantities that an element computes.

    ``styles`` are the possible argument lists, such as ``("t", "state")`` or ``("t", "length", "rate")``; the list with
    as many arguments as the function is used. ``inputs`` is the order of the quantities that the element computes.
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
        self.breaks = declared_breaks(owner, function) if "t" in self.style else ()
        """Times at which the function is not smooth [s]."""
        self._kernels: dict[Any, UserKernel] = {}

    def compile(self, record: np.dtype) -> UserKernel:
        """Return the kernel for a system with these bodies; it is reused while the captured values do not change."""
        key = (record, identity(self.function))
        if key not in self._kernels:
            sizes = (None, record.itemsize // 8, len(self.inputs))
            kernel = UserKernel(self.owner, self.function, USER, self._wrap, record, sizes)
            if key[1] is None:
                return kernel
            self._kernels[key] = kernel
        return self._kernels[key]

    def _wrap(self, f: Any, view: Any) -> Any:
        """Return a kernel of the family USER with this list of arguments."""
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
