"""Chain in MuJoCo, in joint angles, all steps in one call; `mujoco_chain.py LINKS`."""

from __future__ import annotations

import sys
import time
from functools import partial

import mujoco
import numpy as np

from measured import best, say, timed
from problems import GRAVITY, Chain

BUDGET = 40.0
"""CPU seconds for one way: finer steps than fit are left out."""


def model(links: int, integrator: str, step: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = step, [0.0, -GRAVITY, 0.0]
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    length = mass = 1.0 / links
    body = spec.worldbody
    for k in range(links):
        body = body.add_body(pos=[length if k else 0.0, 0.0, 0.0])
        body.mass, body.ipos, body.explicitinertial = mass, [length / 2, 0.0, 0.0], True
        body.inertia = [mass * length**2 / 12.0] * 3
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
    return spec.compile()


def run(links: int, integrator: str, step: float) -> tuple[float, tuple[int, dict[str, float]]]:
    compiled = model(links, integrator, step)
    data = mujoco.MjData(compiled)
    steps = round(Chain.t_end[links] / step)
    seconds = timed(lambda: mujoco.mj_step(compiled, data, nstep=steps))
    angle = np.cumsum(data.qpos)
    found = {"x": np.cos(angle).sum() / links, "y": np.sin(angle).sum() / links, "first": angle[0]}
    return seconds, (steps, found)


def main() -> None:
    links = int(sys.argv[1])
    sizes = {10: (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4), 100: (1e-3, 5e-4, 2e-4, 1e-4), 1000: (5e-4, 2e-4)}
    for integrator in ("RK4", "Euler") if links < 1000 else ("RK4",):
        began = time.process_time()
        for step in sizes[links]:
            seconds, (steps, found) = best(partial(run, links, integrator, step))
            say(integrator, f"step {step:.0e}", seconds, steps, **found)
            if time.process_time() - began + 2.5 * seconds > BUDGET:
                break


if __name__ == "__main__":
    main()
