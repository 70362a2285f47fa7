"""Settings shared by all tests."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from carom.kernels import background_compilation
from quick import FULL

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# Examples are the same in every run; the first one may pay for a compilation, so none is timed.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=FULL // 6)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=FULL)
settings.load_profile("quick")

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers keep all processors busy: none compiles ahead of a run
    background_compilation.folder = lambda: None

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts background jobs so; tests of Ctrl-C need it
    signal.signal(signal.SIGINT, signal.default_int_handler)


UNCOMPILED = not sys.dont_write_bytecode and not any(Path(__file__).parent.glob("cli/__pycache__/*.pyc"))
"""True until the byte code of the tests is made."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Let one worker make the byte code of all tests, which takes longer than to import them; the others wait."""
    if fcntl is None or not UNCOMPILED or "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return (yield)


@pytest.fixture(autouse=True, scope="module")
def end_of_caches(request: pytest.FixtureRequest) -> Iterator[None]:
    """Forget the results that functions of a test module have kept for its tests."""
    yield
    for value in vars(request.module).values():
        if hasattr(value, "cache_clear") and value.__module__ == request.module.__name__:
            value.cache_clear()


PEAKS: list[float] = []
"""Largest memory of each worker [GB]."""
LARGEST_PEAK = 1.5


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the peak memory of a worker to the process that reports."""
    if hasattr(session.config, "workeroutput") and sys.platform != "win32":
        import resource

        unit = 1.0 if sys.platform == "darwin" else 1024.0
        session.config.workeroutput["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """Keep what a worker has sent; one that died sent nothing."""
    if "peak" in getattr(node, "workeroutput", {}):
        PEAKS.append(node.workeroutput["peak"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if PEAKS:
        peaks = ", ".join(f"{peak:.2f} GB" for peak in PEAKS)
        over = f"; more than {LARGEST_PEAK} GB" if max(PEAKS) > LARGEST_PEAK else ""
        terminalreporter.write_line(f"peak memory of the workers: {peaks}{over}")


BROWSER_ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start a browser without a window: Debian's Chromium, or the one that playwright brings."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser test has run")
    with api.sync_playwright() as playwright:
        own = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        try:
            found = playwright.chromium.launch(executable_path=own, args=BROWSER_ARGUMENTS)
        except api.Error as error:
            pytest.skip(f"no browser can be started, no browser test has run (apt-get install chromium): {error}")
        yield found
        found.close()
