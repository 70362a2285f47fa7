"""Options of the methods as objects, and as keywords of `simulate`."""

from __future__ import annotations

import warnings
from dataclasses import FrozenInstanceError, fields
from typing import get_args

import pytest

import carom as cm
from carom.solve import options
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.contact_problem.registry import SOLVERS
from carom.solve.timestepping.schemes import SCHEMES
from solve.many_body.systems import box_of_spheres
from solve.mechanisms import pendulum
from solve.timestepping.scenes import ball_above_floor


def test_options_and_keywords_are_the_same_run():
    by_object = cm.simulate(pendulum(), 1.0, method=cm.Compliant(integrator="tsit5", rtol=1e-6))
    assert by_object.same_as(cm.simulate(pendulum(), 1.0, integrator="tsit5", rtol=1e-6))
    rigid = cm.simulate(ball_above_floor(0.5), 0.2, method=cm.Nonsmooth(step=1e-3, scheme="moreau"))
    assert rigid.same_as(cm.simulate(ball_above_floor(0.5), 0.2, method="nonsmooth", step=1e-3, scheme="moreau"))


def test_an_option_is_set_in_one_place():
    with pytest.raises(cm.ModelError, match=r"set rtol in method=Compliant\(\.\.\.\), not beside it"):
        cm.simulate(pendulum(), 1.0, method=cm.Compliant(), rtol=1e-6)


@pytest.mark.parametrize("method", [3, None, cm.Compliant])
def test_a_method_is_a_name_or_options(method):
    with pytest.raises(cm.ModelError, match="method must be a name"):
        cm.simulate(pendulum(), 1.0, method=method)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cm.Compliant(rtol=0.0), "rtol must be positive"),
        (lambda: cm.Compliant(onset="guess"), "onset must be one of 'event'"),
        (lambda: cm.Compliant(max_step=-1.0), "max_step must be positive"),
        (lambda: cm.Compliant(integrator=5), "integrator must be the name of one, got 5"),
        (lambda: cm.Nonsmooth(step=-1.0), "step must be positive"),
        (lambda: cm.Nonsmooth(theta=0.4), r"theta must lie in \[0.5, 1\], got 0.4"),
    ],
)
def test_options_are_checked_when_they_are_built(make, message):
    with pytest.raises(cm.ModelError, match=message):
        make()


def test_options_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        cm.Compliant().rtol = 1.0  # type: ignore[misc]


def test_declared_names_are_those_of_the_registries():
    assert set(get_args(options.Integrator)) == {*INTEGRATORS, options.AUTO, options.VERLET}
    assert set(get_args(options.Scheme)) == set(SCHEMES)
    assert set(get_args(options.Solver)) == set(SOLVERS)


def test_settings_of_a_result_contain_the_options():
    settings = cm.simulate(pendulum(), 0.1).settings
    assert settings["integrator"] == "auto"
    assert {option.name for option in fields(cm.Compliant)} < set(settings)


def test_the_deprecated_form_of_streaming_works(tmp_path):
    file = tmp_path / "run.h5"
    with pytest.warns(DeprecationWarning, match="stream="):
        old = cm.simulate(pendulum(), 0.5, output=file, every=0.1)
    assert old.same_as(cm.simulate(pendulum(), 0.5, stream=tmp_path / "new.h5", output=0.1))
    with pytest.raises(cm.ModelError, match="the file is stream="):
        cm.simulate(pendulum(), 0.5, output="a.h5", stream="b.h5")


def test_none_as_integrator_is_the_default():
    assert cm.simulate(pendulum(), 0.2, integrator=None).same_as(cm.simulate(pendulum(), 0.2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cm.simulate(pendulum(), 0.2, method=cm.Compliant(rtol=1e-5), integrator=None)
        cm.simulate(ball_above_floor(0.5), 0.1, method="nonsmooth", step=1e-3, integrator=None)


def test_options_without_effect_are_named_in_both_forms():
    expected = "rtol has no effect in a run with integrator 'verlet'"
    with pytest.warns(cm.CaromWarning, match=expected):
        cm.simulate(box_of_spheres(20), 0.001, rtol=1e-4)
    with pytest.warns(cm.CaromWarning, match=expected):
        cm.simulate(box_of_spheres(20), 0.001, method=cm.Compliant(rtol=1e-4))
