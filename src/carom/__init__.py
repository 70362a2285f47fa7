"""carom: contact and impact in multibody systems."""

from carom.errors import CaromWarning, ModelError
from carom.forces.registry import Bushing, Ligament, PointForce, RotationalSpringDamper, SpringDamper, Torque
from carom.geometry.marker import Marker
from carom.joints import motion
from carom.joints.motion import ConstantSpeed, Function, Polynomial, Sine, Step, Table
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


def load(path):
    """The result saved at ``path`` by `Result.save`."""
    from carom.io.results import load as load_result

    return load_result(path)
