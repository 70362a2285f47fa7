"""Five boxes that settle into a stack in MuJoCo, by its own soft contacts with its own step of 2 ms.

Its contacts are not springs and dampers: a constraint is drawn back with a time constant, and its stiffness grows with
the mass that it moves. Three time constants are run: that of MuJoCo's defaults, that with which boxes sink in as far as
those of carom, and the shortest that MuJoCo allows with this step.
"""

from __future__ import annotations

import mujoco

from measured import best, say, timed
from problems import GRAVITY
from problems import FiveBoxes as P

STEP = 2e-3
"""Its default step [s]."""
TIME_CONSTANTS = {"default contacts": 0.02, "contacts as deep as carom's": 0.006, "stiffest contacts": 2.0 * STEP}
"""Time constants of a contact [s]."""


def model(time_constant: float) -> mujoco.MjModel:
    contact = f'condim="3" friction="{P.friction}" solref="{time_constant} 1"'
    size = " ".join(map(str, P.half))
    boxes = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{size}" mass="{P.mass}" {contact}/></body>'
        for x, y, z in P.start()
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="0 0 {-GRAVITY}"/>'
        f'<worldbody><geom type="plane" size="0 0 1" {contact}/>{boxes}</worldbody></mujoco>'
    )


def run(time_constant: float) -> tuple[float, tuple[int, dict[str, float]]]:
    """Time the steps alone, not the compiling of the model."""
    compiled = model(time_constant)
    data = mujoco.MjData(compiled)
    seconds, centres = 0.0, []
    for length in (P.t_creep, P.t_end - P.t_creep):
        seconds += timed(lambda: mujoco.mj_step(compiled, data, round(length / STEP)))  # noqa: B023
        centres.append(data.qpos.reshape(P.count, 7)[:, :3].copy())
    return seconds, (round(P.t_end / STEP), P.settled(*centres))


def main() -> None:
    for way, time_constant in TIME_CONSTANTS.items():
        seconds, (steps, found) = best(lambda: run(time_constant))  # noqa: B023
        say(way, f"step {STEP:.0e}", seconds, steps, **found)


if __name__ == "__main__":
    main()
