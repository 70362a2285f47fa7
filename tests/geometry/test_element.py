"""Common parts of joints and forces: their bodies and points, and whether they can rotate them."""

from collections.abc import Callable

import pytest

import carom as cm
from carom.geometry.element import Element
from quick import each

SLOT = [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]

# Elements that hold the mass b by its centre only, so that they push it about but never turn it.
AT_CENTRE: dict[str, Callable[[cm.Body, cm.Body], Element]] = {
    "Revolute": lambda a, b: cm.Revolute(a.point(0.1, 0.2), b.point(0.0, 0.0)),
    "Distance": lambda a, b: cm.Distance(a, b),
    "PointOnLine": lambda a, b: cm.PointOnLine(a, b, axis=(1.0, 0.0)),
    "PointOnCurve": lambda a, b: cm.PointOnCurve(a, b, SLOT),
    "Driver x": lambda a, b: cm.Driver((b, "x"), cm.ConstantSpeed(1.0)),
    "Driver y": lambda a, b: cm.Driver((b, "y"), cm.ConstantSpeed(1.0)),
    "PointForce": lambda a, b: cm.PointForce(b, (1.0, 2.0)),
    "SpringDamper": lambda a, b: cm.SpringDamper(a, b, 10.0),
    "Ligament": lambda a, b: cm.Ligament(a, b, 10.0),
}
TURNING: dict[str, Callable[[cm.Body, cm.Body], Element]] = {
    "Revolute off centre": lambda a, b: cm.Revolute(a, b, at=(0.0, 0.0)),
    "Distance off centre": lambda a, b: cm.Distance(a, b.point(0.0, 0.1)),
    "PointForce off centre": lambda a, b: cm.PointForce(b.point(0.1, 0.0), (1.0, 2.0)),
    "SpringDamper off centre": lambda a, b: cm.SpringDamper(a, b.point(0.1, 0.0), 10.0),
    "Prismatic": lambda a, b: cm.Prismatic(a, b, axis=(1.0, 0.0)),
    "Weld": lambda a, b: cm.Weld(a, b),
    "Gear": lambda a, b: cm.Gear(a, b, 2.0),
    "RackPinion": lambda a, b: cm.RackPinion(a, b, 0.1, axis=(1.0, 0.0)),
    "Driver angle": lambda a, b: cm.Driver((b, "angle"), cm.ConstantSpeed(1.0)),
    "Torque": lambda a, b: cm.Torque(b, 1.0),
    "RotationalSpringDamper": lambda a, b: cm.RotationalSpringDamper(a, b, 1.0),
    "Bushing": lambda a, b: cm.Bushing(a, b, (1.0, 1.0, 1.0)),
    "PointOnLine, b has the slot": lambda a, b: cm.PointOnLine(b, a, axis=(1.0, 0.0)),
}


def bodies() -> tuple[cm.Body, cm.Body]:
    return cm.Body("a", 1.0, 1.0, position=(-1.0, 0.3)), cm.Body("b", 1.0, position=(0.4, 0.7))


@each("name", AT_CENTRE)
def test_what_holds_a_body_by_its_centre_cannot_turn_it(name: str):
    a, b = bodies()
    assert not AT_CENTRE[name](a, b).turns(b)


@each("name", TURNING)
def test_what_grips_a_body_or_holds_it_off_centre_can_turn_it(name: str):
    a, b = bodies()
    assert TURNING[name](a, b).turns(b)


def test_an_element_does_not_turn_a_body_it_does_not_hold():
    a, b = bodies()
    assert not cm.Weld(a, b).turns(cm.Body("c", 1.0))


def test_a_point_mass_on_a_driven_slide_falls_freely():
    system = cm.System(gravity=(0.0, -10.0))
    bead = system.add(cm.Body("bead", 1.0, velocity=(1.0, 0.0)))
    system.add(cm.Driver((bead, "x"), cm.ConstantSpeed(1.0)))
    result = cm.simulate(system, 0.5)
    assert result["bead"].y[-1] == pytest.approx(-1.25, abs=1e-9)


def test_labels_name_the_kind_and_the_bodies_or_the_given_name():
    a, b = bodies()
    assert cm.Weld(a, b, name="seam").label == "Weld 'seam'"
    assert cm.Weld(a, b).label == "Weld a–b"
    assert repr(cm.Torque(b, 1.0, name="motor")) == "<Torque 'motor': b, torque=1>"
