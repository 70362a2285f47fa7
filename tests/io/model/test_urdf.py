"""Robot descriptions (URDF) compared with mechanisms built by hand."""

import math

import numpy as np
import pytest

import carom as cm

pytest.importorskip("yourdfpy")

ARM = """\
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
  <link name="upper">
    <inertial><origin xyz="0.25 0 0" rpy="0 0.3 0"/><mass value="2"/>
      <inertia ixx="0.01" iyy="0.05" izz="0.052" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.25 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.03" length="0.5"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.2 0 0.01"/><mass value="1"/>
      <inertia ixx="0.002" iyy="0.02" izz="0.021" ixy="0" ixz="0.001" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
    <collision><origin xyz="0.4 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0" rpy="0 0.5 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/>
    <origin xyz="0.4 0 0" rpy="0 0 1"/></joint>
</robot>
"""


@pytest.fixture
def urdf(tmp_path):
    def write(text):
        (tmp_path / "robot.urdf").write_text(text)
        return tmp_path / "robot.urdf"

    return write


def test_two_links_fall_like_a_planar_arm(urdf):
    """The arm moves in the plane x, z; a rotation by q about y is an angle −q in this plane."""
    with pytest.warns(
        cm.CaromWarning, match="not imported: the limit of effort of joint 'elbow', the limit of velocity"
    ):
        arm = cm.System.from_urdf(urdf(ARM), joints={"elbow": 0.4})
    plane = cm.System(gravity=(0.0, -9.81))
    bend = -0.5 - 0.4
    place = (0.5 + 0.2 * math.cos(bend) - 0.01 * math.sin(bend), 1.0 + 0.2 * math.sin(bend) + 0.01 * math.cos(bend))
    upper = plane.add(cm.Body("upper", 2.0, 0.05, (0.25, 1.0)))
    lower = plane.add(cm.Body("lower", 1.0, 0.02, place, angle=bend))
    shoulder = plane.add(cm.Revolute(plane.ground, upper, at=(0.0, 1.0)))
    plane.add(cm.Revolute(upper, lower, at=(0.5, 1.0)))
    plane.add(cm.RotationalSpringDamper(joint=shoulder, damping=0.1))
    mine, hand = cm.simulate(arm, 0.5, rtol=1e-10), cm.simulate(plane, 0.5, rtol=1e-10)
    times = [0.1, 0.3, 0.5]
    for name in ("upper", "lower"):
        one, two = mine.sample(times)[name], hand.sample(times)[name]
        assert np.allclose(one.x, two.x, rtol=0.0, atol=1e-8)
        assert np.allclose(one.z, two.y, rtol=0.0, atol=1e-8)
        assert np.allclose(one.y, 0.0, rtol=0.0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_inertia_tensors_are_rotated_to_the_axes_of_the_link(urdf):
    text = ARM.replace('rpy="0 0.3 0"', 'rpy="0.2 0.3 0.4"', 1)
    cr, sr, cp, sp, cy, sy = (f(x) for x in (0.2, 0.3, 0.4) for f in (math.cos, math.sin))
    turn = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    turn = turn @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    found = cm.System.from_urdf(urdf(text))["upper"].inertia
    assert np.allclose(found, turn @ np.diag([0.01, 0.05, 0.052]) @ turn.T, rtol=0.0, atol=1e-15)


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_positions_of_collision_shapes(urdf):
    system = cm.System.from_urdf(urdf(ARM))
    assert list(system.shapes) == ["base", "upper", "lower 1", "lower 2"]
    bar, ball, block = (system.shapes[name] for name in ("upper", "lower 1", "lower 2"))
    assert np.allclose(bar.axis, (1.0, 0.0, 0.0))
    assert (bar.radius, bar.half_length, bar.at) == (0.03, 0.25, (0.0, 0.0, 0.0))
    assert np.allclose(system["lower"].to_global(ball.at), (0.5, 0.0, 1.0))  # at the elbow
    assert np.allclose(block.half, (0.05, 0.1, 0.15))
    assert system.shapes["base"].body is system.ground
    point = cm.Sphere(system.ground, 0.1, (0.25, 0.0, 1.2))
    assert cm.closest(point, bar).gap == pytest.approx(0.2 - 0.1 - 0.03)


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_free_base_falls(urdf):
    inertia = '<mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    text = ARM.replace('<link name="base">', f'<link name="base"><inertial>{inertia}</inertial>')
    system = cm.System.from_urdf(urdf(text), base="free")
    end = cm.simulate(system, 0.2)
    mass = {body.name: body.mass for body in system.bodies}
    start = {body.name: body.position[2] for body in system.bodies}
    fallen = sum(mass[name] * (end[name].z[-1] - start[name]) for name in mass) / sum(mass.values())
    assert fallen == pytest.approx(-0.5 * 9.81 * 0.2**2, rel=1e-8)


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_joint_coordinates_are_zero_in_the_zero_position_of_the_file(urdf):
    system = cm.System.from_urdf(urdf(ARM), joints={"elbow": 0.4, "shoulder": -0.2})
    result = cm.simulate(system, 0.01)
    assert result["elbow"].angle[0] == pytest.approx(0.4, abs=1e-14)
    assert result["shoulder"].angle[0] == pytest.approx(-0.2, abs=1e-14)


@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
def test_model_file_round_trip(urdf):
    system = cm.System.from_urdf(urdf(ARM))
    text = system.to_yaml()
    assert cm.System.from_yaml(text).to_yaml() == text


def test_prismatic_joints_planar_joints_and_meshes(urdf, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "cube.stl")
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}<collision><origin xyz="{x} 0 0"/><geometry>'
                    f'<mesh filename="cube.stl" scale="2 2 {z}"/></geometry></collision></link>'
                    for name, x, z in (("a", 0, 2), ("b", 1, 3), ("c", 0, 2)))  # fmt: skip
    kinds = {"a": "prismatic", "b": "planar", "c": "floating"}
    joints = "".join(f'<joint name="j{name}" type="{kind}"><parent link="base"/><child link="{name}"/>'
                     '<axis xyz="0 0 2"/></joint>' for name, kind in kinds.items())  # fmt: skip
    path = urdf(f'<robot name="r"><link name="base"/>{links}{joints}</robot>')
    system = cm.System.from_urdf(path, joints={"ja": 0.3})
    assert [type(joint).__name__ for joint in system.joints] == ["Prismatic", "Planar"]
    assert system["a"].position == (0.0, 0.0, 0.3)
    assert system.shapes["a"].file is not None
    assert system.shapes["a"].volume == pytest.approx(8.0)
    assert np.allclose(system.shapes["b"].vertices.mean(axis=0), (1.0, 0.0, 0.0))
    assert system.shapes["b"].volume == pytest.approx(12.0)
    assert system.degrees_of_freedom == 1 + 3 + 6


@pytest.mark.parametrize(("text", "message"), [
    ("<robot", "cannot read the file"), ("nothing", "cannot read the file"),
    ('<robot name="r"><link name="a"/><link name="b"/></robot>', "must form a tree with one base, got the bases a, b"),
    (ARM.replace('parent link="upper"', 'parent link="uper"'), "joint 'elbow' refers to the unknown link 'uper'"),
    (ARM.replace("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", 1), "axis of joint 'shoulder' must not be zero"),
])  # fmt: skip
def test_invalid_files_raise(urdf, text, message):
    with pytest.raises(cm.ModelError, match=f"^URDF robot.urdf: .*{message}"):
        cm.System.from_urdf(urdf(text))


def test_unknown_joints_and_files_raise(urdf, tmp_path):
    with pytest.raises(cm.ModelError, match="unknown joint 'knee' in joints; choose from shoulder, elbow, flange"):
        cm.System.from_urdf(urdf(ARM), joints={"knee": 1.0})
    with pytest.raises(cm.ModelError, match="file not found"):
        cm.System.from_urdf(tmp_path / "none.urdf")


JOINTS = """\
<robot name="joints">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="arm"><inertial>
    <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.1 0.1"/></geometry>
      <material name="red"><color rgba="1 0 0 0.5"/></material></visual></link>
  <link name="slide"><inertial><mass value="3"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="1.5" effort="7" velocity="0"/><dynamics friction="0.3" damping="0.2"/></joint>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="2" effort="0" velocity="0"/><dynamics friction="4" damping="5"/>
    <mimic joint="hinge" multiplier="2"/><safety_controller k_velocity="1" k_position="1"/></joint>
</robot>
"""


def test_limits_damping_and_friction_are_imported(urdf):
    """A hinge and a slide stop at their limits, and slow down by dry and viscous friction as a rigid body does."""
    expected = (
        "the limit of effort of joint 'hinge', joint 'rail' following 'hinge', the safety controller of joint 'rail'"
    )
    with pytest.warns(cm.CaromWarning, match=f"not imported: {expected}$"):
        system = cm.System.from_urdf(urdf(JOINTS), gravity=(0.0, 0.0, 0.0))
    hinge, rail = system["hinge"], system["rail"]
    assert (hinge.limits["angle"].pair, rail.limits["displacement"].pair) == ((-0.5, 1.5), (0.0, 2.0))
    system["arm"].angular_velocity, system["slide"].velocity = (0.0, 0.0, 2.0), (3.0, 0.0, 0.0)
    result = cm.simulate(system, 0.3)
    for inertia, dry, damping, speed, rate in (
        (0.1, 0.3, 0.2, 2.0, result[hinge].angle_rate), (3.0, 4.0, 5.0, 3.0, result[rail].displacement_rate),
    ):  # fmt: skip
        decay = np.exp(-damping * result.t / inertia)  # I v' = −T − c v
        assert rate == pytest.approx(speed * decay - dry / damping * (1.0 - decay), abs=1e-6)
    (visual,) = system.visuals
    assert (visual.name, visual.colour, visual.opacity) == ("arm visual", "#ff0000", 0.5)
    text = system.to_yaml()
    assert cm.System.from_yaml(text).to_yaml() == text
