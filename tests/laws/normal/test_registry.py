"""Checks of every registered normal law: parameters, energy balance, returned restitution and messages."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from carom.errors import ModelError
from carom.laws import custom, law
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.registry import LAWS
from laws.cases import ELASTIC, HYSTERETIC, MASS, PARAMETERS, SPEED, STIFFNESS, example, normal_out, parameter_errors
from quick import each

EVERY = sorted(LAWS)
DEPTHS = (1e-7, 3e-6, 1.2e-5, 1e-4, 3e-3)
WITH_RESTITUTION = [*HYSTERETIC, "plastic_unloading"]


def slope(f, x: float) -> float:
    """f'(x) by central differences of eighth order."""
    h = 2e-3 * x
    terms = zip((4 / 5, -1 / 5, 4 / 105, -1 / 280), range(1, 5), strict=True)
    return sum(c * (f(x + k * h) - f(x - k * h)) for c, k in terms) / h


def integrated_restitution(law: NormalLaw, mass: float, speed: float, steps: float = 1e-4) -> float:
    """Restitution by a second method: integration of `law.force`, which clamps, with the time scaled by the depth.

    The step is bounded, so that a force that vanishes and comes back is not stepped over.
    """
    depth = law.impact(mass, speed).max_indentation
    deepest = None

    def motion(t, y):
        x = float(y[0]) * depth
        force = law.force(x, float(y[1]) * speed, speed, deepest=deepest) if x > 0.0 else 0.0
        return y[1], -force * depth / (mass * speed**2)

    def turn(t, y):
        return y[1]

    def leave(t, y):
        return y[0]

    settings = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "max_step": steps}
    turn.terminal = leave.terminal = True
    leave.direction = -1.0
    down = solve_ivp(motion, (0.0, 1e3), (0.0, 1.0), events=turn, **settings)
    if law.has_unloading_curve:
        deepest = float(down.y[0, -1]) * depth
    back = solve_ivp(motion, (0.0, 1e3), (float(down.y[0, -1]), 0.0), events=leave, **settings)
    return -float(back.y[1, -1])


def test_every_registered_law_has_an_example():
    assert set(PARAMETERS) == set(LAWS)


@each("name", EVERY)
def test_a_law_has_name_formula_and_reference_and_can_be_rebuilt(name: str):
    found = example(name)
    assert found.name == name
    assert ("p = " if found.is_distributed else "F = ") in found.formula
    assert len(found.reference) > 20
    assert type(found).__doc__
    assert found == eval(repr(found), {type(found).__name__: type(found)})
    assert found == law(name, **PARAMETERS[name])
    assert law(found) is found
    assert hash(found) == hash(example(name))


@each("name", EVERY)
def test_a_law_has_the_parameters_that_its_kernel_reads(name: str):
    assert parameter_errors(example(name)) == []


@each("depth", DEPTHS)
@each("name", EVERY)
def test_the_elastic_force_is_the_slope_of_the_stored_energy(name: str, depth: float):
    found = example(name)
    dU = slope(lambda x: normal_out(found, x).stored_energy, depth)
    assert normal_out(found, depth).elastic_force == pytest.approx(dU, rel=1e-9)
    assert found.stored_energy(depth) == normal_out(found, depth).stored_energy > 0.0


@each("name", EVERY)
def test_stored_energy_is_zero_at_zero_indentation_and_independent_of_the_rate(name: str):
    found = example(name)
    assert normal_out(found, 0.0).stored_energy == 0.0
    still, moving = normal_out(found, 1e-5), normal_out(found, 1e-5, 0.2)
    assert moving.elastic_force == still.elastic_force
    assert moving.stored_energy == still.stored_energy
    assert moving.force > still.force or name in (*ELASTIC, "plastic_unloading")
    if name != "plastic_unloading":  # whose loading force is in part lost
        assert still.force == pytest.approx(still.elastic_force, rel=1e-15)


@each("rate", [-3.0, -0.3, -0.05, 0.0, 0.3])
@each("depth", DEPTHS)
@each("name", EVERY)
def test_force_sign_has_the_sign_of_the_force(name: str, depth: float, rate: float):
    out = normal_out(example(name), depth, rate)
    assert np.isfinite(out.tolist()).all()
    assert np.sign(out.force_sign) == np.sign(out.force)


@each("name", EVERY)
def test_force_sign_does_not_vanish_with_the_indentation(name: str):
    found = example(name)
    assert normal_out(found, 1e-13, SPEED).force_sign >= 0.99


@each("name", EVERY)
def test_the_force_is_zero_without_contact(name: str):
    found = example(name)
    np.testing.assert_array_equal(found.force([-1e-3, 0.0, -1e-9], [-0.2, 0.0, 0.2], SPEED), 0.0)
    np.testing.assert_array_equal(found.stored_energy([-1e-3, 0.0]), 0.0)
    if name != "kelvin_voigt":  # which goes on smoothly: the caller switches it off
        out = normal_out(found, -1e-3, 0.2)
        assert out.force == out.elastic_force == out.stored_energy == 0.0


@each("name", EVERY)
def test_the_force_is_that_of_the_kernel_without_tension(name: str):
    found = example(name)
    depth, rate = np.meshgrid([2e-6, 1e-5, 8e-5], [-4.0, -0.1, 0.0, 0.2])
    raw = [[normal_out(found, d, r).force for d, r in zip(*row, strict=True)] for row in zip(depth, rate, strict=True)]
    np.testing.assert_array_equal(found.force(depth, rate, SPEED), np.maximum(raw, 0.0))
    assert isinstance(found.force(1e-5), float)


@each("name", [*HYSTERETIC, "hertz", "linear", "cylinder_line", "plastic_unloading"])
def test_the_force_scales_with_the_stiffness_and_with_the_power_of_the_indentation(name: str):
    one, n = example(name), 1.5
    three = example(name, stiffness=3.0 * PARAMETERS[name]["stiffness"])
    n = getattr(one, "exponent", n)
    assert three.force(1e-5, 0.1, SPEED) == pytest.approx(3.0 * one.force(1e-5, 0.1, SPEED), rel=1e-14)
    assert one.force(2e-5, 0.1, SPEED) == pytest.approx(2.0**n * one.force(1e-5, 0.1, SPEED), rel=1e-14)
    assert one.force(1e-5) == pytest.approx(PARAMETERS[name]["stiffness"] * 1e-5**n * 1.0, rel=1e-14)


@each("name", HYSTERETIC)
def test_without_an_approach_speed_there_is_no_damping(name: str):
    found = example(name)
    assert normal_out(found, 1e-5, 0.2, approach=0.0).force == found.force(1e-5)
    with pytest.raises(ModelError, match="set approach_speed"):
        found.force(1e-5, 0.2)
    with pytest.raises(ModelError, match="approach_speed must be positive, got 0"):
        found.force(1e-5, 0.2, 0.0)


@each("name", EVERY)
def test_an_integrated_impact_returns_the_stated_restitution(name: str):
    found = example(name)
    assert integrated_restitution(found, MASS, SPEED, 0.02) == pytest.approx(
        found.returned_restitution(SPEED, MASS), abs=2e-8
    )


@each("restitution", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
@each("name", WITH_RESTITUTION)
def test_the_closed_form_of_the_restitution_agrees_with_integration(name: str, restitution: float):
    found = example(name, restitution=restitution)
    assert integrated_restitution(found, MASS, SPEED, 0.1) == pytest.approx(found.returned_restitution(), abs=1e-8)


@each("name", EVERY)
def test_the_impact_satisfies_the_energy_balance(name: str):
    found = example(name)
    impact = found.impact(MASS, SPEED)
    energy = 0.5 * MASS * SPEED**2
    assert impact.restitution == pytest.approx(found.returned_restitution(SPEED, MASS), abs=1e-10)
    if found.has_unloading_curve:
        energy *= impact.restitution**2  # the stored part
    stored = found.stored_energy(impact.max_indentation)
    if name in (*ELASTIC, "plastic_unloading"):
        assert stored == pytest.approx(energy, rel=1e-10)
    else:
        assert impact.restitution**2 * energy < stored < energy
    assert impact.peak_force >= found.force(impact.max_indentation) * (1.0 - 1e-12)


@each("name", EVERY)
def test_the_plot_has_units_and_shows_the_impact(name: str):
    found = example(name)
    axes = found.plot(approach_speed=SPEED, mass=MASS)
    (line,) = axes.lines
    impact = found.impact(MASS, SPEED)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("indentation [m]", "normal force [N]")
    assert line.get_xdata().max() == pytest.approx(impact.max_indentation, rel=1e-9)
    assert line.get_ydata().max() == pytest.approx(impact.peak_force, rel=1e-3)
    assert found.plot(ax=axes) is axes
    assert len(axes.lines) == 2


def test_a_law_can_be_a_name_a_class_a_law_or_a_function():
    assert law("hertz", stiffness=1e9) == law(LAWS["hertz"], stiffness=1e9)

    def spring(indentation, rate):
        return 1e6 * indentation

    assert law(spring) == custom(spring)


@each(
    "given, parameters, message",
    [
        ("herz", {}, "law: name must be one of 'cylinder_line', .*got 'herz'"),
        (
            "hertz",
            {"stiffness": 1e9, "restitution": 0.5},
            "law 'hertz': .*'restitution'; its parameters are stiffness, exponent",
        ),
        (
            "flores",
            {"stiffness": 1e9},
            "law 'flores': .*'restitution'; its parameters are stiffness, restitution, exponent",
        ),
        (3.0, {}, "law: must be a law, the name of a law or a function, got 3.0"),
        (
            example("hertz"),
            {"stiffness": 2.0},
            "law: stiffness can be set with the name of a law only, .* has its parameters already",
        ),
    ],
)
def test_unknown_laws_and_wrong_parameters_raise(given, parameters, message):
    with pytest.raises(ModelError, match=message):
        law(given, **parameters)


@each("name", [name for name in EVERY if "stiffness" in PARAMETERS[name]])
@each("stiffness", [0.0, -1.0, float("nan"), "steel", None])
def test_a_stiffness_must_be_positive(name: str, stiffness):
    with pytest.raises(ModelError, match=rf"{LAWS[name].__name__}: stiffness must be"):
        example(name, stiffness=stiffness)


@each("name", [*WITH_RESTITUTION, "hertz", "penalty_step"])
def test_an_exponent_must_be_positive(name: str):
    with pytest.raises(ModelError, match=r"exponent must be positive, got -1\.5"):
        example(name, exponent=-1.5)


@each("restitution", [-0.1, 1.4, float("inf")])
@each("name", WITH_RESTITUTION)
def test_a_restitution_lies_between_zero_and_one(name: str, restitution: float):
    with pytest.raises(ModelError, match=rf"{LAWS[name].__name__}: restitution must "):
        example(name, restitution=restitution)


@each("name", EVERY)
def test_an_impact_needs_a_mass_and_a_speed(name: str):
    found = example(name)
    with pytest.raises(ModelError, match="mass must be positive, got -1"):
        found.impact(-1.0, SPEED)
    with pytest.raises(ModelError, match="approach_speed must be positive, got 0"):
        found.impact(MASS, 0.0)
    with pytest.raises(ModelError, match="approach_speed must be positive, got 0"):
        found.hysteresis_factor(0.0)


def test_forces_of_invalid_numbers_raise():
    hertz = example("hertz", stiffness=STIFFNESS)
    with pytest.raises(ModelError, match="indentation must be finite"):
        hertz.force(float("nan"))
    with pytest.raises(ModelError, match="rate must be a number or an array of numbers"):
        hertz.force(1e-5, "fast")
