"""True error of compliant runs relative to the requested one, as a table.

`python benchmarks/tolerance.py [NAME …] [--integrator NAME] [--json FILE]` runs the compliant cases of the gallery and
the scenes of lasting contact at rtol 1e-4, 1e-6 and 1e-8, with atol = rtol/100, against a run at 1e-11.
`--between` uses 3e-5, 3e-7 and 3e-9: a check of constants that were chosen with the first.
The error is the largest over all bodies and output times of |Δposition|/largest position and |Δvelocity|/largest
velocity; the ratio is that error over rtol. The project aims at ratios between 0.01 and 1. Where motion is chaotic the
comparison ends early (`HORIZONS`); `--t-end` shows what follows.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import carom as cm
import compare  # noqa: F401 - finds the peers
import lasting
from carom.gallery import CASES

TOLERANCES = (1e-4, 1e-6, 1e-8)
BETWEEN = (3e-5, 3e-7, 3e-9)
REFERENCE = 1e-11
OUTPUTS = 5
"""Times at which a run is compared, evenly spaced."""
AIM = (0.01, 1.0)
"""Ratios of true to requested error that the project aims at."""
HORIZONS: dict[str, tuple[float, str]] = {
    "chain": (0.8, "chaotic after the whip"),
    "quick_return": (0.042, "chaotic"),
    "funnel": (0.4, "chaotic before the balls meet the wall for good"),
    "differential": (0.3, "slow reference"),
    "lasting.balls_in_tube": (0.042, "chaotic before the balls rest"),
    "lasting.crank_press": (0.05, "chaotic"),
    "lasting.five_boxes": (0.3, "slow reference"),
    "lasting.five_planar_boxes": (0.5, "slow reference"),
    "lasting.loaded_cam": (0.93, "compared at five phases of the cam"),
    "lasting.spline_cam": (1.0, "slow reference"),
    "lasting.cup_and_marble": (1.0, "slow reference"),
}
"""Length of the comparison [s] where it is not that of the case, and the reason."""
STIFF = ("lasting.five_boxes", "lasting.five_planar_boxes")
"""Scenes whose reference takes implicit steps: regularised friction at rest makes explicit ones too short."""
QUANTITIES = ("position", "velocity", "omega")
LEAST = 1e-9
"""Largest position, velocity or angular velocity below which there is no motion [SI units]."""
ROUNDING = 1e-12
"""Error below which positions and velocities do not depend on the tolerance: they are driven, or do not change."""
LONGEST_REFERENCE = 60.0
"""CPU time for a reference [s]; a case that needs more is not compared."""


@dataclass(frozen=True)
class Run:
    """One run against its reference."""

    name: str
    t_end: float
    rtol: float
    steps: int
    implicit_steps: int
    seconds: float
    position: float
    """Error of positions over rtol."""
    velocity: float
    """Error of velocities over rtol."""
    rotation: float
    """Error of angular velocities over rtol, for comparison: it shows bodies that only rotate."""

    @property
    def ratio(self) -> float:
        return max(self.position, self.velocity)


def largest(run: cm.Result, bodies: list[str]) -> dict[str, float]:
    """Return the largest position, velocity and angular velocity of all bodies and nodes of a run."""
    return {
        quantity: max(float(np.abs(np.asarray(getattr(run[body], quantity))).max()) for body in bodies)
        for quantity in QUANTITIES
    }


def errors(run: cm.Result, reference: cm.Result, scales: dict[str, float], bodies: list[str]) -> list[float]:
    """Return the errors of positions, velocities and angular velocities, relative to ``scales``."""
    found = []
    for quantity in QUANTITIES:
        pairs = [(np.asarray(getattr(run[b], quantity)), np.asarray(getattr(reference[b], quantity))) for b in bodies]
        worst = max(float(np.abs(computed - exact).max()) for computed, exact in pairs)
        found.append(worst / scales[quantity] if scales[quantity] > LEAST else 0.0)
    return found


def scenes() -> dict[str, tuple[Callable[[], cm.System], float]]:
    """Return every compliant case and scene: how it is built, and the length of its comparison [s]."""
    found: dict[str, tuple[Callable[[], cm.System], float]] = {}
    for name, build in CASES.items():
        case = build()
        if case.options.get("method", "compliant") != "compliant" or not isinstance(case.system, cm.System):
            continue
        if not case.system.groups:  # thousands of bodies take fixed steps
            found[name] = (lambda build=build: build().system), case.options["t_end"]
    for name, scene in lasting.SCENES.items():
        found[f"lasting.{name}"] = scene.build, scene.t_end
    return {name: (build, HORIZONS.get(name, (t_end, ""))[0]) for name, (build, t_end) in found.items()}


def give_up(*_: object) -> None:
    raise TimeoutError


def compared(
    name: str, build: Callable[[], cm.System], t_end: float, tolerances: Sequence[float] = TOLERANCES, **options: Any
) -> list[Run]:
    """Return the runs of a case with the default integrator at all ``tolerances``."""
    outputs = np.linspace(0.0, t_end, OUTPUTS + 1)[1:]

    def run(rtol: float, **chosen: Any) -> cm.Result:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cm.simulate(
                build(), t_end, rtol=rtol, atol=1e-2 * rtol, progress=False,
                **{"output": outputs, **options, **chosen},
            )  # fmt: skip

    bodies = [body.name for body in build().bodies]
    scales = largest(run(1e-6, output=None), bodies)  # of all steps: a stack at rest has no speed at late times
    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, LONGEST_REFERENCE)
    try:
        reference = run(REFERENCE, integrator="implicit" if name in STIFF else "dopri5")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    if not reference.outcome.ok:
        raise TimeoutError
    runs = []
    for rtol in tolerances:
        run(rtol)
        began = time.process_time()
        result = run(rtol)
        seconds = time.process_time() - began
        ratios = [error / rtol for error in errors(result, reference, scales, bodies)]
        runs.append(
            Run(name, t_end, rtol, result.stats["steps"], result.stats.get("implicit_steps", 0), seconds, *ratios)
        )
    return runs


def verdict(runs: list[Run]) -> str:
    """Return how the ratios of a case lie to the aim."""
    low, high = AIM
    ratios = [run.ratio for run in runs]
    if all(run.ratio * run.rtol < ROUNDING for run in runs):
        return "rounding"
    if all(low <= ratio <= high for ratio in ratios):
        return "inside"
    words = [word for word, out in (("finer", min(ratios) < low), ("coarser", max(ratios) > high)) if out]
    return " and ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="cases, by default all")
    parser.add_argument("--integrator", default="auto")
    parser.add_argument("--t-end", type=float, help="length of the comparison [s], for all names")
    parser.add_argument("--json", type=Path, help="write all numbers to this file, too")
    parser.add_argument("--between", action="store_true", help="tolerances between the usual ones")
    chosen = parser.parse_args()
    tolerances = BETWEEN if chosen.between else TOLERANCES
    console, known, found = Console(width=140), scenes(), []
    ratios = [f"{rtol:.0e}: error/rtol (position, rotation)" for rtol in tolerances]
    table = Table("case", "until [s]", *ratios, "implicit", "aim")
    for name in chosen.names or known:
        try:
            build, t_end = known[name]
            runs = compared(name, build, chosen.t_end or t_end, tolerances, integrator=chosen.integrator)
        except TimeoutError:
            console.log(f"{name}: no reference within {LONGEST_REFERENCE:g} s")
            continue
        found += runs
        shares = "/".join(str(run.implicit_steps) for run in runs)
        cells = [f"{run.ratio:.2g} ({run.position:.1g}, {run.rotation:.1g})" for run in runs]
        console.log(name, *cells, shares)
        table.add_row(name, f"{runs[0].t_end:.3g}", *cells, shares, verdict(runs))
    console.print(table)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(run) for run in found], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
