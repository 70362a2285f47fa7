"""Contacts as people write them: what is refused, names, and how a result shows them."""

from __future__ import annotations

import pytest

import carom as cm
from carom.errors import ModelError
from physics.drops import drop

HERTZ = cm.laws.Hertz(1e6)


@pytest.fixture
def system() -> cm.System:
    system = cm.System(name="pair")
    system.add(cm.Body("a", 1.0, 0.1))
    system.add(cm.Body("b", 1.0, 0.1, position=(1.0, 0.0)))
    return system


def shapes(system: cm.System) -> tuple[cm.Sphere, cm.Sphere]:
    return cm.Sphere(system["a"], 0.1), cm.Sphere(system["b"], 0.1)


# ---- refused


def test_shapes_on_one_body(system):
    a = system["a"]
    with pytest.raises(ModelError, match="Contact 'touch': Sphere on 'a' and Sphere on 'a' are on one body"):
        cm.Contact(cm.Sphere(a, 0.1), cm.Sphere(a, 0.1, (1.0, 0.0)), HERTZ, name="touch")


@pytest.mark.parametrize("wrong", ["body", None, 0.1, "Sphere"])
def test_what_is_not_a_shape(system, wrong):
    first, _ = shapes(system)
    other = system["b"] if wrong == "body" else wrong
    for pair in ((first, other), (other, first)):
        with pytest.raises(ModelError, match="Contact: expected two shapes such as Sphere or Plane, got"):
            cm.Contact(*pair, HERTZ)


@pytest.mark.parametrize("wrong", [1e6, "hertz", cm.laws.Hertz, cm.friction.Coulomb(0.1)])
def test_what_is_not_a_law(system, wrong):
    with pytest.raises(ModelError, match=r"Contact a–b: law must be one of carom\.laws, such as laws\.Hertz"):
        cm.Contact(*shapes(system), wrong)


def test_contact_without_law_and_impact(system):
    with pytest.raises(ModelError, match="Contact 'touch': set law= for compliant runs, impact= for non-smooth ones"):
        cm.Contact(*shapes(system), name="touch")


@pytest.mark.parametrize("wrong", [0.5, "newton", HERTZ, cm.ImpactLaw])
def test_what_is_not_an_impact(system, wrong):
    with pytest.raises(ModelError, match=r"Contact a–b: impact must be an ImpactLaw, such as ImpactLaw\(rest.*\), got"):
        cm.Contact(*shapes(system), HERTZ, impact=wrong)


@pytest.mark.parametrize("wrong", [0.3, "coulomb", HERTZ, cm.friction.Coulomb])
def test_what_is_not_friction(system, wrong):
    with pytest.raises(ModelError, match=r"friction must be one of carom\.friction, such as friction\.Coulomb\(0\.1\)"):
        cm.Contact(*shapes(system), HERTZ, wrong)


def test_shapes_that_have_no_pair(system):
    partners = r"Plane has pairs with Sphere, Segment, Curve, Polygon \(a Point"
    with pytest.raises(ModelError, match=f"no pair for Plane on 'a' and Plane on 'b'; {partners}"):
        cm.Contact(cm.Plane(system["a"]), cm.Plane(system["b"]), HERTZ)  # no shapes that planar bodies do not have


def test_bodies_of_another_system(system):
    stranger = cm.Body("stranger", 1.0)
    with pytest.raises(ModelError, match="body 'stranger' is not in system 'pair'; add the body first"):
        system.add(cm.Contact(cm.Sphere(stranger, 0.1), cm.Plane(system.ground), HERTZ))
    with pytest.raises(ModelError, match="another system's ground is not in system 'pair'"):
        system.add(cm.Contact(cm.Sphere(system["a"], 0.1), cm.Plane(cm.System().ground), HERTZ))


def test_names_that_are_taken(system):
    with pytest.raises(ModelError, match="the name 'a' is used by <Body 'a'"):
        system.add(cm.Contact(*shapes(system), HERTZ, name="a"))
    contact = system.add(cm.Contact(*shapes(system), HERTZ, name="touch"))
    with pytest.raises(ModelError, match="the name 'touch' is used"):
        system.add(cm.Contact(*shapes(system), HERTZ, name="touch"))
    with pytest.raises(ModelError, match="'touch' is in the system already"):
        system.add(contact)


def test_ball_without_inertia_that_friction_would_turn(system):
    ball = system.add(cm.Body("ball", 1.0, position=(0.0, 5.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), HERTZ, cm.friction.Coulomb(0.1)))
    with pytest.raises(ModelError, match="'ball' free to move, without mass or inertia"):
        cm.simulate(system, 0.1)


def test_ball_without_inertia_is_fine_where_nothing_turns_it():
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, position=(0.0, 0.2)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), HERTZ))
    result = cm.simulate(system, 0.3)
    assert len(result.impacts) == 1
    assert not result["ball"].angle.any()


# ---- names


def test_repr_and_names_made_from_the_bodies(system):
    first = cm.Contact(*shapes(system), HERTZ)
    assert repr(first).startswith("<Contact: ")
    system.add(first)
    assert repr(first).startswith("<Contact 'contact a-b': ")
    second = system.add(cm.Contact(*shapes(system), HERTZ))
    assert second.name == "contact a-b 2"
    third = system.add(cm.Contact(cm.Plane(system.ground), cm.Sphere(system["b"], 0.1), HERTZ))
    assert third.name == "contact ground-b"
    assert repr(system) == "<System 'pair': 2 bodies, 3 contacts>"
    assert system["contact a-b"] is first
    assert system.contacts == [first, second, third]


def test_result_knows_contacts_by_name_and_by_themselves():
    system = drop(cm.laws.Hertz(1e7))
    contact = system["floor"]
    result = cm.simulate(system, 0.3)
    assert result[contact].normal_force is not None
    assert (result[contact].values == result["floor"].values).all()
    (info,) = [element for element in result.elements if element.family == "contact"]
    assert (info.name, info.kind, info.members) == ("floor", "Contact", ("ball", "ground"))
    assert info.signals == cm.Contact.signals
    assert result["floor"].units["normal_force"] == "N"
    assert result["floor"].units["contact_mode"] == "1"
    assert result.impacts[0].contact == "floor"
    assert result.impacts.of(contact) == result.impacts


def test_signals_and_units_go_together():
    assert len(cm.Contact.signals) == len(cm.Contact.units)
    assert len(cm.RevoluteClearance.signals) == len(cm.RevoluteClearance.units)


def test_contact_takes_nothing_from_the_degrees_of_freedom(system):
    before = system.degrees_of_freedom
    system.add(cm.Contact(*shapes(system), HERTZ))
    assert system.degrees_of_freedom == before == 6


def test_several_contacts_between_the_same_bodies_act_together():
    """Two floors one on the other push twice."""
    system = drop(cm.laws.Hertz(1e7))
    system.add(cm.Contact(cm.Sphere(system["ball"], 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e7), name="again"))
    double, single = cm.simulate(system, 0.2), cm.simulate(drop(cm.laws.Hertz(2e7)), 0.2)
    assert double.impacts.of("floor")[0].max_indentation == pytest.approx(single.impacts[0].max_indentation, rel=1e-8)
    assert double.impacts.of("floor")[0].peak_force == pytest.approx(0.5 * single.impacts[0].peak_force, rel=1e-8)


def test_kinematics_shows_contacts_too():
    """A ball carried through a floor: force by the present indentation."""
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 0.101)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e6), name="floor"))
    for coordinate, speed in (("x", 0.0), ("y", -0.002), ("angle", 0.0)):
        system.add(cm.Driver((ball, coordinate), cm.ConstantSpeed(speed)))
    result = cm.kinematics(system, 1.0)
    floor = result["floor"]
    assert floor.indentation[-1] == pytest.approx(1e-3, rel=1e-9)
    assert floor.normal_force[-1] == pytest.approx(1e6 * 1e-3**1.5, rel=1e-9)
    assert floor.contact_mode[0] == 0.0
    assert floor.contact_mode[-1] == 1.0
    assert not floor.normal_force[floor.indentation < 0.0].any()
