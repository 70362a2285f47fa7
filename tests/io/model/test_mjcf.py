"""MuJoCo models (MJCF) against MuJoCo itself, and against joints built by hand.

The numbers are those of MuJoCo 4.0.0: `body_mass`, `body_inertia`, `xipos` after `mj_forward`, and `xipos` after 1 s of
the integrator RK4 with the time step 1e-4 s and without contacts, from the velocities of the tests.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.geometry.rotation import matrix_of

ARM = """<mujoco model="arm">
<compiler angle="degree" autolimits="true"/>
<option gravity="0 0 -9.81"/>
<default><joint damping="0.05"/><geom density="1000"/><default class="big"><joint damping="0.1"/></default></default>
<worldbody>
 <geom type="plane" size="1 1 .1"/>
 <body name="upper" pos="0 0 1" euler="0 0 30">
  <joint name="shoulder" type="hinge" axis="0 1 0" class="big"/>
  <geom name="rod" type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
  <body name="lower" pos=".4 0 0" quat="0.9 0.1 0.2 0.3">
   <joint name="elbow" type="hinge" axis="0 0 1" pos="0.01 0 0" stiffness="2" springref="20"/>
   <geom type="box" size=".15 .02 .03" pos=".15 0 0"/>
   <geom type="sphere" size=".05" pos=".3 0 0" mass=".4"/>
  </body>
 </body>
</worldbody></mujoco>"""

CART = """<mujoco model="slide"><compiler angle="radian" eulerseq="zyx"/>
<worldbody>
 <body name="cart" pos="0 0 .5"><joint name="rail" type="slide" axis="1 0 0" stiffness="20" damping="1.5"/>
  <geom type="cylinder" size=".1 .2" euler="0.3 0.2 0.1" density="500"/>
  <body name="ball" pos="0 0 -.3"><joint name="socket" type="ball" damping="0.01"/>
   <inertial pos="0 .02 -.2" mass="1.2" fullinertia=".02 .03 .025 .001 .002 -.001"/></body></body>
 <body name="free" pos="1 0 2" axisangle="1 1 0 0.7"><freejoint/><geom type="ellipsoid" size=".1 .2 .15"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def mjcf(tmp_path):
    def write(text):
        (tmp_path / "model.xml").write_text(text)
        return tmp_path / "model.xml"

    return write


def check_bodies(system, masses, inertias, positions):
    """Check masses, principal moments of inertia and centres of mass."""
    for body, mass, inertia, position in zip(system.bodies, masses, inertias, positions, strict=True):
        assert body.mass == pytest.approx(mass, rel=1e-12)
        assert np.linalg.eigvalsh(np.array(body.inertia)) == pytest.approx(sorted(inertia), rel=1e-12)
        assert body.position == pytest.approx(position, abs=1e-14)


def test_an_arm_moves_as_in_mujoco(mjcf):
    """Two hinges with default classes, springs and dampers: 1 s of motion to 1e-9 m."""
    system = cm.System.from_mjcf(mjcf(ARM), contacts=False)
    check_bodies(
        system,
        [1.2440706908215582, 1.12],
        [[0.020407660214013155, 0.020407660214013155, 0.0005496530506720703],
         [0.011801714285714285, 0.011681714285714285, 0.000712]],
        [[0.17320508075688776, 0.1, 1.0], [0.412315346216189, 0.38156315732749446, 0.9357142857142857]],
    )  # fmt: skip
    upper, lower = system["upper"], system["lower"]
    first, second = matrix_of(upper.orientation), matrix_of(lower.orientation)
    pivot = np.array([0.0, 0.0, 1.0])
    elbow = pivot + first @ (0.4, 0.0, 0.0) + second @ (0.01, 0.0, 0.0)
    rate = first @ (0.0, 1.0, 0.0)
    rates = rate + second @ (0.0, 0.0, -0.5)
    upper.angular_velocity, lower.angular_velocity = first.T @ rate, second.T @ rates
    upper.velocity = np.cross(rate, upper.position - pivot)
    lower.velocity = np.cross(rate, elbow - pivot) + np.cross(rates, lower.position - elbow)
    result = cm.simulate(system, 1.0, rtol=1e-9)
    assert result[upper].position[-1] == pytest.approx([-0.114178966547, -0.065921257072, 0.849608672242], abs=1e-9)
    assert result[lower].position[-1] == pytest.approx([-0.399771012088, -0.036933019760, 0.645958007978], abs=1e-9)


def test_cart_ball_and_free_body_move_as_in_mujoco(mjcf):
    """Slide with a spring, damped ball joint, free ellipsoid: 1 s of motion to 1e-8 m."""
    system = cm.System.from_mjcf(mjcf(CART), contacts=False)
    check_bodies(
        system,
        [6.283185307179587, 1.2, 12.566370614359172],
        [[0.09948376736367681, 0.09948376736367681, 0.03141592653589794],
         [0.03023145518339518, 0.02562061409268848, 0.019147930723916205],
         [0.15707963267948966, 0.08168140899333462, 0.12566370614359174]],
        [[0.0, 0.0, 0.5], [0.0, 0.02, 0.0], [1.0, 0.0, 2.0]],
    )  # fmt: skip
    cart, ball, free = (system[name] for name in ("cart", "ball", "free"))
    omega = np.array([0.5, -0.3, 0.8])
    cart.velocity, ball.angular_velocity = (0.4, 0.0, 0.0), omega
    ball.velocity = np.array([0.4, 0.0, 0.0]) + np.cross(omega, np.array(ball.position) - (0.0, 0.0, 0.2))
    free.velocity, free.angular_velocity = (0.1, 0.2, 0.3), (2.0, 1.0, -1.0)
    result = cm.simulate(system, 1.0, rtol=1e-9)
    assert result[cart].position[-1] == pytest.approx([0.226082188431, 0.0, 0.5], abs=1e-8)
    assert result[ball].position[-1] == pytest.approx([0.232624393956, 0.009550022687, -0.000663889660], abs=1e-8)
    assert result[free].position[-1] == pytest.approx([1.1, 0.2, -2.605], abs=1e-8)


def test_limits_friction_actuators_and_equalities(mjcf):
    """Limits and references in degrees, dry friction, a motor with gear, a weld to the world by equality."""
    system = cm.System.from_mjcf(mjcf(ACTUATED), controls={"drive": 0.6}, contacts=False)
    hinge = system["hinge"]
    assert hinge.limits["angle"].pair == pytest.approx((math.radians(-105.0), math.radians(30.0)))
    assert system.degrees_of_freedom == 3
    result = cm.simulate(system, 0.5)
    acceleration = (2.0 * 0.6 - 0.2) / 0.5  # (gear · control − dry friction)/inertia
    assert result[hinge].angle.max() == pytest.approx(0.5 * acceleration * 0.25, rel=1e-6)
    early = result.sample([0.2])[hinge].angle[0]
    assert early == pytest.approx(0.5 * acceleration * 0.04, rel=1e-6)
    assert result["held"].position[-1] == pytest.approx([3.0, 0.0, 0.0], abs=1e-12)


ACTUATED = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="arm"><joint name="hinge" axis="0 0 1" range="-90 45" ref="15" frictionloss="0.2"/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body>
  <body name="bar" pos="1 0 0"><joint name="two" axis="1 0 0"/><joint name="three" axis="0 1 0"/>
    <geom type="box" size=".1 .2 .3"/></body>
  <body name="held" pos="3 0 0"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <equality><weld body1="held"/></equality>
  <actuator><motor name="drive" joint="hinge" gear="2"/><position joint="two" kp="3" kv="1"/></actuator>
</mujoco>"""


ANGLE = """<mujoco><compiler angle="radian"/><asset><mesh name="angle" scale="2 1 3" refpos=".01 .02 .03"
  refquat=".9 .1 .2 .3" inertia="KIND" vertex="0 0 0 .06 0 0 .06 .01 0 .02 .01 0 .02 .03 0 0 .03 0
  0 0 .04 .06 0 .04 .06 .01 .04 .02 .01 .04 .02 .03 .04 0 .03 .04" face="0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10
  6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11"/></asset>
  <worldbody><body name="b"><freejoint/><geom type="mesh" mesh="angle" density="7800" pos=".1 .2 .3" euler=".3 .2 .1"/>
  </body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("kind", "mass", "inertia", "position"),
    [  # of MuJoCo
        (
            "legacy",
            1.9961260943031875,
            [0.00123427292, 0.00325966046, 0.00415595871],
            [0.112836931, 0.189372124, 0.284146195],
        ),
        (
            "exact",
            1.8719998744726198,
            [0.00118408063, 0.00314033972, 0.00399821969],
            [0.112231319, 0.188970578, 0.284144405],
        ),
        (
            "convex",
            2.6207998242616686,
            [0.00166964784, 0.00415644469, 0.00538027044],
            [0.119580116, 0.188440478, 0.286680423],
        ),
        ("shell", 307.166973, [0.263689905, 0.665697498, 0.846184038], [0.117849141, 0.185869825, 0.287337524]),
    ],
)
def test_meshes_have_the_mass_and_inertia_of_mujoco(mjcf, kind, mass, inertia, position):
    """An angle with a reentrant corner, written as numbers; MuJoCo rounds its vertices to 32 bits."""
    (body,) = cm.System.from_mjcf(mjcf(ANGLE.replace("KIND", kind))).bodies
    assert body.mass == pytest.approx(mass, rel=2e-7)
    assert np.linalg.eigvalsh(np.array(body.inertia)) == pytest.approx(inertia, rel=2e-7)
    assert body.position == pytest.approx(position, abs=1e-8)


def test_points_alone_are_those_of_a_hull(mjcf):
    """A tetrahedron has the volume a b c/6."""
    text = """<mujoco><asset><mesh name="t" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .4 .01 .01 .01"/></asset><worldbody>
    <body><freejoint/><geom mesh="t" type="mesh" density="1000"/></body></worldbody></mujoco>"""
    assert cm.System.from_mjcf(mjcf(text)).bodies[0].mass == pytest.approx(1000.0 * 0.2 * 0.3 * 0.4 / 6.0, rel=1e-12)


def test_a_motor_on_a_slide_is_a_pair_of_forces(mjcf):
    """On a free cart the two parts move apart with gear · control/m each; momentum stays zero."""
    text = """<mujoco><option><flag gravity="disable" contact="disable"/></option><worldbody>
    <body name="cart"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/>
      <body name="slider" euler="0 90 0"><joint name="rail" type="slide" axis="0 0 1"/>
      <geom type="box" size=".1 .1 .1" mass="3"/></body></body></worldbody>
    <actuator><motor name="drive" joint="rail" gear="4"/><velocity name="brake" joint="rail" kv="0"/></actuator>
    </mujoco>"""
    system = cm.System.from_mjcf(mjcf(text), controls={"drive": 1.5})
    assert not system.contacts
    result = cm.simulate(system, 0.1)
    momentum = 2.0 * result["cart"].velocity + 3.0 * result["slider"].velocity
    assert np.abs(momentum).max() < 1e-12
    apart = result["rail"].displacement[-1]
    assert apart == pytest.approx(0.5 * 6.0 * (1.0 / 2.0 + 1.0 / 3.0) * 0.1**2, rel=1e-9)
    assert result["slider"].x[-1] == pytest.approx(0.5 * 2.0 * 0.1**2, rel=1e-9)


def test_contacts_follow_masks_families_and_exclusions(mjcf):
    """Contacts have the reduced mass in their spring, and are missing for parents, masks and exclusions."""
    system = cm.System.from_mjcf(
        mjcf("""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="a" pos="0 0 .11"><freejoint/><geom name="a" size=".1" mass="2" rgba="1 0 0 .5"/></body>
        <body name="b" pos="1 0 .11"><freejoint/>
          <geom name="b" size=".1" mass="2" solref=".01 .5" friction=".3"/></body>
        <body name="c" pos="2 0 .11"><freejoint/><geom name="c" size=".1" contype="0" conaffinity="0"/></body>
        <body name="d" pos="3 0 .11"><freejoint/><geom name="d" size=".1"/></body>
        </worldbody><contact><exclude body1="a" body2="d"/></contact></mujoco>""")
    )  # fmt: skip
    names = {contact.name for contact in system.contacts}
    assert names == {"floor – a", "floor – b", "floor – d", "a – b", "b – d"}
    law = system["floor – a"].law
    assert law.stiffness == pytest.approx(2.0 / (0.95 * 0.02) ** 2)
    assert law.damping == pytest.approx(2.0 * 2.0 / (0.95 * 0.02))
    assert system["a visual"].colour == "#ff0000"
    result = cm.simulate(system, 0.5)
    assert result["a"].z[-1] == pytest.approx(0.1, abs=5e-3)
    assert result["c"].z[-1] < -0.5


def test_rest_is_listed(mjcf):
    """One warning lists what has no counterpart."""
    text = """<mujoco><option><flag limit="disable"/></option><worldbody><body name="b" gravcomp="1">
    <joint name="j" armature="0.1" axis="0 0 1"/><geom size=".1"/></body></worldbody>
    <tendon><spatial/></tendon><keyframe/><sensor><jointpos joint="j"/></sensor>
    <actuator><muscle name="m" joint="j"/></actuator></mujoco>"""
    with pytest.warns(cm.CaromWarning) as record:
        cm.System.from_mjcf(mjcf(text))
    (warning,) = record
    for what in (
        "<tendon>",
        "<keyframe>",
        "<sensor>",
        "the armature of joint 'j'",
        "actuator 'm'",
        "the flag limit",
        "the gravcomp",
    ):
        assert what in str(warning.message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco/>', "must not contain a DOCTYPE"),
        ("<mujoco>", "cannot read the file"),
        ("<robot/>", "root must be <mujoco>"),
        ("<mujoco><include file='x.xml'/></mujoco>", "include is not supported"),
        ("<mujoco>" + "<a>" * 300 + "</a>" * 300 + "</mujoco>", "nested at most"),
        ("<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "pos must be 3 numbers"),
        ("<mujoco><worldbody><geom type='box' size='1 0 1'/></worldbody></mujoco>", "size of box"),
        ("<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>", "must not be zero"),
        ("<mujoco><worldbody><geom class='no' size='1'/></worldbody></mujoco>", "unknown default class 'no'"),
    ],
)
def test_invalid_files_raise(mjcf, text, message):
    """Messages name the file and what is wrong."""
    with pytest.raises(cm.ModelError, match=f"MJCF model\\.xml: .*{message}"):
        cm.System.from_mjcf(mjcf(text))
