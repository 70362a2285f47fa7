"""Many rigid spheres that settle in a box: CPU time per step and residual: `python benchmarks/rigid.py 1000`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import carom as cm
from carom.gallery.cases.box_of_spheres import lattice
from carom.solve.many_body.rigid_engine import RigidEngine
from carom.solve.many_body.rigid_problem import RigidProblem
from carom.solve.options import Nonsmooth
from carom.solve.run import RunRequest

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
from carom_spheres import box

STEP, SETTLE, REST, END = 1e-3, 0.6, 2.0, 2.2


@dataclass(frozen=True)
class Cost:
    """CPU time [s] and sweeps per step, mean relative residual, penetration after the last step [m]."""

    seconds: float
    sweeps: float
    residual: float
    penetration: float


def spheres(count: int) -> cm.System:
    """Return the system of ``count`` rigid spheres above a box."""
    centres, side = lattice(count, 1)
    system = box(centres, side, cm.laws.HuntCrossley(1e6, 0.7), cm.friction.Coulomb(0.3))
    for group in (*system.groups, *system.small_groups):
        group.impact = cm.ImpactLaw(0.3, 0.3)
    return system


def window(engine: RigidEngine, begin: float, end: float) -> Cost:
    """Advance an engine and return the mean cost of its steps."""
    counts = engine.counts
    before = int(counts.n_steps), int(counts.n_iterations), float(counts.sum_of_residuals)
    engine.plan(begin, end, STEP)
    began = time.process_time()
    engine.finish_segment()
    seconds = time.process_time() - began
    n = int(counts.n_steps) - before[0]
    sweeps, residual = int(counts.n_iterations) - before[1], float(counts.sum_of_residuals) - before[2]
    return Cost(seconds / n, sweeps / n, residual / n, float(counts.penetration))


def measure(count: int) -> tuple[Cost, Cost]:
    """Return the cost of a step while spheres settle, and at rest without sleeping."""
    compiled = RigidProblem(RunRequest(spheres(30), END, Nonsmooth(step=STEP))).engine
    compiled.start(STEP)
    window(compiled, 0.0, STEP)
    engine = RigidProblem(RunRequest(spheres(count), END, Nonsmooth(step=STEP, sleeping=False))).engine
    engine.start(STEP)
    settling = window(engine, 0.0, SETTLE)
    window(engine, SETTLE, REST)
    return settling, window(engine, REST, END)


def main() -> None:
    for count in [int(word) for word in sys.argv[1:]] or [1000]:
        for name, cost in zip(("settling", "at rest"), measure(count), strict=True):
            print(
                f"{count:6d} spheres {name}: {1e3 * cost.seconds:.2f} ms and {cost.sweeps:.0f} sweeps per step, mean "
                f"residual {cost.residual:.1e}, penetration {cost.penetration:.1e} m"
            )


if __name__ == "__main__":
    main()
