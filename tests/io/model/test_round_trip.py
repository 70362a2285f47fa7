"""Round trip `to_yaml`, `from_yaml` of all registered types is bit-identical."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.shapes.registry import SHAPES
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, SHAPE
from carom.model.contact import Contact
from model_examples import fingerprint, planar_system, spatial_system
from quick import examples
from surfaces_shown import EXAMPLES, made

numbers = st.floats(-3.0, 3.0).map(lambda x: x / 3.0)
planar_poses = st.lists(st.tuples(numbers, numbers, numbers), min_size=5, max_size=5, unique=True)
PLANAR = [(0.1, 0.2, 0.3), (0.7, 1 / 3, -0.1), (-0.3, 0.4, 1.0), (1.1, -0.2, 0.0), (0.5, 1.4, -2.0)]
SPATIAL = [(0.1 * k, 0.2 * k * k, 1 / (k + 3), 1.0, 0.1 * k, 0.3, 1 / (k + 7)) for k in range(5)]


def returned(system):
    return cm.System.from_yaml(system.to_yaml())


@examples(25)
@given(planar_poses)
def test_planar_system_round_trip(poses):
    try:
        system = planar_system(poses)
    except cm.ModelError:  # bodies on top of each other
        return
    assert fingerprint(returned(system)) == fingerprint(system)


@examples(25)
@given(st.lists(st.tuples(*[numbers] * 7), min_size=5, max_size=5, unique=True))
def test_spatial_system_round_trip(poses):
    try:
        system = spatial_system(poses)
    except cm.ModelError:
        return
    assert fingerprint(returned(system)) == fingerprint(system)


@pytest.mark.parametrize(("make", "poses"), [(planar_system, PLANAR), (spatial_system, SPATIAL)])
def test_text_round_trip(make, poses):
    text = make(poses).to_yaml()
    assert cm.System.from_yaml(text).to_yaml() == text


def test_the_former_name_of_the_impact_law_is_read():
    text = """
carom: 1
bodies:
  ball: {mass: 1.0, inertia: 0.01, position: [0.0, 0.1]}
contacts:
  floor:
    shape_a: {type: Sphere, body: ball, radius: 0.1}
    shape_b: {type: Plane, body: ground}
    impact: {type: Impact, restitution: 0.4}
"""
    assert cm.System.from_yaml(text).contacts[0].impact == cm.ImpactLaw(restitution=0.4)


def test_examples_contain_all_registered_types():
    texts = planar_system(PLANAR).to_yaml() + spatial_system(SPATIAL).to_yaml()
    for family in (*SECTIONS.values(), *FAMILIES.values()):
        for word in family.constructors:
            if family.name != "surface" and word not in (family.default_type, "ContactGroup", "Surface", "Impact"):
                assert f"type: {word}" in texts, word
    assert "others:" in texts
    assert {word.split(".")[0] for word in SHAPE.constructors} == set(SHAPES)


@pytest.mark.parametrize("length", [2.0, cm.StepMotion(0.2, 2.0, 1.2, 1.0)])
def test_a_rod_has_a_fixed_or_a_prescribed_length(length):
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, 2.0)))
    system.add(cm.Distance(system.ground, ball, length, name="cord"))
    assert repr(cm.System.from_yaml(system.to_yaml())["cord"].length) == repr(length)


def test_shared_shapes_and_laws_stay_shared():
    system = returned(spatial_system(SPATIAL))
    first, second = [contact for contact in system.contacts if isinstance(contact.shapes[0], cm.Sphere)][:2]
    assert first.shapes[0] is second.shapes[0]
    assert first.law is second.law
    assert first.shapes[1] is system.shapes["floor"]


def test_elements_keep_their_pose_when_bodies_move():
    """A file contains the poses for which elements were defined and the current poses."""
    system = planar_system(PLANAR)
    a, b = system.bodies[:2]
    a.position, b.angle = (0.3, -1 / 7), 2.0
    system.add(cm.Revolute(a, b, at=(1.0, 1.0), name="later"))
    a.position, a.angle = (3.0, 1 / 9), -math.pi
    assert fingerprint(returned(system)) == fingerprint(system)
    assert "pose:" in system.to_yaml()
    assert "start:" in system.to_yaml()


def test_orientations_are_bit_identical():
    """A quaternion is normalised only once."""
    for k in range(200):
        body = cm.Body("b", 1.0, (1, 1, 1), (0, 0, 0), orientation=(math.sin(k), math.cos(k), 0.1 * k, 1.0))
        assert cm.Body("c", 1.0, (1, 1, 1), (0, 0, 0), orientation=body.orientation).orientation == body.orientation


def test_replaced_law_is_written():
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.1, (0.0, 1.0)))
    touch = system.add(Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e7), name="touch"))
    touch.law = cm.laws.Linear(2e5)
    assert returned(system)["touch"].law == cm.laws.Linear(2e5)


def test_python_functions_cannot_be_written():
    system = cm.System()
    wheel = system.add(cm.Body("wheel", 1.0, 0.1))
    system.add(cm.Torque(wheel, lambda t: 2.0 * t, name="motor"))
    with pytest.raises(cm.ModelError, match=r"^forces\.motor\.torque: .*'<lambda>' cannot be written"):
        system.to_yaml()


def test_joints_outside_the_system_cannot_be_written():
    system = cm.System()
    a, b = (system.add(cm.Body(name, 1.0, 0.1)) for name in "ab")
    loose = cm.Revolute(a, b, at=(0.0, 0.0), name="loose")
    system.add(cm.RotationalSpringDamper(stiffness=1.0, joint=loose, name="spring"))
    with pytest.raises(cm.ModelError, match=r"forces\.spring\.joint: Revolute 'loose' does not belong to system"):
        system.to_yaml()


def test_gear_may_be_defined_before_its_joints():
    text = """\
carom: 1
dim: 3
bodies:
  a: {mass: 1, inertia: 1}
  b: {mass: 1, inertia: 1, position: [1, 0, 0]}
joints:
  mesh: {type: Gear, a: pin a, b: pin b, ratio: -2}
  pin a: {type: Revolute, a: ground, b: a, at: [0, 0, 0], axis: [0, 0, 1]}
  pin b: {type: Revolute, a: ground, b: b, at: [1, 0, 0], axis: [0, 0, 1]}
"""
    system = cm.System.from_yaml(text)
    assert [joint.name for joint in system.joints] == ["mesh", "pin a", "pin b"]
    assert fingerprint(returned(system)) == fingerprint(system)


SURFACES = {
    name: made(name) for name, (kind, _, _) in EXAMPLES.items() if kind is not cm.surfaces.FunctionSurface
} | {
    "formula": cm.surfaces.FunctionSurface(
        cm.expression(["u", "v", "0.2*sin(2*u)"], ("u", "v")), (-1.0, 1.0), (0.0, 2.0)
    )
}  # fmt: skip


@pytest.mark.parametrize("name", SURFACES)
def test_surface_round_trip(name):
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 1.0, (1, 1, 1), (0, 0, 9)))
    skin = cm.Surface(system.ground, SURFACES[name], (0.1, 0.2, 0.3), (1.0, 0.2, 0.3, 0.4))
    system.add(Contact(cm.Sphere(ball, 0.1), skin, cm.laws.Hertz(1e7), name="touch"))
    text = system.to_yaml()
    found = cm.System.from_yaml(text)["touch"].shapes[1]
    assert found.surface.parameters == skin.surface.parameters
    assert found.surface.u_ends == skin.surface.u_ends
    assert (found.at, found.orientation, found.size) == (skin.at, skin.orientation, skin.size)
    assert cm.System.from_yaml(text).to_yaml() == text


def test_meshes_have_relative_paths(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "box.stl")
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 1.0, (1, 1, 1), (0, 0, 2)))
    system.add(Contact(cm.Sphere(ball, 0.1), cm.Mesh(system.ground, tmp_path / "box.stl"), cm.laws.Hertz(1e7)))
    text = system.to_yaml(tmp_path / "model.yaml")
    assert "file: box.stl" in text
    assert fingerprint(cm.System.from_yaml(tmp_path / "model.yaml")) == fingerprint(system)
    (tmp_path / "elsewhere").mkdir()
    text = system.to_yaml(tmp_path / "elsewhere" / "model.yaml")
    assert f"file: {tmp_path}" in text.replace('"', "")
    assert fingerprint(cm.System.from_yaml(tmp_path / "elsewhere" / "model.yaml")) == fingerprint(system)
