"""Laws written as plain Python functions."""

import math
import warnings

import pytest

from carom.errors import CaromWarning, ModelError
from carom.kernels.user_functions import UserKernel
from carom.laws import ExactRestitution, Hertz, KelvinVoigt, custom
from carom.laws.base import NO_BODIES
from laws.cases import MASS, SPEED, STIFFNESS, normal_out

EXACT = ExactRestitution(STIFFNESS, 0.6)
FACTOR = EXACT.damping_factor


def hysteretic(indentation, rate, approach_speed):
    return STIFFNESS * indentation**1.5 * (1.0 + FACTOR * rate / approach_speed)


def spring(indentation, rate):
    return 1e7 * indentation + 300.0 * rate


HYSTERETIC, SPRING = custom(hysteretic), custom(spring)


@pytest.mark.parametrize("depth", [1e-6, 1e-5, 2e-4])
@pytest.mark.parametrize("rate", [-0.2, 0.0, 0.3])
def test_a_custom_law_is_the_built_in_law(depth: float, rate: float):
    mine, built_in = normal_out(HYSTERETIC, depth, rate), normal_out(EXACT, depth, rate)
    assert mine.force == pytest.approx(built_in.force, rel=1e-13)
    assert mine.elastic_force == pytest.approx(built_in.elastic_force, rel=1e-13)
    assert mine.stored_energy == pytest.approx(built_in.stored_energy, rel=1e-6)  # Gauss–Legendre of δ^1.5
    assert mine.force_sign == mine.force


def test_a_custom_impact_is_that_of_the_built_in_law():
    mine, built_in = HYSTERETIC.impact(MASS, SPEED), EXACT.impact(MASS, SPEED)
    for name in ("peak_force", "max_indentation", "duration", "restitution"):
        assert getattr(mine, name) == pytest.approx(getattr(built_in, name), rel=1e-9), name
    linear = SPRING.returned_restitution(SPEED, MASS)
    assert linear == pytest.approx(KelvinVoigt(1e7, 300.0).returned_restitution(mass=MASS), rel=1e-9)


def test_energy_is_exact_for_polynomials_and_computed_on_request_only():
    law = SPRING
    assert normal_out(law, 2e-3, 0.5).stored_energy == pytest.approx(0.5 * 1e7 * 4e-6, rel=1e-14)
    assert normal_out(law, 2e-3, 0.5).elastic_force == pytest.approx(2e4, rel=1e-14)
    assert normal_out(law, 2e-3, 0.5, stores_energy=False).stored_energy == 0.0


def test_while_the_approach_speed_is_unknown_the_law_is_elastic():
    law = HYSTERETIC
    assert law.needs_approach_speed
    assert normal_out(law, 1e-5, 0.2, approach=0.0).force == pytest.approx(Hertz(STIFFNESS).force(1e-5), rel=1e-14)
    assert law.stored_energy(1e-5) > 0.0
    with pytest.raises(ModelError, match="set approach_speed"):
        law.force(1e-5, 0.1)
    assert not custom(spring).needs_approach_speed


def test_the_function_is_not_called_without_contact():
    law = custom(lambda indentation, rate: 1e6 * math.sqrt(indentation))
    out = normal_out(law, -1e-3)
    assert out.force == out.elastic_force == out.stored_energy == 0.0
    assert law.force(-1.0) == 0.0


def test_the_kernel_is_reused_while_the_function_is_unchanged():
    law = custom(spring)
    kernel = law.compiled("a", NO_BODIES)
    assert isinstance(kernel, UserKernel)
    assert not kernel.slow
    assert law.compiled("b", NO_BODIES) is kernel


def test_a_changed_constant_changes_the_law():
    stiffness = 1e5

    def changing(indentation, rate):
        return stiffness * indentation

    law = custom(changing)
    assert law.force(1e-3) == pytest.approx(100.0)
    stiffness = 2e5
    assert law.force(1e-3) == pytest.approx(200.0)


def test_a_function_that_does_not_compile_still_runs():
    table = {"stiffness": 1e5}

    def interpreted(indentation, rate):
        return table["stiffness"] * indentation if isinstance(table, dict) else 0.0

    law = custom(interpreted)
    with pytest.warns(CaromWarning, match="runs as plain Python"):
        assert law.force(1e-3, 0.1) == pytest.approx(100.0)


def test_what_the_function_raises_is_raised():
    def limited(indentation, rate):
        if indentation > 1e-3:
            raise ValueError("too deep")
        return 1e5 * indentation

    law = custom(limited)
    assert law.force(5e-4) == pytest.approx(50.0)
    with pytest.raises(ValueError, match="too deep"):
        law.force(2e-3)
    assert law.force(5e-4) == pytest.approx(50.0)


def test_names_and_equality():
    assert custom(spring).name == "spring"
    assert custom(spring, "mine").name == "mine"
    assert custom(spring) == custom(spring)
    assert custom(spring) != custom(hysteretic)
    assert "spring(δ, δ̇)" in custom(spring).formula
    assert "v⁻" in custom(hysteretic).formula
    assert custom(spring).validity is None


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (3.0, "custom: function must be a Python function, got 3.0"),
        (lambda x: x, "must have 2 or 3 arguments"),
        (lambda a, b, c, d: a, "must have 2 or 3 arguments"),
    ],
)
def test_invalid_functions_raise(function, message):
    with pytest.raises(ModelError, match=message):
        custom(function)


def test_a_force_that_never_stops_the_mass_is_an_error():
    with pytest.raises(ModelError, match="the elastic force does not stop a mass of 1 kg at 1 m/s"):
        custom(lambda indentation, rate: 10.0 * rate).impact(1.0, 1.0)


def test_a_compiled_law_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SPRING.impact(MASS, SPEED)
