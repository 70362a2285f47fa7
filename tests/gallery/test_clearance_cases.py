"""Mechanisms with clearance: their checks hold for variants and find faults, bad parameters are errors."""

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.gallery.case import CheckFailed
from carom.gallery.cases.five_bar_clearance import ideal_tool


@pytest.mark.parametrize(
    ("name", "parameters", "t_end"),
    [
        ("piston_pin", {"joint": "lubricated"}, 0.01),
        ("piston_pin", {"joint": "ideal"}, 0.03),
        ("piston_pin", {"speed": 50.0, "clearance": 1e-4, "law": "flores"}, 0.02),
        ("four_bar_clearance", {"joints": 0}, 0.1),
        ("four_bar_clearance", {"joints": 2}, 0.03),
        ("four_bar_clearance", {"joints": 3}, 0.03),
        ("crank_press", {"friction": 0.0, "clearance": 1e-3}, 0.05),
        ("five_bar_clearance", {"elbow": "ideal"}, 0.2),
        ("five_bar_clearance", {"clearance": 5e-4}, 0.03),
    ],
)
def test_checks_hold_for_variants(name, parameters, t_end):
    case = getattr(cm.gallery, name)(**parameters)
    case.check(case.run(t_end=t_end))


def test_a_lubricated_pin_has_no_impacts_and_a_dry_one_has():
    dry, oiled = (cm.gallery.piston_pin(joint).run(t_end=0.01) for joint in ("dry", "lubricated"))
    assert len(dry.impacts) > 3
    assert not oiled.impacts
    assert np.abs(dry["piston"].ax).max() > 10.0 * np.abs(oiled["piston"].ax).max()


def test_momentum_check_finds_a_wrong_force(doctored):
    case = cm.gallery.five_bar_clearance()
    result = case.run(t_end=0.03)
    with pytest.raises(CheckFailed, match="momentum of the left forearm"):
        case.check(doctored(result, v=1.01 * result.v))


def test_ideal_tool_is_at_the_ends_of_both_forearms():
    tool, gain = ideal_tool(2.1, np.pi - 2.0)
    for centre, angle in ((-0.05, 2.1), (0.05, np.pi - 2.0)):
        assert abs(tool - centre - 0.15 * np.exp(1j * angle)) == pytest.approx(0.20, rel=1e-12)
    assert gain > 1.0


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("piston_pin", {"clearance": -1e-4}, "piston_pin: clearance must be positive, got -"),
        ("piston_pin", {"clearance": 8e-3}, "clearance must be below half of the bearing radius"),
        ("piston_pin", {"joint": "wet"}, 'joint must be one of'),
        ("piston_pin", {"joint": "lubricated", "viscosity": 0.0}, "viscosity must be positive, got 0"),
        ("four_bar_clearance", {"joints": 4}, "joints must be"),
        ("crank_press", {"load": -1.0}, "load must not be negative|load must be"),
        ("five_bar_clearance", {"frequency": 0.0}, "frequency must be positive"),
    ],
)  # fmt: skip
def test_impossible_parameters_are_errors(name, parameters, message):
    with pytest.raises(ModelError, match=message):
        getattr(cm.gallery, name)(**parameters)
