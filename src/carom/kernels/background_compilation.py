"""Compilation in a second process, while this one compiles something else.

Numba compiles one function at a time in a process. A model met for the first time on a machine needs some twenty
kernels; a second process takes half of them off, through the cache on disk. Where that is not possible, or the kernels
are cached already, nothing happens: every kernel is then compiled where it is first used.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Sequence

from carom.kernels.cache import folder
from carom.kernels.decorators import Kernel
from carom.kernels.interpreted import PLAIN

MAX_WAIT = 120.0
"""Longest wait for the second process [s]."""


def compile_ahead(kernels: Sequence[Kernel]) -> None:
    """Have ``kernels`` compiled by another process, if they are not cached; they wait for it when they are used."""
    unknown = [k for k in kernels if not k.ready and k.wait is None and not k.is_known_in_cache]
    if not unknown or not can_compile_elsewhere():
        return
    from carom.kernels.numba_compat import is_cached

    for kernel in unknown:
        kernel.is_known_in_cache = is_cached(kernel.function)  # so that the cache is searched once
    missing = [kernel for kernel in unknown if not kernel.is_known_in_cache]
    if not missing:
        return
    names = [f"{kernel.function.__module__}:{kernel.function.__qualname__}" for kernel in missing]
    command = [sys.executable, "-c", "from carom.kernels.background_compilation import main; main()", *names]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:  # no second process here: this one does all of it
        return
    for kernel in missing:
        kernel.wait = lambda: wait(process)


def can_compile_elsewhere() -> bool:
    """Return True if a second process can compile for this one."""
    is_frozen = not sys.executable or getattr(sys, "frozen", False)
    return not PLAIN and not is_frozen and folder() is not None and (os.cpu_count() or 1) > 1


def wait(process: subprocess.Popen[bytes]) -> None:
    """Wait until the other process is done; stop it if that exceeds the time limit."""
    try:
        process.wait(MAX_WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    """Compile the kernels named on the command line."""
    for name in sys.argv[1:]:
        module, _, attribute = name.partition(":")
        kernel = getattr(importlib.import_module(module), attribute)
        if not isinstance(kernel, Kernel):
            raise TypeError(f"{name} is not a kernel")
        kernel.compiled  # noqa: B018  (its machine code goes into the cache)
