import math

import pytest

from carom import gallery
from carom.errors import ModelError
from carom.gallery import pendulum
from carom.gallery.case import CheckResult, max_abs_error, title_and_description


def test_overrides_are_passed_to_the_run():
    result = pendulum().run(t_end=0.3, rtol=1e-6, integrator="tsit5")
    assert result.t[-1] == 0.3
    assert result.settings["rtol"] == 1e-6
    assert result.settings["integrator"] == "tsit5"


def test_step_is_the_largest_step():
    result = pendulum().run(t_end=0.1, integrator="rk4", step=0.01)
    assert result.settings["max_step"] == 0.01
    assert result.stats["steps"] == 10


def test_step_and_max_step_exclude_each_other():
    with pytest.raises(ModelError, match="set only one of them"):
        pendulum().run(step=0.01, max_step=0.02)


def test_unknown_option_gets_a_suggestion():
    with pytest.raises(ModelError, match="unknown option 'r_tol' of a run; did you mean 'rtol'"):
        pendulum().run(r_tol=1e-3)


def test_run_does_not_change_the_system():
    case = pendulum()
    first, second = case.run(t_end=0.5), case.run(t_end=0.5)
    assert first.same_as(second)


@pytest.mark.parametrize(
    ("error", "passed"), [(0.5, True), (1.0, True), (1.5, False), (math.nan, False), (math.inf, False)]
)
def test_check_result_passes_up_to_its_bound(error, passed):
    assert CheckResult("length [m]", error, 1.0).passed is passed


def test_check_result_prints_as_a_sentence():
    assert str(CheckResult("length [m]", 0.25, 0.5)) == "length [m]: off by 0.25, within the bound 0.5"


def test_max_abs_error_is_the_largest_difference():
    assert max_abs_error("x", [1.0, 2.0, 4.0], [1.0, 2.5, 3.0], 1.0).error == 1.0


def test_max_abs_error_keeps_nan():
    assert not max_abs_error("x", [0.0, math.nan, 0.0], 0.0, 1.0).passed


def test_the_docstring_is_title_and_description():
    def case():
        """A title.

        The first line
        and the second.
        """

    assert title_and_description(case) == ("A title", "The first line and the second.")


def test_former_name_of_check_result_is_deprecated():
    with pytest.warns(DeprecationWarning, match="use CheckResult"):
        assert gallery.Finding is CheckResult
