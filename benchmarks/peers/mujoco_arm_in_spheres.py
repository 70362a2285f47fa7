"""An arm that sweeps through a bed of spheres in MuJoCo, by its own soft contacts with its own step of 2 ms.

The arm is driven by a velocity actuator, which needs an implicit integrator to be stiff.
"""

from __future__ import annotations

import mujoco

from measured import best, say, timed
from problems import GRAVITY
from problems import ArmInSpheres as P

STEP = 2e-3
"""Its default step [s]."""
GAIN = 1000.0
"""Torque per error of the arm's angular velocity [N m s/rad]."""


def model(solver: str) -> mujoco.MjModel:
    contact = f'condim="3" friction="{P.friction}"'
    sphere = f'<freejoint/><geom type="sphere" size="{P.radius}" mass="{P.mass}" {contact}/>'
    spheres = "".join(f'<body pos="{x} {y} {z}">{sphere}</body>' for x, y, z in P.start())
    x, y, z = P.pivot
    inertia = f"{P.arm_inertia} {P.arm_inertia} {P.arm_inertia}"
    arm = (
        f'<body pos="{x + P.arm_half} {y} {z}"><inertial pos="0 0 0" mass="{P.arm_mass}" diaginertia="{inertia}"/>'
        f'<joint name="hinge" type="hinge" axis="0 1 0" pos="{-P.arm_half} 0 0"/>'
        f'<geom type="capsule" fromto="{-P.arm_half} 0 0 {P.arm_half} 0 0" size="{P.arm_radius}" {contact}/></body>'
    )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" solver="{solver}" integrator="implicitfast" gravity="0 0 {-GRAVITY}"/>'
        f'<worldbody><geom type="plane" size="0 0 1" {contact}/>{arm}{spheres}</worldbody>'
        f'<actuator><velocity joint="hinge" kv="{GAIN}"/></actuator></mujoco>'
    )


def run(solver: str) -> tuple[float, float]:
    """Return the time of the steps alone, not of compiling the model, and the deepest penetration [m]."""
    compiled = model(solver)
    data = mujoco.MjData(compiled)
    data.ctrl[0] = P.speed
    seconds, deepest = 0.0, 0.0
    for _ in range(round(P.t_end / STEP)):
        seconds += timed(lambda: mujoco.mj_step(compiled, data))
        if data.ncon:
            deepest = max(deepest, -float(data.contact.dist.min()))
    return seconds, deepest


def main() -> None:
    for solver in ("CG", "Newton"):
        seconds, deepest = best(lambda: run(solver))  # noqa: B023
        say(f"own soft contacts, {solver}", f"step {STEP:.0e}", seconds, round(P.t_end / STEP), penetration=deepest)


if __name__ == "__main__":
    main()
