"""Five boxes that settle into a stack in carom; the time includes building its tables and its result."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from pathlib import Path

import carom as cm
from measured import best, say, timed
from problems import FiveBoxes as P

sys.path.append(str(Path(__file__).resolve().parents[1]))
from lasting import five_boxes

TOLERANCES = (1e-8, 1e-6, 1e-4)
"""Relative tolerances, the default first [-]."""


def run(system: cm.System, **options: object) -> tuple[float, tuple[int, dict[str, float]]]:
    results: list[cm.Result] = []
    output = (P.t_creep, P.t_end)
    seconds = timed(lambda: results.append(cm.simulate(system, P.t_end, output=output, progress=False, **options)))
    before, after = results[0].q[-2:].reshape(2, P.count, 7)[:, :, :3]
    return seconds, (results[0].stats["steps"], P.settled(before, after))


def main() -> None:
    warnings.simplefilter("ignore")
    system = five_boxes()
    run(system)
    for rtol in TOLERANCES:
        seconds, (steps, found) = best(partial(run, system, rtol=rtol, atol=1e-2 * rtol))
        say("springs and dampers", f"rtol {rtol:.0e}", seconds, steps, **found)


if __name__ == "__main__":
    main()
