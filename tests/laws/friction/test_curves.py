"""The shapes of friction laws without a state, against their published formulas."""

import math

import numpy as np
import pytest

from carom.errors import CaromWarning, ModelError
from carom.laws import friction
from carom.laws.friction import Ambrosio, BengisuAkay, Coulomb, StepCoulomb, Threlfall
from laws.cases import friction_out


def test_coulomb_reaches_its_coefficient():
    law = Coulomb(0.25, 1e-3)
    assert law.coefficient(2e-3) == pytest.approx(0.25 * math.tanh(2.0), rel=1e-14)
    assert law.coefficient(1.0) == 0.25
    assert law.coefficient(1e-7) == pytest.approx(0.25e-4, rel=1e-6)
    assert Coulomb(0.0).force(10.0, 1.0) == 0.0


def test_the_default_of_coulomb_is_smoother_in_fixed_steps():
    assert Coulomb(0.25).regularisation == 5e-7
    assert Coulomb(0.25).fixed_step_parameters == Coulomb(0.25, 1e-3).parameters
    assert Coulomb(0.25, 1e-5).fixed_step_parameters == Coulomb(0.25, 1e-5).parameters


def test_step_coulomb_passes_static_friction_at_stick_speed_and_dynamic_at_slip_speed():
    law = StepCoulomb(static=0.2, dynamic=0.1, stick_speed=0.005, slip_speed=0.05)
    assert law.coefficient(0.005) == pytest.approx(0.2, rel=1e-14)
    assert law.coefficient(0.0275) == pytest.approx(0.15, rel=1e-12)
    np.testing.assert_allclose(law.coefficient([0.05, 1.0]), 0.1, rtol=1e-14)
    # Step(v, −Vs, −1, Vs, 1) at Vs/2: −1 + 2 (3s² − 2s³) with s = 3/4
    assert law.coefficient(0.0025) == pytest.approx(0.2 * (-1 + 2 * (3 * 0.75**2 - 2 * 0.75**3)), rel=1e-13)
    with pytest.raises(ModelError, match=r"slip_speed must be greater than stick_speed \(0.005 m/s\), got 0.005 m/s"):
        StepCoulomb(0.2, 0.1, 0.005, 0.005)


def test_ambrosio_is_a_ramp():
    law = Ambrosio(0.3, v0=1e-3, v1=5e-3)
    np.testing.assert_allclose(law.coefficient([5e-4, 1e-3, 2e-3, 5e-3, 1.0]), [0.0, 0.0, 0.075, 0.3, 0.3], rtol=1e-12)
    with pytest.raises(ModelError, match=r"Ambrosio: v1 must be greater than v0 \(0.01 m/s\), got 0.005 m/s"):
        Ambrosio(0.3, 0.01, 0.005)


def test_threlfall_rises_exponentially_and_is_continuous():
    law = Threlfall(0.3, v0=0.01)
    expected = 0.3 * (1 - math.exp(-1.5)) / (1 - math.exp(-3.0))
    assert law.coefficient(0.005) == pytest.approx(expected, rel=1e-14)
    assert law.coefficient(0.01 * (1 - 1e-12)) == pytest.approx(0.3, rel=1e-11)
    assert law.coefficient(0.5) == 0.3


def test_bengisu_akay_rises_to_static_friction_and_falls_to_dynamic():
    law = BengisuAkay(static=0.3, dynamic=0.1, v0=0.01, decay=40.0)
    assert law.coefficient(0.004) == pytest.approx(-0.3 / 0.01**2 * (0.004 - 0.01) ** 2 + 0.3, rel=1e-13)
    assert law.coefficient(0.01) == pytest.approx(0.3, rel=1e-14)
    assert law.coefficient(0.06) == pytest.approx(0.1 + 0.2 * math.exp(-2.0), rel=1e-13)
    speeds = np.linspace(0.0, 0.01, 50)
    assert (np.diff(law.coefficient(speeds)) > 0.0).all()


def test_a_custom_law_is_the_built_in_law():
    mine, built_in = friction.custom(lambda speed: 0.1 * math.tanh(speed / 1e-3)), Coulomb(0.1, 1e-3)
    for velocity in ((0.0, 0.0), (1e-3, 0.0), (-2e-4, 5e-4), (3.0, 4.0)):
        np.testing.assert_allclose(
            friction_out(mine, 20.0, velocity), friction_out(built_in, 20.0, velocity), rtol=1e-14
        )
    assert friction.law(mine.function) == mine
    assert mine.force(20.0, [[0.1, 0.0], [0.0, -0.1]]).shape == (2, 2)
    assert mine.plot().lines


def test_a_custom_law_that_does_not_compile_still_runs():
    table = {"mu": 0.2}
    law = friction.custom(lambda speed: table["mu"] if isinstance(table, dict) else 0.0, name="table")
    with pytest.warns(CaromWarning, match="runs as plain Python"):
        assert law.force(10.0, 1.0) == pytest.approx(-2.0)
    assert law.name == "table"


def test_an_error_of_the_function_is_raised():
    def fragile(speed):
        if speed > 1.0:
            raise ValueError("too fast")
        return 0.1

    law = friction.custom(fragile)
    assert law.coefficient(0.5) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="too fast"):
        law.coefficient(2.0)
    assert law.coefficient(0.5) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("function", "message"),
    [(0.1, "function must be a Python function, got 0.1"), (lambda a, b: a, "must have 1 arguments")],
)
def test_invalid_functions_raise(function, message):
    with pytest.raises(ModelError, match=rf"friction\.custom: .*{message}"):
        friction.custom(function)
