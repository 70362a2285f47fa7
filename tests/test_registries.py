"""Every registry is a dictionary by name, and its elements are public names."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import pytest

import carom as cm
from carom import surfaces
from carom.forces.base import Force
from carom.forces.registry import FORCES
from carom.gallery.registry import CASES
from carom.geometry.element import Element
from carom.geometry.pairs.base import PairKernel
from carom.geometry.pairs.registry import PAIRS
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
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.registry import LAWS
from carom.model.registry import CONTACTS
from carom.solve.contact_problem.registry import FALLBACKS, SOLVERS
from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.registry import TABLEAUS
from carom.solve.timestepping.schemes import SCHEMES, Scheme


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
    "shapes": Registry(SHAPES, cm, Shape, FAMILIES[Shape]),
    "motions": Registry(MOTIONS, cm, Motion, FAMILIES[Motion]),
    "surfaces": Registry(SURFACES, surfaces, ParametricSurface, FAMILIES[ParametricSurface]),
    "laws": Registry(LAWS, cm.laws, NormalLaw, FAMILIES[NormalLaw]),
    "friction": Registry(FRICTIONS, cm.friction, FrictionLaw, FAMILIES[FrictionLaw]),
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
