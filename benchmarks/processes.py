"""Time of whole processes: of their CPUs, which other work disturbs little, or of the clock, where several share it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping


def installed(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a user: bytecode is kept, as it is where a package was installed."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | dict(more or {})


def cpu(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a process and its children."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=installed(environment)
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # wait4 has taken it from subprocess
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def seconds_until(command: list[str], beginning: str, environment: Mapping[str, str] | None = None) -> float:
    """Seconds that one waits for the last line of a process with this ``beginning``."""
    began, seconds = time.perf_counter(), float("inf")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=installed(environment)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(beginning):
                seconds = time.perf_counter() - began
    return seconds
