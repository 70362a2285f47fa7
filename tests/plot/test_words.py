import pytest

from carom.plot.words import axis_words, quantity_words, unit_words
from carom.result.series import BodySeries


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
def test_an_axis_tells_what_its_curves_have_in_common_and_their_unit(quantities, unit, label):
    assert axis_words(quantities, unit) == label


def test_a_power_of_ten_stands_before_the_unit():
    assert axis_words(["power"], "W", 6) == "power [$10^{6}$ W]"


def test_every_series_of_a_body_has_words_without_symbols():
    for name, unit in BodySeries.units.items():
        assert len(quantity_words(name)) > 4
        assert "^" not in unit_words(unit)
