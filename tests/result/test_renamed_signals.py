"""Old names of the signals of contacts."""

import numpy as np
import pytest

import carom as cm
from carom.result.column_info import ElementInfo
from carom.result.renamed_signals import RENAMED_SIGNALS, current_signal, with_current_signals
from carom.result.series import ElementSeries

PLANAR = ("indentation", "indentation_rate", "sliding_velocity", "x", "y", "contact_mode")
SPATIAL = ("indentation", "indentation_rate", "sliding_speed", "x", "y", "z", "contact_mode")
OLD_PLANAR = ("indentation", "rate", "sliding_speed", "x", "y", "mode")
OLD_SPATIAL = ("indentation", "rate", "sliding_speed", "x", "y", "z", "mode")


def info(signals, family="contact"):
    return ElementInfo("touch", "Contact", family, ("a", "b"), signals, ("1",) * len(signals), (0, len(signals)))


def series(signals, family="contact"):
    return ElementSeries(info(signals, family), np.arange(3.0), np.arange(3.0 * len(signals)).reshape(3, -1))


@pytest.mark.parametrize(("old", "new"), RENAMED_SIGNALS.items())
def test_old_name_returns_the_signal_and_warns(old, new):
    touch = series(PLANAR)
    message = f"Contact 'touch': signal '{old}' is deprecated; use '{new}'"
    with pytest.warns(DeprecationWarning, match=message):
        np.testing.assert_array_equal(getattr(touch, old), getattr(touch, new))


def test_sliding_speed_of_a_spatial_contact_is_current():
    np.testing.assert_array_equal(series(SPATIAL).sliding_speed, [2.0, 9.0, 16.0])
    with pytest.raises(AttributeError, match="no signal 'sliding_velocity'"):
        _ = series(SPATIAL).sliding_velocity


def test_rate_of_a_force_is_current():
    assert current_signal(info(("length", "rate", "tension"), "force"), "rate") == "rate"
    np.testing.assert_array_equal(series(("length", "rate", "tension"), "force").rate, [1.0, 4.0, 7.0])


def test_contact_without_the_signal_has_no_old_name():
    with pytest.raises(AttributeError, match="no signal 'mode'; choose from indentation, touching"):
        _ = series(("indentation", "touching")).mode


@pytest.mark.parametrize(
    ("written", "current"),
    [
        (OLD_PLANAR, PLANAR),
        (OLD_SPATIAL, SPATIAL),
        (PLANAR, PLANAR),
        (SPATIAL, SPATIAL),
        (("indentation", "touching"), ("indentation", "touching")),
    ],
)
def test_names_in_a_file_become_current(written, current):
    assert with_current_signals(info(written)).signals == current


def test_elements_other_than_contacts_keep_their_names():
    force = info(("length", "rate", "tension"), "force")
    assert with_current_signals(force) is force


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_planar_contact_answers_to_old_names(method):
    result = cm.gallery.two_spheres().run() if method == "compliant" else cm.gallery.bouncing_ball().run()
    contact = next(element for element in result.elements if element.family == "contact")
    for old, new in RENAMED_SIGNALS.items():
        with pytest.warns(DeprecationWarning, match=f"'{old}' is deprecated; use '{new}'"):
            np.testing.assert_array_equal(getattr(result[contact], old), getattr(result[contact], new))


@pytest.mark.parametrize(
    ("tangential", "name", "final"),
    [(lambda u: u[0], "sliding_velocity", -3.0), (lambda u: ((u[0], u[1]),), "sliding_speed", 5.0)],
)
def test_generalised_contact_slides_with_a_velocity_in_2d_and_a_speed_in_3d(tangential, name, final):
    system = cm.GeneralizedSystem(
        [0.0, 0.0, 1.0], [-3.0, 4.0, 0.0], np.eye(3), [0.0, 0.0, 0.0], lambda q: q[2], tangential=tangential,
        impact=cm.ImpactLaw(0.5, 0.1), contacts=["gap"],
    )  # fmt: skip
    gap = cm.simulate(system, 0.1, method="nonsmooth", step=0.01)["gap"]
    assert gap.names == ("indentation", "indentation_rate", "normal_force", "friction_force", name, "contact_mode")
    np.testing.assert_allclose(getattr(gap, name), final)
