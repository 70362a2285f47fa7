"""Chain in carom: Cartesian bodies and joints, banded equations; `carom_chain.py LINKS`."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import Any

import carom as cm
from bare_loop import LOOP, bare_loop
from measured import best, say, timed
from problems import GRAVITY, Chain


def chain(links: int) -> cm.System:
    system = cm.System(gravity=(0.0, -GRAVITY), name=f"chain of {links} links")
    length = mass = 1.0 / links
    before = system.ground
    for k in range(links):
        body = cm.Body(f"link {k}", mass, mass * length**2 / 12.0, position=((k + 0.5) * length, 0.0))
        system.add(body)
        system.add(cm.Revolute(before, body, at=(k * length, 0.0)))
        before = body
    return system


def run(system: cm.System, links: int, **options: object) -> tuple[float, tuple[int, dict[str, float]]]:
    results = []
    end = Chain.t_end[links]
    seconds = timed(lambda: results.append(cm.simulate(system, end, output=end, **options)))
    tip = results[0][f"link {links - 1}"].point(0.5 / links, 0.0)[-1]
    found = {"x": float(tip[0]), "y": float(tip[1]), "first": float(results[0]["link 0"].angle[-1])}
    return seconds, (results[0].stats["steps"], found)


def ends(method: Any, links: int) -> dict[str, float]:
    """What `run` reads from a result, at the end of a bare loop."""
    x, y, angle = method.y[3 * (links - 1) : 3 * links]
    arm = 0.5 / links
    return {"x": x + arm * math.cos(angle), "y": y + arm * math.sin(angle), "first": float(method.y[2])}


def main() -> None:
    links = int(sys.argv[1])
    system = chain(links)
    for integrator in ("dopri5", "dop853"):
        run(system, links, integrator=integrator, rtol=1e-2, atol=1e-2)
        for rtol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8) if links < 1000 else (1e-2, 1e-3, 1e-4, 1e-6):
            options = {"integrator": integrator, "rtol": rtol, "atol": 1e-2 * rtol}
            seconds, (steps, found) = best(partial(run, system, links, **options))
            say(integrator, f"rtol {rtol:.0e}", seconds, steps, **found)
            seconds, method = best(bare_loop(system, Chain.t_end[links], **options))
            say(f"{integrator}, {LOOP}", f"rtol {rtol:.0e}", seconds, steps, **ends(method, links))


if __name__ == "__main__":
    main()
