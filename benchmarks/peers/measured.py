"""Measurement and report of every program's script: CPU time of one thread, one line of JSON per setting."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

TRIES, ENOUGH, PATIENCE = 4, 0.15, 0.8
"""A run is repeated at least so often, and until all together took so long [CPU s]; or until so long, however often."""


def best(run: Callable[[], tuple[float, Any]]) -> tuple[float, Any]:
    """The least CPU seconds that ``run`` reports, and what it found."""
    spent, least, found = 0.0, float("inf"), None
    tries = 0
    while (tries < TRIES or spent < ENOUGH) and spent < PATIENCE:
        seconds, found = run()
        tries, spent, least = tries + 1, spent + seconds, min(least, seconds)
    return least, found


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of ``work``."""
    began = time.process_time()
    work()
    return time.process_time() - began


def say(way: str, setting: str, seconds: float, steps: int, **found: float) -> None:
    """Report one setting of one ``way`` to solve the problem: its time, and what it found."""
    line = {"way": way, "setting": setting, "seconds": seconds, "steps": steps, "found": found}
    json.dump(line, sys.stdout)
    sys.stdout.write("\n")
    sys.stdout.flush()
