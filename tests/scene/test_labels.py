import pytest

from carom.result.series import BodySeries
from carom.scene.labels import axis_exponent, axis_label, quantity_label, unit_label


@pytest.mark.parametrize(
    ("quantities", "unit", "label"),
    [
        (["vx"], "m/s", "velocity x [m/s]"),
        (["x", "y"], "m", "position [m]"),
        (["omega", "angle_rate"], "rad/s", "angular velocity [rad/s]"),
        (["ax"], "m/s^2", "acceleration x [m/s²]"),
        (["fx", "fy", "force"], "N", "force [N]"),
        (["wear"], "", "wear [1]"),
        (["one", "other"], "furlong", "value [furlong]"),
    ],
)
def test_an_axis_label_has_the_common_name_and_the_unit(quantities, unit, label):
    assert axis_label(quantities, unit) == label


@pytest.mark.parametrize(
    ("unit", "power", "label"),
    [
        ("W", 6, "size [MW]"),
        ("m", -6, "size [µm]"),
        ("m/s", -3, "size [mm/s]"),
        ("s", -9, "size [ns]"),
        ("N m", 3, "size [kN\u2009m]"),
        ("m", 3, "size [$10^{3}$ m]"),
        ("J", -12, "size [$10^{-12}$ J]"),
        ("1", -3, "size [$10^{-3}$ 1]"),
    ],
)
def test_a_prefix_or_a_power_of_ten_precedes_the_unit(unit, power, label):
    assert axis_label(["size"], unit, power) == label


@pytest.mark.parametrize(
    ("size", "unit", "power"),
    [
        (0.0, "m", 0),
        (float("inf"), "m", 0),
        (0.02, "m", 0),
        (9999.0, "N", 0),
        (5.08e-4, "m", -6),
        (1.55e-3, "m", -3),
        (1.14e5, "N", 3),
        (4e-11, "J", -11),
        (3e5, "m", 5),
        (2e-5, "1", -5),
    ],
)
def test_exponents_give_convenient_numbers(size, unit, power):
    assert axis_exponent(size, unit) == power


def test_every_series_of_a_body_has_a_label_without_symbols():
    for name, unit in BodySeries.units.items():
        assert len(quantity_label(name)) > 4
        assert "^" not in unit_label(unit)
