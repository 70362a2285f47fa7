"""Checks of cases whose run ends before the impact that they are about."""

import pytest

import carom as cm
from carom.gallery.case import CheckFailed


@pytest.mark.parametrize(("name", "t_end"), [("falling_ball", 0.1), ("pendulum_wall", 0.1), ("two_spheres", 5e-5)])
def test_run_that_ends_before_the_impact_has_ended_is_checked(name, t_end):
    case = getattr(cm.gallery, name)()
    assert all(check.passed for check in case.check(case.run(t_end=t_end)))


def test_free_fall_is_compared_with_its_closed_form():
    case, other = cm.gallery.falling_ball(), cm.gallery.falling_ball(height=0.9)
    with pytest.raises(CheckFailed, match="height of the fall"):
        case.check(other.run(t_end=0.1))
