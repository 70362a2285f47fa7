"""Attributes of built objects are fixed; assignable attributes are checked and take effect."""

import copy
import pickle

import pytest

import carom as cm


def resting_box() -> cm.System:
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    box = system.add(cm.Body("box", 1.0, 1.0, (0.0, 0.0, 0.5)))
    law = cm.laws.Hertz(1e5)
    system.add(cm.Contact(cm.Box(box, (0.5, 0.5, 0.5)), cm.Plane(system.ground), law=law, name="touch"))
    system.add(cm.SpringDamper(system.ground, box, stiffness=3.0, free_length=1.0, name="spring"))
    return system


def items() -> dict[str, object]:
    system = resting_box()
    touch = system["touch"]
    coordinates = cm.GeneralizedSystem([1.0], [0.0], [[1.0]], [-9.81], name="ball")
    curve = cm.Curve.polynomial(cm.System().ground, (0.0, 1.0), (0.0, 0.0, 1.0), (-1.0, 1.0))
    return {
        "body": system["box"], "contact": touch, "spot": touch.parts[0], "law": touch.law, "shape": touch.shapes[0],
        "force": system["spring"], "impact": cm.ImpactLaw(0.5), "rolling": cm.friction.Rolling(1e-3), "curve": curve,
        "friction": cm.friction.Coulomb(0.3), "motion": cm.SineMotion(1.0, 2.0), "system": system,
        "ground": system.ground, "generalized": coordinates, "surface": cm.surfaces.Sphere(0.1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("item", "key", "message"),
    [
        ("law", "stiffness", "Hertz: stiffness cannot be changed; build a new law and assign it to the contact"),
        ("shape", "half", "Box on 'box': half cannot be changed; build a new one instead"),
        ("contact", "shapes", "Contact 'touch': shapes cannot be changed; build a new contact instead"),
        ("contact", "shape_a", "Contact 'touch' has no attribute 'shape_a'"),
        ("contact", "name", "Contact 'touch': name cannot be changed"),
        ("spot", "pairing", "Contact 'touch 1': pairing cannot be changed"),
        ("force", "stiffness", "SpringDamper 'spring': stiffness cannot be changed"),
        ("impact", "restitution", "ImpactLaw: restitution cannot be changed"),
        ("friction", "coefficient", "Coulomb: coefficient cannot be changed"),
        ("rolling", "lever", "Rolling: lever cannot be changed"),
        ("motion", "amplitude", "SineMotion: amplitude cannot be changed"),
        ("curve", "side", "Curve on 'ground': side cannot be changed"),
        ("surface", "radius", "Sphere: radius cannot be changed"),
        ("body", "mas", "Body 'box' has no attribute 'mas'; did you mean 'mass'?"),
        ("body", "angle", "Body 'box' has no attribute 'angle'"),
        ("system", "gravty", "System 'system' has no attribute 'gravty'; did you mean 'gravity'?"),
        ("system", "bodies", "System 'system': bodies cannot be changed"),
        ("generalized", "freedom", "GeneralizedSystem 'ball': freedom cannot be changed"),
        ("ground", "mass", "ground: mass cannot be changed; add a Body and a Weld or a Driver instead"),
    ],
)
def test_fixed_or_misspelt_attributes_cannot_be_assigned(item: str, key: str, message: str):
    target = items()[item]
    copies = [copy.copy(target), copy.deepcopy(target)]
    if item != "generalized":  # Its functions are local and cannot be pickled.
        copies.append(pickle.loads(pickle.dumps(target)))
    for thing in (target, *copies):
        with pytest.raises(cm.ModelError) as error:
            setattr(thing, key, 1.0)
        assert message in str(error.value)


@pytest.mark.parametrize(
    ("item", "key", "value", "message"),
    [
        ("contact", "law", "flores", "Contact 'touch': law must be one of carom.laws"),
        ("contact", "impact", cm.friction.Coulomb(0.1), "Contact 'touch': impact must be an ImpactLaw"),
        ("system", "gravity", "x", "System 'system': gravity must be 3 numbers, got 'x'"),
        ("system", "gravity", (0.0, -9.81), "System 'system': gravity must be 3 numbers, got 2"),
        ("system", "name", 3, "System: name must be a text, got 3"),
        ("body", "mass", -1.0, "Body 'box': mass must be positive or zero, got -1"),
        ("generalized", "q0", (1.0, 2.0), "GeneralizedSystem 'ball': q0 must be 1 numbers, got 2"),
    ],
)
def test_assigned_values_are_checked(item: str, key: str, value: object, message: str):
    target = items()[item]
    before = getattr(target, key)
    with pytest.raises(cm.ModelError) as error:
        setattr(target, key, value)
    assert message in str(error.value)
    assert getattr(target, key) == before


def test_a_new_law_reaches_the_spots_of_a_contact_and_the_contacts_of_a_group():
    system = resting_box()
    law = cm.laws.Linear(2e4)
    system["touch"].law = law
    assert [spot.law for spot in system["touch"].parts] == [law] * 8
    balls = [system.add(cm.Body(f"ball {k}", 1.0, 1.0, (k, 0.0, 3.0))) for k in range(3)]
    group = system.add_contacts([cm.Sphere(ball, 0.1) for ball in balls], law=cm.laws.Hertz(1e5))
    group.law = law
    assert [contact.law for contact in group.contacts] == [law] * 3
