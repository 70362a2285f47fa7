"""Groups of contacts: few pairs become contacts, many stay a group, and what cannot be is refused."""

from __future__ import annotations

import pytest

import carom as cm
from carom.model.contact_group import MAX_SINGLE_CONTACTS, ContactGroup

LAW = cm.laws.Hertz(1e6)


def world(count: int, dim: int = 3) -> tuple[cm.System, list[cm.Sphere]]:
    system = cm.System(dim=dim)
    rest = (0.0,) * (dim - 1)
    inertia = 1.0 if dim == 2 else (1.0, 1.0, 1.0)
    bodies = [system.add(cm.Body(f"b{k}", 1.0, inertia, position=(3.0 * k, *rest))) for k in range(count)]
    return system, [cm.Sphere(body, 1.0) for body in bodies]


def test_few_pairs_become_contacts_of_their_own():
    system, balls = world(4)
    floor = cm.Plane(system.ground, at=(0.0, 0.0, -2.0))
    group = system.add_contacts(balls, [floor], LAW, cm.friction.Coulomb(0.2), cm.ImpactLaw(0.5), name="pile")
    assert group.count == 6 + 4
    assert system.contacts == group.contacts
    assert not system.groups
    assert system["pile"] is group
    assert system["pile b0–b1"].shapes == (balls[0], balls[1])
    assert system["pile b3–ground"].shapes == (balls[3], floor)
    assert {contact.law for contact in system.contacts} == {LAW}
    assert all(contact.friction.mu == 0.2 and contact.impact.restitution == 0.5 for contact in system.contacts)


def test_contacts_of_a_group_run_as_ever():
    """Newton's cradle in a plane: two discs, one group, located events."""
    system, balls = world(2, dim=2)
    system.bodies[0].velocity = (2.0, 0.0)
    system.add_contacts(balls, law=LAW)
    result = cm.simulate(system, 1.0)
    assert result["b1"].vx[-1] == pytest.approx(2.0, rel=1e-6)
    assert result.impacts[0].contact == "contacts b0–b1"


def test_both_physics_know_a_small_group():
    system, balls = world(3)
    system.bodies[0].velocity = (2.0, 0.0, 0.0)
    system.add_contacts(balls, impact=cm.ImpactLaw(1.0), name="row")
    result = cm.simulate(system, 2.0, method="nonsmooth", step=1e-3)
    assert result["b2"].vx[-1] == pytest.approx(2.0, abs=1e-9)


def test_many_pairs_stay_a_group():
    system, balls = world(26)
    group = system.add_contacts(balls, law=LAW)
    assert group.count == 325 > MAX_SINGLE_CONTACTS
    assert system.groups == [group]
    assert not system.contacts
    assert group.name == "contacts"
    assert "1 groups" in repr(system)


def test_a_large_group_is_expanded_for_an_exact_solver():
    """A row of balls: the first one's momentum goes through, as it would with contacts of their own."""
    system, balls = world(26)
    system.bodies[0].velocity = (5.0, 0.0, 0.0)
    system.add_contacts(balls, impact=cm.ImpactLaw(1.0), name="row")
    result = cm.simulate(system, 0.5, method="nonsmooth", step=5e-3, solver="alart-curnier")
    assert result["b2"].vx[-1] == pytest.approx(5.0, abs=1e-9)
    assert "row b0–b1" in result
    assert not system.contacts, "the system is not changed"


def test_too_many_pairs_for_an_exact_solver_are_refused():
    system, balls = world(110)
    system.add_contacts(balls, impact=cm.ImpactLaw(1.0), name="row")
    with pytest.raises(cm.ModelError, match=r"'row' \(5995\) have 5995 pairs, which exceeds the limit of 5000"):
        cm.simulate(system, 0.5, method="nonsmooth", solver="alart-curnier")


def test_a_large_group_without_impact_has_no_nonsmooth_run():
    system, balls = world(26)
    system.add_contacts(balls, law=LAW, name="row")
    with pytest.raises(cm.ModelError, match="ContactGroup 'row': no impact law"):
        cm.simulate(system, 0.5, method="nonsmooth")


def test_shapes_on_one_body_do_not_touch():
    system, balls = world(2)
    twin = cm.Sphere(system.bodies[0], 0.5, at=(0.0, 1.0, 0.0))
    group = system.add_contacts([*balls, twin], law=LAW, name="g")
    assert group.count == 2
    assert len({contact.name for contact in group.contacts}) == 2
    assert "g b1–b0" in {contact.name for contact in group.contacts}


def test_names_are_made_and_must_be_new():
    system, balls = world(3)
    assert system.add_contacts(balls[:2], law=LAW).name == "contacts"
    assert system.add_contacts(balls[1:], law=LAW).name == "contacts 2"
    with pytest.raises(cm.ModelError, match="'b0' is used"):
        system.add_contacts(balls, law=LAW, name="b0")


BAD = {
    "no law": (lambda s, b: {"shapes": b}, "ContactGroup 'g': set law= for compliant runs"),
    "no shape": (
        lambda s, b: {"shapes": [*b, s.bodies[0]], "law": LAW},
        "ContactGroup 'g': shapes must contain shapes",
    ),
    "no list": (lambda s, b: {"shapes": b[0], "law": LAW}, "ContactGroup 'g': shapes must be a list"),
    "nothing": (lambda s, b: {"shapes": [], "law": LAW}, "ContactGroup 'g': shapes must contain shapes"),
    "one alone": (lambda s, b: {"shapes": b[:1], "law": LAW}, "ContactGroup 'g': no pair"),
    "twice": (lambda s, b: {"shapes": [*b, b[0]], "law": LAW}, "ContactGroup 'g': Sphere on 'b0' is listed twice"),
    "no pair": (
        lambda s, b: {"shapes": [*b, cm.Plane(s.bodies[0]), cm.Plane(s.bodies[1])], "law": LAW},
        "ContactGroup 'g': no pair for Plane on 'b0' and Plane on 'b1'",
    ),
    "no law at all": (lambda s, b: {"shapes": b, "law": "hertz"}, "ContactGroup 'g': law must be one of carom.laws"),
    "no friction": (lambda s, b: {"shapes": b, "law": LAW, "friction": 0.3}, "ContactGroup 'g': friction must be one"),
    "another body": (
        lambda s, b: {"shapes": [*b, cm.Sphere(cm.Body("stray", 1.0, (1.0, 1.0, 1.0)), 1.0)], "law": LAW},
        "ContactGroup 'g': body 'stray' of Sphere on 'stray' is not in system",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_with_the_name_of_the_group(case):
    system, balls = world(3)
    arguments, message = BAD[case]
    with pytest.raises(cm.ModelError, match=message):
        system.add_contacts(**arguments(system, balls), name="g")
    assert not system.groups
    assert not system.contacts


def test_shapes_may_be_kept_from_touching_self_contact():
    system, balls = world(5)
    walls = [cm.Plane(system.ground), cm.Plane(system.bodies[1])]
    group = ContactGroup(balls, walls, LAW, name="g", self_contact=False)
    assert group.count == len(list(group.pairs())) == 9
    assert all(other in walls for _, other in group.pairs())


def test_a_group_counts_its_pairs():
    system, balls = world(5)
    twin = cm.Sphere(system.bodies[0], 0.5, at=(0.0, 1.0, 0.0))
    walls = [cm.Plane(system.ground), cm.Plane(system.bodies[1])]
    group = ContactGroup([*balls, twin], walls, LAW, name="g")
    assert group.count == len(list(group.pairs())) == 15 - 1 + 12 - 1


def test_a_group_can_be_added_like_any_other_element():
    system = cm.System()
    bodies = [system.add(cm.Body(f"ball {k}", 1.0, 0.1, position=(float(k), 0.0))) for k in range(3)]
    group = cm.ContactGroup([cm.Sphere(body, 0.1) for body in bodies], law=cm.laws.Hertz(1e6), name="balls")
    assert system.add(group) is group
    assert system["balls"] is group
    assert [contact.name for contact in system.contacts] == [
        "balls ball 0–ball 1", "balls ball 0–ball 2", "balls ball 1–ball 2",
    ]  # fmt: skip
