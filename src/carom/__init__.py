"""carom: contact and impact in multibody systems.

>>> import carom as cm
>>> system = cm.System(gravity=(0.0, -9.81))
>>> bob = system.add(cm.Body("bob", mass=1.0, position=(1.0, 0.0)))
>>> pivot = system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0)))
>>> result = cm.simulate(system, t_end=1.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from carom import laws
from carom.deprecation import warn_deprecated
from carom.errors import CaromWarning, DiskError, ModelError
from carom.forces import registry as _forces
from carom.forces.registry import *
from carom.geometry.marker import Marker
from carom.geometry.shapes import registry as _shapes
from carom.geometry.shapes.registry import *
from carom.joints import prescribed_motion as _motions
from carom.joints import registry as _joints
from carom.joints.motion import Motion
from carom.joints.prescribed_motion import *
from carom.joints.registry import *
from carom.kernels.expression import expression
from carom.laws import STEEL, Material, friction, hertz_stiffness
from carom.laws.impact_law import ImpactLaw
from carom.model import registry as _contacts
from carom.model.body import Body
from carom.model.controller import Controller
from carom.model.generalized_system import GeneralizedSystem
from carom.model.input import Input
from carom.model.output import Output
from carom.model.pid import PID
from carom.model.registry import *
from carom.model.sensors import registry as _sensors
from carom.model.sensors.registry import *
from carom.model.system import System
from carom.model.visual import Visual

if TYPE_CHECKING:
    from carom import gallery, plot, report, study, view
    from carom.geometry import lookup, profiles, surfaces
    from carom.geometry.closest_points import closest
    from carom.io.result_file import load
    from carom.io.unfinished_runs import resume
    from carom.laws import lubrication, wear
    from carom.model import packing
    from carom.result import measures
    from carom.result.joint_diagnosis import diagnose_joint
    from carom.result.linearization import Linearization
    from carom.result.outcome import Outcome
    from carom.result.pressure_map import pressure_map
    from carom.result.result import Result
    from carom.solve.analyses.kinematics import kinematics
    from carom.solve.analyses.linearize import linearize
    from carom.solve.analyses.statics import statics
    from carom.solve.contact_problem import lcp
    from carom.solve.many_body.problem import estimate_memory
    from carom.solve.options import Compliant, Nonsmooth
    from carom.solve.simulate import simulate
    from carom.solve.simulation import Simulation
    from carom.study.compare import compare
    from carom.study.ensemble import ensemble
    from carom.study.fitting.bounce_times import fit_bounce
    from carom.study.fitting.least_squares import fit
    from carom.study.gradient import gradient
    from carom.study.joint_comparison import compare_joint
    from carom.study.lyapunov import lyapunov
    from carom.study.optimize import optimize
    from carom.study.sensitivity import sensitivity
    from carom.study.sweep import sweep
    from carom.study.tolerance_check import check_tolerance, trust

__version__ = "0.1.0"

__all__ = [
    "PID",
    "STEEL",
    "Body",
    "CaromWarning",
    "Compliant",
    "Controller",
    "DiskError",
    "GeneralizedSystem",
    "ImpactLaw",
    "Input",
    "Linearization",
    "Marker",
    "Material",
    "ModelError",
    "Motion",
    "Nonsmooth",
    "Outcome",
    "Output",
    "Result",
    "Simulation",
    "System",
    "Visual",
    "check_tolerance",
    "closest",
    "compare",
    "compare_joint",
    "diagnose_joint",
    "ensemble",
    "estimate_memory",
    "expression",
    "fit",
    "fit_bounce",
    "friction",
    "gallery",
    "gradient",
    "hertz_stiffness",
    "kinematics",
    "laws",
    "lcp",
    "linearize",
    "load",
    "lookup",
    "lubrication",
    "lyapunov",
    "measures",
    "optimize",
    "packing",
    "plot",
    "pressure_map",
    "profiles",
    "report",
    "resume",
    "sensitivity",
    "simulate",
    "statics",
    "study",
    "surfaces",
    "sweep",
    "trust",
    "view",
    "wear",
]
__all__ += _contacts.__all__
__all__ += _forces.__all__
__all__ += _joints.__all__
__all__ += _motions.__all__
__all__ += _sensors.__all__
__all__ += _shapes.__all__


LAZY_IMPORTS = {
    "Compliant": "carom.solve.options:Compliant",
    "Linearization": "carom.result.linearization:Linearization",
    "Nonsmooth": "carom.solve.options:Nonsmooth",
    "Outcome": "carom.result.outcome:Outcome",
    "Result": "carom.result.result:Result",
    "Simulation": "carom.solve.simulation:Simulation",
    "check_tolerance": "carom.study.tolerance_check:check_tolerance",
    "closest": "carom.geometry.closest_points:closest",
    "compare": "carom.study.compare:compare",
    "compare_joint": "carom.study.joint_comparison:compare_joint",
    "diagnose_joint": "carom.result.joint_diagnosis:diagnose_joint",
    "ensemble": "carom.study.ensemble:ensemble",
    "estimate_memory": "carom.solve.many_body.problem:estimate_memory",
    "fit": "carom.study.fitting.least_squares:fit",
    "fit_bounce": "carom.study.fitting.bounce_times:fit_bounce",
    "gallery": "carom.gallery",
    "gradient": "carom.study.gradient:gradient",
    "kinematics": "carom.solve.analyses.kinematics:kinematics",
    "lcp": "carom.solve.contact_problem.lcp",
    "linearize": "carom.solve.analyses.linearize:linearize",
    "load": "carom.io.result_file:load",
    "lookup": "carom.geometry.lookup",
    "lubrication": "carom.laws.lubrication",
    "lyapunov": "carom.study.lyapunov:lyapunov",
    "measures": "carom.result.measures",
    "optimize": "carom.study.optimize:optimize",
    "packing": "carom.model.packing",
    "plot": "carom.plot",
    "pressure_map": "carom.result.pressure_map:pressure_map",
    "profiles": "carom.geometry.profiles",
    "report": "carom.report",
    "resume": "carom.io.unfinished_runs:resume",
    "sensitivity": "carom.study.sensitivity:sensitivity",
    "simulate": "carom.solve.simulate:simulate",
    "statics": "carom.solve.analyses.statics:statics",
    "study": "carom.study",
    "surfaces": "carom.geometry.surfaces",
    "sweep": "carom.study.sweep:sweep",
    "trust": "carom.study.tolerance_check:trust",
    "view": "carom.view",
    "wear": "carom.laws.wear",
}
"""Public names imported on first use, to keep ``import carom`` fast: module, or module:attribute."""


DEPRECATED_NAMES = {
    "Function": "FunctionMotion",
    "Impact": "ImpactLaw",
    "Polynomial": "PolynomialMotion",
    "Sine": "SineMotion",
    "Step": "StepMotion",
    "Table": "TableMotion",
}
"""Deprecated public names and their replacements."""


def __getattr__(name: str) -> object:
    if name in DEPRECATED_NAMES:
        new = DEPRECATED_NAMES[name]
        warn_deprecated(f"carom.{name}", f"carom.{new}")
        return globals()[new]
    if name not in LAZY_IMPORTS:
        raise AttributeError(f"module 'carom' has no attribute {name!r}")
    module, _, attribute = LAZY_IMPORTS[name].partition(":")
    value: object = importlib.import_module(module)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *LAZY_IMPORTS})
