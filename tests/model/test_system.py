"""The system: names, membership, and what it refuses to hold."""

import math

import pytest

import carom as cm


def pair() -> tuple[cm.System, cm.Body, cm.Body]:
    system = cm.System(name="press")
    a = system.add(cm.Body("ram", 1.0, 1.0))
    b = system.add(cm.Body("link", 1.0, 1.0, position=(1.0, 0.0)))
    return system, a, b


def test_add_returns_what_it_was_given_and_keeps_the_order():
    system, a, b = pair()
    pin = cm.Revolute(a, b, at=(0.5, 0.0))
    push = cm.PointForce(b, (1.0, 0.0))
    motor = cm.Driver(pin, cm.ConstantSpeed(1.0))
    assert system.add(pin) is pin
    assert system.add(push) is push
    assert system.add(motor) is motor
    assert system.bodies == [a, b]
    assert system.joints == [pin, motor]
    assert system.forces == [push]
    assert system.drivers == [motor]


def test_names_are_made_from_the_kind_and_the_bodies():
    system, a, b = pair()
    items = [
        cm.Revolute(a, b, at=(0.5, 0.0)),
        cm.Revolute(a, b, at=(0.7, 0.0)),
        cm.Revolute(a, b, at=(0.9, 0.0)),
        cm.PointOnLine(system.ground, b, axis=(1.0, 0.0)),
        cm.SpringDamper(a, b, 10.0),
        cm.Gear(a, b, ratio=2.0),
        cm.Torque(b, 1.0),
    ]
    assert [system.add(item).name for item in items] == [
        "revolute ram-link",
        "revolute ram-link 2",
        "revolute ram-link 3",
        "point on line ground-link",
        "spring damper ram-link",
        "gear ram-link",
        "torque link",
    ]


def test_everything_is_found_by_its_name():
    system, a, b = pair()
    pin = system.add(cm.Revolute(a, b, at=(0.5, 0.0), name="pin"))
    spring = system.add(cm.SpringDamper(a, b, 10.0))
    assert system["ram"] is a
    assert system["pin"] is pin
    assert system["spring damper ram-link"] is spring
    assert system["ground"] is system.ground


def test_an_unknown_name_is_answered_with_the_known_ones():
    system, _, _ = pair()
    with pytest.raises(cm.ModelError, match=r"System 'press' has no 'anvil'; it has ground, ram, link"):
        system["anvil"]


def test_a_name_is_used_once():
    system, a, b = pair()
    system.add(cm.Revolute(a, b, at=(0.5, 0.0), name="pin"))
    with pytest.raises(
        cm.ModelError, match=r"System 'press': the name 'ram' is used by <Body 'ram'.*choose a different"
    ):
        system.add(cm.Body("ram", 1.0))
    with pytest.raises(cm.ModelError, match=r"System 'press': the name 'pin' is used by <Revolute 'pin'"):
        system.add(cm.SpringDamper(a, b, 10.0, name="pin"))
    with pytest.raises(cm.ModelError, match=r"the name 'link' is used by <Body 'link'"):
        system.add(cm.Revolute(a, b, at=(0.5, 0.0), name="link"))
    with pytest.raises(cm.ModelError, match=r"the name 'ground' is used by <ground>"):
        system.add(cm.Body("ground", 1.0))
    assert (len(system.bodies), len(system.joints), len(system.forces)) == (2, 1, 0)


def test_the_same_object_is_added_once():
    system, a, b = pair()
    pin = system.add(cm.Revolute(a, b, at=(0.5, 0.0)))
    force = system.add(cm.PointForce(b, (1.0, 0.0), name="push"))
    for item, name in ((a, "ram"), (pin, "revolute ram-link"), (force, "push")):
        with pytest.raises(cm.ModelError, match=f"System 'press': '{name}' is in the system already"):
            system.add(item)
    with pytest.raises(cm.ModelError, match=r"'ground' is in the system already"):
        system.add(system.ground)


@pytest.mark.parametrize("item", ["ram", 3.0, None, cm.ConstantSpeed(1.0)], ids=repr)
def test_what_is_no_element_is_refused(item: object):
    with pytest.raises(cm.ModelError, match=r"System 'press': cannot add .*expected a Body, a joint"):
        pair()[0].add(item)


def test_a_marker_is_not_an_element():
    system, a, _ = pair()
    with pytest.raises(cm.ModelError, match=r"System 'press': cannot add Marker"):
        system.add(a.point(0.1, 0.0))


def test_joints_and_forces_hold_bodies_of_their_system():
    system, a, _ = pair()
    stranger = cm.Body("stranger", 1.0)
    with pytest.raises(cm.ModelError, match=r"Revolute 'pin': body 'stranger' is not in system 'press'; add"):
        system.add(cm.Revolute(a, stranger, at=(0.0, 0.0), name="pin"))
    with pytest.raises(cm.ModelError, match=r"PointForce stranger: body 'stranger' is not in system 'press'"):
        system.add(cm.PointForce(stranger, (1.0, 0.0)))
    with pytest.raises(cm.ModelError, match=r"Revolute .*: another system's ground is not in system 'press'"):
        system.add(cm.Revolute(cm.System().ground, a, at=(0.0, 0.0)))
    with pytest.raises(cm.ModelError, match=r"Gear .*: body 'stranger' is not in system 'press'"):
        system.add(cm.Gear(system.bodies[0], system.bodies[1], 2.0, carrier=stranger))
    assert (system.joints, system.forces) == ([], [])


def test_something_must_be_able_to_move():
    system, _, _ = pair()
    for item in (
        cm.PointForce(system.ground, (1.0, 0.0), name="push"),
        cm.Torque(system.ground, 1.0, name="push"),
        cm.Driver((system.ground, "x"), cm.ConstantSpeed(1.0), name="push"),
    ):
        with pytest.raises(cm.ModelError, match=r"'push': needs at least one body that moves, got only the ground"):
            system.add(item)


def test_one_driver_a_coordinate():
    system, a, b = pair()
    pin = system.add(cm.Revolute(a, b, at=(0.5, 0.0)))
    system.add(cm.Driver(pin, cm.ConstantSpeed(1.0), name="motor"))
    with pytest.raises(cm.ModelError, match=r"Driver 'second': coordinate 'angle' is driven already by 'motor'"):
        system.add(cm.Driver(pin, cm.SineMotion(1.0, 1.0), "angle", name="second"))
    system.add(cm.Driver((a, "x"), cm.ConstantSpeed(1.0), name="slide"))
    with pytest.raises(cm.ModelError, match=r"Driver 'second': coordinate 'x' is driven already by 'slide'"):
        system.add(cm.Driver((a.point(0.0, 0.0), "x"), cm.ConstantSpeed(2.0), name="second"))
    system.add(cm.Driver((a, "y"), cm.ConstantSpeed(1.0)))
    system.add(cm.Driver((a, "angle"), cm.ConstantSpeed(1.0)))
    with pytest.raises(cm.ModelError, match=r"coordinate 'angle' is driven already"):
        system.add(cm.Driver((a.point(0.3, 0.0), "angle"), cm.ConstantSpeed(2.0)))
    assert len(system.drivers) == 4


def test_a_joint_comes_before_its_driver():
    system, a, b = pair()
    pin = cm.Revolute(a, b, at=(0.5, 0.0), name="pin")
    with pytest.raises(cm.ModelError, match=r"Driver 'motor': add Revolute 'pin' to the system before its driver"):
        system.add(cm.Driver(pin, cm.ConstantSpeed(1.0), name="motor"))


def test_repr_counts_what_there_is():
    system, a, b = pair()
    system.add(cm.Revolute(a, b, at=(0.5, 0.0)))
    assert repr(system) == "<System 'press': 2 bodies, 1 joints>"


def test_gravity_is_none_unless_given():
    assert cm.System().gravity == (0.0, 0.0)
    assert cm.System(gravity=[0, -9.81]).gravity == (0.0, -9.81)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 4}, r"System 'press': dim must be 2 \(planar\) or 3 \(spatial\), got 4"),
        ({"dim": "2"}, r"System 'press': dim must be 2 \(planar\) or 3 \(spatial\), got '2'"),
        ({"gravity": 9.81}, r"System 'press': gravity must be 2 numbers, got 9\.81"),
        ({"gravity": (0.0, 0.0, -9.81)}, r"System 'press': gravity must be 2 numbers, got 3"),
        ({"gravity": (0.0, math.nan)}, r"System 'press': gravity\[1\] must be finite, got nan"),
        ({"dim": 3, "gravity": (0.0, -9.81)}, r"System 'press': gravity must be 3 numbers, got 2"),
    ],
    ids=["dim", "dim as text", "one number", "three numbers", "nan", "two numbers in space"],
)
def test_a_system_that_cannot_be_is_refused(options: dict, message: str):
    with pytest.raises(cm.ModelError, match=message):
        cm.System(name="press", **options)


def test_bodies_are_of_the_dimension_of_their_system():
    plane, space = cm.System(name="press"), cm.System(dim=3, name="press")
    with pytest.raises(cm.ModelError, match=r"dim=2: body 'ram' must be planar, with position=\(x, y\); it is spatial"):
        plane.add(cm.Body("ram", 1.0, position=(0.0, 0.0, 0.0)))
    with pytest.raises(cm.ModelError, match=r"dim=3: body 'ram' must be spatial, with .*\(x, y, z\).*; it is planar"):
        space.add(cm.Body("ram", 1.0))
    assert plane.bodies == space.bodies == []
    assert space.ground.position == (0.0, 0.0, 0.0)
    assert space.gravity == (0.0, 0.0, 0.0)
    ram = space.add(cm.Body("ram", 1.0, position=(0.0, 0.0, 0.0)))
    with pytest.raises(cm.ModelError, match=r"another system's ground is not in system 'press'"):
        space.add(cm.Spherical(cm.System(dim=3).ground, ram, at=(0.0, 0.0, 0.0)))


def test_a_result_places_the_bodies_at_its_end_or_at_any_time():
    system = cm.System(gravity=(0.0, -10.0))
    ball = system.add(cm.Body("ball", 1.0, 1.0, velocity=(2.0, 3.0), angular_velocity=4.0))
    result = cm.simulate(system, 0.8)
    assert ball.position == (0.0, 0.0)  # a run does not move its model
    system.set_state(result)
    assert (*ball.position, ball.angle) == pytest.approx((1.6, 3.0 * 0.8 - 5.0 * 0.64, 3.2), abs=1e-9)
    assert (*ball.velocity, ball.angular_velocity) == pytest.approx((2.0, -5.0, 4.0), abs=1e-9)
    assert system.set_state(result, 0.5) is system
    assert (*ball.position, *ball.velocity) == pytest.approx((1.0, 0.25, 2.0, -2.0), abs=1e-9)
