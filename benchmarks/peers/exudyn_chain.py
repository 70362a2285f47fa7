"""Chain in Exudyn: as a kinematic tree in joint angles, explicit, and as bodies and joints; `exudyn_chain.py LINKS`."""

from __future__ import annotations

import sys
import time as clock
from functools import partial

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    NodeGenericODE2,
    NodeRigidBody2D,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectKinematicTree,
    ObjectRigidBody2D,
)

from measured import best, say, timed
from problems import GRAVITY, Chain

BUDGET = 20.0
"""CPU seconds for one way: finer steps than fit are left out."""


def tree(links: int) -> object:
    mbs = exu.SystemContainer().AddSystem()
    length = mass = 1.0 / links
    zeros = [0.0] * links
    node = mbs.AddNode(
        NodeGenericODE2(referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros,
                        numberOfODE2Coordinates=links)
    )  # fmt: skip
    mbs.AddObject(
        ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * links, linkParents=list(range(-1, links - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * links),
            jointOffsets=exu.Vector3DList([[length if k else 0.0, 0.0, 0.0] for k in range(links)]),
            linkInertiasCOM=exu.Matrix3DList([mass * length**2 / 12.0 * np.eye(3)] * links),
            linkCOMs=exu.Vector3DList([np.array([length / 2, 0.0, 0.0])] * links), linkMasses=[mass] * links,
            gravity=[0.0, -GRAVITY, 0.0],
        )
    )  # fmt: skip
    return mbs


def joints(links: int) -> object:
    mbs = exu.SystemContainer().AddSystem()
    length = mass = 1.0 / links
    before = mbs.AddMarker(MarkerBodyPosition(bodyNumber=mbs.AddObject(ObjectGround())))
    for k in range(links):
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[(k + 0.5) * length, 0.0, 0.0]))
        body = mbs.AddObject(ObjectRigidBody2D(mass=mass, inertia=mass * length**2 / 12.0, nodeNumber=node))
        centre = mbs.AddMarker(MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(LoadMassProportional(markerNumber=centre, loadVector=[0.0, -GRAVITY, 0.0]))
        start, end = (
            mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[side * length / 2, 0.0, 0.0]))
            for side in (-1.0, 1.0)
        )
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[before, start]))
        before = end
    return mbs


def run(
    links: int, form: str, solver: str, step: float, adaptive: float | None = None
) -> tuple[float, tuple[int, dict[str, float]]]:
    mbs = (tree if form == "tree" else joints)(links)
    mbs.Assemble()
    chosen = exu.SimulationSettings()
    time = chosen.timeIntegration
    time.endTime, time.numberOfSteps, time.verboseMode = Chain.t_end[links], round(Chain.t_end[links] / step), 0
    time.generalizedAlpha.spectralRadius = 0.9
    time.newton.useModifiedNewton = form == "joints"
    time.automaticStepSize = adaptive is not None
    if adaptive is not None:
        time.relativeTolerance, time.absoluteTolerance, time.initialStepSize = adaptive, 1e-2 * adaptive, 1e-4
        time.numberOfSteps = round(Chain.t_end[links] / 1e-2)  # bounds the size of steps
    time.explicit.computeEndOfStepAccelerations = False
    if links > 20 and form == "joints":
        chosen.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    chosen.solution.file.write = False
    kind = getattr(exu.DynamicSolverType, solver)
    seconds = timed(lambda: mbs.SolveDynamic(chosen, solverType=kind))
    steps = mbs.sys["dynamicSolver"].it.currentStepIndex
    q = np.array(mbs.systemData.GetODE2Coordinates())
    angle = np.cumsum(q) if form == "tree" else q.reshape(-1, 3)[:, 2]
    tip = np.cos(angle).sum() / links, np.sin(angle).sum() / links
    return seconds, (steps, {"x": tip[0], "y": tip[1], "first": angle[0]})


def main() -> None:
    links = int(sys.argv[1])
    steps = {10: (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4), 100: (1e-3, 5e-4, 2e-4), 1000: (5e-4, 2e-4, 1e-4, 5e-5)}[links]
    ways = [("joints", "TrapezoidalIndex2")]  # generalized-α does no better
    if links < 1000:  # the tree's equations are dense: a step of 1000 links takes seconds
        ways.insert(0, ("tree", "RK44"))
    for form, solver in ways:
        began = clock.process_time()
        for step in steps:
            seconds, (count, found) = best(partial(run, links, form, solver, step))
            say(f"{form}, {solver}", f"step {step:.0e}", seconds, count, **found)
            if clock.process_time() - began + 3.0 * seconds > BUDGET:
                break
    if links < 1000:
        began = clock.process_time()
        for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
            seconds, (count, found) = best(partial(run, links, "tree", "DOPRI5", 1e-3, tolerance))
            say("tree, DOPRI5", f"rtol {tolerance:.0e}", seconds, count, **found)
            if clock.process_time() - began + 3.0 * seconds > BUDGET:
                break


if __name__ == "__main__":
    main()
