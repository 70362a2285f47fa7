"""Restitution along another curve than compression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from carom.laws import PlasticUnloading
from carom.laws.normal.free_impact import free_impact
from laws.cases import MASS, SPEED, STIFFNESS, normal_out

DEEP = 2e-5


@given(restitution=st.floats(0.01, 1.0), exponent=st.floats(0.5, 3.0))
def test_the_loop_loses_what_the_restitution_says(restitution: float, exponent: float):
    law = PlasticUnloading(1e6, restitution, exponent)
    down = 1e6 * DEEP ** (exponent + 1) / (exponent + 1)
    released = law.release(DEEP)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    s = 0.5 * (nodes + 1)  # δ = δ_p + (δ_max − δ_p) s², which the power at the end makes smooth
    force = law.force(released + (DEEP - released) * s * s, deepest=DEEP)
    back = float(np.sum(0.5 * weights * 2 * s * force)) * (DEEP - released)
    assert back / down == pytest.approx(restitution**2, rel=1e-6)


def test_the_work_of_restitution_by_quadrature():
    law = PlasticUnloading(STIFFNESS, 0.6)
    back = quad(lambda x: law.force(x, deepest=DEEP), law.release(DEEP), DEEP, epsrel=1e-12, epsabs=0.0)[0]
    assert back == pytest.approx(0.36 * STIFFNESS * DEEP**2.5 / 2.5, rel=1e-9)


def test_stored_energy_is_what_comes_back_and_continuous_at_the_turning_point():
    law = PlasticUnloading(STIFFNESS, 0.6)
    loading, unloading = normal_out(law, DEEP), normal_out(law, DEEP, deepest=DEEP, unloading=True)
    assert unloading.stored_energy == pytest.approx(loading.stored_energy, rel=1e-14)
    assert unloading.force == pytest.approx(loading.force, rel=1e-14)
    assert loading.elastic_force == pytest.approx(0.36 * loading.force, rel=1e-14)
    assert unloading.elastic_force == unloading.force
    assert law.stored_energy(law.release(DEEP), deepest=DEEP) == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("share", [0.7, 0.9])
def test_the_force_of_restitution_is_the_slope_of_the_energy(share: float):
    law = PlasticUnloading(STIFFNESS, 0.6)
    x, h = share * DEEP, 1e-4 * DEEP
    up, down = (normal_out(law, x + d, deepest=DEEP, unloading=True).stored_energy for d in (h, -h))
    assert normal_out(law, x, deepest=DEEP, unloading=True).force == pytest.approx((up - down) / (2 * h), rel=1e-6)


def test_contact_ends_at_the_permanent_indentation():
    law = PlasticUnloading(STIFFNESS, 0.6)
    assert law.has_unloading_curve
    assert law.release(DEEP) == pytest.approx(0.64 * DEEP, rel=1e-15)
    above, below = (normal_out(law, x * DEEP, deepest=DEEP, unloading=True) for x in (0.6401, 0.6399))
    assert above.force > 0.0
    assert above.force_sign > 0.0
    assert below.force == below.stored_energy == 0.0
    assert below.force_sign < 0.0


def test_a_new_compression_follows_the_curve_of_restitution_and_then_the_first_one():
    law = PlasticUnloading(STIFFNESS, 0.6)
    again = normal_out(law, 0.9 * DEEP, rate=0.3, deepest=DEEP, unloading=True)
    back = normal_out(law, 0.9 * DEEP, rate=-0.3, deepest=DEEP, unloading=True)
    np.testing.assert_array_equal(again, back)
    assert law.force(1.1 * DEEP, deepest=DEEP) == law.force(1.1 * DEEP)
    # The kernel goes on smoothly; where the curve ends is an event for the solver.
    near, beyond = (normal_out(law, x * DEEP, deepest=DEEP, unloading=True) for x in (1.0, 1.0 + 1e-9))
    assert beyond.force == pytest.approx(near.force, rel=1e-8)
    assert beyond.force_sign > 0.0


def test_restitution_zero_leaves_nothing_after_the_turning_point():
    law = PlasticUnloading(STIFFNESS, 0.0)
    out = normal_out(law, DEEP, deepest=DEEP, unloading=True)
    assert out.force == out.stored_energy == 0.0
    assert out.force_sign < 0.0
    assert normal_out(law, 0.99 * DEEP, deepest=DEEP, unloading=True).force_sign < 0.0
    assert normal_out(law, DEEP).force > 0.0
    assert free_impact(law, MASS, SPEED).summary.restitution == 0.0


@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.6, 1.0])
def test_the_closed_impact_is_the_integrated_one(restitution: float):
    law = PlasticUnloading(STIFFNESS, restitution)
    closed, integrated = law.impact(MASS, SPEED), free_impact(law, MASS, SPEED).summary
    assert closed.restitution == restitution
    for name in ("peak_force", "max_indentation", "duration", "restitution"):
        assert getattr(integrated, name) == pytest.approx(getattr(closed, name), rel=1e-9)


def test_restitution_one_is_hertz():
    law = PlasticUnloading(STIFFNESS, 1.0)
    assert law.release(DEEP) == 0.0
    assert law.force(1e-5, deepest=DEEP) == pytest.approx(STIFFNESS * 1e-5**1.5, rel=1e-14)
    assert law.validity == (0.0, 1.0)
