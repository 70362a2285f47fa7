"""Ensembles of two spheres, and of a slider-crank and a block: time per run, two threads, a Sobol study."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import carom as cm

RUN_BAR, CRANK_BAR, THREADS_BAR, SOBOL_BAR = 100e-6, 2e-3, 1.0 / 1.8, 15.0
"""Of a run of two spheres, of one of slider-crank and block [CPU s], of two threads over one [-], of the study [s]."""
RUNS, CRANK_RUNS, SOBOL_RUNS = 8192, 128, 100_000
TOLERANCE, CRANK_TOLERANCE = 1e-3, 1e-5
"""Relative tolerances at which measures of the two models have an error of 1e-4 or less."""
MAX_ERROR = 1e-4

SPHERES = {
    "touch.law.restitution": (0.6, 0.9), "touch.law.stiffness": (5e9, 6e9), "left.velocity.x": (0.1, 0.2),
    "right.velocity.x": (-0.2, -0.1),
}  # fmt: skip
CRANK = {"crank.angular_velocity": (145.0, 150.0), "touch.law.restitution": (0.6, 0.8), "block.mass": (0.15, 0.2)}
MEASURES = ["impacts.peak_force.max", "impacts.restitution.first", "left.vx.final"]

Measured = tuple[str, float, float | None, str, float]


def spheres(count: int, **options: object) -> cm.study.EnsembleResult:
    """Run two spheres with values of a Sobol sequence."""
    case = cm.gallery.two_spheres(law="flores")
    return cm.ensemble(case, SPHERES, MEASURES, samples=count, method="sobol", progress=False, **options)


def crank(count: int, **options: object) -> cm.study.EnsembleResult:
    """Run a slider-crank and a block with values of a Latin hypercube."""
    case = cm.gallery.slider_crank_block()
    return cm.ensemble(case, CRANK, ["block.vx.final", "impacts.count"], samples=count, progress=False, **options)


def at(tolerance: float) -> dict[str, float]:
    """Return the options of a run with a tolerance."""
    return {"rtol": tolerance, "atol": 1e-2 * tolerance}


def error(run: Callable[..., cm.study.EnsembleResult], tolerance: float) -> float:
    """Return the largest relative error of the measures at a tolerance, against a tight one."""
    rough, tight = run(64, **at(tolerance)), run(64, **at(1e-11))
    return max(float(abs(rough[name] / tight[name] - 1.0).max()) for name in rough.measures)


def timed(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Return the time of a piece of work by a clock."""
    began = clock()
    work()
    return clock() - began


def measure() -> list[Measured]:
    """Rows of the bars."""
    options = at(TOLERANCE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accuracy, crank_accuracy = error(spheres, TOLERANCE), error(crank, CRANK_TOLERANCE)
        run = min(timed(time.process_time, lambda: spheres(RUNS, threads=1, **options)) for _ in range(3)) / RUNS
        whole = min(
            timed(time.process_time, lambda: crank(CRANK_RUNS, threads=1, **at(CRANK_TOLERANCE))) for _ in range(3)
        )
        ratios = [
            timed(time.perf_counter, lambda: spheres(RUNS, threads=2, **options))
            / timed(time.perf_counter, lambda: spheres(RUNS, threads=1, **options))
            for _ in range(3)
        ]
        study = timed(time.perf_counter, lambda: spheres(SOBOL_RUNS, threads=2, **options))
    return [
        ("two spheres in an ensemble, a run (one thread, with design and rows)", run, RUN_BAR, "µs", 1e6),
        ("  largest relative error of force, restitution and speed", accuracy, MAX_ERROR, "-", 1.0),
        ("slider-crank and block in an ensemble, a run", whole / CRANK_RUNS, CRANK_BAR, "ms", 1e3),
        ("  largest relative error of the speed of the block", crank_accuracy, MAX_ERROR, "-", 1.0),
        ("two spheres in an ensemble, two threads (wall time, of one)", min(ratios), THREADS_BAR, "-", 1.0),
        (f"Sobol study with {SOBOL_RUNS} runs of two spheres, two threads (wall time)", study, SOBOL_BAR, "s", 1.0),
    ]


def main() -> None:
    for work, measured, bar, unit, scale in measure():
        print(f"{work}: {measured * scale:.3g} {unit} (bar {bar * scale:.3g})")


if __name__ == "__main__":
    main()
