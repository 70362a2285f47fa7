"""Each internal of Numba that the kernels rely on; the name of a failing test says which one has changed."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite.binding import newpassmanagers
from numba import types
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc

import carom as cm
from carom.kernels import FLOAT, INT, helper_compiler, jit, kernel, numba_compat, record
from carom.kernels.argument_types import FLOAT64

NUMBER_OF_NUMBER = FLOAT64(FLOAT64)
ROOT = Path(__file__).resolve().parents[2]


def test_version_range_is_that_of_the_package():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    first, end = (".".join(map(str, v)) for v in (numba_compat.FIRST_VERSION, numba_compat.END_VERSION))
    assert f"numba>={first},<{end}" in needed


WITHOUT_LINEAR_ALGEBRA = """
import sys
import numpy as np
from carom.kernels.numba_compat import dispatcher

assert dispatcher(lambda x: x + 1.0)(2.0) == 3.0
assert "scipy.linalg" not in sys.modules
a, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0])
assert dispatcher(lambda a, b: np.dot(a, b))(a, b).tolist() == [10.0, 15.0]
"""


def test_scipy_is_imported_for_linear_algebra_only():
    subprocess.run([sys.executable, "-c", WITHOUT_LINEAR_ALGEBRA], check=True)


def test_untested_version_warns(recwarn):
    numba_compat.check_version()
    assert not recwarn
    for version in ("0.60.0", "0.69.0rc1", "1.0.0"):
        with pytest.warns(cm.CaromWarning, match=f"got {version}"):
            numba_compat.check_version(version)


def test_no_other_module_imports_internals():
    for path in (ROOT / "src").rglob("*.py"):
        if path.name in ("numba_compat.py", "helper_compiler.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith(("numba.core", "numba.np", "llvmlite.binding")), path


def test_pass_managers_can_be_freed():
    for kind in (newpassmanagers.ModulePassManager, newpassmanagers.FunctionPassManager):
        assert not hasattr(newpassmanagers, "NewPassManager") or "_dispose" in vars(kind)


def test_records_are_named_by_their_fields():
    one, other = (numba.from_dtype(record(**{name: FLOAT}).dtype) for name in ("a", "b"))
    assert one.mangling_args != other.mangling_args
    assert one.mangling_args == numba.from_dtype(record(a=FLOAT).dtype).mangling_args


def test_longer_record_is_not_converted_to_a_shorter_one():
    short, long = numba.from_dtype(record(a=FLOAT).dtype), numba.from_dtype(record(a=FLOAT, b=INT).dtype)
    assert long.can_convert_to(None, short) is None


def test_callback_has_the_attributes_that_the_cache_replaces():
    callback = CFunc(lambda x: x, ((types.float64,), types.float64), {}, {})
    assert hasattr(callback, "_cache")
    assert numba_compat.compile_callback(lambda x: 2.0 * x, NUMBER_OF_NUMBER, cached=False).ctypes(3.0) == 6.0


def test_cache_has_the_methods_that_are_replaced():
    for name in ("load_overload", "save_overload", "_index_key"):
        assert callable(getattr(FunctionCache, name))
    assert list(inspect.signature(FunctionCache.load_overload).parameters) == ["self", "sig", "target_context"]


def test_dispatcher_compiles_once_for_all_constants():
    @jit
    def double(x):
        return 2 * x

    @numba.njit
    def both():
        return double(3) + double(4)

    assert both() == 14
    assert len(double._inside.overloads) == 1


def test_record_type_is_a_function_in_compiled_code():
    pair = record(a=FLOAT, b=INT)
    table = pair.zeros(2)
    table["a"] = (1.0, 2.5)

    @numba.njit
    def second(address):
        return pair(address, 1).a

    assert second(table.ctypes.data) == 2.5


def test_threads_are_known_to_be_started_or_not():
    assert numba_compat.threads_are_started() in (True, False)
    from numba.np.ufunc import parallel

    assert isinstance(parallel.NUM_THREADS, int | np.integer)


@jit
def _doubled(x):
    """Return 2 x."""
    return 2.0 * x


@kernel(NUMBER_OF_NUMBER)
def _four_times(x):
    return _doubled(_doubled(x))


def compiled_helper() -> Any:
    """Return the compile result of the helper, which a cached kernel does not need."""
    _doubled._inside.compile((types.float64,))
    (compiled,) = _doubled._inside.overloads.values()
    return compiled


def test_helpers_are_linked_into_kernels_without_being_loaded():
    assert _four_times.call(1.5) == 6.0
    compiled = compiled_helper()
    assert isinstance(compiled.library, helper_compiler.HelperLibrary)
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0


def test_a_helper_is_read_from_the_cache_as_it_was_written():
    compiled = compiled_helper()
    stored = compiled.library.serialize_using_object_code()
    assert stored[1] == helper_compiler.HELPER_CODE
    again = compiled.target_context.codegen().unserialize_library(stored)
    assert isinstance(again, helper_compiler.HelperLibrary)
    names = [function.name for function in again.get_defined_functions()]
    assert compiled.fndesc.llvm_func_name in names


def test_other_code_is_read_from_the_cache_by_numba():
    function = numba.njit("float64(float64)")(lambda x: x + 1.0)
    (compiled,) = function.overloads.values()
    again = compiled.target_context.codegen().unserialize_library(compiled.library.serialize_using_bitcode())
    assert not isinstance(again, helper_compiler.HelperLibrary)


def test_importing_carom_does_not_import_the_compiler_of_helpers():
    program = "import sys, carom; print('carom.kernels.helper_compiler' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "False"
