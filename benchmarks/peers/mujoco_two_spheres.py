"""Two spheres in MuJoCo, with the law as a compiled callback, all steps in one call.

Its own contacts are linear and scaled with the mass: their restitution can be set, the course of the force cannot.
"""

from __future__ import annotations

import sys
from functools import partial

import mujoco

import mujoco_law
from measured import best, say, timed
from problems import TwoSpheres as P

MODEL = """<mujoco><option timestep="{step}" gravity="0 0 0" integrator="{integrator}"><flag contact="disable"/>
</option><worldbody>{bodies}</worldbody></mujoco>"""
BODY = """<body pos="{x} 0 0"><joint type="slide" axis="1 0 0"/>
<geom type="sphere" size="{radius}" mass="{mass}" contype="0" conaffinity="0"/></body>"""


def run(integrator: str, step: float) -> tuple[float, tuple[int, float]]:
    mujoco.set_mjcb_passive(None)  # compiling a model calls it, too
    bodies = "".join(BODY.format(x=side * (P.radius + P.gap / 2), radius=P.radius, mass=P.mass) for side in (-1.0, 1.0))
    model = mujoco.MjModel.from_xml_string(MODEL.format(step=step, integrator=integrator, bodies=bodies))
    data = mujoco.MjData(model)
    data.qvel[:] = P.speed, -P.speed
    mujoco_law.use(0, 1, P.stiffness, -P.gap, P.damping)
    steps = round(P.t_end / step)
    seconds = timed(lambda: mujoco.mj_step(model, data, nstep=steps))
    return seconds, (steps, data.qvel[1] / P.speed)


def main() -> None:
    if sys.argv[1:] == ["once"]:
        run("RK4", 1e-6)
        return
    for integrator in ("Euler", "RK4"):
        for step in (3e-6, 1e-6, 3e-7, 1e-7, 3e-8):
            seconds, (steps, restitution) = best(partial(run, integrator, step))
            say(f"{integrator}, {mujoco_law.NAME}", f"step {step:.0e}", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
