"""Spheres in a box in MuJoCo, by its own soft contacts with its own step of 2 ms, by each of its solvers.

`mujoco_spheres.py COUNT FILE`; the file has the places to start from.
"""

from __future__ import annotations

import sys

import mujoco
import numpy as np

from measured import say, timed
from problems import GRAVITY, lattice, overlaps
from problems import Spheres as P

STEP, PATIENCE = 2e-3, 15.0
"""Its default step [s]; CPU seconds after which a solver takes no further step."""


def model(places: np.ndarray, side: float, solver: str) -> mujoco.MjModel:
    plane = f'type="plane" size="0 0 1" friction="{P.friction}"'
    walls = "".join(
        f'<geom {plane} pos="{at[0]} {at[1]} 0" zaxis="{n[0]} {n[1]} {n[2]}"/>'
        for at, n in (
            ((0, 0), (0, 0, 1)), ((0, 0), (1, 0, 0)), ((side, 0), (-1, 0, 0)), ((0, 0), (0, 1, 0)),
            ((0, side), (0, -1, 0)),
        )
    )  # fmt: skip
    sphere = f'<geom type="sphere" size="{P.radius}" density="{P.density}" condim="3" friction="{P.friction}"/>'
    spheres = "".join(f'<body pos="{x} {y} {z}"><freejoint/>{sphere}</body>' for x, y, z in places)
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" solver="{solver}" gravity="0 0 {-GRAVITY}"/><size memory="2G"/>'
        f"<worldbody>{walls}{spheres}</worldbody></mujoco>"
    )


def main() -> None:
    count, file = int(sys.argv[1]), sys.argv[2]
    places, side = np.load(file), lattice(count)[1]
    for solver in ("Newton", "CG") if count < 10_000 else ("CG",):  # Newton's matrix fills the memory there
        compiled = model(places, side, solver)
        data = mujoco.MjData(compiled)
        mujoco.mj_forward(compiled, data)
        seconds: list[float] = []
        while len(seconds) < 10 and sum(seconds) < PATIENCE:
            seconds.append(timed(lambda: mujoco.mj_step(compiled, data)))  # noqa: B023
        deep = overlaps(data.qpos.reshape(count, 7)[:, :3], side)
        found = {"contacts": float(data.ncon), "overlap": float(deep.mean()) / P.radius}
        say(f"own soft contacts, {solver}", f"step {STEP:.0e}", min(seconds), 1, **found)


if __name__ == "__main__":
    main()
