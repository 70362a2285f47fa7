"""CPU time of whole processes, which other work disturbs little."""

from __future__ import annotations

import os
import subprocess
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
