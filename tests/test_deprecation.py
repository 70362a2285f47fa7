"""Deprecated names and arguments work and warn; model files with old names load."""

import numpy as np
import pytest

import carom as cm
from carom.cli.key_values import separate_options


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


EDGED_SHAPES = {
    "Segment": lambda body, *old, **new: cm.Segment(body, (0, 0, 0), (1, 0, 0), 0.1, *old, **new),
    "Triangle": lambda body, *old, **new: cm.Triangle(body, (0, 0, 0), (1, 0, 0), (0, 1, 0), *old, **new),
    "Rectangle": lambda body, *old, **new: cm.Rectangle(body, (0, 0, 0), (1, 0, 0), (0, 1, 0), 1.0, 2.0, *old, **new),
    "Disc": lambda body, *old, **new: cm.Disc(body, (0, 0, 0), (0, 0, 1), 0.5, *old, **new),
    "Cylinder": lambda body, *old, **new: cm.Cylinder(body, (0, 0, 0), (0, 0, 1), 0.5, 1.0, False, *old, **new),
    "Cone": lambda body, *old, **new: cm.Cone(body, (0, 0, 0), (0, 0, 1), 0.5, 1.0, 0.2, False, *old, **new),
    "Surface": lambda body, *old, **new: cm.Surface(
        body, cm.surfaces.Ellipsoid(1.0, 1.0, 2.0), (0, 0, 0), (1, 0, 0, 0), (), *old, **new
    ),
}


@pytest.mark.parametrize("kind", EDGED_SHAPES)
@pytest.mark.parametrize(("old", "new"), [("push", "contact"), ("face_only", "ignore")])
def test_edge_of_shapes_is_renamed(kind, old, new):
    make, ground = EDGED_SHAPES[kind], cm.System(dim=3).ground
    current = make(ground, edges=new)
    message = f"{kind}: edge='{old}' is deprecated; use edges='{new}'"
    with pytest.warns(DeprecationWarning, match=message) as notices:
        shape = make(ground, edge=old)
    assert len(notices) == 1
    assert notices[0].filename == __file__
    assert shape.keywords()["edges"] == shape.edges == current.edges == new
    if kind != "Surface":  # its parameters contain addresses
        assert shape.parameters == current.parameters
    with pytest.warns(DeprecationWarning, match="Shape.edge is deprecated; use edges"):
        assert shape.edge == old


def test_names_and_values_of_edges_are_renamed_one_by_one():
    ground = cm.System(dim=3).ground
    for make in EDGED_SHAPES.values():
        with pytest.warns(DeprecationWarning, match="edges='face_only' is deprecated; use edges='ignore'"):
            assert make(ground, "face_only").init_call[0][-1] == "ignore"
    with pytest.warns(DeprecationWarning, match="Disc: edge= is deprecated; use edges="):
        assert cm.Disc(ground, radius=1.0, edge="ignore").keywords()["edges"] == "ignore"
    with (
        pytest.warns(DeprecationWarning, match="Disc: edge= is"),
        pytest.raises(cm.ModelError, match="edges must be one"),
    ):
        cm.Disc(ground, radius=1.0, edge=["push"])
    with (
        pytest.warns(DeprecationWarning, match="edge="),
        pytest.raises(TypeError, match="two values for argument 'edges'"),
    ):
        cm.Disc(ground, radius=1.0, edge="push", edges="ignore")
    surface = EDGED_SHAPES["Surface"](ground, edges="ignore")
    with pytest.warns(DeprecationWarning, match="Surface.face_only is deprecated; use ignores_edges"):
        assert surface.face_only == 1.0


def test_edge_of_the_swinging_disc_is_renamed():
    message = "ball_on_swinging_disc: edge='face_only' is deprecated; use edges='ignore'"
    with pytest.warns(DeprecationWarning, match=message):
        case = cm.gallery.ball_on_swinging_disc(edge="face_only")
    assert case.system["touch"].shapes[1].edges == "ignore"
    for model in ("ball_on_swinging_disc", cm.gallery.ball_on_swinging_disc):
        with pytest.warns(DeprecationWarning, match=message):
            values = cm.study.as_study_model(model).split_values({"edge": "face_only", "t_end": 0.1})
        assert values == ({"edges": "ignore"}, {"t_end": 0.1}, {})
    with pytest.warns(DeprecationWarning, match=message):
        values = separate_options(
            "case", cm.gallery.ball_on_swinging_disc, {"edge": "face_only", "t_end": 1}, ["t_end"]
        )
    assert values == ({"edges": "ignore"}, {"t_end": 1})


def test_sweep_with_the_old_name_of_a_parameter():
    short = {"measure": "ball.y.final", "start": (0.26, 0.05), "t_end": 0.1, "executor": "serial"}
    with pytest.warns(DeprecationWarning, match="use edges="):
        old = cm.sweep("ball_on_swinging_disc", {"edge": ["push", "face_only"]}, **short)
    new = cm.sweep("ball_on_swinging_disc", {"edges": ["contact", "ignore"]}, **short)
    assert not old.failures
    assert old["ball.y.final"].tolist() == new["ball.y.final"].tolist()


def test_model_file_with_old_edges_loads_and_is_written_with_new_ones():
    text = """carom: 1
dim: 3
bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}}
shapes:
  face: {type: Disc, body: ground, radius: 1, edge: face_only}
contacts:
  touch: {shape_a: {type: Sphere, body: ball, radius: 0.1}, shape_b: face, impact: {restitution: 0.5}}
  rim:
    shape_a: {type: Sphere, body: ball, radius: 0.1}
    shape_b: {type: Cylinder, body: ground, radius: 1, half_length: 1, edge: push}
    impact: {restitution: 0.5}
"""
    system = cm.System.from_yaml(text)
    assert (system["touch"].shapes[1].edges, system["rim"].shapes[1].edges) == ("ignore", "contact")
    written = system.to_yaml()
    assert "edges: ignore" in written
    assert "edges: contact" in written
    assert cm.System.from_yaml(written).to_yaml() == written
    with pytest.raises(cm.ModelError, match="must be one of 'contact', 'ignore', got 'soft'"):
        cm.System.from_yaml(text.replace("face_only", "soft"))


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
