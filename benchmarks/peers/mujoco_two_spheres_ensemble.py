"""Two spheres in MuJoCo by `rollout`, over the speed of one of them; times are per run, of all runs together.

One thread, as the compiled callback of the law keeps the approach speed. Only the last states are needed, but `rollout`
returns all of them: it is called for a few runs at a time, into one array.
"""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np
from mujoco import rollout

import mujoco_law
from measured import best, say, timed
from mujoco_two_spheres import BODY, MODEL
from problems import TwoSpheres as P
from problems import TwoSpheresEnsemble as E

RUNS = 20
"""Runs of one call."""


def run(integrator: str, step: float) -> tuple[float, tuple[int, float]]:
    mujoco.set_mjcb_passive(None)  # compiling a model calls it, too
    bodies = "".join(BODY.format(x=side * (P.radius + P.gap / 2), radius=P.radius, mass=P.mass) for side in (-1.0, 1.0))
    model = mujoco.MjModel.from_xml_string(MODEL.format(step=step, integrator=integrator, bodies=bodies))
    data, steps = [mujoco.MjData(model)], round(P.t_end / step)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    size = mujoco.mj_stateSize(model, kind)
    initial = np.zeros((E.count, size))
    initial[:, 1 + model.nq : 1 + model.nq + 2] = np.column_stack([E.speeds, np.full(E.count, -P.speed)])
    states, sensors, last = np.zeros((RUNS, steps, size)), np.zeros((RUNS, steps, 0)), np.zeros((E.count, 2))
    mujoco_law.use(0, 1, P.stiffness, -P.gap, 0.0, 1.5 * (1.0 - P.restitution))

    def work() -> None:
        for first in range(0, E.count, RUNS):
            part = slice(first, first + RUNS)
            rollout.rollout(
                [model] * RUNS, data, initial[part], nstep=steps, state=states, sensordata=sensors, skip_checks=True
            )
            last[part] = states[:, -1, 1 + model.nq : 1 + model.nq + 2]

    seconds = timed(work)
    restitution = (last[:, 1] - last[:, 0]) / (E.speeds + P.speed)
    return seconds, (steps, E.worst(restitution))


def main() -> None:
    for integrator in ("Euler", "RK4"):
        for step in (3e-6, 1e-6, 3e-7, 1e-7):
            seconds, (steps, restitution) = best(partial(run, integrator, step))
            say(
                f"{integrator}, {mujoco_law.NAME}",
                f"step {step:.0e}",
                seconds / E.count,
                steps,
                restitution=restitution,
            )


if __name__ == "__main__":
    main()
