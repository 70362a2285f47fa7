"""Two spheres in carom: adaptive, with the beginning of the contact located; the time includes building its tables.

On lines of its own, the compiled loop alone.
"""

from __future__ import annotations

import sys
from functools import partial

import carom as cm
from bare_loop import LOOP, bare_loop
from measured import best, say, timed
from problems import TwoSpheres as P


def model(law: object = None) -> cm.System:
    system = cm.System(name="two spheres")
    spheres = []
    for side in (-1.0, 1.0):
        body = cm.Body(
            f"sphere {side:g}", P.mass, 0.4 * P.mass * P.radius**2, position=(side * (P.radius + P.gap / 2), 0.0),
            velocity=(-side * P.speed, 0.0),
        )  # fmt: skip
        spheres.append(cm.Sphere(system.add(body), P.radius))
    law = law or cm.laws.HuntCrossley(P.stiffness, P.restitution)
    system.add(cm.Contact(*spheres, law=law, name="touch"))  # type: ignore[arg-type]
    return system


def run(system: cm.System, **options: object) -> tuple[float, tuple[int, float]]:
    results = []
    seconds = timed(lambda: results.append(cm.simulate(system, P.t_end, **options)))
    result = results[0]
    return seconds, (result.stats["steps"], result.v[-1, 3] / P.speed)


def main() -> None:
    if sys.argv[1:] == ["once"]:
        run(model())
        return
    system = model()
    for integrator in ("dopri5", "dop853"):
        run(system, integrator=integrator)
        for rtol in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11):
            options = {"integrator": integrator, "rtol": rtol, "atol": 1e-2 * rtol}
            seconds, (steps, restitution) = best(partial(run, system, **options))
            say(integrator, f"rtol {rtol:.0e}", seconds, steps, restitution=restitution)
            seconds, method = best(bare_loop(system, P.t_end, **options))
            restitution = method.y[method.mechanism.n + 3] / P.speed
            say(f"{integrator}, {LOOP}", f"rtol {rtol:.0e}", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
