"""Functions of the SUNDIALS library that scikit-sundae installs, called directly through ctypes.

The wheels of scikit-sundae contain SUNDIALS as shared libraries on every platform. Python code of scikit-sundae is then
not needed between CVODE and a compiled right-hand side.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_double, c_int, c_int64, c_long, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

SUPPORTED_VERSION = "7."
"""First characters of the versions of SUNDIALS whose functions are declared here."""

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # name: (type of the result, types of the arguments); an index of SUNDIALS fits into the register of an int64
    "SUNContext_Create": (c_int, (c_int, POINTER(c_void_p))),
    "SUNContext_Free": (c_int, (POINTER(c_void_p),)),
    "SUNContext_ClearErrHandlers": (c_int, (c_void_p,)),
    "N_VNew_Serial": (c_void_p, (c_int64, c_void_p)),
    "N_VDestroy": (None, (c_void_p,)),
    "N_VGetArrayPointer": (c_void_p, (c_void_p,)),
    "SUNDenseMatrix": (c_void_p, (c_int64, c_int64, c_void_p)),
    "SUNDenseMatrix_Data": (c_void_p, (c_void_p,)),
    "SUNMatDestroy": (None, (c_void_p,)),
    "SUNLinSol_Dense": (c_void_p, (c_void_p, c_void_p, c_void_p)),
    "SUNLinSolFree": (c_int, (c_void_p,)),
    "CVodeCreate": (c_void_p, (c_int, c_void_p)),
    "CVodeInit": (c_int, (c_void_p, c_void_p, c_double, c_void_p)),
    "CVodeReInit": (c_int, (c_void_p, c_double, c_void_p)),
    "CVodeSetUserData": (c_int, (c_void_p, c_void_p)),
    "CVodeSVtolerances": (c_int, (c_void_p, c_double, c_void_p)),
    "CVodeSetLinearSolver": (c_int, (c_void_p, c_void_p, c_void_p)),
    "CVodeSetJacFn": (c_int, (c_void_p, c_void_p)),
    "CVodeSetMaxNonlinIters": (c_int, (c_void_p, c_int)),
    "CVodeSetMaxConvFails": (c_int, (c_void_p, c_int)),
    "CVodeSetInitStep": (c_int, (c_void_p, c_double)),
    "CVodeSetMinStep": (c_int, (c_void_p, c_double)),
    "CVodeSetMaxStep": (c_int, (c_void_p, c_double)),
    "CVodeSetMaxOrd": (c_int, (c_void_p, c_int)),
    "CVodeSetMaxNumSteps": (c_int, (c_void_p, c_long)),
    "CVodeSetStopTime": (c_int, (c_void_p, c_double)),
    "CVodeClearStopTime": (c_int, (c_void_p,)),
    "CVode": (c_int, (c_void_p, c_double, c_void_p, POINTER(c_double), c_int)),
    "CVodeFree": (None, (POINTER(c_void_p),)),
}


class SundialsLibrary:
    """The functions of `FUNCTIONS`, as attributes; raises AttributeError if one is missing."""

    def __init__(self, libraries: list[ctypes.CDLL]):
        for name, (result, arguments) in FUNCTIONS.items():
            function = next((getattr(library, name) for library in libraries if hasattr(library, name)), None)
            if function is None:
                raise AttributeError(f"SUNDIALS has no function {name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Raise: all functions are attributes of the object (for type checkers)."""
        raise AttributeError(name)

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(ctypes.cast(getattr(self, name), c_void_p).value or 0)


@cache
def sundials_library() -> SundialsLibrary | None:
    """Return the library, or None where it cannot be reached; the Python interface of scikit-sundae is then used."""
    extension = importlib.import_module("sksundae._cy_cvode")
    common = importlib.import_module("sksundae._cy_common")
    settings = getattr(common, "config", {})
    if not str(settings.get("SUNDIALS_VERSION", SUPPORTED_VERSION)).startswith(SUPPORTED_VERSION):
        return None
    if common.DTYPE().itemsize != ctypes.sizeof(c_double):
        return None
    try:
        return SundialsLibrary(list(shared_libraries(Path(str(extension.__file__)), sys.platform)))
    except (AttributeError, OSError):
        return None


def shared_libraries(extension: Path, platform: str) -> Iterator[ctypes.CDLL]:
    """Yield the shared libraries of SUNDIALS that the extension module of scikit-sundae has loaded.

    On Linux and macOS a function is looked up in a library and in all that it depends on, so the extension module is
    enough. On Windows it is looked up in one library only; the wheel adds a hash to their names, Conda does not.
    """
    if platform != "win32":
        yield ctypes.CDLL(str(extension))
        return
    folder = extension.parent.parent / "scikit_sundae.libs"
    for name in ("sundials_cvode", "sundials_core"):
        files = sorted(folder.glob(f"{name}-*.dll"))
        yield ctypes.CDLL(str(files[0]) if files else f"{name}.dll")
