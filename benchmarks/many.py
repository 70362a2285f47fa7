"""Many spheres: time per contact and step, on one core and on two. `taskset -c 0 python benchmarks/many.py 1000 10000`.

The scene is that of `gallery.box_of_spheres`, with Hunt–Crossley contacts and Coulomb friction on all walls, run until
it has settled. CPU time, the best of several windows, for one thread; for two the wall time of windows that alternate
with those of one (leave `taskset` out, and other work off the machine).
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

import carom as cm
from carom.gallery.cases.box_of_spheres import lattice
from carom.solve.many_body.model_arrays import ManyBodyModel
from carom.solve.many_body.verlet_engine import VerletEngine

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
from carom_spheres import box

STIFFNESS, STEP, SETTLE = 1e6, 5e-5, 0.4
BAR = 0.12
"""µs per contact and step on one core."""
GAIN = 1.6
"""Of two threads."""


def scene(balls: int) -> cm.System:
    places, side = lattice(balls, 1)
    return box(places, side, cm.laws.HuntCrossley(STIFFNESS, 0.7), cm.friction.Coulomb(0.3))


def window(engine: VerletEngine, seconds: float) -> tuple[float, float]:
    """Wall and CPU seconds of one step, over about so long."""
    steps, wall, cpu = engine.steps, time.perf_counter(), time.process_time()
    engine.advance(seconds, STEP)
    steps = engine.steps - steps
    return (time.perf_counter() - wall) / steps, (time.process_time() - cpu) / steps


def measure(balls: int) -> tuple[float, float]:
    """µs per contact and step on one core, and how many times as fast two threads are (nan with one core)."""
    system = scene(balls)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    engines = [VerletEngine(ManyBodyModel(system), threads) for threads in range(1, min(cores, 2) + 1)]
    for engine in engines:
        engine.evaluate(STEP)
        engine.advance(SETTLE, STEP)
    contacts = engines[0].n_touching
    span = max(20, 200_000 // balls) * STEP
    times = [[window(engine, span) for engine in engines] for _ in range(12)]
    cpu = min(row[0][1] for row in times)
    cost, gain = 1e6 * cpu / contacts, float("nan")
    print(f"{balls:6d} spheres, {contacts} contacts: {cost:.4f} µs per contact and step (bar {BAR})")
    if len(engines) > 1:
        one, two = (min(row[k][0] for row in times) for k in range(2))
        gain = one / two
        same = engines[0].model.motion_data.tobytes() == engines[1].model.motion_data.tobytes()
        print(f"       two threads: {gain:.2f} times as fast (bar {GAIN}), the same bits: {same}")
    for engine in engines:
        engine.close()
    return cost, gain


def main() -> None:
    for balls in [int(word) for word in sys.argv[1:]] or [1000, 10_000]:
        measure(balls)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
