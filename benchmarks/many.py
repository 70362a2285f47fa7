"""Many spheres: time per contact and step on one core and on two: `taskset -c 0 python benchmarks/many.py 1000 10000`.

The model is that of `gallery.box_of_spheres`, with Hunt–Crossley contacts and Coulomb friction on all walls, after it
has settled; more than 10 000 spheres are an even number of settled boxes side by side. One thread is measured by the
smallest CPU time of several windows. Two threads are compared by the wall time of windows that alternate with those of
one thread (without `taskset`, on an otherwise idle machine).
"""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.gallery.cases.box_of_spheres import lattice
from carom.solve.many_body.verlet_engine import VerletEngine

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
from carom_spheres import box

STIFFNESS, STEP, SETTLE = 1e6, 5e-5, 0.4
DRUM_STIFFNESS, DRUM_BAR = 3e5, 10.0
"""Stiffness of the contacts in a drum [N/m^1.5], and the longest accepted wall time per second of motion."""
BAR, LARGE_BAR = 0.12, 0.15
"""Largest accepted times per contact and step on one core, for up to `BOX` spheres and for more [µs]."""
BOX = 10_000
"""Number of spheres in one box; more spheres are settled boxes side by side without the walls between them."""
GAIN = 1.6
"""Smallest accepted speed-up by two threads [-]."""


def settling_spheres(count: int) -> cm.System:
    """Return the system of ``count`` spheres above a box."""
    centres, side = lattice(count, 1)
    return box(centres, side, cm.laws.HuntCrossley(STIFFNESS, 0.7), cm.friction.Coulomb(0.3))


def settled_boxes(rows: int, columns: int) -> cm.System:
    """Return settled boxes of `BOX` spheres side by side, without the walls between them."""
    centres, side = lattice(BOX, 1)
    model = ManyBodyData(settling_spheres(BOX))
    with VerletEngine(model) as engine:
        engine.evaluate(STEP)
        engine.advance(SETTLE, STEP)
    centres[model.body_order] = model.positions[1:]
    corners = side * np.array([(i, j, 0.0) for i in range(rows) for j in range(columns)])
    places = np.concatenate([centres + corner for corner in corners])
    law, friction = cm.laws.HuntCrossley(STIFFNESS, 0.7), cm.friction.Coulomb(0.3)
    return box(places, (rows * side, columns * side), law, friction)


def drum(count: int) -> cm.System:
    """Return a driven drum with at most ``count`` spheres that start on a lattice in it."""
    radius, half_width, sphere = 0.25, 0.06, 0.008
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="drum")
    body = system.add(cm.Body("drum", 20.0, (1.0, 1.0, 1.0)))
    axle = system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="axle"))
    system.add(cm.Driver(axle, cm.ConstantSpeed(3.0), name="motor"))
    corner = (radius, half_width, radius)
    places = cm.packing.lattice(box=(tuple(-x for x in corner), corner), radius=sphere, gap=0.05 * sphere)
    inside = np.hypot(places.positions[:, 0], places.positions[:, 2]) < radius - 1.1 * sphere
    chosen = places.positions[inside]
    chosen = chosen[np.argsort(chosen[:, 2], kind="stable")][:count]
    mass = 2500.0 * 4.0 / 3.0 * math.pi * sphere**3
    spheres = [
        cm.Sphere(system.add(cm.Body(f"grain {k}", mass, (0.4 * mass * sphere**2,) * 3, position=place)), sphere)
        for k, place in enumerate(chosen)
    ]
    shell = cm.Cylinder(body, axis=(0.0, 1.0, 0.0), radius=radius, half_length=2.0 * half_width, inside=True)
    ends = [
        cm.Plane(body, at=(0.0, -y, 0.0), normal=(0.0, math.copysign(1.0, y), 0.0)) for y in (half_width, -half_width)
    ]
    law = cm.laws.HuntCrossley(DRUM_STIFFNESS, 0.7)
    system.add_contacts(spheres, [shell, *ends], law=law, friction=cm.friction.Coulomb(0.4), name="grains")
    return system


def window(engine: VerletEngine, seconds: float) -> tuple[float, float]:
    """Return wall and CPU time per step [s] over ``seconds`` of simulated time."""
    steps, wall, cpu = engine.steps, time.perf_counter(), time.process_time()
    engine.advance(seconds, STEP)
    steps = engine.steps - steps
    return (time.perf_counter() - wall) / steps, (time.process_time() - cpu) / steps


def measure(count: int) -> tuple[float, float]:
    """Return the time per contact and step on one core [µs] and the speed-up by two threads (nan with one core)."""
    is_large = count > BOX
    system = settled_boxes(count // BOX // 2, 2) if is_large else settling_spheres(count)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    engines = [VerletEngine(ManyBodyData(system), threads) for threads in range(1, min(cores, 2) + 1)]
    for engine in engines:
        engine.evaluate(STEP)
        engine.advance(50 * STEP if is_large else SETTLE, STEP)
    contacts = engines[0].n_touching
    span = max(20, 200_000 // count) * STEP
    bar = LARGE_BAR if is_large else BAR
    times = [[window(engine, span) for engine in engines] for _ in range(12)]
    cpu = min(row[0][1] for row in times)
    cost, gain = 1e6 * cpu / contacts, float("nan")
    print(f"{count:6d} spheres, {contacts} contacts: {cost:.4f} µs per contact and step (bar {bar})")
    if len(engines) > 1:
        one, two = (min(row[k][0] for row in times) for k in range(2))
        gain = one / two
        same = engines[0].model.motion_data.tobytes() == engines[1].model.motion_data.tobytes()
        print(f"       two threads: {gain:.2f} times as fast (bar {GAIN}), the same bits: {same}")
    for engine in engines:
        engine.close()
    return cost, gain


def main() -> None:
    for count in [int(word) for word in sys.argv[1:]] or [1000, 10_000]:
        measure(count)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
