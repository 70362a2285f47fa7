"""One example of every registered law, and its kernel called through its address."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from carom.errors import CaromWarning
from carom.kernels import FRICTION, NORMAL
from carom.kernels.argument_types import c_function
from carom.laws.base import NO_BODIES
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT, FrictionLaw
from carom.laws.friction.registry import FRICTIONS
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, NormalLaw
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.registry import LAWS

MASS, SPEED = 0.046, 0.3
"""Two steel spheres of 20 mm that meet at ±0.15 m/s."""

STIFFNESS = 5.5e9

HYSTERETIC = sorted(name for name, kind in LAWS.items() if issubclass(kind, Hysteretic))
ELASTIC = ("hertz", "linear", "cylinder_line", "liu_cylinder", "persson")

PARAMETERS: dict[str, dict[str, Any]] = {
    "hertz": {"stiffness": STIFFNESS},
    "linear": {"stiffness": 1e7},
    "cylinder_line": {"stiffness": 2e7},
    "liu_cylinder": {"modulus": 1.1e11, "length": 0.02, "clearance": 5e-5},
    "persson": {"modulus": 1.1e11, "length": 0.02, "clearance": 5e-5},
    "plastic_unloading": {"stiffness": STIFFNESS, "restitution": 0.6},
    "kelvin_voigt": {"stiffness": 1e7, "damping": 300.0},
    "penalty_step": {"stiffness": 1e8, "damping": 500.0, "depth": 1e-4},
    "elastic_foundation": {"modulus": 1e7, "thickness": 1.0, "damping": 0.3},
    **{name: {"stiffness": STIFFNESS, "restitution": 0.85} for name in HYSTERETIC},
}

FRICTION_PARAMETERS: dict[str, dict[str, Any]] = {
    "coulomb": {"coefficient": 0.1, "regularisation": 2e-3},
    "step_coulomb": {"static": 0.2, "dynamic": 0.1, "stick_speed": 0.005, "slip_speed": 0.05},
    "ambrosio": {"coefficient": 0.15, "v0": 1e-3, "v1": 1e-2},
    "threlfall": {"coefficient": 0.15, "v0": 1e-2},
    "bengisu_akay": {"static": 0.3, "dynamic": 0.1, "v0": 0.01, "decay": 40.0},
    "dahl": {"coefficient": 0.2, "stiffness": 1e4},
    "elasto_plastic": {"coefficient": 0.2, "stiffness": 1e5, "damping": 50.0},
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


def normal_out(
    law: NormalLaw,
    indentation: float,
    rate: float = 0.0,
    approach: float = SPEED,
    deepest: float = 0.0,
    unloading: bool = False,
    stores_energy: bool = True,
) -> Any:
    """Return the output of the machine code at the kernel's address, with the fields of LAW_OUTPUT."""
    kernel = law.compiled("test", NO_BODIES)
    law_input, out = LAW_INPUT.zeros(), np.recarray(1, LAW_OUTPUT.dtype)
    law_input[0] = indentation, rate, approach, deepest, unloading, stores_energy, 1
    out[0] = (np.nan,) * len(LAW_OUTPUT)
    params = np.array([*law.parameters, 0.0])
    c_function(NORMAL)(kernel.address)(params.ctypes.data, law_input.ctypes.data, out.ctypes.data)
    return out[0]


def friction_out(law: FrictionLaw, load: float, velocity: Any, state: Any = (0.0, 0.0)) -> np.ndarray:
    """Return force and rate of the state, four numbers, from the machine code at the kernel's address."""
    kernel = law.compiled("test", NO_BODIES)
    params, law_input = np.array([*law.parameters, 0.0]), FRICTION_INPUT.zeros()
    law_input[0] = load, *velocity, *state, 1
    out = np.full(FRICTION_OUTPUT.size, np.nan)
    out[[FRICTION_OUTPUT.index(name) for name in ("stored_energy", "stored_power")]] = 0.0  # not of all laws
    c_function(FRICTION)(kernel.address)(params.ctypes.data, law_input.ctypes.data, out.ctypes.data)
    assert np.isfinite(out).all()
    return out[:4]


def parameter_errors(law: NormalLaw | FrictionLaw) -> list[str]:
    """Return how the parameters of a law differ from the record that its kernel reads."""
    read = law.kernel.signature.arguments[0].names
    errors = [f"kernel reads {read}, the law declares {law.params.names}"] if read != law.params.names else []
    errors += [f"no attribute {name!r}" for name in law.params if not hasattr(law, name)]
    if len(law.parameters) != len(read) or not all(map(math.isfinite, law.parameters)):
        errors.append(f"values {law.parameters} for {read}")
    return errors
