"""Slider-crank and block in MuJoCo: the loop closed by its `connect`, the law as a compiled callback.

Steps are of one size, or, with the times of the impacts known beforehand, small around these alone. `connect` is a
soft constraint: it is set as stiff as the step allows.
"""

from __future__ import annotations

from functools import partial

import mujoco

import mujoco_law
from measured import best, say, timed
from problems import GRAVITY
from problems import SliderCrankBlock as P

MODEL = """<mujoco><option timestep="1e-6" gravity="0 {gravity} 0" integrator="{integrator}" tolerance="1e-14"
iterations="100"><flag contact="disable" eulerdamp="disable"/></option>
<worldbody>
<body><joint axis="0 0 1"/><inertial pos="{half_crank} 0 0" mass="{m[0]}" diaginertia="{j[0]} {j[0]} {j[0]}"/>
<body name="rod" pos="{crank} 0 0"><joint axis="0 0 1"/>
<inertial pos="{half_rod} 0 0" mass="{m[1]}" diaginertia="{j[1]} {j[1]} {j[1]}"/></body></body>
<body name="slider" pos="{reach} 0 0"><joint type="slide" axis="1 0 0"/>
<inertial pos="0 0 0" mass="{m[2]}" diaginertia="1e-5 1e-5 1e-5"/></body>
<body pos="{block} 0 0"><joint type="slide" axis="1 0 0"/>
<inertial pos="0 0 0" mass="{m[3]}" diaginertia="1e-5 1e-5 1e-5"/></body>
</worldbody>
<equality><connect body1="slider" body2="rod" anchor="0 0 0" solref="1e-5 1" solimp="0.9999 0.9999 0.001"/></equality>
</mujoco>""".format


def run(integrator: str, spans: list[tuple[float, float]]) -> tuple[float, tuple[int, float, float]]:
    """``spans``: until when [s], and with which step [s]."""
    mujoco.set_mjcb_passive(None)  # compiling a model calls it, too
    text = MODEL(
        gravity=-GRAVITY, integrator=integrator, m=P.masses, j=P.inertias, crank=P.crank, half_crank=P.crank / 2,
        half_rod=P.rod / 2, reach=P.crank + P.rod, block=P.block,
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = P.omega, -P.omega * (1.0 + P.crank / P.rod), 0.0, P.block_speed
    mujoco_law.use(2, 3, P.stiffness, P.crank + P.rod + P.reach - P.block, 0.0, P.damping)
    seconds, began, taken, first = 0.0, 0.0, 0, 0.0
    for until, step in spans:
        steps = max(1, round((until - began) / step))
        model.opt.timestep = (until - began) / steps
        model.eq_solref[0, 0] = 2.0 * model.opt.timestep  # the least it takes
        seconds += timed(lambda: mujoco.mj_step(model, data, nstep=steps))  # noqa: B023
        began, taken = until, taken + steps
        if until == P.between:
            first = data.qvel[3]
    return seconds, (taken, float(first), float(data.qvel[3]))


def even(step: float) -> list[tuple[float, float]]:
    return [(P.between, step), (P.t_end, step)]


def windowed(step: float, free: float) -> list[tuple[float, float]]:
    """Small steps around the impacts."""
    (a, b), (c, d) = P.windows
    return [(a, free), (b, step), (P.between, free), (c, free), (d, step), (P.t_end, free)]


def main() -> None:
    for integrator in ("Euler", "RK4"):
        for step in (1e-5, 5e-6, 2e-6, 1e-6):
            seconds, (steps, first, last) = best(partial(run, integrator, even(step)))
            say(f"{integrator}, {mujoco_law.NAME}", f"step {step:.0e}", seconds, steps, first=first, last=last)
        for step, free in ((1e-6, 5e-5), (1e-6, 2e-5), (3e-7, 2e-5), (3e-7, 1e-5), (1e-7, 1e-5), (1e-7, 2e-6)):
            seconds, (steps, first, last) = best(partial(run, integrator, windowed(step, free)))
            setting = f"step {free:.0e} and {step:.0e}"
            say(f"{integrator}, {mujoco_law.NAME}, impacts known", setting, seconds, steps, first=first, last=last)


if __name__ == "__main__":
    main()
