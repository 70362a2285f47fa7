"""Slider-crank and block in Exudyn, by its own joints, contact object and Hunt–Crossley law.

Its factor 3 (1 − e)/2 with e = 1 − (1 − c²)/2 is Lankarani and Nikravesh's 3 (1 − c²)/4. Steps are of one size, as its
solvers for systems with joints have it; or, with the times of the impacts known beforehand, small around these alone.
"""

from __future__ import annotations

from functools import partial

import exudyn as exu
from exudyn.utilities import (
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorCoordinate,
    ObjectContactSphereSphere,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectRigidBody2D,
)

from measured import best, say, timed
from problems import GRAVITY
from problems import SliderCrankBlock as P


def build() -> tuple[object, int]:
    """The model, and the node of the block."""
    mbs = exu.SystemContainer().AddSystem()
    turn = P.crank * P.omega

    def body(mass: float, inertia: float, x: float, speeds: list[float], heavy: bool = True) -> tuple[int, int]:
        node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, 0.0, 0.0], initialVelocities=speeds))
        number = mbs.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        if heavy:
            marker = mbs.AddMarker(MarkerBodyMass(bodyNumber=number))
            mbs.AddLoad(LoadMassProportional(markerNumber=marker, loadVector=[0.0, -GRAVITY, 0.0]))
        return number, node

    half = P.crank / 2, P.rod / 2
    crank, _ = body(P.masses[0], P.inertias[0], half[0], [0.0, turn / 2, P.omega])
    rod, _ = body(P.masses[1], P.inertias[1], P.crank + half[1], [0.0, turn / 2, -turn / P.rod])
    slider, guided = body(P.masses[2], 1e-5, P.crank + P.rod, [0.0, 0.0, 0.0])
    block, node = body(P.masses[3], 1e-4, P.block, [P.block_speed, 0.0, 0.0], heavy=False)
    ground = mbs.AddObject(ObjectGround())

    def at(number: int, x: float) -> int:
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=number, localPosition=[x, 0.0, 0.0]))

    for one, other in (
        ((ground, 0.0), (crank, -half[0])), ((crank, half[0]), (rod, -half[1])), ((rod, half[1]), (slider, 0.0)),
    ):  # fmt: skip
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[at(*one), at(*other)]))
    fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    for coordinate in (1, 2):
        held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=guided, coordinate=coordinate))
        mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=[fixed, held]))
    state = mbs.AddNode(NodeGenericData(initialCoordinates=[1.0, 0.0, 0.0, 0.0], numberOfDataCoordinates=4))
    mbs.AddObject(
        ObjectContactSphereSphere(
            markerNumbers=[mbs.AddMarker(MarkerBodyRigid(bodyNumber=number)) for number in (slider, block)],
            nodeNumber=state, spheresRadii=[P.reach / 2] * 2, contactStiffness=P.stiffness,
            contactStiffnessExponent=1.5, impactModel=1, restitutionCoefficient=1.0 - 0.5 * (1.0 - P.restitution**2),
        )
    )  # fmt: skip
    mbs.Assemble()
    return mbs, node


def run(spans: list[tuple[float, float]], solver: str) -> tuple[float, tuple[int, float, float]]:
    """``spans``: until when [s], and with which step [s]; the block's speed is read between the impacts, too."""
    mbs, node = build()
    chosen = exu.SimulationSettings()
    time = chosen.timeIntegration
    time.verboseMode, time.generalizedAlpha.spectralRadius = 0, 0.9
    time.newton.useModifiedNewton = True
    time.discontinuous.useRecommendedStepSize = False
    chosen.solution.file.write = False
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    kind = getattr(exu.DynamicSolverType, solver)
    seconds, began, steps, first = 0.0, 0.0, 0, None
    for until, step in spans:
        time.startTime, time.endTime = began, until
        time.numberOfSteps = max(1, round((until - began) / step))
        seconds += timed(lambda: mbs.SolveDynamic(chosen, solverType=kind, updateInitialValues=True))
        steps, began = steps + int(time.numberOfSteps), until
        if until == P.between:
            first = mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[0]
    return seconds, (steps, first, mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[0])


def even(step: float) -> list[tuple[float, float]]:
    return [(P.between, step), (P.t_end, step)]


def windowed(step: float, free: float) -> list[tuple[float, float]]:
    """Small steps around the impacts."""
    (a, b), (c, d) = P.windows
    return [(a, free), (b, step), (P.between, free), (c, free), (d, step), (P.t_end, free)]


def main() -> None:
    for step in (1e-5, 5e-6, 2e-6, 1e-6):  # the trapezoidal rule is no better with these, and slower
        seconds, (steps, first, last) = best(partial(run, even(step), "GeneralizedAlpha"))
        say("GeneralizedAlpha", f"step {step:.0e}", seconds, steps, first=first, last=last)
    for step, free in ((1e-6, 1e-4), (3e-7, 5e-5), (1e-7, 2e-5), (3e-8, 1e-5)):
        seconds, (steps, first, last) = best(partial(run, windowed(step, free), "TrapezoidalIndex2"))
        setting = f"step {free:.0e} and {step:.0e}"
        say("TrapezoidalIndex2, impacts known", setting, seconds, steps, first=first, last=last)


if __name__ == "__main__":
    main()
