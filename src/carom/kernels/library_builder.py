"""Build the library of all kernels: ``python -m carom.kernels.library_builder`` (see `carom.kernels.prebuilt`).

Every kernel of the package is compiled by Numba, for a processor that all users have, and its code is emitted once more
so that it can be loaded at any address. Objects are kept in the kernel cache, by the digest of all that they depend on:
after an edit only the kernels concerned are compiled. A C compiler links the objects.
"""

from __future__ import annotations

import hashlib
import importlib
import multiprocessing
import os
import pkgutil
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from carom.kernels.cache import folder as cache_folder
from carom.kernels.decorators import Kernel
from carom.kernels.prebuilt import (
    FOLDER,
    LIBRARY,
    SUPPORTED,
    TABLE,
    kernel_name,
    machine_name,
    signature_text,
    written_table,
)
from carom.kernels.source_digest import ROOT, content_hash, source_digest, source_files
from carom.kernels.user_functions import may_raise

PROCESSORS = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3", "aarch64": "generic", "arm64": "generic"}
"""Processor, as LLVM names it, for which kernels are compiled: the least one on which they run."""
PROCESSOR_CHECKS = {
    "x86-64-v3": '__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") '
    '&& __builtin_cpu_supports("bmi2") && has_further_instructions()',
    "generic": "1",
}
"""Condition in C that the processor has all instructions."""

MATHEMATICS = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fma", "fmod", "frexp", "hypot", "ldexp", "lgamma", "log",
    "log10", "log1p", "log2", "memcpy", "memmove", "memset", "nextafter", "pow", "round", "sin", "sincos", "sinh",
    "sqrt", "tan", "tanh", "tgamma", "trunc",
}  # fmt: skip
"""Functions of the C library that kernels may call."""
ERROR_PATH = re.compile(r"(PyErr_|PyExc_|PyUnicode_|PyBytes_|PyObject_|Py_|numba_|NRT_)\w+")
"""Functions that kernels call when they raise an exception, which they never do."""

ELF_FLAGS = ["-shared", "-static-libgcc", "-Wl,--as-needed,--wrap=hypot", "-s"]
STUBS = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define HIDDEN __attribute__((visibility("hidden")))
#if defined(__x86_64__)
#include <cpuid.h>
/* LZCNT, MOVBE and F16C, which not every compiler knows by name. */
static int has_further_instructions(void)
{{
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c >> 5 & 1))
        return 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 22 & 1) && (c >> 29 & 1);
}}
#endif
#if defined(__linux__)
/* The newest version of hypot needs glibc 2.35; the first one differs in how it reports errors. */
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver first_hypot, hypot@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".symver first_hypot, hypot@GLIBC_2.17");
#else
#define first_hypot hypot
#endif
double first_hypot(double, double);
HIDDEN double __wrap_hypot(double x, double y) {{ return first_hypot(x, y); }}
#endif
{stubs}
HIDDEN double numba_nextafter(double x, double y) {{ return nextafter(x, y); }}
int {supported}(void) {{ return {check}; }}
"""
STUB = 'HIDDEN void *{name}(void) {{ fputs("carom: a kernel raised an exception ({name})\\n", stderr); abort(); }}'


def all_kernels() -> dict[str, Kernel]:
    """Return every kernel of the package by its name."""
    kernels: dict[str, Kernel] = {}
    for module in pkgutil.walk_packages([str(ROOT)], "carom."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Kernel) and not value.function.__closure__:
                kernels[kernel_name(value.function)] = value
    return dict(sorted(kernels.items()))


def symbol_of(name: str) -> str:
    """Return the symbol of a kernel in the library."""
    return name.replace(".", "_")


def processor() -> str:
    """Return the processor for which kernels are compiled here."""
    return PROCESSORS.get(platform.machine(), "generic")


def refuse_exceptions(name: str, function: Callable[..., Any]) -> None:
    """Raise if a kernel, or a helper that it calls, raises exceptions, which need Python."""
    if may_raise(function):
        raise RuntimeError(
            f"kernel {name} has a raise or an assert, or calls a helper that has; return a status instead"
        )


def build_object(name: str, folder: str) -> str:
    """Compile a kernel unless its object is there; return the path of the object."""
    module, _, attribute = name.rpartition(".")
    kernel = getattr(importlib.import_module(module), attribute)
    from carom.kernels import numba_compat

    made_from = (source_digest(kernel.function), repr(kernel.signature), processor(), numba_compat.NUMBA_VERSION)
    path = Path(folder) / f"{symbol_of(name)}.{hashlib.sha256(repr(made_from).encode()).hexdigest()[:16]}.o"
    if not path.exists():
        refuse_exceptions(name, kernel.function)
        for old in Path(folder).glob(f"{symbol_of(name)}.*.o"):
            old.unlink(missing_ok=True)
        code = numba_compat.object_code(kernel.function, kernel.signature, symbol_of(name), processor())
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(code)
        os.replace(part, path)
    return str(path)


def undefined_symbols(objects: list[str]) -> set[str]:
    """Return the symbols that objects use and do not define."""
    lines = subprocess.run(["nm", "-u", *objects], check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines if line.strip() and not line.endswith(":")}
    return {name.removeprefix("_") if sys.platform == "darwin" else name for name in names}


def link(objects: list[str], target: Path) -> None:
    """Link objects to a library; raise if they need functions that it cannot have."""
    needed = undefined_symbols(objects)
    errors = {name for name in needed if ERROR_PATH.fullmatch(name)} - {"numba_nextafter"}
    unknown = needed - errors - MATHEMATICS - {"numba_nextafter"}
    if unknown:
        raise RuntimeError(f"kernels call {', '.join(sorted(unknown))}, which a library without Python cannot have")
    stubs = "\n".join(STUB.format(name=name) for name in sorted(errors))
    source = STUBS.format(stubs=stubs, supported=SUPPORTED, check=PROCESSOR_CHECKS[processor()])
    with tempfile.TemporaryDirectory() as place:
        stub_file = Path(place) / "stubs.c"
        stub_file.write_text(source)
        flags = ["-dynamiclib"] if sys.platform == "darwin" else ELF_FLAGS
        command = [
            os.environ.get("CC", "cc"),
            "-O2",
            "-fPIC",
            *flags,
            "-o",
            str(target),
            str(stub_file),
            *objects,
            "-lm",
        ]
        subprocess.run(command, check=True)


def wheel_platform(library: Path) -> str:
    """Return the platform of a wheel with this library: the oldest C library that has all functions it calls."""
    if sys.platform != "linux":
        import sysconfig

        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    table = subprocess.run(["nm", "-D", str(library)], check=True, capture_output=True, text=True).stdout
    versions = [int(minor) for minor in re.findall(r"@GLIBC_2\.(\d+)", table)]
    return f"manylinux_2_{max([17, *versions])}_{platform.machine()}"


def table_of(kernels: dict[str, Kernel], library: Path) -> dict[str, Any]:
    """Return the table of a library."""
    files_of_modules = {
        kernel.function.__module__: sorted(
            path.relative_to(ROOT).as_posix() for path in source_files(kernel.function) if path.is_relative_to(ROOT)
        )
        for kernel in kernels.values()
    }
    files = sorted({file for files in files_of_modules.values() for file in files})
    return {
        "machine": machine_name(),
        "processor": processor(),
        "wheel_platform": wheel_platform(library),
        "digest": hashlib.sha256(library.read_bytes()).hexdigest(),
        "files": {file: content_hash(ROOT / file).hex()[:16] for file in files},
        "modules": files_of_modules,
        "kernels": {
            name: {"symbol": symbol_of(name), "signature": signature_text(kernel.signature)}
            for name, kernel in kernels.items()
        },
    }


def build(kernels: dict[str, Kernel], target: Path = FOLDER) -> None:
    """Build the library of these kernels and its table in a folder."""
    objects_folder = Path(cache_folder() or tempfile.mkdtemp()) / "objects"
    objects_folder.mkdir(parents=True, exist_ok=True)
    # Numba reads these when it is imported, which the processes do that compile.
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = processor(), ""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        objects = list(pool.map(build_object, kernels, [str(objects_folder)] * len(kernels)))
    target.mkdir(exist_ok=True)
    part, table_part = target / f"{LIBRARY}.part", target / f"{TABLE}.part"
    link(objects, part)
    table_part.write_text(written_table(table_of(kernels, part)))
    (target / TABLE).unlink(missing_ok=True)  # a library without a table is not used
    os.replace(part, target / LIBRARY)
    os.replace(table_part, target / TABLE)


def main() -> None:
    """Build the library of this working copy."""
    kernels = all_kernels()
    build(kernels)
    size = (FOLDER / LIBRARY).stat().st_size
    print(f"{len(kernels)} kernels, {size / 1e6:.1f} MB: {FOLDER / LIBRARY}")


if __name__ == "__main__":
    main()
