"""Compilation by a second process."""

import os
import subprocess
import sys

import pytest

from carom.kernels import background_compilation
from carom.kernels.decorators import Kernel
from carom.laws.normal.power_law import power_law

SCRIPT = """
import os

os.cpu_count = lambda: 2
from carom.kernels.background_compilation import compile_ahead
from carom.geometry.pairs.sphere_plane import sphere_plane
from carom.laws.normal.power_law import power_law

kernels = [power_law, sphere_plane]
compile_ahead(kernels)
waits = [kernel.wait is not None for kernel in kernels]
print(*waits, *(kernel.compiled.cache_hits for kernel in kernels), *(kernel.wait is None for kernel in kernels))
"""


def run(cache) -> list[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, timeout=100
    )
    return answer.stdout.split()


@pytest.mark.slow
def test_kernels_come_from_the_cache_that_a_second_process_has_filled(tmp_path):
    assert run(tmp_path) == ["True", "True", "1", "1", "True", "True"]
    # Once they are there, nobody is asked.
    assert run(tmp_path) == ["False", "False", "1", "1", "True", "True"]


def fresh() -> list[Kernel]:
    return [Kernel(power_law.function, power_law.signature) for _ in range(3)]


def test_without_a_second_process_kernels_are_compiled_here(monkeypatch, tmp_path):
    def refuse(*args, **options):
        raise OSError("no more processes")

    monkeypatch.setattr(background_compilation, "folder", lambda: str(tmp_path))  # nothing is cached there
    monkeypatch.setattr(background_compilation.subprocess, "Popen", refuse)
    kernels = fresh()
    background_compilation.compile_ahead(kernels)
    assert all(kernel.wait is None for kernel in kernels)
    assert kernels[0].address > 0


@pytest.mark.parametrize("reason", ["one processor", "no cache", "frozen"])
def test_nothing_is_started_where_it_cannot_help(monkeypatch, tmp_path, reason):
    monkeypatch.setattr(background_compilation, "folder", lambda: None if reason == "no cache" else str(tmp_path))
    monkeypatch.setattr(background_compilation.os, "cpu_count", lambda: 1 if reason == "one processor" else 2)
    monkeypatch.setattr(sys, "frozen", reason == "frozen", raising=False)
    started = []
    monkeypatch.setattr(background_compilation.subprocess, "Popen", lambda *args, **options: started.append(args))
    background_compilation.compile_ahead(fresh())
    assert not started


def test_a_process_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(background_compilation, "MAX_WAIT", 0.05)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    background_compilation.wait(process)
    assert process.returncode is not None
