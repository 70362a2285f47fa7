"""Contact from lookup tables: one detection, the runs of L's Table 4, and the memory of a window.

`python benchmarks/lookup.py` prints all of it; `python benchmarks/lookup.py memory` what a windowed pair adds to a
process of its own.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numba import njit

import carom as cm
from carom.gallery.cases.cup_and_marble import AXIS_DOWN, BALL_RADIUS, CUP_RADIUS, HALF_ANGLE, RECORD_POINTS
from carom.geometry.lookup.table import LookupTable
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes.surface import Surface
from carom.geometry.surfaces import Sphere
from carom.kernels import call_pair
from carom.kernels.pointers import data_pointer

POINTS, WINDOW = 999, (5, 11)
DETECTION, FIXED, ADAPTIVE, MEMORY = 2e-6, 90.0, 5.0, 10e6
"""Bars: one detection from a window, bilinear [s]; 5 s of motion in steps of 1 µs, and as the tolerance asks for [s];
memory that two windowed tables add [byte]."""
SPAN, STEP = 5.0, 1e-6
SHORT = 0.005
"""Length of the run with fixed steps that the long one is extrapolated from [s]."""


@njit
def repeated(count, address, poses, still, parameters, warm_start, out):
    """Detections along a way, to and fro."""
    for k in range(count):
        at = k % (2 * len(poses))
        if at >= len(poses):
            at = 2 * len(poses) - 1 - at
        call_pair(
            address,
            data_pointer(poses[at]),
            data_pointer(still),
            data_pointer(parameters),
            data_pointer(warm_start),
            data_pointer(out),
        )


def shapes(table: bool, window: tuple[int, int] | None, interpolation: str, folder: str) -> tuple[Surface, Surface]:
    """Marble and cup, as in the case `cup_and_marble`."""
    made = []
    for name, radius in (("ball", BALL_RADIUS), ("cup", CUP_RADIUS)):
        skin: object = Sphere(radius, u=(-HALF_ANGLE, HALF_ANGLE), v=(-HALF_ANGLE, HALF_ANGLE), inside=name == "cup")
        if table:
            path = Path(folder) / f"{name}.lut"
            if not path.exists():
                cm.lookup.build(skin, (POINTS, POINTS), (RECORD_POINTS, RECORD_POINTS), path)  # type: ignore[arg-type]
            skin = LookupTable(path, window, interpolation)
        made.append(Surface(cm.Body(name, 1.0, (1.0, 1.0, 1.0)), skin, orientation=AXIS_DOWN))
    return made[0], made[1]


def detection(table: bool, window: tuple[int, int] | None, interpolation: str, folder: str) -> float:
    """CPU seconds of one, while the marble moves by 0.1 µm from call to call."""
    found = pair("benchmark", *shapes(table, window, interpolation, folder))
    count = 20_000
    angle = np.linspace(-0.02, 0.02, count)
    poses = np.zeros((count, 12))
    arm = CUP_RADIUS - BALL_RADIUS + 1e-6
    poses[:, 0], poses[:, 2] = arm * np.sin(angle), -arm * np.cos(angle)
    poses[:, 3:] = np.eye(3).ravel()
    still = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    numbers, warm_start, out = np.array(found.parameters), np.array(found.warm_start), np.zeros(PAIR_OUTPUT.size)
    times = []
    for _ in range(8):
        began = time.process_time()
        repeated(count, found.kernel.address, poses, still, numbers, warm_start, out)
        times.append((time.process_time() - began) / count)
    return min(times)


def fixed_steps() -> float:
    """CPU seconds of 5 s of motion in steps of 1 µs, from two short runs."""
    case = cm.gallery.cup_and_marble(window=WINDOW, interpolation="bilinear")
    spans = []
    how = {"integrator": "rk4", "max_step": STEP, "onset": "none"}
    case.run(t_end=STEP, **how)
    for t_end in (SHORT, 3.0 * SHORT):
        began = time.process_time()
        case.run(t_end=t_end, output=t_end, **how)
        spans.append(time.process_time() - began)
    return (spans[1] - spans[0]) / (2.0 * SHORT) * SPAN


def adaptive() -> float:
    """CPU seconds of 5 s of motion."""
    case = cm.gallery.cup_and_marble(window=WINDOW)
    case.run(t_end=0.01)
    began = time.process_time()
    case.run(t_end=SPAN, output=1e-3)
    return time.process_time() - began


def resident() -> int:
    """Bytes of this process that are in memory, mapped files included."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssFile")))


def windowed_memory(folder: str) -> int:
    """Bytes that two windowed tables and a run of 0.1 s add to those that the same run of spheres takes."""

    def added(kind: str) -> int:
        command = [sys.executable, __file__, "memory", kind, folder]
        # The first process may compile, which takes memory of its own.
        return min(int(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(2))

    return added("table") - added("analytic")


def own_memory(kind: str, folder: str) -> None:
    """For a process of its own: print what it takes beyond its imports."""
    marble, cup = shapes(False, None, "bilinear", folder)
    cm.closest(marble, cup)
    before = resident()
    marble, cup = shapes(kind == "table", WINDOW, "bilinear", folder)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 0.011, (4e-7,) * 3, position=(0.004, 0.0056, -0.038)))
    skins = (
        Surface(ball, marble.surface, orientation=AXIS_DOWN),
        Surface(system.ground, cup.surface, orientation=AXIS_DOWN),
    )
    system.add(cm.Contact(*skins, law=cm.laws.Hertz(5.0181e9)))
    cm.simulate(system, 0.1)
    print(resident() - before)


def measure() -> list[tuple[str, float, float, str, float]]:
    """Rows: work, what was measured, bar, unit, scale."""
    rows: list[tuple[str, float, float, str, float]] = []
    with TemporaryDirectory() as folder:
        for work, bar, *how in (
            ("detection from a table, bilinear, window", DETECTION, True, WINDOW, "bilinear"),
            ("  bicubic, window", 2.0 * DETECTION, True, WINDOW, "bicubic"),
            ("  evaluated, without a table", 2.0 * DETECTION, False, None, ""),
        ):
            rows.append((work, detection(*how, folder), bar, "µs", 1e6))  # type: ignore[call-arg]
        if sys.platform == "linux":
            rows.append(("memory of two windowed tables", windowed_memory(folder), MEMORY, "MB", 1e-6))
    rows.append(("cup and marble, 5 s in steps of 1 µs", fixed_steps(), FIXED, "s", 1.0))
    rows.append(("  as the tolerance asks for", adaptive(), ADAPTIVE, "s", 1.0))
    return rows


def main() -> None:
    for work, measured, bar, unit, scale in measure():
        print(f"{work:45s} {measured * scale:8.3g} {unit} (bar {bar * scale:.3g})")


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        own_memory(*sys.argv[2:])
    else:
        main()
