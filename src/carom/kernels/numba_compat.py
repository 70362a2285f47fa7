"""Everything that relies on internals of Numba and llvmlite: compilation, the cache on disk, threads.

No other module but `carom.kernels.helper_compiler`, which is imported when something is compiled, imports `numba.core`
or `numba.np`. `tests/kernels/test_numba_compat.py` exercises each internal.

Numba's own cache has an index per function. Two processes that compile the same function for different types at the
same time can exchange their code through it, a cut file makes every later run fail, and it does not notice an edit of
a callee in another file. Here every compiled overload is a file of its own, named by all that it depends on, written
atomically and checked when it is read. A file that cannot be read is removed, and the function is compiled again.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from llvmlite.binding import newpassmanagers
from numba import types
from numba.core import cgutils, sigutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.np import linalg

from carom.errors import warn
from carom.kernels.argument_types import Number, PointerTo, Signature, is_record
from carom.kernels.cache import folder
from carom.kernels.compile_lock import compile_lock
from carom.kernels.source_digest import source_digest

OPTIONS = {"error_model": "numpy", "nogil": True}
"""Division by zero gives inf or nan, as in the formulas; the interpreter lock is released."""

NUMBA_VERSION = numba.__version__

FIRST_VERSION, END_VERSION = (0, 61), (0, 69)
"""Versions of Numba that were tested: from the first on, below the second; as in pyproject.toml."""


def check_version(version: str = numba.__version__) -> None:
    """Warn if this version of Numba was not tested."""
    major, minor = (int(part) for part in version.split(".")[:2])
    if not FIRST_VERSION <= (major, minor) < END_VERSION:
        first, end = (".".join(map(str, bound)) for bound in (FIRST_VERSION, END_VERSION))
        warn(f"carom: tested with numba >= {first}, < {end}, got {version}; install a tested version if kernels fail")


check_version()

MAX_VERSIONS = 3
"""Largest number of versions of a function's sources whose code stays on disk."""

_CHECKSUM_BYTES = hashlib.sha256().digest_size


def free_pass_managers() -> None:
    """Let LLVM's pass managers be freed when they are unreachable.

    In llvmlite 0.45 to 0.50 an empty method of the first base class hides the one that frees them; a function compiled
    by Numba then leaves a megabyte behind. Earlier versions do not have the common base class.
    """
    managers = getattr(newpassmanagers, "NewPassManager", None)
    for kind in (newpassmanagers.ModulePassManager, newpassmanagers.FunctionPassManager):
        if managers is not None and "_dispose" not in vars(kind):
            kind._dispose = managers._dispose


free_pass_managers()


def name_records_by_their_fields() -> None:
    """Name functions of records in machine code by the fields of the record.

    Numba names them by a number that counts types in one process, so cached code for two different records could have
    one name.
    """

    def mangling_args(self: Any) -> tuple[str, tuple[int]]:
        return type(self).__name__, (int.from_bytes(hashlib.sha256(str(self).encode()).digest()[:7], "big"),)

    types.Record.mangling_args = property(mangling_args)


name_records_by_their_fields()


def compile_helpers_for_each_record() -> None:
    """Compile a helper for each record it is called with.

    Numba would pass a long record to code compiled for a shorter one with the same first fields, and warn about it.
    """
    types.Record.can_convert_to = types.Type.can_convert_to


compile_helpers_for_each_record()


def import_blas_when_it_is_used() -> None:
    """Import Numba's array functions without SciPy's linear algebra, a quarter of the time of a first compilation.

    They only look whether it is there; compiled code that needs it imports it.
    """
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


import_blas_when_it_is_used()


@cache
def numba_type(kind: Any) -> Any:
    """Return Numba's type of an argument or result of a kernel."""
    if is_record(kind):
        return numba.from_dtype(kind.dtype)
    if isinstance(kind, Number):
        return getattr(types, kind.name)
    return types.CPointer(numba_type(kind.item)) if isinstance(kind, PointerTo) else types.voidptr


def numba_signature(signature: Signature) -> Any:
    """Return Numba's form of a signature."""
    return numba_type(signature.result)(*map(numba_type, signature.arguments))


def type_of_intrinsic(function: Any) -> Any:
    """Return the type that compiled code has for an intrinsic, which may have been defined just now."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(function)


def type_of_dispatcher(function: Any) -> Any:
    """Return the type that compiled code has for a dispatcher."""
    return types.Dispatcher(function)


def dispatcher(function: Callable[..., Any], cached: bool = False) -> Any:
    """Return a function as Python calls it, compiled for the types it is called with."""
    compiled = numba.njit(**OPTIONS)(function)
    if cached:
        cache_on_first_compilation(compiled)
    return compiled


def callee(function: Callable[..., Any]) -> Any:
    """Return a function that only compiled code calls: without the wrappers for other callers it compiles faster."""
    return numba.njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def allocate_on_stack(builder: Any, item: Any, count: Any) -> Any:
    """Return a pointer to ``count`` items on the stack of the function that is built."""
    return cgutils.alloca_once(builder, item, size=count)


def declare_function(module: Any, kind: Any, name: str) -> Any:
    """Return an external function of a module in LLVM."""
    return cgutils.get_or_insert_function(module, kind, name)


def threads_are_started() -> bool:
    """Return whether Numba has started its threads."""
    from numba.np.ufunc import parallel

    return bool(parallel._is_initialized)


def use_one_thread() -> None:
    """Limit Numba, which is imported, to one thread in this process."""
    from numba.np.ufunc import parallel

    if threads_are_started():
        numba.set_num_threads(1)
    else:
        numba.config.NUMBA_NUM_THREADS = parallel.NUM_THREADS = 1  # No further threads are started.


def compile_callback(function: Callable[..., Any], signature: Signature, cached: bool = True) -> Any:
    """Return ``function`` compiled as a C callback, from the cache on disk where it is there."""
    options = {"error_model": OPTIONS["error_model"]}
    callback: Any = CFunc(function, sigutils.normalize_signature(numba_signature(signature)), {}, options)
    if not cached or folder() is None:
        callback.compile()
        return callback
    callback._cache = KernelCache(function)
    with global_compiler_lock, compile_lock(function):  # threads wait for each other before processes do
        callback.compile()
    return callback


def object_code(function: Callable[..., Any], signature: Signature, symbol: str, processor: str) -> bytes:
    """Return the machine code of a kernel for a library, which can be loaded at any address, under ``symbol``.

    Code that Numba compiles for this process expects to be near the functions that it calls; it is emitted once more.
    """
    callback = compile_callback(function, signature, cached=False)
    module = binding.parse_assembly(callback._library.get_llvm_str())
    for item in (*module.functions, *module.global_variables):
        if item.is_declaration:
            continue
        if item.name == callback._wrapper_name:
            item.name = symbol
        else:
            item.linkage = "internal"
    target = binding.Target.from_default_triple()
    machine = target.create_target_machine(cpu=processor, opt=3, reloc="pic", codemodel="default")
    return bytes(machine.emit_object(module))


def cache_on_first_compilation(dispatcher: Any) -> None:
    """Open the cache of a function when it is first compiled: most helpers never are, and it touches the disk."""

    def compile_locked(signature: Any) -> Any:
        if tuple(signature) in dispatcher.overloads or folder() is None:
            return type(dispatcher).compile(dispatcher, signature)
        if not isinstance(dispatcher._cache, KernelCache):
            dispatcher._cache = KernelCache(dispatcher.py_func)
        with global_compiler_lock, compile_lock(dispatcher.py_func):
            return type(dispatcher).compile(dispatcher, signature)

    dispatcher.compile = compile_locked


def ignore_literals(dispatcher: Any) -> None:
    """Compile a function once for all numbers of a type: Numba would do it for every constant in a call."""
    template_of = dispatcher.get_call_template

    def get_call_template(arguments: Any, named: Any) -> Any:
        return template_of(
            tuple(types.unliteral(argument) for argument in arguments),
            {name: types.unliteral(argument) for name, argument in named.items()},
        )

    dispatcher.get_call_template = get_call_template


def is_cached(function: Callable[..., Any]) -> bool:
    """Return whether code of the present version of ``function`` is on disk."""
    return folder() is not None and KernelCache(function).has_code()


class _Locator(_CacheLocator):
    """Places code in the kernel folder, below a folder per source folder."""

    def __init__(self, py_func: Any, py_file: str):
        self._py_file = py_file
        self._function = py_func
        self._folder = Path(str(folder())) / self.get_suitable_cache_subpath(py_file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        version = f"{numba.__version__} {source_digest(self._function)}"
        return hashlib.sha256(version.encode()).hexdigest()[:16]

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]

    def __init__(self, py_func: Any):
        # Numba's setting NUMBA_CACHE_LOCATOR_CLASSES is for the user's own functions.
        configured = getattr(numba.config, "CACHE_LOCATOR_CLASSES", "")  # older versions do not have it
        numba.config.CACHE_LOCATOR_CLASSES = ""
        try:
            super().__init__(py_func)
        finally:
            numba.config.CACHE_LOCATOR_CLASSES = configured


class KernelCache(FunctionCache):
    """Cache of the compiled overloads of one function."""

    _impl_class = _CacheImpl
    _has_failed = False
    """True after the warning that the cache cannot be used."""

    def __init__(self, py_func: Any):
        super().__init__(py_func)
        self._cache_file = _CodeFiles(
            Path(self._cache_path), self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def has_code(self) -> bool:
        """Return whether any overload is on disk."""
        return self._cache_file.has_any()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached code of a signature, or None; damaged code is removed."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001  (unpickling damaged code can raise anything; it is compiled anew)
            self._report(error)
            self._cache_file.remove(self._index_key(sig, target_context.codegen()))
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write compiled code to the cache; warn if that fails."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self._report(error)

    def _report(self, error: Exception) -> None:
        """Warn once per process that code is compiled without the cache."""
        if not KernelCache._has_failed:
            KernelCache._has_failed = True
            warn(
                f"kernel cache {folder()}: {type(error).__name__}: {error}; the kernel is compiled without it, and "
                "later processes may have to compile it again"
            )


class _CodeFiles:
    """The files of one function: ``<function>.<version of the sources>.<types and processor>.nbc``."""

    def __init__(self, folder_path: Path, base: str, stamp: str):
        self._folder, self._base, self._stamp = folder_path, base, stamp

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._base}.{self._stamp}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"

    def has_any(self) -> bool:
        return any(self._folder.glob(f"{self._base}.{self._stamp}.*.nbc"))

    def load(self, key: Any) -> Any:
        """Return the reduced compile result of ``key``, or None when it is not there."""
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        checksum, data = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if hashlib.sha256(data).digest() != checksum:
            raise EOFError(f"{self._path(key).name} is damaged")
        return pickle.loads(data)

    def save(self, key: Any, data: Any) -> None:
        """Write the reduced compile result of ``key``, whole or not at all."""
        content = dumps(data)
        part = self._folder / f"{self._base}.{uuid.uuid4().hex[:16]}.part"
        try:
            part.write_bytes(hashlib.sha256(content).digest() + content)
            os.replace(part, self._path(key))
        except OSError:
            part.unlink(missing_ok=True)
            raise
        self._remove_old()

    def remove(self, key: Any) -> None:
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            warn(f"kernel cache: {self._path(key)} is damaged and cannot be removed ({error}); remove it by hand")

    def _remove_old(self) -> None:
        """Remove the code of all but the newest versions of the sources."""
        newest: dict[str, float] = {}
        start = len(self._base) + 1
        files = [(path, path.name[start:].split(".")[0]) for path in self._folder.glob(f"{self._base}.*.nbc")]
        for path, stamp in files:
            try:
                newest[stamp] = max(newest.get(stamp, 0.0), path.stat().st_mtime)
            except FileNotFoundError:  # another process was faster
                continue
        current_versions = {self._stamp, *sorted(newest, key=newest.__getitem__)[-MAX_VERSIONS:]}
        for path, stamp in files:
            if stamp not in current_versions:
                path.unlink(missing_ok=True)
