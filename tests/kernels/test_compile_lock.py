"""Processes that need the same function compile it once."""

import subprocess
import sys
import threading

import pytest

from carom.kernels import compile_lock as module
from carom.kernels.compile_lock import compile_lock

pytest.importorskip("fcntl", reason="this system has no locks that end with their process")

OTHER = """
import sys
from carom.kernels.compile_lock import compile_lock

def function(): ...

function.__module__ = "test"
with compile_lock(function):
    print("locked", flush=True)
    sys.stdin.read()
"""


def function():
    """Is never compiled."""


def another():
    """Has a lock of its own."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "folder", lambda: str(tmp_path))
    return tmp_path


def entered(wanted) -> tuple[threading.Thread, threading.Event]:
    """Return a thread that takes the lock of ``wanted``, and the event that it has."""
    inside = threading.Event()

    def take() -> None:
        with compile_lock(wanted):
            inside.set()

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    return thread, inside


@pytest.mark.usefixtures("place")
def test_the_second_waits_for_the_first():
    with compile_lock(function):
        thread, inside = entered(function)
        assert not inside.wait(0.05)
        beside, free = entered(another)
        assert free.wait(5.0)
    assert inside.wait(5.0)
    thread.join()
    beside.join()


def test_the_lock_of_a_process_that_is_killed_is_released(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(module, "folder", lambda: str(tmp_path / "carom"))
    monkeypatch.setattr(function, "__module__", "test")
    process = subprocess.Popen([sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "locked\n"
    thread, inside = entered(function)
    assert not inside.wait(0.05)
    process.kill()
    assert inside.wait(10.0)
    thread.join()
    process.communicate()


@pytest.mark.parametrize("reason", ["no cache", "unwritable", "no locks"])
def test_without_a_lock_a_function_is_compiled_all_the_same(place, monkeypatch, reason):
    if reason == "no cache":
        monkeypatch.setattr(module, "folder", lambda: None)
    elif reason == "no locks":
        monkeypatch.setattr(module, "fcntl", None)
    else:
        (place / "locks").write_text("a file")
    assert module._open(function) is None
    with compile_lock(function), compile_lock(function):  # one lock taken twice would wait for ever
        pass
