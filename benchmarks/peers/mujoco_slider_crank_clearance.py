"""Slider-crank with clearance in MuJoCo, by its own soft contacts between corners and planes.

Corners are spheres of 10 µm; Newton's restitution is approximated by the damping ratio that returns it, ζ =
−ln ε/√(π² + ln² ε). Of 80 combinations of time constant (3 to 20 steps; 2 are unstable), impedance, friction cone and
impratio none has errors below 1e-2 at all of the steps 20, 10 and 5 µs, and the best four have 2e-2 to 4e-2 at 1 µs.
The best of all is among the three that run.
"""

from __future__ import annotations

import math
from functools import partial

import mujoco

from measured import best, say, timed
from problems import GRAVITY
from problems import SliderCrankClearance as P

CORNER = 1e-5
DAMPING = -math.log(P.restitution) / math.hypot(math.pi, math.log(P.restitution))
MODEL = """<mujoco><option timestep="{step}" gravity="0 {gravity} 0" cone="{cone}" impratio="{ratio}"
integrator="{integrator}"/>
<default><geom condim="3" friction="{friction} 0 0" solref="{time} {damping}" solimp="0.99 0.99 0.0001"/></default>
<worldbody><geom type="plane" pos="0 {wall} 0" zaxis="0 -1 0" size="0 0 1"/>
<geom type="plane" pos="0 -{wall} 0" zaxis="0 1 0" size="0 0 1"/>
<body><joint axis="0 0 1"/><inertial pos="{half_crank} 0 0" mass="{m[0]}" diaginertia="{j[0]} {j[0]} {j[0]}"/>
<body pos="{crank} 0 0"><joint axis="0 0 1"/>
<inertial pos="{half_rod} 0 0" mass="{m[1]}" diaginertia="{j[1]} {j[1]} {j[1]}"/>
<body pos="{rod} 0 0"><joint axis="0 0 1"/><inertial pos="0 0 0" mass="{m[2]}" diaginertia="{j[2]} {j[2]} {j[2]}"/>
{corners}</body></body></body></worldbody></mujoco>""".format


def run(
    integrator: str, cone: str, constant: float, ratio: float, step: float
) -> tuple[float, tuple[int, float, float]]:
    corners = "".join(
        f'<geom type="sphere" size="{CORNER}" pos="{x * P.half_length} {y * (P.half_width - CORNER)} 0"/>'
        for x in (-1, 1) for y in (-1, 1)
    )  # fmt: skip
    text = MODEL(
        step=step, time=constant * step, ratio=ratio, damping=DAMPING, integrator=integrator, cone=cone,
        gravity=-GRAVITY, m=P.masses, j=P.inertias, crank=P.crank, rod=P.rod, half_crank=P.crank / 2,
        half_rod=P.rod / 2, friction=P.friction, wall=P.half_width + P.clearance, corners=corners,
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    first, second, third = P.speeds
    data.qvel[:] = first, second - first, third - second
    steps = round(P.t_end / step)
    seconds = timed(lambda: mujoco.mj_step(model, data, nstep=steps))
    return seconds, (steps, float(data.qpos[0]), float(data.qvel[0]))


def main() -> None:
    for integrator, cone, constant, ratio in (
        ("implicitfast", "elliptic", 4.0, 10.0), ("implicitfast", "elliptic", 6.0, 1.0),
        ("Euler", "pyramidal", 4.0, 10.0),
    ):  # fmt: skip
        for step in (1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6):
            seconds, (steps, angle, speed) = best(partial(run, integrator, cone, constant, ratio, step))
            way = f"{integrator}, {cone} cone, {constant:g} steps"
            say(way, f"step {step:.0e}", seconds, steps, angle=angle, speed=speed)


if __name__ == "__main__":
    main()
