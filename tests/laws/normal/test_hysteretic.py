"""Laws with hysteresis damping: factors, returned restitution, validity, warnings."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import CaromWarning, ModelError
from carom.laws import ExactRestitution, Flores, Gonthier, HuntCrossley, LankaraniNikravesh
from carom.laws.normal.free_impact import free_impact
from carom.laws.normal.hysteresis_factor import duration, exact_factor, returned_restitution, work_function
from carom.laws.normal.registry import LAWS
from laws.cases import HYSTERETIC, MASS, SPEED, STIFFNESS, example
from quick import each

FACTORS = {
    "hunt_crossley": lambda c: 3 * (1 - c) / 2,
    "herbert_mcwhannell": lambda c: 6 * (1 - c) / ((2 * c - 1) ** 2 + 3),
    "lee_wang": lambda c: 3 * (1 - c) / 4,
    "lankarani_nikravesh": lambda c: 3 * (1 - c**2) / 4,
    "zhiying_qishao": lambda c: 3 * (1 - c**2) * math.exp(2 * (1 - c)) / 4,
    "flores": lambda c: 8 * (1 - c) / (5 * c),
    "hu_guo": lambda c: 3 * (1 - c) / (2 * c),
}
EXACT = ("gonthier", "exact_restitution")
DIVIDING = ("gonthier", "flores", "hu_guo", "exact_restitution")


def test_every_law_is_checked():
    assert {*FACTORS, *EXACT} == set(HYSTERETIC)


@each("restitution", [0.2, 0.5, 0.7, 1.0])
@each("name", sorted(FACTORS))
def test_the_factor_is_the_published_one(name: str, restitution: float):
    law = example(name, restitution=restitution)
    factor = FACTORS[name](restitution)
    assert law.hysteresis_factor(0.3) == pytest.approx(factor * STIFFNESS / 0.3, rel=1e-14)
    damped = law.force(1e-5, 0.1, 0.3) - law.force(1e-5)
    assert damped == pytest.approx(law.hysteresis_factor(0.3) * 1e-5**1.5 * 0.1, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "returned"), [("hunt_crossley", 0.663), ("lankarani_nikravesh", 0.725), ("flores", 0.470)]
)
def test_half_prescribed_does_not_come_back_as_half(name: str, returned: float):
    assert example(name, restitution=0.5).returned_restitution() == pytest.approx(returned, abs=5e-4)


@pytest.mark.parametrize(
    "restitution", [1e-6, 1e-3, 0.011, 0.0199, 0.02, 0.03, 0.05, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-9, 1.0]
)
@each("name", EXACT)
def test_the_exact_laws_return_what_is_prescribed(name: str, restitution: float):
    assert example(name, restitution=restitution).returned_restitution() == pytest.approx(restitution, rel=4e-16)


@each("restitution", [0.1, 0.3, 0.5, 0.8])
def test_gonthier_solves_its_own_equation(restitution: float):
    d = Gonthier(1.0, restitution).damping_factor * restitution
    left, right = (1 + d / restitution) / (1 - d), math.exp(d * (1 + 1 / restitution))
    assert left == pytest.approx(right, rel=1e-9)
    assert Gonthier(1.0, restitution, exact=False).damping_factor == (1 - restitution**2) / restitution


@given(factor=st.floats(1e-12, 15.0))
def test_the_returned_restitution_solves_the_first_integral(factor: float):
    e = returned_restitution(factor)
    assert 0.0 < e <= 1.0
    # ∫ w/(1 + A w) dw from −e to 1, by a series in A where the logarithms cancel
    if factor < 1e-3:
        assert e == pytest.approx(1 - 2 * factor / 3 + 4 * factor**2 / 9, abs=factor**3 + 3e-16)
    else:
        assert factor * (1 + e) + math.log1p(-factor * e) == pytest.approx(
            math.log1p(factor), abs=4e-16 * (1 + factor / (1 - factor * e))
        )


@given(restitution=st.floats(1e-3, 1.0))
def test_the_exact_factor_is_the_inverse(restitution: float):
    assert returned_restitution(exact_factor(restitution)) == pytest.approx(restitution, rel=1e-15)


@given(a=st.floats(1e-6, 50.0), b=st.floats(1e-6, 50.0))
def test_more_damping_returns_less(a: float, b: float):
    low, high = sorted((a, b))
    assert returned_restitution(low) >= returned_restitution(high)


@given(x=st.one_of(st.floats(-0.999, 20.0), st.floats(-1e-6, 1e-6)))
def test_the_mean_is_the_integral_it_stands_for(x: float):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    s = 0.5 * (nodes + 1)
    if x > -0.9:  # M(x) = ∫₀¹ s/(1 + x s) ds
        assert work_function(x) == pytest.approx(float(np.sum(0.5 * weights * s / (1 + x * s))), rel=1e-12)
    else:
        assert work_function(x) == pytest.approx((x - math.log1p(x)) / x**2, rel=1e-15)


@each("exponent", [1.0, 1.5, 3.0])
@each("restitution", [0.05, 0.3, 0.7, 0.99, 1.0])
def test_depth_peak_and_duration_are_those_of_the_integrated_impact(restitution: float, exponent: float):
    law = ExactRestitution(STIFFNESS, restitution, exponent)
    closed, integrated = law.impact(MASS, SPEED), free_impact(law, MASS, SPEED).summary
    assert closed.max_indentation == pytest.approx(integrated.max_indentation, rel=1e-10)
    assert closed.peak_force == pytest.approx(integrated.peak_force, rel=1e-10)
    assert closed.duration == pytest.approx(integrated.duration, rel=1e-7 if restitution < 0.1 else 1e-10)
    assert closed.restitution == pytest.approx(integrated.restitution, rel=1e-9)


def test_a_nearly_elastic_impact_lasts_as_long_as_an_elastic_one():
    assert duration(1e-14, 1.5) == pytest.approx(duration(0.0, 1.5), rel=1e-12)
    assert duration(0.0, 1.0) == pytest.approx(math.pi, rel=1e-15)


@each("name", HYSTERETIC)
def test_validity_is_the_range_in_which_what_comes_back_is_near(name: str):
    law = example(name, restitution=1.0)
    low, high = law.validity
    assert high == 1.0
    for c in np.linspace(max(low, 1e-3) + 1e-9, 1.0, 300):
        assert abs(returned_restitution(law.factor(c)) - c) <= 0.1 + 1e-12
    if low > 0.0:
        assert abs(returned_restitution(law.factor(low)) - low) == pytest.approx(0.1, abs=1e-12)
        assert abs(returned_restitution(law.factor(low - 1e-3)) - low + 1e-3) > 0.1


def test_exact_laws_are_valid_everywhere_and_the_approximate_ones_near_one():
    assert example("exact_restitution").validity == (0.0, 1.0)
    assert example("flores").validity == (0.0, 1.0)
    lows = {name: example(name).validity[0] for name in ("herbert_mcwhannell", "hunt_crossley", "lee_wang")}
    assert 0.4 < lows["herbert_mcwhannell"] < lows["hunt_crossley"] < lows["lee_wang"] < 0.9


def test_a_restitution_that_will_not_come_back_is_announced_with_the_law_to_take():
    with pytest.warns(CaromWarning, match=r"HuntCrossley: restitution 0.2 is outside .*\(0.63 to 1\).*0.5.*ExactRest"):
        HuntCrossley(1e9, 0.2)
    with pytest.warns(
        CaromWarning, match="an impact will return 0.725; use ExactRestitution for a returned restitution of 0.5"
    ):
        LankaraniNikravesh(1e9, 0.5)


def test_a_restitution_that_comes_back_is_not_announced():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LankaraniNikravesh(1e9, 0.7)
        Flores(1e9, 0.1)
        ExactRestitution(1e9, 1e-3)


@each("name", DIVIDING)
def test_laws_with_infinite_damping_refuse_restitution_zero_and_name_another(name: str):
    with pytest.raises(ModelError, match=rf"{LAWS[name].__name__}: .* restitution 0; use PlasticUnloading"):
        example(name, restitution=0.0)


@each("name", sorted(set(HYSTERETIC) - set(DIVIDING)))
def test_laws_with_finite_damping_take_restitution_zero_but_warn(name: str):
    with pytest.warns(CaromWarning, match="an impact will return"):
        LAWS[name](stiffness=1e9, restitution=0.0)


@given(restitution=st.floats(0.01, 1.0), rate=st.floats(-1.0, 1.0), depth=st.floats(1e-9, 1e-2))
def test_damping_dissipates(restitution: float, rate: float, depth: float):
    law = ExactRestitution(STIFFNESS, restitution)
    lost = (law.force(depth, rate, 1.0) - law.force(depth)) * rate
    assert lost >= 0.0
