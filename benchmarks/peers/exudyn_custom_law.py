"""Cost of a user's law in Exudyn: its own contact, and a spring with a force in Python or symbols."""

from __future__ import annotations

from functools import partial

import exudyn as exu
from exudyn.utilities import CreateSymbolicUserFunction, MarkerBodyPosition, ObjectConnectorSpringDamper

import exudyn_two_spheres
from measured import best, say
from problems import TwoSpheres as P

symbolic = exu.symbolic
STEP = 1e-7


def written(mbs, t, number, stretch, rate, k, d, force):
    if stretch >= 0.0:
        return 0.0
    return -P.stiffness * (-stretch) ** 1.5 * (1.0 - P.damping * rate)


def symbols(mbs, t, number, stretch, rate, k, d, force):
    pushing = -P.stiffness * symbolic.pow(symbolic.abs(stretch), 1.5) * (1.0 - P.damping * rate)
    return symbolic.IfThenElse(stretch < 0.0, pushing, symbolic.Real(0.0))


def run(
    way: str, solver: str = "RK44", step: float = STEP, tolerance: float | None = None
) -> tuple[float, tuple[int, float]]:
    mbs = exu.SystemContainer().AddSystem()
    nodes, spheres = exudyn_two_spheres.bodies(mbs)
    spring = mbs.AddObject(
        ObjectConnectorSpringDamper(
            markerNumbers=[mbs.AddMarker(MarkerBodyPosition(bodyNumber=sphere)) for sphere in spheres],
            referenceLength=2.0 * P.radius, stiffness=0.0, damping=0.0,
            springForceUserFunction=written if way == "Python" else 0,
        )
    )  # fmt: skip
    if way == "symbolic":
        function = CreateSymbolicUserFunction(mbs, symbols, "springForceUserFunction", spring)
        mbs.SetObjectParameter(spring, "springForceUserFunction", function)
    return exudyn_two_spheres.solved(mbs, nodes, solver, exudyn_two_spheres.settings(step, tolerance))


def main() -> None:
    ways = {
        "built-in": partial(exudyn_two_spheres.run, "RK44", STEP),
        "Python function": partial(run, "Python"),
        "symbolic function": partial(run, "symbolic"),
    }
    for way, work in ways.items():
        seconds, (steps, restitution) = best(work)
        say(way, f"RK44, step {STEP:.0e}", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
