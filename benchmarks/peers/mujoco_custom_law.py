"""Cost of a user's law in MuJoCo, which has no such laws of its own: in C and in Python."""

from __future__ import annotations

from functools import partial

import mujoco_law
import mujoco_two_spheres
from measured import best, say

STEP = 1e-7


def main() -> None:
    ways = ["C function", "Python function"] if mujoco_law.LIBRARY else ["Python function"]
    for way in ways:
        if way == "Python function":
            mujoco_law.LIBRARY = None
        seconds, (steps, restitution) = best(partial(mujoco_two_spheres.run, "RK4", STEP))
        say(way, f"RK4, step {STEP:.0e}", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
