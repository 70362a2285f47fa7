"""Compiler of helpers, with internals of Numba like `carom.kernels.numba_compat`.

A module of its own: importing Numba's compiler takes a tenth of a second, and most processes compile nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite.binding import parse_bitcode
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference

from carom.kernels.numba_compat import OPTIONS, cache_on_first_compilation, ignore_literals


class _CodegenWithoutEnvironments:
    """Code generator for libraries that are not loaded: it does not set the environment of their functions."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: the environment of a helper would be used to raise exceptions, which helpers do not."""


class HelperLibrary(JITCodeLibrary):
    """Code of a helper, which is linked into that of kernels: only they are optimised and loaded, as a whole."""

    @property
    def codegen(self) -> Any:
        """Code generator."""
        return _CodegenWithoutEnvironments(self._codegen)

    def _optimize_final_module(self) -> None:
        """Leave it to the kernels."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: no function is loaded."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the code for the cache."""
        return str(self.name), HELPER_CODE, self._get_module_for_linking().as_bitcode()


HELPER_CODE = "helper"
"""Kind of cached code that a `HelperLibrary` contains."""


def read_helpers_from_the_cache() -> None:
    """Let Numba make a `HelperLibrary` of cached code of a helper."""
    read = JITCodeLibrary._unserialize

    def unserialize(codegen: Any, state: Any) -> Any:
        name, kind, bitcode = state
        if kind != HELPER_CODE:
            return read(codegen, state)
        library = HelperLibrary(codegen, name)
        library._final_module = parse_bitcode(bitcode)
        library._finalize_final_module()
        return library

    JITCodeLibrary._unserialize = staticmethod(unserialize)


read_helpers_from_the_cache()


@register_pass(mutates_CFG=False, analysis_only=True)
class _UseHelperLibrary(FunctionPass):
    _name = "carom_use_helper_library"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Set the library into which the function is compiled."""
        if state.library is None:
            state.library = HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class HelperCompiler(CompilerBase):
    """Compiler of helpers: their code is not optimised on its own, which would take half of the time."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_UseHelperLibrary, NopythonTypeInference)
        passes.finalize()
        return [passes]


def helper_dispatcher(function: Callable[..., Any], inline: bool) -> Any:
    """Return the form of a helper that kernels call; with ``inline`` its code becomes a part of its callers."""
    options = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    if inline:
        options["forceinline"] = True
    inside = numba.njit(pipeline_class=HelperCompiler, **options)(function)
    cache_on_first_compilation(inside)
    ignore_literals(inside)
    return inside
