"""Coverage of the confidence intervals of a fit: `python benchmarks/fit.py [SEEDS]`.

A sphere strikes a plane at an angle. Stiffness K, exponent n, restitution c and friction μ are fitted together to the
contact forces and the motion with 1 % noise, for many seeds. The fraction of intervals that contain the true value
should be near 95 %, and must be at least 90 %. The computing time is that of stiffness and restitution of
`two_spheres`.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from rich.console import Console
from rich.table import Table

import carom as cm

TRUTH = {"stiffness": 5e6, "exponent": 1.5, "restitution": 0.75, "friction": 0.2}
BOUNDS = {"stiffness": (1e5, 1e8), "exponent": (1.1, 2.2), "restitution": (0.3, 1.0), "friction": (0.0, 0.6)}
SERIES = ("floor.normal_force", "ball.vx", "ball.vy", "ball.omega")
SAMPLES = 150
T_END = 2e-3


def oblique(
    stiffness: float = 1e6, exponent: float = 1.5, restitution: float = 0.7, friction: float = 0.1
) -> tuple[cm.System, dict[str, float]]:
    """Return a sphere of 50 mm radius that slides during an impact with a plane."""
    system = cm.System(name="oblique impact")
    ball = system.add(cm.Body("ball", 0.5, 5e-4, position=(0.0, 0.05), velocity=(3.0, -1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)
        law = cm.laws.HuntCrossley(stiffness, restitution, exponent)
    drag = cm.friction.Threlfall(friction, 0.01)
    system.add(cm.Contact(cm.Sphere(ball, 0.05), cm.Plane(system.ground), law, drag, name="floor"))
    return system, {"t_end": T_END}


def clean() -> dict[str, np.ndarray]:
    """Return the measured series without noise."""
    system, _ = oblique(**TRUTH)
    t = np.linspace(0.0, T_END, SAMPLES)
    result = cm.simulate(system, T_END, rtol=1e-10, atol=1e-13, output=t).sample(t)
    return {"t": t, **{name: getattr(result[name.split(".")[0]], name.split(".")[1]) for name in SERIES}}


def noisy(exact: dict[str, np.ndarray], seed: int, of_value: bool = False) -> dict[str, np.ndarray]:
    """Add noise of 1 % of the largest value of each series, or of each value itself."""
    random = np.random.default_rng(seed)
    return {
        name: values if name == "t" else values
        + 0.01 * (values if of_value else np.abs(values).max()) * random.normal(size=len(values))
        for name, values in exact.items()
    }  # fmt: skip


def coverage(seeds: int, of_value: bool = False) -> dict[str, int]:
    """Return the number of intervals that contain the true value, by parameter."""
    exact, covered = clean(), dict.fromkeys(TRUTH, 0)
    for seed in range(seeds):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cm.CaromWarning)
            fit = cm.fit(oblique, noisy(exact, seed, of_value), BOUNDS)
        for name, value in TRUTH.items():
            covered[name] += value in fit.estimate(name)
    return covered


def seconds() -> float:
    """Return the time [s] of a fit of stiffness and restitution of two spheres, with compiled kernels."""
    law = cm.laws.HuntCrossley(5.5e9, 0.7)
    case = cm.gallery.two_spheres(law)
    exact = case.run(rtol=1e-10)
    t = np.linspace(0.0, exact.t[-1], 200)
    random = np.random.default_rng(0)
    force = exact.sample(t)["touch"].normal_force
    data = {"t": t, "touch.normal_force": force + 0.01 * force.max() * random.normal(size=200)}
    bounds = {"touch.law.stiffness": (1e8, 1e11), "touch.law.restitution": (0.3, 1.0)}
    times = []
    for _ in range(3):
        start = time.perf_counter()
        cm.fit(case, data, bounds)
        times.append(time.perf_counter() - start)
    return min(times)


def main(seeds: int) -> int:
    table = Table("noise", *TRUTH, title=f"95 % intervals that contain the true value, of {seeds}")
    worst = seeds
    for noise, of_value in (("1 % of the largest value", False), ("1 % of each value", True)):
        covered = coverage(seeds, of_value)
        worst = min(worst, *covered.values())
        table.add_row(noise, *(str(count) for count in covered.values()))
    console = Console()
    console.print(table)
    duration = seconds()
    console.print(f"fit of two_spheres, two parameters: {duration:.2f} s (bar 5 s)")
    return 0 if worst >= 0.9 * seeds and duration <= 5.0 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
