import numpy as np
import pytest

from carom.errors import ModelError
from carom.result import UnknownName
from carom.scene.curve_data import FEW_NODES, CurveFinder


def names(curves):
    return [(curve.owner, curve.quantity, curve.unit) for curve in curves]


@pytest.mark.parametrize(
    ("what", "expected"),
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
def test_a_name_finds_its_curves_with_units(throw, what, expected):
    assert names(CurveFinder(throw).find(what)) == expected


def test_bodies_and_elements_are_their_own_names(throw):
    assert names(CurveFinder(throw).find(throw.bodies[0])) == names(CurveFinder(throw).find("ball"))
    assert names(CurveFinder(throw).find(throw.elements[1])) == [("motor", "power", "W")]


def test_force_is_the_length_of_its_components(throw):
    curve = CurveFinder(throw).find("pin 1.a.force")[0]
    assert np.allclose(curve.values, 5.0 * curve.t, rtol=1e-12)


def test_few_nodes_are_interpolated(throw):
    curve = CurveFinder(throw).find("ball.y")[0]
    assert len(curve.t) > 20 * len(throw.t)
    assert np.all(np.diff(curve.t) > 0.0)
    assert np.allclose(curve.values, 4.0 * curve.t - 4.905 * curve.t**2, atol=1e-12)


def test_many_nodes_are_not_interpolated(make_thrown):
    result = make_thrown(np.linspace(0.0, 1.0, FEW_NODES))
    assert np.array_equal(CurveFinder(result).find("ball.x")[0].t, result.t)


def test_a_jump_keeps_both_its_values(make_thrown):
    t = np.array([0.0, 0.25, 0.5, 0.5, 0.75, 1.0])
    smooth = make_thrown(t)
    v = smooth.v.copy()
    v[3:, 0] = -1.0
    q = smooth.q.copy()
    q[3:, 0] = 1.5 - (t[3:] - 0.5)
    curve = CurveFinder(make_thrown(t, v=v, q=q)).find("ball.vx")[0]
    at_jump = curve.values[curve.t == 0.5]
    assert at_jump.tolist() == [3.0, -1.0]
    assert np.allclose(curve.values[curve.t < 0.5], 3.0)
    assert np.allclose(curve.values[curve.t > 0.5], -1.0)


def test_a_run_of_one_node_has_a_curve_of_one_point(make_thrown):
    assert len(CurveFinder(make_thrown([0.0])).find("ball.x")[0].t) == 1


def test_an_unknown_owner_suggests_the_nearest_name(throw):
    with pytest.raises(UnknownName, match="unknown name 'bal'; did you mean 'ball'"):
        CurveFinder(throw).find("bal.x")
    with pytest.raises(UnknownName, match="did you mean 'ball'"):
        CurveFinder(throw).find("bal")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("ball.fx", "unknown quantity 'fx' of 'ball'; choose from x, y, angle"),
        ("ball.name", "unknown quantity 'name' of 'ball'"),
        ("motor.force", "unknown quantity 'force' of 'motor'; choose from power"),
        ("energy.lost", "unknown energy 'lost'; choose from kinetic"),
        (3, "expected a name such as 'slider.x', a body or an element, got 3"),
    ],
)
def test_unknown_quantities_are_rejected(throw, what, message):
    with pytest.raises(ModelError, match=message):
        CurveFinder(throw).find(what)


def test_old_name_of_a_signal_finds_its_curve(pile):
    with pytest.warns(DeprecationWarning, match="signal 'rate' is deprecated; use 'indentation_rate'"):
        curves = CurveFinder(pile).find("touch 0.rate")
    assert names(curves) == [("touch 0", "indentation_rate", "m/s")]


def test_long_intervals_between_many_nodes_are_interpolated(make_thrown):
    t = np.append(np.linspace(0.0, 0.1, FEW_NODES), 1.0)
    curve = CurveFinder(make_thrown(t)).find("ball.y")[0]
    assert np.count_nonzero(curve.t > 0.1) > 600
    assert np.array_equal(curve.t[curve.t <= 0.1], t[:-1])
    assert np.allclose(curve.values, 4.0 * curve.t - 4.905 * curve.t**2, atol=1e-12)
