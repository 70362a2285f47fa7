"""Estimate of an impact before its simulation."""

import math

import pytest

from carom.errors import ModelError
from carom.laws import MATERIALS, STEEL, Hertz, advise
from carom.laws.normal.registry import LAWS
from laws.cases import HYSTERETIC


def test_the_figures_are_those_of_hertz():
    advice = advise((1.0, math.inf), 4.2, 0.1, restitution=0.5)
    impact = Hertz(advice.stiffness).impact(1.0, 4.2)
    assert advice.stiffness == pytest.approx(4.7955e10, rel=2e-5)
    assert (advice.indentation, advice.duration, advice.peak_force) == (
        impact.max_indentation,
        impact.duration,
        impact.peak_force,
    )
    assert advice.step == pytest.approx(advice.duration / 50)
    assert advice.contact_radius == pytest.approx(math.sqrt(0.1 * advice.indentation), rel=1e-12)  # a² = R δ
    # Hertz: the mean pressure is two thirds of the largest, (6 F E*²/(π³ R²))^(1/3)
    largest = (6 * advice.peak_force * (207e9 / 1.82) ** 2 / (math.pi**3 * 0.1**2)) ** (1 / 3)
    assert advice.mean_pressure == pytest.approx(2 / 3 * largest, rel=1e-12)


def test_masses_and_radii_as_one_or_two():
    pair = advise((2.0, 2.0), 1.0, (0.02, math.inf), MATERIALS["glass"])
    single = advise(1.0, 1.0, 0.02, (MATERIALS["glass"], MATERIALS["glass"]))
    assert pair == single
    assert advise(1.0, 1.0, (0.0095, -0.010)).radius == pytest.approx(0.19, rel=1e-12)


def test_every_law_with_a_restitution_is_compared_with_the_prescribed_one():
    laws = advise(1.0, 1.0, 0.1, restitution=0.5).laws
    assert set(laws) == {*HYSTERETIC, "plastic_unloading"}
    assert laws["hunt_crossley"].returned == pytest.approx(0.663, abs=5e-4)
    assert not laws["hunt_crossley"].valid
    assert laws["flores"].valid
    assert laws["exact_restitution"].returned == pytest.approx(0.5, rel=1e-15)
    assert laws["plastic_unloading"].returned == 0.5
    for name, advice in laws.items():
        assert advice.validity == LAWS[name](stiffness=1.0, restitution=1.0).validity


def test_without_a_restitution_the_ranges_remain():
    laws = advise(1.0, 1.0, 0.1).laws
    assert laws["lee_wang"].valid is laws["lee_wang"].returned is None
    assert laws["lee_wang"].validity[0] > 0.8


def test_restitution_zero_leaves_the_plastic_law():
    laws = advise(1.0, 1.0, 0.1, restitution=0.0).laws
    assert [name for name, law in laws.items() if law.valid] == ["plastic_unloading"]
    assert laws["flores"].returned is None
    assert "infinite damping" in str(advise(1.0, 1.0, 0.1, restitution=0.0))


def test_the_suggested_step_gives_a_fixed_step_method_its_restitution():
    """Runge and Kutta's method, whatever part of a step has passed at the first touch."""
    advice = advise(0.046, 0.3, (0.02, 0.02))
    k, h = advice.stiffness / 0.046, advice.step
    for late in (0.0, 0.3, 0.8):
        x, v = -late * h * 0.3, 0.3
        while x >= 0.0 or v > 0.0:
            a = [-k * max(x, 0.0) ** 1.5]
            v2 = v + 0.5 * h * a[0]
            a.append(-k * max(x + 0.5 * h * v, 0.0) ** 1.5)
            v3 = v + 0.5 * h * a[1]
            a.append(-k * max(x + 0.5 * h * v2, 0.0) ** 1.5)
            v4 = v + h * a[2]
            a.append(-k * max(x + h * v3, 0.0) ** 1.5)
            x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3])
        assert -v / 0.3 == pytest.approx(1.0, abs=2e-5)


def test_contacts_too_large_for_hertz_are_noted():
    assert not any("Hertz's theory" in note for note in advise(0.01, 0.01, 0.02).notes)
    knee = MATERIALS["cartilage"]
    assert any("too large for Hertz's theory" in note for note in advise(3.75, 0.3, 0.03, knee).notes)


def test_fast_impacts_are_expected_to_leave_permanent_indentation():
    quiet, loud = advise(1.0, 0.05, 0.1), advise(1.0, 0.06, 0.1)  # 1e-5 of 5135 m/s lies between them
    assert not any("permanent" in note for note in quiet.notes)
    assert any("PlasticUnloading" in note for note in loud.notes)


def test_another_exponent_is_noted():
    assert any("exponent 1.5" in note for note in advise(1.0, 0.01, 0.1, exponent=1.2).notes)


def test_the_advice_reads_as_a_table():
    text = str(advise((1.0, math.inf), 4.2, 0.1, (STEEL, STEEL), restitution=0.5))
    for words in ("stiffness", "4.796e+10 N/m^1.5", "peak force", "duration/50", "0.5 prescribed", "returns 0.725"):
        assert words in text
    assert len(text.splitlines()) > 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, 1.0, 0.1), "mass must be positive, got -1"),
        (((math.inf, math.inf), 1.0, 0.1), "at least one mass must be finite"),
        ((1.0, 0.0, 0.1), "speed must be positive, got 0"),
        ((1.0, 1.0, (0.1, 0.1, 0.1)), "radii must be one or two values, got 3"),
        ((1.0, 1.0, 0.1, (STEEL, STEEL), 1.2), r"restitution must lie in \[0, 1\], got 1.2"),
    ],
)
def test_invalid_arguments_raise(arguments, message):
    with pytest.raises(ModelError, match=f"advise: {message}"):
        advise(*arguments)
