"""Spheres in a box in Exudyn, by its GeneralContact, explicit Euler with Lie-group rotations, its fastest way.

`exudyn_spheres.py COUNT FILE`; the file has the places to start from.
"""

from __future__ import annotations

import sys

import exudyn as exu
import numpy as np
from exudyn.utilities import (
    Force,
    MarkerBodyRigid,
    MarkerNodeRigid,
    NodeRigidBodyRotVecLG,
    ObjectGround,
    ObjectRigidBody,
)

from measured import say, timed
from problems import GRAVITY, lattice, overlaps
from problems import Spheres as P

CORNERS = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
WALLS = [
    [0, 1, 2], [0, 2, 3], [0, 4, 5], [0, 5, 1], [1, 5, 6], [1, 6, 2], [2, 6, 7], [2, 7, 3], [3, 7, 4], [3, 4, 0],
]  # fmt: skip


def build(places: np.ndarray, side: float) -> tuple[object, list[int]]:
    mbs = exu.SystemContainer().AddSystem()
    contact = mbs.AddGeneralContact()
    contact.SetFrictionPairings(P.friction * np.eye(1))
    contact.frictionProportionalZone = P.creep
    height = places[:, 2].max() + 3.0 * P.radius
    across, up = int(np.ceil(side / (2.5 * P.radius))), max(4, int(height / (2.5 * P.radius)))
    contact.SetSearchTreeCellSize(numberOfCells=[across, across, up])
    ground = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround())))
    # What touches is in series: each has twice what a contact has.
    stiff = {"contactStiffness": 2.0 * P.stiffness, "contactDamping": 2.0 * P.damping, "frictionMaterialIndex": 0}
    corners = (np.array(CORNERS) * [side, side, height]).tolist()
    contact.AddTrianglesRigidBodyBased(rigidBodyMarkerIndex=ground, pointList=corners, triangleList=WALLS, **stiff)
    inertia = [0.4 * P.mass * P.radius**2] * 3 + [0.0] * 3
    nodes = []
    for place in places:
        node = mbs.AddNode(NodeRigidBodyRotVecLG(referenceCoordinates=[*place, 0.0, 0.0, 0.0]))
        mbs.AddObject(ObjectRigidBody(mass=P.mass, inertia=inertia, nodeNumber=node))
        marker = mbs.AddMarker(MarkerNodeRigid(nodeNumber=node))
        mbs.AddLoad(Force(markerNumber=marker, loadVector=[0.0, 0.0, -GRAVITY * P.mass]))
        contact.AddSphereWithMarker(marker, radius=P.radius, **stiff)
        nodes.append(node)
    mbs.Assemble()
    return mbs, nodes


def main() -> None:
    count, file = int(sys.argv[1]), sys.argv[2]
    side = lattice(count)[1]
    mbs, nodes = build(np.load(file), side)
    chosen = exu.SimulationSettings()
    time = chosen.timeIntegration
    time.verboseMode = 0
    time.explicit.computeEndOfStepAccelerations = False
    time.explicit.computeMassMatrixInversePerBody = True
    time.explicit.useLieGroupIntegration = True
    chosen.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    chosen.parallel.numberOfThreads = 1
    chosen.solution.file.write = False
    kind, seconds, steps = exu.DynamicSolverType.ExplicitEuler, [], round(P.window / P.step)
    for k in range(3):
        time.startTime, time.endTime, time.numberOfSteps = k * P.window, (k + 1) * P.window, steps
        seconds.append(timed(lambda: mbs.SolveDynamic(chosen, solverType=kind, updateInitialValues=True)))
    places = np.array([mbs.GetNodeOutput(node, exu.OutputVariableType.Position) for node in nodes])
    deep = overlaps(places, side)
    found = {"contacts": float(len(deep)), "overlap": float(deep.mean()) / P.radius}
    say("linear spring and damper", f"step {P.step:.0e}", min(seconds), steps, **found)


if __name__ == "__main__":
    main()
