"""Two spheres in Exudyn, by its own contact object and its own Hunt–Crossley law, and by a spring with that law.

Nothing is recorded: the speed at the end is read from the node. Of its solvers the explicit ones are fastest here; the
implicit trapezoidal rule is its standard one. The spring's force is a symbolic function, which is cheaper than the
contact object.
"""

from __future__ import annotations

import sys
from functools import partial

import exudyn as exu
from exudyn.utilities import (
    MarkerBodyRigid,
    NodeGenericData,
    NodeRigidBody2D,
    ObjectContactSphereSphere,
    ObjectRigidBody2D,
)

from measured import best, say, timed
from problems import TwoSpheres as P


def bodies(mbs: object) -> tuple[list[int], list[int]]:
    """Nodes and bodies of both spheres."""
    nodes, spheres = [], []
    for side in (-1.0, 1.0):
        place = [side * (P.radius + P.gap / 2), 0.0, 0.0]
        nodes.append(
            mbs.AddNode(NodeRigidBody2D(referenceCoordinates=place, initialVelocities=[-side * P.speed, 0.0, 0.0]))
        )
        inertia = 0.4 * P.mass * P.radius**2
        spheres.append(mbs.AddObject(ObjectRigidBody2D(mass=P.mass, inertia=inertia, nodeNumber=nodes[-1])))
    return nodes, spheres


def settings(step: float, tolerance: float | None = None) -> object:
    chosen = exu.SimulationSettings()
    time = chosen.timeIntegration
    time.endTime, time.numberOfSteps, time.verboseMode = P.t_end, round(P.t_end / step), 0
    time.automaticStepSize = tolerance is not None
    if tolerance is not None:  # the number of steps bounds their size
        time.numberOfSteps = 30
        time.relativeTolerance, time.absoluteTolerance, time.initialStepSize = tolerance, 1e-4 * tolerance, step
    time.discontinuous.useRecommendedStepSize = False  # steps at impacts otherwise shrink by its own estimate
    time.explicit.computeEndOfStepAccelerations = False
    chosen.solution.file.write = False
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return chosen


def run(solver: str, step: float, tolerance: float | None = None) -> tuple[float, tuple[int, float]]:
    mbs = exu.SystemContainer().AddSystem()
    nodes, spheres = bodies(mbs)
    state = mbs.AddNode(NodeGenericData(initialCoordinates=[P.gap, 0.0, 0.0, 0.0], numberOfDataCoordinates=4))
    mbs.AddObject(
        ObjectContactSphereSphere(
            markerNumbers=[mbs.AddMarker(MarkerBodyRigid(bodyNumber=sphere)) for sphere in spheres], nodeNumber=state,
            spheresRadii=[P.radius] * 2, contactStiffness=P.stiffness, contactStiffnessExponent=1.5,
            restitutionCoefficient=P.restitution, impactModel=1,
        )
    )  # fmt: skip
    return solved(mbs, nodes, solver, settings(step, tolerance))


def solved(mbs: object, nodes: list[int], solver: str, chosen: object) -> tuple[float, tuple[int, float]]:
    mbs.Assemble()
    kind = getattr(exu.DynamicSolverType, solver)
    seconds = timed(lambda: mbs.SolveDynamic(chosen, solverType=kind))
    steps = mbs.sys["dynamicSolver"].it.currentStepIndex
    return seconds, (steps, mbs.GetNodeOutput(nodes[1], exu.OutputVariableType.Velocity)[0] / P.speed)


def main() -> None:
    if sys.argv[1:] == ["once"]:
        run("RK44", 1e-6)
        return
    from exudyn_custom_law import run as run_spring  # which builds on this file

    for name, work in (("contact", run), ("symbolic spring", partial(run_spring, "symbolic"))):
        for solver in ("RK44", "VelocityVerlet", "TrapezoidalIndex2"):
            for step in (3e-6, 1e-6, 3e-7, 1e-7, 3e-8):
                seconds, (steps, restitution) = best(partial(work, solver, step))
                say(f"{name}, {solver}", f"step {step:.0e}", seconds, steps, restitution=restitution)
        for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
            seconds, (steps, restitution) = best(partial(work, "DOPRI5", 1e-6, tolerance))
            say(f"{name}, DOPRI5", f"rtol {tolerance:.0e}", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
