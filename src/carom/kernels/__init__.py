"""How Python functions become compiled ones, and how compiled ones reach each other.

Every element (joint, force, motion, law …) is compiled on its own, only when a model uses it, and is
reached through its address. So one model pays for its own elements only, and a function written by a
user takes the same place as one of ours.
"""

from carom.kernels.address import floats, ints, offset
from carom.kernels.compile import Kernel, jit, kernel
from carom.kernels.signatures import (
    FACTOR,
    FORCE,
    JOINT,
    MOTION,
    PROJECT,
    RATE,
    SOLVE,
    USER,
    call_factor,
    call_force,
    call_joint,
    call_motion,
    call_project,
    call_rate,
    call_solve,
    call_user,
)

__all__ = [
    "FACTOR",
    "FORCE",
    "JOINT",
    "MOTION",
    "PROJECT",
    "RATE",
    "SOLVE",
    "USER",
    "Kernel",
    "call_factor",
    "call_force",
    "call_joint",
    "call_motion",
    "call_project",
    "call_rate",
    "call_solve",
    "call_user",
    "floats",
    "ints",
    "jit",
    "kernel",
    "offset",
]
