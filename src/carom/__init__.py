"""carom: contact and impact in multibody systems.

>>> import carom as cm
>>> system = cm.System(gravity=(0.0, -9.81))
>>> bob = system.add(cm.Body("bob", mass=1.0, position=(1.0, 0.0)))
>>> pivot = system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0)))
>>> result = cm.simulate(system, t_end=1.0)
"""

from carom.errors import CaromWarning, ModelError
from carom.forces.registry import Bushing, Ligament, PointForce, RotationalSpringDamper, SpringDamper, Torque
from carom.geometry.marker import Marker
from carom.io.results import load
from carom.joints.motion import ConstantSpeed, Function, Motion, Polynomial, Sine, Step, Table
from carom.joints.registry import (
    Distance,
    Driver,
    Gear,
    PointOnCurve,
    PointOnLine,
    Prismatic,
    RackPinion,
    Revolute,
    Weld,
)
from carom.model.body import Body
from carom.model.system import System
from carom.result.linearization import Linearization
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.kinematics import kinematics
from carom.solve.linearize import linearize
from carom.solve.simulate import simulate
from carom.solve.statics import statics

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Bushing",
    "CaromWarning",
    "ConstantSpeed",
    "Distance",
    "Driver",
    "Function",
    "Gear",
    "Ligament",
    "Linearization",
    "Marker",
    "ModelError",
    "Motion",
    "Outcome",
    "PointForce",
    "PointOnCurve",
    "PointOnLine",
    "Polynomial",
    "Prismatic",
    "RackPinion",
    "Result",
    "Revolute",
    "RotationalSpringDamper",
    "Sine",
    "SpringDamper",
    "Step",
    "System",
    "Table",
    "Torque",
    "Weld",
    "gallery",
    "kinematics",
    "linearize",
    "load",
    "simulate",
    "statics",
]


def __getattr__(name: str) -> object:
    """``carom.gallery`` is opened when it is first asked for."""
    if name == "gallery":
        import importlib

        return importlib.import_module("carom.gallery")
    raise AttributeError(f"module 'carom' has no attribute {name!r}")
