"""Checks of every registered friction law: it opposes the sliding velocity and scales with the normal force."""

import numpy as np
import pytest

from carom.errors import ModelError
from carom.laws import friction
from carom.laws.friction.registry import FRICTIONS
from laws.cases import FRICTION_PARAMETERS, friction_example, friction_out, parameter_errors
from quick import each

EVERY = sorted(FRICTIONS)
STATELESS = [name for name in EVERY if not FRICTIONS[name].has_state]
STATEFUL = [name for name in EVERY if FRICTIONS[name].has_state]
VELOCITIES = [(1e-9, 0.0), (0.0, -3e-4), (2e-3, 1e-3), (-0.02, 0.01), (0.3, -0.4), (-5.0, 0.0)]


def test_every_registered_law_has_an_example():
    assert set(FRICTION_PARAMETERS) == set(FRICTIONS)
    assert STATEFUL == ["dahl", "elasto_plastic", "lugre"]


@each("name", EVERY)
def test_a_law_has_name_formula_and_reference_and_can_be_rebuilt(name: str):
    found = friction_example(name)
    assert found.name == name
    assert len(found.formula) > 10
    assert len(found.reference) > 20
    assert type(found).__doc__
    assert found == eval(repr(found), {type(found).__name__: type(found)})
    assert found == friction.law(name, **FRICTION_PARAMETERS[name])
    assert friction.law(type(found), **FRICTION_PARAMETERS[name]) == found
    assert friction.law(found) is found


@each("name", EVERY)
def test_a_law_has_the_parameters_that_its_kernel_reads(name: str):
    assert parameter_errors(friction_example(name)) == []


@each("velocity", VELOCITIES)
@each("name", STATELESS)
def test_the_force_acts_against_the_sliding(name: str, velocity):
    found = friction_example(name)
    out, v = friction_out(found, 50.0, velocity), np.array(velocity)
    speed = np.hypot(*v)
    np.testing.assert_allclose(out[:2], -50.0 * found.coefficient(speed) * v / speed, rtol=1e-13, atol=1e-13)
    assert out[:2] @ v <= 0.0
    np.testing.assert_array_equal(out[2:], 0.0)
    np.testing.assert_array_equal(found.force(50.0, velocity), out[:2])


@each("name", EVERY)
def test_at_rest_there_is_no_force_and_no_nan(name: str):
    found = friction_example(name)
    np.testing.assert_array_equal(np.abs(friction_out(found, 50.0, (0.0, 0.0))), 0.0)
    assert found.coefficient(0.0) == 0.0
    assert found.force(50.0, 0.0) == 0.0
    np.testing.assert_array_equal(np.isfinite(friction_out(found, 50.0, (5e-324, 0.0))), True)


@each("velocity", VELOCITIES)
@each("name", EVERY)
def test_the_force_scales_with_the_load_and_turns_with_the_sliding(name: str, velocity):
    found = friction_example(name)
    z = (2e-6, -1e-6) if found.has_state else (0.0, 0.0)
    one = friction_out(found, 10.0, velocity, z)
    if name != "elasto_plastic":  # whose spring belongs to the contact, not to the load
        three = friction_out(found, 30.0, velocity, z)
        np.testing.assert_allclose(three[:2], 3.0 * one[:2], rtol=1e-14)
        np.testing.assert_array_equal(three[2:], one[2:])
    np.testing.assert_array_equal(friction_out(found, 0.0, velocity, z)[:2], 0.0)
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, -s], [s, c]])
    turned = friction_out(found, 10.0, turn @ velocity, turn @ z)
    np.testing.assert_allclose(turned.reshape(2, 2), one.reshape(2, 2) @ turn.T, rtol=1e-10, atol=1e-13)


@each("name", EVERY)
def test_in_a_plane_sliding_along_one_tangent_stays_there(name: str):
    out = friction_out(friction_example(name), 10.0, (0.01, 0.0), (1e-6 if name in STATEFUL else 0.0, 0.0))
    assert out[1] == out[3] == 0.0
    assert out[0] < 0.0


@each("name", EVERY)
def test_the_coefficient_takes_numbers_and_arrays_of_any_sign(name: str):
    found = friction_example(name)
    speeds = np.array([[0.001, 0.02], [0.3, 4.0]])
    values = found.coefficient(speeds)
    assert values.shape == (2, 2)
    assert isinstance(found.coefficient(0.02), float)
    assert found.coefficient(-0.02) == found.coefficient(0.02) == values[0, 1]
    assert found.force(10.0, -0.02) == pytest.approx(10.0 * values[0, 1], rel=1e-14)


@each("name", EVERY)
def test_the_plot_shows_the_coefficient(name: str):
    found = friction_example(name)
    axes = found.plot()
    (line,) = axes.lines
    np.testing.assert_array_equal(line.get_ydata(), found.coefficient(line.get_xdata()))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("sliding speed [m/s]", "coefficient of friction")
    assert found.plot(axes) is axes
    assert len(axes.lines) == 2


@each("name", EVERY)
@each("bad", [-0.1, float("nan"), "much"])
def test_every_parameter_is_checked(name: str, bad):
    for key in FRICTION_PARAMETERS[name]:
        with pytest.raises(ModelError, match=f"{FRICTIONS[name].__name__}: {key} must"):
            friction_example(name, **{key: bad})


@each("name", [name for name in EVERY if "static" in FRICTION_PARAMETERS[name]])
def test_static_friction_is_not_below_dynamic(name: str):
    with pytest.raises(ModelError, match=r"static must not be less than dynamic \(0.5\), got 0.2"):
        friction_example(name, static=0.2, dynamic=0.5)


@each(
    "call, message",
    [
        (lambda law: law.force(-1.0, 0.1), "normal_force must be positive or zero, got -1"),
        (lambda law: law.force(1.0, [1.0, 2.0, 3.0]), r"velocity must be a number or have 2 components, got shape"),
        (lambda law: law.force(1.0, 0.1, state=[0.0, 0.0]), r"state must have the shape of velocity"),
        (lambda law: law.coefficient(float("inf")), "speed must be finite"),
        (lambda law: friction.law("columb"), "friction: name must be one of 'ambrosio', .*got 'columb'"),
        (
            lambda law: friction.law("coulomb"),
            "friction 'coulomb': .*'coefficient'; its parameters are coefficient, regularisation",
        ),
        (lambda law: friction.law(law, v0=1.0), "friction: v0 can be set with the name of a law only"),
        (lambda law: friction.law(0.1), "friction: must be a law, the name of a law or a function, got 0.1"),
    ],
)
def test_invalid_arguments_raise(call, message):
    with pytest.raises(ModelError, match=message):
        call(friction_example("coulomb"))
