"""Every registry is a dictionary by name, its elements are public names, and laws return their derivatives."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom import surfaces
from carom.forces.base import Force
from carom.forces.registry import FORCES
from carom.gallery.registry import CASES
from carom.geometry.element import Element
from carom.geometry.pairs.base import PairKernel
from carom.geometry.pairs.registry import PAIRS
from carom.geometry.profiles.base import Profile
from carom.geometry.profiles.registry import PROFILES
from carom.geometry.shapes.base import Shape
from carom.geometry.shapes.registry import SHAPES
from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.registry import SURFACES
from carom.io.model.constructor_schema import FAMILIES, SECTIONS
from carom.joints.base import Joint
from carom.joints.motion import Motion
from carom.joints.prescribed_motion import MOTIONS
from carom.joints.registry import JOINTS
from carom.kernels import Kernel
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.registry import FRICTIONS
from carom.laws.lubrication.base import Lubricant
from carom.laws.lubrication.registry import LUBRICANTS
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.registry import LAWS
from carom.laws.wear.base import WearLaw
from carom.laws.wear.registry import WEAR_LAWS
from carom.model.registry import BOUNDARIES, CONTACTS
from carom.model.sensors.base import Sensor
from carom.model.sensors.registry import SENSORS
from carom.solve.contact_problem.registry import FALLBACKS, SOLVERS
from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.registry import TABLEAUS
from carom.solve.timestepping.schemes import SCHEMES, Scheme
from checkers import (
    check_friction_derivatives,
    check_friction_derivatives_at_all_speeds,
    check_normal_derivatives,
    normal_output,
)
from laws.cases import example, friction_example
from quick import examples


class Registry(NamedTuple):
    """A registry of classes or functions, the module that exports them, and their base class."""

    elements: dict[str, Any]
    module: Any
    base: type | None
    family: Any = None
    """Family of the objects in model files."""


REGISTRIES = {
    "joints": Registry(JOINTS, cm, Joint, SECTIONS["joints"]),
    "forces": Registry(FORCES, cm, Force, SECTIONS["forces"]),
    "contacts": Registry(CONTACTS, cm, Element, SECTIONS["contacts"]),
    "boundaries": Registry(BOUNDARIES, cm, Element, SECTIONS["boundaries"]),
    "sensors": Registry(SENSORS, cm, Sensor, SECTIONS["sensors"]),
    "shapes": Registry(SHAPES, cm, Shape, FAMILIES[Shape]),
    "motions": Registry(MOTIONS, cm, Motion, FAMILIES[Motion]),
    "surfaces": Registry(SURFACES, surfaces, ParametricSurface, FAMILIES[ParametricSurface]),
    "profiles": Registry(PROFILES, cm.profiles, Profile),
    "laws": Registry(LAWS, cm.laws, NormalLaw, FAMILIES[NormalLaw]),
    "friction": Registry(FRICTIONS, cm.friction, FrictionLaw, FAMILIES[FrictionLaw]),
    "lubrication": Registry(LUBRICANTS, cm.lubrication, Lubricant, FAMILIES[Lubricant]),
    "wear": Registry(WEAR_LAWS, cm.wear, WearLaw, FAMILIES[WearLaw]),
    "cases": Registry(CASES, cm.gallery, None),
}

ELEMENTS = [
    pytest.param(registry, name, id=f"{which}-{name}")
    for which, registry in REGISTRIES.items()
    for name in registry.elements
]


def public_name(registry: Registry, name: str) -> str:
    """Return the public name of an element: its key, for laws the name of the class."""
    return registry.elements[name].__name__ if registry.base in (NormalLaw, FrictionLaw) else name


@pytest.mark.parametrize(("registry", "name"), ELEMENTS)
def test_a_registered_element_is_a_public_name(registry, name):
    public = public_name(registry, name)
    assert getattr(registry.module, public) is registry.elements[name]
    assert public in registry.module.__all__


@pytest.mark.parametrize(("registry", "name"), ELEMENTS)
def test_a_registered_element_is_documented_and_of_its_kind(registry, name):
    element = registry.elements[name]
    assert inspect.getdoc(element)
    assert registry.base is None or issubclass(element, registry.base)


@pytest.mark.parametrize(("registry", "name"), ELEMENTS)
def test_a_registered_element_has_a_type_in_model_files(registry, name):
    if registry.family is not None:
        assert registry.family.constructors[public_name(registry, name)] is registry.elements[name]


@pytest.mark.parametrize("which", REGISTRIES)
def test_public_names_are_listed_once(which):
    names = REGISTRIES[which].module.__all__
    assert len(names) == len(set(names))


@pytest.mark.parametrize("which", ["laws", "friction"])
def test_laws_are_registered_by_their_own_names(which):
    for name, kind in REGISTRIES[which].elements.items():
        assert kind.name == name


def test_pairs_are_registered_once_by_kinds_of_shapes():
    kinds = {shape.kind for shape in SHAPES.values()}
    for (one, other), entry in PAIRS.items():
        assert {one, other} <= kinds
        assert isinstance(entry, PairKernel)
        assert one == other or (other, one) not in PAIRS


def test_methods_are_registered_by_name():
    assert all(isinstance(tableau, Tableau) and tableau.name == name for name, tableau in TABLEAUS.items())
    assert all(isinstance(solver, Kernel) for solver in SOLVERS.values())
    assert all(isinstance(scheme, Scheme) for scheme in SCHEMES.values())
    assert {*FALLBACKS, *(name for names in FALLBACKS.values() for name in names)} <= set(SOLVERS)


# ---- derivatives of laws

CUSTOM_LAWS = {
    "custom of rate": cm.laws.custom(lambda indentation, rate: 1e8 * indentation**1.5 * (1.0 + 0.3 * rate)),
    "custom of approach speed": cm.laws.custom(
        lambda indentation, rate, approach_speed: 1e6 * indentation * (1.0 + 0.3 * rate / approach_speed)
    ),
}
CUSTOM_FRICTIONS = {"custom": cm.friction.custom(lambda speed: 0.2 * speed / (0.01 + speed))}
NORMAL_LAWS = {
    **{name: example(name) for name in LAWS},
    "hertz with exponent 1.3": example("hertz", exponent=1.3),
    "plastic_unloading with exponent 1": example("plastic_unloading", exponent=1.0),
    **CUSTOM_LAWS,
}
FRICTION_LAWS = {
    **{name: friction_example(name) for name in FRICTIONS},
    "dahl with shape 2": friction_example("dahl", shape=2.0),
    "elasto_plastic without damping": friction_example("elasto_plastic", damping=0.0, breakaway=0.3),
    **CUSTOM_FRICTIONS,
}

SIGNS = st.sampled_from([-1.0, 1.0])


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Positive numbers from 10^low to 10^high."""
    return st.floats(low, high).map(lambda x: 10.0**x)


@st.composite
def vectors(draw: Any, low: float, high: float) -> np.ndarray:
    """Vectors with a length from 10^low to 10^high, half of them along the first tangent."""
    angle = draw(st.sampled_from([0.0, np.pi]) | st.floats(0.0, 2.0 * np.pi))
    return draw(powers(low, high)) * np.array([np.cos(angle), 0.0 if angle in (0.0, np.pi) else np.sin(angle)])


@pytest.mark.parametrize("name", NORMAL_LAWS)
@examples(60)
@given(
    depth=powers(-7.0, -3.0),
    rate=st.just(0.0) | st.tuples(SIGNS, powers(-3.0, 0.5)).map(np.prod).map(float),
    v_in=st.sampled_from([0.0, 0.3, 2.0]),
    unloading=st.booleans(),
    sign=st.sampled_from([1.0, 1.0, 1.0, -1.0]),
)
def test_a_normal_law_returns_the_derivatives_of_its_force(name, depth, rate, v_in, unloading, sign):
    law = NORMAL_LAWS[name]
    check_normal_derivatives(law, sign * depth, rate, v_in, 1.3 * depth if unloading else None)


@pytest.mark.parametrize("name", NORMAL_LAWS)
def test_the_derivatives_at_zero_indentation_are_finite(name):
    for turn in (None, 1e-4):
        out = normal_output(NORMAL_LAWS[name], 0.0, 0.1, 0.3, turn)
        assert np.isfinite([out["stiffness"], out["damping"]]).all()


@pytest.mark.parametrize("name", FRICTION_LAWS)
@examples(60)
@given(load=powers(-1.0, 3.0), velocity=vectors(-5.0, 1.0), state=vectors(-7.0, -4.0) | st.just(np.zeros(2)))
def test_a_friction_law_returns_the_derivatives_of_force_and_rate(name, load, velocity, state):
    check_friction_derivatives(FRICTION_LAWS[name], load, velocity, state)


@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_the_derivatives_of_friction_are_right_at_all_speeds(name):
    check_friction_derivatives_at_all_speeds(FRICTION_LAWS[name])


@pytest.mark.parametrize("name", FRICTION_LAWS)
def test_the_derivatives_of_friction_at_rest_are_the_limits(name):
    for z in (0.0, 3e-6, -3e-6):
        check_friction_derivatives(FRICTION_LAWS[name], 20.0, (0.0, 0.0), (z, 0.0))


def test_functions_that_cannot_be_compiled_have_derivatives():
    friction = cm.friction.custom(lambda speed: float(str(0.2 * speed**2)))
    law = cm.laws.custom(lambda indentation, rate: float(str(1e6 * indentation * (1.0 + rate**2))))
    with pytest.warns(cm.CaromWarning, match="Numba cannot compile"):
        check_friction_derivatives(friction, 20.0, (0.3, 0.1), (0.0, 0.0))
    with pytest.warns(cm.CaromWarning, match="Numba cannot compile"):
        check_normal_derivatives(law, 1e-4, 0.1, 0.3)
