"""Deprecated names and arguments work and warn; model files with old names load."""

import numpy as np
import pytest

import carom as cm


def planar_pair():
    system = cm.System()
    a, b = (system.add(cm.Body(name, 1.0, 1.0, position=(x, 0.0))) for name, x in (("a", 0.0), ("b", 2.0)))
    return system, a, b


@pytest.mark.parametrize("kind", [cm.Prismatic, cm.PointOnLine])
def test_joint_accepts_axis_and_at_by_position(kind):
    _, a, b = planar_pair()
    with pytest.warns(DeprecationWarning, match=f"{kind.__name__}: passing axis, at by position is deprecated"):
        old = kind(a, b, (0.0, 1.0), (0.5, 0.0))
    new = kind(a, b, at=(0.5, 0.0), axis=(0.0, 1.0))
    assert old.parameters == new.parameters
    assert old.keywords() == new.keywords()


def test_spatial_joints_accept_axis_and_at_by_position():
    system = cm.System(dim=3)
    b = system.add(cm.Body("b", 1.0, (1.0, 1.0, 1.0)))
    for kind, more in ((cm.Cylindrical, {}), (cm.Screw, {"pitch": 0.1})):
        with pytest.warns(DeprecationWarning, match="use axis=, at="):
            old = kind(system.ground, b, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), *more.values())
        assert old.keywords() == kind(system.ground, b, axis=(0.0, 1.0, 0.0), at=(1.0, 0.0, 0.0), **more).keywords()


@pytest.mark.parametrize("name", ["Function", "Impact", "Polynomial", "Sine", "Step", "Table"])
def test_public_names_are_renamed(name):
    with pytest.warns(DeprecationWarning, match=f"carom.{name} is deprecated; use carom.{name}"):
        old = getattr(cm, name)
    assert old is getattr(cm, old.__name__)


def test_function_surface_is_renamed():
    with pytest.warns(DeprecationWarning, match="use carom.surfaces.FunctionSurface"):
        assert cm.surfaces.Function is cm.surfaces.FunctionSurface


def test_arguments_of_forces_are_renamed():
    _, a, b = planar_pair()
    with pytest.warns(DeprecationWarning, match="PointForce: where= is deprecated; use at="):
        assert cm.PointForce(where=a, force=(1.0, 0.0)).keywords() == {"at": a, "force": (1.0, 0.0)}
    with pytest.warns(DeprecationWarning, match="Torque: reaction= is deprecated; use reaction_body="):
        assert cm.Torque(a, 2.0, reaction=b).keywords()["reaction_body"] is b


def test_two_values_for_one_argument_are_an_error():
    _, a, b = planar_pair()
    with pytest.warns(DeprecationWarning, match="reaction="), pytest.raises(TypeError, match="two values for argument"):
        cm.Torque(a, 2.0, reaction=b, reaction_body=b)


def test_arguments_of_contact_groups_are_renamed():
    system, a, b = planar_pair()
    shapes = [cm.Sphere(a, 0.1), cm.Sphere(b, 0.1)]
    with pytest.warns(DeprecationWarning, match=r"use (others|self_contact)=") as notices:
        group = system.add_contacts(
            shapes, against=[cm.Plane(system.ground)], each_other=False, impact=cm.ImpactLaw(0.5)
        )
    assert len(notices) == 2
    with pytest.warns(DeprecationWarning, match="ContactGroup.among is deprecated; use shapes"):
        assert group.among == group.shapes == tuple(shapes)
    assert group.count == 2


def test_arguments_of_generalized_systems_are_renamed():
    def ball(**tangential):
        impact = cm.ImpactLaw(0.5, 0.1)
        return cm.GeneralizedSystem([0, 1], [0, 0], np.eye(2), [0, -9.81], lambda q: q[1], impact=impact, **tangential)

    with pytest.warns(DeprecationWarning, match="GeneralizedSystem: slips= is deprecated; use tangential="):
        old = ball(slips=lambda q: q[0])
    assert old.directions == ball(tangential=lambda q: q[0]).directions == 2


def test_place_is_renamed():
    system, a, _ = planar_pair()
    a.velocity = (1.0, 0.0)
    result = cm.simulate(system, 0.1)
    with pytest.warns(DeprecationWarning, match="System.place is deprecated; use set_state"):
        assert system.place(result) is system
    assert a.position[0] == pytest.approx(0.1)


def test_old_names_of_outcomes_are_aliases():
    assert cm.Outcome["APART"] is cm.Outcome.CONSTRAINT_DRIFT
    assert cm.Outcome["NO_IMPULSES"] is cm.Outcome.CONTACT_UNSOLVED


OLD_FILE = """carom: 1
bodies: {crank: {mass: 1, inertia: 1}, rod: {mass: 1, inertia: 1, position: [2, 0]}}
joints:
  pin: {type: Revolute, a: ground, b: crank, at: [0, 0]}
  motor: {type: Driver, target: pin, motion: {type: Sine, amplitude: 1, frequency: 2}}
forces:
  load: {type: PointForce, where: rod, force: [1, 0]}
  drive: {type: Torque, body: crank, torque: 2, reaction: rod}
contacts:
  all:
    type: ContactGroup
    among: [{type: Sphere, body: crank, radius: 0.1}, {type: Sphere, body: rod, radius: 0.1}]
    each_other: true
    impact: {type: Impact, restitution: 0.5}
"""


def test_model_file_with_old_names_loads_and_is_written_with_new_ones():
    text = cm.System.from_yaml(OLD_FILE).to_yaml()
    for new in ("SineMotion", "at: rod", "reaction_body: rod", "shapes:", "self_contact:"):
        assert new in text
    assert cm.System.from_yaml(text).to_yaml() == text
