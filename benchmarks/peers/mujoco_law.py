"""Contact laws in MuJoCo: a compiled callback where there is a C compiler, else one in Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import mujoco

SOURCE = Path(__file__).with_suffix(".c")


def compiled() -> ctypes.CDLL | None:
    """The library with the callback; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    target = Path(tempfile.mkdtemp()) / "mujoco_law.so"
    headers = Path(mujoco.__file__).parent / "include"
    subprocess.run(
        [compiler, "-O3", "-shared", "-fPIC", f"-I{headers}", str(SOURCE), "-o", str(target), "-lm"], check=True
    )
    return ctypes.CDLL(str(target))


LIBRARY = compiled()
NAME = "law in C" if LIBRARY else "law in Python, for want of a C compiler"


def use(first: int, second: int, stiffness: float, offset: float, damping: float, factor: float = 0.0) -> None:
    """From now on this law acts between two degrees of freedom; see `mujoco_law.c` for the numbers."""
    if LIBRARY:
        LIBRARY.choose(first, second, *(ctypes.c_double(number) for number in (stiffness, offset, damping, factor)))
        mujoco.set_mjcb_passive(LIBRARY.law)
        return
    contact = {"touching": False, "damping": damping}

    def law(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        depth = data.qpos[first] - data.qpos[second] + offset
        if depth <= 0.0:
            contact["touching"] = False
            return
        rate = data.qvel[first] - data.qvel[second]
        if not contact["touching"]:
            contact["touching"] = True
            if factor > 0.0:
                contact["damping"] = factor / rate
        force = stiffness * depth**1.5 * (1.0 + contact["damping"] * rate)
        data.qfrc_passive[first] -= force
        data.qfrc_passive[second] += force

    mujoco.set_mjcb_passive(law)
