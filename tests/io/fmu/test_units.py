"""Units as products of SI base units."""

import pytest

from carom.io.fmu.units import base_exponents


@pytest.mark.parametrize(
    ("unit", "exponents"),
    [
        ("N s/m", {"kg": 1, "s": -1}),
        ("rad/s^2", {"rad": 1, "s": -2}),
        ("kg m²", {"kg": 1, "m": 2}),
        ("W", {"kg": 1, "m": 2, "s": -3}),
        ("1", {}),
        ("furlong", None),
        ("N/m^1.5", None),
    ],
)
def test_units_are_products_of_base_units(unit, exponents):
    assert base_exponents(unit) == exponents
