"""Time of whole processes: CPU seconds, which other work on the machine disturbs little."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path


def cpu(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a process and its children."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # wait4 has taken it from subprocess
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def cpu_until(command: list[str], beginning: str, environment: Mapping[str, str] | None = None) -> float:
    """CPU seconds of a process until its last line with this ``beginning``; wall seconds where there is no /proc."""
    began, seconds = time.perf_counter(), float("inf")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(beginning):
                seconds = spent(process.pid, time.perf_counter() - began)
    return seconds


def spent(pid: int, otherwise: float) -> float:
    """CPU seconds of a running process and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return otherwise
    return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")
