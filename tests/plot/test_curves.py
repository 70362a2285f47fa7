import numpy as np
import pytest

from carom.errors import ModelError
from carom.plot.curves import FEW, Curves
from carom.result import UnknownName


def names(curves):
    return [(curve.owner, curve.quantity, curve.unit) for curve in curves]


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ("ball.vx", [("ball", "vx", "m/s")]),
        ("ball.angular_velocity", [("ball", "omega", "rad/s")]),
        ("ball.velocity", [("ball", "vx", "m/s"), ("ball", "vy", "m/s")]),
        ("ball", [("ball", "x", "m"), ("ball", "y", "m"), ("ball", "angle", "rad")]),
        ("pin 1.a", [("pin 1.a", "fx", "N"), ("pin 1.a", "fy", "N")]),
        ("pin 1.a.fy", [("pin 1.a", "fy", "N")]),
        ("pin 1.a.force", [("pin 1.a", "force", "N")]),
        ("energy.total", [("energy", "total", "J")]),
    ],
)
def test_a_name_finds_its_curves_with_units(throw, what, found):
    assert names(Curves(throw).find(what)) == found


def test_bodies_and_elements_are_their_own_names(throw):
    assert names(Curves(throw).find(throw.bodies[0])) == names(Curves(throw).find("ball"))
    assert names(Curves(throw).find(throw.elements[1])) == [("motor", "power", "W")]


def test_force_is_the_length_of_its_components(throw):
    curve = Curves(throw).find("pin 1.a.force")[0]
    assert np.allclose(curve.values, 5.0 * curve.t, rtol=1e-12)


def test_few_nodes_are_filled_with_the_motion_between_them(throw):
    curve = Curves(throw).find("ball.y")[0]
    assert len(curve.t) > 20 * len(throw.t)
    assert np.all(np.diff(curve.t) > 0.0)
    assert np.allclose(curve.values, 4.0 * curve.t - 4.905 * curve.t**2, atol=1e-12)


def test_many_nodes_are_drawn_as_they_are(make_thrown):
    result = make_thrown(np.linspace(0.0, 1.0, FEW))
    assert np.array_equal(Curves(result).find("ball.x")[0].t, result.t)


def test_a_jump_keeps_both_its_values(make_thrown):
    t = np.array([0.0, 0.25, 0.5, 0.5, 0.75, 1.0])
    smooth = make_thrown(t)
    v = smooth.v.copy()
    v[3:, 0] = -1.0
    q = smooth.q.copy()
    q[3:, 0] = 1.5 - (t[3:] - 0.5)
    curve = Curves(make_thrown(t, v=v, q=q)).find("ball.vx")[0]
    there = curve.values[curve.t == 0.5]
    assert there.tolist() == [3.0, -1.0]
    assert np.allclose(curve.values[curve.t < 0.5], 3.0)
    assert np.allclose(curve.values[curve.t > 0.5], -1.0)


def test_a_run_of_one_node_has_a_curve_of_one_point(make_thrown):
    assert len(Curves(make_thrown([0.0])).find("ball.x")[0].t) == 1


def test_an_unknown_owner_is_answered_with_the_nearest_name(throw):
    with pytest.raises(UnknownName, match="unknown name 'bal'; did you mean 'ball'"):
        Curves(throw).find("bal.x")
    with pytest.raises(UnknownName, match="did you mean 'ball'"):
        Curves(throw).find("bal")


@pytest.mark.parametrize(
    ("what", "complaint"),
    [
        ("ball.fx", "'ball' has no 'fx'; it has x, y, angle"),
        ("ball.name", "'ball' has no 'name'"),
        ("motor.force", "'motor' has no 'force'; it has power"),
        ("energy.lost", "the energy has no 'lost'; it has kinetic"),
        (3, "expected a name such as 'slider.x', a body or an element, got 3"),
    ],
)
def test_what_there_is_not_is_named(throw, what, complaint):
    with pytest.raises(ModelError, match=complaint):
        Curves(throw).find(what)
