"""The other programs, each in an environment of its own where it can be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SYSTEM = "/usr/bin/python3"
"""The Python that Debian's packages belong to."""


@dataclass(frozen=True)
class Program:
    """A program: the Python that runs it and its version, or why there is none."""

    name: str
    python: str = ""
    version: str = ""
    why: str = ""


def run_command(command: list[str], timeout: float = 600.0) -> tuple[bool, str]:
    """Run a command; return True if it succeeds, and its last line."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, str(error)
    said = (done.stdout.strip() or done.stderr.strip()) if done.returncode == 0 else done.stderr.strip()
    return done.returncode == 0, said.splitlines()[-1] if said else ""


def from_pypi(name: str, folder: Path) -> Program:
    """A virtual environment under ``folder``, made once."""
    python = str(folder / name / "bin" / "python")
    version = [python, "-c", f"from importlib.metadata import version; print(version('{name}'))"]
    found, said = run_command(version)
    if not found:
        made, said = run_command([sys.executable, "-m", "venv", str(folder / name)])
        if made:
            made, said = run_command(
                [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", name, "scipy"]
            )
        if not made:
            return Program(name, why=f"pip install {name}: {said}")
        found, said = run_command(version)
    return Program(name, python, said) if found else Program(name, why=said)


def from_debian(name: str, package: str, module: str) -> Program:
    """Debian's package, installed where this user may."""
    present = [SYSTEM, "-c", f"import {module}"]
    version = ["dpkg-query", "-W", "-f", "${Version}", package]
    if not run_command(present)[0]:
        if shutil.which("apt-get") is None:
            return Program(name, why="it is a Debian package, and there is no apt-get")
        if os.geteuid() != 0:
            return Program(name, why=f"apt-get needs root; as root: apt-get install {package}")
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]
        if not run_command(install)[0]:
            run_command(["apt-get", "update", "-q"])
            done, said = run_command(install)
            if not done:
                return Program(name, why=f"apt-get install {package}: {said}")
        done, said = run_command(present)
        if not done:
            return Program(name, why=said)
    return Program(name, SYSTEM, run_command(version)[1])


def programs(folder: Path, report: Callable[[str], None]) -> list[Program]:
    """carom, and all that can be had; ``report`` hears of those that cannot."""
    from importlib.metadata import version

    found = [
        Program("carom", sys.executable, version("carom")),
        from_pypi("exudyn", folder),
        from_pypi("mujoco", folder),
        from_debian("siconos", "python3-siconos", "siconos.kernel"),
    ]
    for program in found:
        if program.why:
            report(f"{program.name} is not available: {program.why}")
    return found
