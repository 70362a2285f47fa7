"""One example of every registered law, and its kernel called through its address."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any

import numpy as np

from carom.errors import CaromWarning
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.registry import FRICTIONS
from carom.laws.base import NO_BODIES
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.registry import LAWS

MASS, SPEED = 0.046, 0.3
"""Two steel spheres of 20 mm that meet at ±0.15 m/s."""

STIFFNESS = 5.5e9

HYSTERETIC = sorted(name for name, kind in LAWS.items() if issubclass(kind, Hysteretic))
ELASTIC = ("hertz", "linear", "cylinder_line", "liu_cylinder")

PARAMETERS: dict[str, dict[str, Any]] = {
    "hertz": {"stiffness": STIFFNESS},
    "linear": {"stiffness": 1e7},
    "cylinder_line": {"stiffness": 2e7},
    "liu_cylinder": {"modulus": 1.1e11, "length": 0.02, "clearance": 5e-5},
    "plastic_unloading": {"stiffness": STIFFNESS, "restitution": 0.6},
    "kelvin_voigt": {"stiffness": 1e7, "damping": 300.0},
    "penalty_step": {"stiffness": 1e8, "damping": 500.0, "depth": 1e-4},
    **{name: {"stiffness": STIFFNESS, "restitution": 0.85} for name in HYSTERETIC},
}

FRICTION_PARAMETERS: dict[str, dict[str, Any]] = {
    "coulomb": {"coefficient": 0.1, "regularisation": 2e-3},
    "step_coulomb": {"static": 0.2, "dynamic": 0.1, "stick_speed": 0.005, "slip_speed": 0.05},
    "ambrosio": {"coefficient": 0.15, "v0": 1e-3, "v1": 1e-2},
    "threlfall": {"coefficient": 0.15, "v0": 1e-2},
    "bengisu_akay": {"static": 0.3, "dynamic": 0.1, "v0": 0.01, "decay": 40.0},
    "dahl": {"coefficient": 0.2, "stiffness": 1e4},
    "lugre": {
        "static": 0.3,
        "dynamic": 0.2,
        "stribeck_speed": 0.01,
        "stiffness": 1e5,
        "damping": 1.0,
        "viscous": 0.1,
    },
}


def example(name: str, **changes: Any) -> NormalLaw:
    """The registered law ``name``, silently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        return LAWS[name](**{**PARAMETERS[name], **changes})


def friction_example(name: str, **changes: Any) -> FrictionLaw:
    return FRICTIONS[name](**{**FRICTION_PARAMETERS[name], **changes})


_REAL = ctypes.POINTER(ctypes.c_double)


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_REAL)


def normal_out(
    law: NormalLaw,
    indentation: float,
    rate: float = 0.0,
    approach: float = SPEED,
    deepest: float = 0.0,
    unloading: bool = False,
    observing: bool = True,
) -> np.ndarray:
    """force, elastic force, stored energy, pressing: what machine code at the kernel's address gives."""
    kernel = law.compiled("test", NO_BODIES)
    state = np.array([indentation, rate, approach, deepest, float(unloading), float(observing)])
    par, out = np.array([*law.parameters, 0.0]), np.full(4, np.nan)
    ctypes.CFUNCTYPE(None, _REAL, _REAL, _REAL)(kernel.address)(_pointer(par), _pointer(state), _pointer(out))
    return out


def friction_out(law: FrictionLaw, load: float, velocity: Any, state: Any = (0.0, 0.0)) -> np.ndarray:
    """Force and rate of the state from the machine code at the kernel's address."""
    kernel = law.compiled("test", NO_BODIES)
    par, v, z = np.array([*law.parameters, 0.0]), np.array(velocity, float), np.array(state, float)
    out = np.full(4, np.nan)
    call = ctypes.CFUNCTYPE(None, _REAL, ctypes.c_double, _REAL, _REAL, _REAL)(kernel.address)
    call(_pointer(par), load, _pointer(v), _pointer(z), _pointer(out))
    return out
