"""Joints with play in space: what they carry, where they let their bodies be, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm

GRAVITY = 9.81
SPRING = cm.laws.KelvinVoigt(1e6, damping=200.0)
LAWS: dict[str, Any] = {"law": SPRING, "impact": cm.ImpactLaw(0.2)}


def hanging(offset: Any = (0.0, 0.0, 0.0), socket_turn: Rotation | None = None) -> cm.System:
    """A bob whose ball hangs in a socket of the ground or of a turned holder that is welded to it."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="hanging")
    bob = system.add(cm.Body("bob", 2.0, (0.02, 0.02, 0.01), position=np.add((0.0, 0.0, -0.2), offset)))
    holder: Any = system.ground
    if socket_turn is not None:
        holder = system.add(cm.Body("holder", 1.0, 0.01, position=(0, 0, 0.3), orientation=socket_turn))
        system.add(cm.Weld(system.ground, holder, at=(0.0, 0.0, 0.3)))
    socket = cm.Marker(holder, holder.to_local((0.0, 0.0, 0.0)))
    ball = bob.point(0.0, 0.0, 0.2)
    system.add(cm.SphericalClearance(socket, ball, ball_radius=0.02, socket_radius=0.021, **LAWS, name="socket"))
    return system


def test_a_ball_rests_in_its_socket_with_its_weight():
    """At the bottom: eccentricity = clearance + m g/k, along −z; the axes are those of the socket's body."""
    turn = Rotation.from_rotvec([0.4, -0.8, 0.3])
    result = cm.statics(hanging(socket_turn=turn))
    joint = result["socket"]
    depth = 2.0 * GRAVITY / 1e6
    assert joint.indentation[0] == pytest.approx(depth, rel=1e-8)
    assert joint.eccentricity[0] == pytest.approx(1e-3 + depth, rel=1e-10)
    displacement = np.array([joint.ex[0], joint.ey[0], joint.ez[0]])
    np.testing.assert_allclose(turn.apply(displacement), [0.0, 0.0, -1e-3 - depth], rtol=0.0, atol=1e-12)
    # The force on the first body, the socket, is the weight.
    np.testing.assert_allclose([joint.fx[0], joint.fy[0], joint.fz[0]], [0, 0, -2.0 * GRAVITY], rtol=0.0, atol=1e-7)
    assert joint.normal_force[0] == pytest.approx(2.0 * GRAVITY, rel=1e-8)


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_a_swinging_ball_stays_in_its_socket(method: str):
    system = hanging((0.0, 0.0, 5e-4))
    system["bob"].velocity = (0.4, 0.3, 0.0)
    system["bob"].angular_velocity = (1.5, -2.0, 3.0)
    options: dict[str, Any] = {} if method == "compliant" else {"step": 1e-4}
    result = cm.simulate(system, 0.4, method=method, **options)
    joint, bob = result["socket"], result["bob"]
    ball = bob.point(0.0, 0.0, 0.2)
    np.testing.assert_allclose(np.column_stack([joint.ex, joint.ey, joint.ez]), ball, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(joint.eccentricity, np.linalg.norm(ball, axis=1), rtol=0.0, atol=1e-12)
    deepest = joint.indentation.max()
    assert joint.eccentricity.max() == pytest.approx(1e-3 + deepest, abs=1e-12)
    assert 0.0 < deepest < (1e-3 if method == "compliant" else 1e-4)
    assert result.impacts
    assert joint.contact_mode.max() >= 1.0
    assert result.energy.drift < 1e-6
    assert result.energy.dissipated[-1] > 0.0
    # By the end it hangs on the joint as on a spherical one: what the floor of the socket gives is centripetal too.
    force = np.column_stack([joint.fx, joint.fy, joint.fz])
    late = result.t > 0.2
    impulse = np.trapezoid(-force[late], result.t[late], axis=0)
    change = 2.0 * (bob.velocity[late][-1] - bob.velocity[late][0])
    change[2] += 2.0 * GRAVITY * (result.t[late][-1] - result.t[late][0])
    np.testing.assert_allclose(impulse, change, rtol=0.0, atol=0.02 * np.linalg.norm(change))


# ---- pins


def pin_in_bush(axis: Any = (1.0, 0.0, 0.0), velocity: Any = (0.0, 0.0, 0.0)) -> cm.System:
    """A pin in a bush of the ground, gravity across it."""
    turn = Rotation.align_vectors([axis], [[1.0, 0.0, 0.0]])[0]
    system = cm.System(dim=3, gravity=turn.apply([0.0, 0.0, -GRAVITY]), name="bush")
    place, moving = turn.apply([0.3, 0.2, 0.1]), turn.apply(velocity)
    pin = system.add(cm.Body("pin", 1.0, (1e-4, 4e-3, 4e-3), position=place, velocity=moving, orientation=turn))
    system.add(
        cm.CylindricalClearance(
            system.ground, pin, axis=axis, length=0.2, journal_radius=0.02, bearing_radius=0.0205, **LAWS, name="bush"
        )
    )
    return system


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (2.0, -1.0, 2.0)])
def test_a_pin_rests_on_both_ends_and_slides_along(axis: Any):
    system = pin_in_bush(axis)
    system["pin"].velocity = 0.1 * np.array(axis) / np.linalg.norm(axis)
    result = cm.simulate(system, 0.6)
    joint = result["bush"]
    assert joint.touching[-1] == 2.0
    depth = 0.5 * GRAVITY / 1e6
    for name in ("e1", "e2"):
        assert getattr(joint, name)[-1] == pytest.approx(5e-4 + depth, rel=1e-4)
    np.testing.assert_allclose(joint.position, 0.1 * result.t, rtol=0.0, atol=1e-9)
    for end in ("bush 1", "bush 2"):
        assert result[end].normal_force[-1] == pytest.approx(0.5 * GRAVITY, rel=1e-3)
    for k in (1, 2):
        np.testing.assert_allclose(getattr(joint, f"e{k}"), 5e-4 + result[f"bush {k}"].indentation, atol=1e-15)
    across = (
        result["pin"].point(-0.1, 0.0, 0.0)
        - result["pin"].position[0]
        - (0.1 * result.t - 0.1)[:, None] * (np.array(axis) / np.linalg.norm(axis))
    )
    np.testing.assert_allclose(joint.e1, np.linalg.norm(across, axis=1), rtol=0.0, atol=1e-9)
    assert result.energy.drift < 1e-6


def test_a_rigid_pin_tilts_until_both_ends_touch():
    system = pin_in_bush()
    system["pin"].angular_velocity = (0.0, 1.0, 0.0)
    result = cm.simulate(system, 0.3, method="nonsmooth", step=1e-4)
    joint = result["bush"]
    assert max(joint.e1.max(), joint.e2.max()) < 5e-4 + 2.0 * 0.1 * 1e-4  # what an end goes in a step
    assert set(joint.touching) <= {0.0, 1.0, 2.0}
    assert joint.touching[-1] == 2.0
    assert joint.e1[-1] == pytest.approx(5e-4, abs=1e-8)
    weight = result["bush 1"].normal_force[-1] + result["bush 2"].normal_force[-1]
    assert weight == pytest.approx(GRAVITY, rel=1e-6)


def test_a_pin_is_held_where_it_is_given():
    system = pin_in_bush()
    joint = system["bush"]
    assert joint.clearance == pytest.approx(5e-4)
    assert [contact.name for contact in system.contacts] == ["bush 1", "bush 2"]
    np.testing.assert_allclose(joint.points[0], (0.3, 0.2, 0.1))  # the middle of the pin
    ends = sorted(tuple(contact.shapes[0].at) for contact in system.contacts)
    np.testing.assert_allclose(ends, [(-0.1, 0.0, 0.0), (0.1, 0.0, 0.0)], atol=1e-15)


# ---- refused

BODY = cm.Body("a", 1.0, position=(0, 0, 0))
OTHER = cm.Body("b", 1.0, position=(1, 0, 0))
FLAT = (cm.Body("a", 1.0), cm.Body("b", 1.0))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ball_radius": None}, r"SphericalClearance 'ball': set ball_radius and socket_radius"),
        ({"ball_radius": 0.03}, r"ball_radius must be smaller than socket_radius, got 0\.03 in 0\.021"),
        ({"ball_radius": -0.01}, r"ball_radius must be positive"),
        ({"socket_radius": math.nan}, r"socket_radius must be finite"),
        ({"at": None}, r"set at=\(x, y\), in 3D \(x, y, z\)"),
        ({"at": (0.0, 0.0)}, r"at must be 3 numbers, got 2"),
        ({"law": None}, r"set law= for compliant runs, impact= for non-smooth ones"),
        ({"law": 1e6}, r"law must be one of carom\.laws"),
        ({"a": FLAT[0], "b": FLAT[1], "at": (0.0, 0.0)}, r"requires spatial bodies; in 2D use RevoluteClearance"),
        ({"b": BODY}, r"on one body"),
    ],
)
def test_a_socket_that_cannot_be_is_refused(changes: dict, message: str):
    given = {"a": BODY, "b": OTHER, "at": (0.0, 0.0, 0.0), "ball_radius": 0.02, "socket_radius": 0.021, "law": SPRING}
    with pytest.raises(cm.ModelError, match=message):
        cm.SphericalClearance(**{**given, "name": "ball", **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": None}, r"CylindricalClearance 'pin': set length of the pin"),
        ({"length": -1.0}, r"length must be positive"),
        ({"bearing_radius": None}, r"set journal_radius and bearing_radius"),
        ({"bearing_radius": 0.02}, r"journal_radius must be smaller than bearing_radius, got 0\.02 in 0\.02"),
        ({"axis": (0, 0, 0)}, r"axis must have a direction"),
        ({"axis": (1, 0)}, r"axis must be 3 numbers, got 2"),
        ({"law": None}, r"set law= for compliant runs, impact= for non-smooth ones"),
        ({"a": FLAT[0], "b": FLAT[1]}, r"requires spatial bodies; in 2D use RevoluteClearance"),
        ({"b": BODY}, r"on one body"),
    ],
)
def test_a_bush_that_cannot_be_is_refused(changes: dict, message: str):
    given = {"a": BODY, "b": OTHER, "length": 0.2, "journal_radius": 0.02, "bearing_radius": 0.021, "law": SPRING}
    with pytest.raises(cm.ModelError, match=message):
        cm.CylindricalClearance(**{**given, "name": "pin", **changes})
