"""Loaded cam in Exudyn, in two ways: the follower alone, and disc, follower, joints and driver as bodies.

No contact object of Exudyn has δ^1.5 between a circle and a flat face, so the contact is a spring with the law as a
symbolic function, which runs in compiled code. The follower alone has one coordinate, and its spring knows the height
of the disc: the least that Exudyn can be asked for. Its implicit solvers take steps of one size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import exudyn as exu
from exudyn.utilities import (
    CreateSymbolicUserFunction,
    MarkerBodyPosition,
    MarkerNodeCoordinate,
    Node1D,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorCartesianSpringDamper,
    ObjectConnectorCoordinate,
    ObjectConnectorCoordinateSpringDamper,
    ObjectGround,
    ObjectJointRevolute2D,
    ObjectMass1D,
    ObjectRigidBody2D,
)

from measured import best, say, timed
from problems import LoadedCam as P

symbolic = exu.symbolic
Read = Callable[[], tuple[float, float]]
"""Return height of the foot [m] and its speed [m/s]."""
STEPS = (1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5)
TOLERANCES = (1e-6, 1e-8, 1e-10, 1e-12)


def law(depth: object, rate: object) -> object:
    """Return the contact force in symbols."""
    pushing = P.stiffness * symbolic.pow(symbolic.abs(depth), 1.5) * (1.0 + P.damping * rate)
    return symbolic.IfThenElse(depth > 0.0, pushing, symbolic.Real(0.0))


def contact_of_follower(mbs, t, number, height, rising, k, d, offset):
    """Spring and contact that act against the lift of the follower; ``height`` is that of its foot."""
    depth = P.eccentricity * symbolic.cos(P.speed * t) + P.radius - height
    rate = -P.eccentricity * P.speed * symbolic.sin(P.speed * t) - rising
    return P.preload + P.spring * (height - P.eccentricity - P.radius) - law(depth, rate)


def contact_of_bodies(mbs, t, number, distance, velocity, k, d, offset):
    """Return the contact on the foot, ``distance`` from the centre of the disc to the foot, along y alone."""
    push = law(P.radius - distance[1], -velocity[1])
    return symbolic.Vector([symbolic.Real(0.0), -push, symbolic.Real(0.0)])


def angle(mbs, t, number, offset):
    """Return the angle of the disc [rad]."""
    return P.speed * t


def speed(mbs, t, number, offset):
    """Return the speed of the disc [rad/s]."""
    return symbolic.Real(P.speed)


def follower_alone() -> tuple[object, Read]:
    mbs = exu.SystemContainer().AddSystem()
    node = mbs.AddNode(Node1D(referenceCoordinates=[0.0], initialCoordinates=[P.start]))
    mbs.AddObject(ObjectMass1D(mass=P.mass, nodeNumber=node))
    fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    moved = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
    spring = mbs.AddObject(ObjectConnectorCoordinateSpringDamper(markerNumbers=[fixed, moved]))
    function = CreateSymbolicUserFunction(mbs, contact_of_follower, "springForceUserFunction", spring)
    mbs.SetObjectParameter(spring, "springForceUserFunction", function)
    mbs.Assemble()

    def read() -> tuple[float, float]:
        return (
            float(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)),
            float(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates_t)),
        )

    return mbs, read


def bodies_and_joints() -> tuple[object, Read]:
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.AddObject(ObjectGround())
    disc_node = mbs.AddNode(NodeRigidBody2D(initialVelocities=[0.0, 0.0, P.speed]))
    disc = mbs.AddObject(ObjectRigidBody2D(mass=1.0, inertia=1e-3, nodeNumber=disc_node))
    node = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[0.0, P.start, 0.0]))
    follower = mbs.AddObject(ObjectRigidBody2D(mass=P.mass, inertia=1e-3, nodeNumber=node))

    def at(body: int, y: float) -> int:
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[0.0, y, 0.0]))

    mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[at(ground, 0.0), at(disc, 0.0)]))
    fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))

    def coordinate(number: int, which: int) -> list[int]:
        return [fixed, mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=number, coordinate=which))]

    driver = mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=coordinate(disc_node, 2)))
    for name, motion in (("offsetUserFunction", angle), ("offsetUserFunction_t", speed)):
        mbs.SetObjectParameter(driver, name, CreateSymbolicUserFunction(mbs, motion, name, driver))
    for which in (0, 2):
        mbs.AddObject(ObjectConnectorCoordinate(markerNumbers=coordinate(node, which)))
    push = P.preload + P.spring * (P.start - P.eccentricity - P.radius)  # at the start
    mbs.AddObject(
        ObjectConnectorCoordinateSpringDamper(
            markerNumbers=coordinate(node, 1), stiffness=P.spring, offset=-push / P.spring
        )
    )
    contact = mbs.AddObject(
        ObjectConnectorCartesianSpringDamper(markerNumbers=[at(disc, P.eccentricity), at(follower, 0.0)])
    )
    function = CreateSymbolicUserFunction(mbs, contact_of_bodies, "springForceUserFunction", contact)
    mbs.SetObjectParameter(contact, "springForceUserFunction", function)
    mbs.Assemble()

    def read() -> tuple[float, float]:
        return (
            float(mbs.GetNodeOutput(node, exu.OutputVariableType.Position)[1]),
            float(mbs.GetNodeOutput(node, exu.OutputVariableType.Velocity)[1]),
        )

    return mbs, read


def settings(tolerance: float | None) -> object:
    chosen = exu.SimulationSettings()
    time = chosen.timeIntegration
    time.verboseMode, time.generalizedAlpha.spectralRadius = 0, 0.9
    time.newton.useModifiedNewton = True
    time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-8, 1e-10
    time.automaticStepSize = tolerance is not None
    if tolerance is not None:
        time.relativeTolerance, time.absoluteTolerance, time.initialStepSize = tolerance, 1e-2 * tolerance, 1e-5
    time.explicit.computeEndOfStepAccelerations = False
    chosen.solution.file.write = False
    chosen.linearSolver.solverType = exu.LinearSolverType.EXUdense
    return chosen


def run(
    build: Callable[[], tuple[object, Read]], solver: str, step: float, tolerance: float | None = None
) -> tuple[float, tuple[int, dict[str, float]]]:
    """Solve from one time of the comparison to the next; position and force are computed from the states there."""
    mbs, read = build()
    chosen = settings(tolerance)
    time, kind = chosen.timeIntegration, getattr(exu.DynamicSolverType, solver)
    seconds, began, steps, found = 0.0, 0.0, 0, {}
    for k, until in enumerate(P.times):
        time.startTime, time.endTime = began, until
        time.numberOfSteps = max(1, round((until - began) / step))
        seconds += timed(lambda: mbs.SolveDynamic(chosen, solverType=kind, updateInitialValues=True))
        steps, began = steps + int(mbs.sys["dynamicSolver"].it.currentStepIndex), until
        height, rising = read()
        depth = P.eccentricity * math.cos(P.speed * until) + P.radius - height
        rate = -P.eccentricity * P.speed * math.sin(P.speed * until) - rising
        found[f"position {k}"] = height
        found[f"force {k}"] = P.stiffness * max(depth, 0.0) ** 1.5 * (1.0 + P.damping * rate)
    return seconds, (steps, found)


def main() -> None:
    for name, build in (("follower alone", follower_alone), ("bodies and joints", bodies_and_joints)):
        for solver in ("GeneralizedAlpha", "TrapezoidalIndex2"):
            for step in STEPS:
                seconds, (steps, found) = best(partial(run, build, solver, step))
                say(f"{name}, {solver}", f"step {step:.0e}", seconds, steps, **found)
    for tolerance in TOLERANCES:  # explicit solvers do not take joints
        seconds, (steps, found) = best(partial(run, follower_alone, "DOPRI5", 1e-3, tolerance))
        say("follower alone, DOPRI5", f"rtol {tolerance:.0e}", seconds, steps, **found)


if __name__ == "__main__":
    main()
