"""Figures of the diagnosis of joints show the numbers of the diagnosis."""

import numpy as np
import pytest

import carom as cm


@pytest.fixture(scope="module")
def journal():
    """A pendulum that falls through the clearance of its bearing and bounces."""
    system = cm.System(gravity=(0.0, -9.81), name="loose pendulum")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(0.5, 0.0)))
    law = cm.laws.LankaraniNikravesh(stiffness=1e9, restitution=0.9)
    system.add(cm.RevoluteClearance(system.ground, bob, (0.0, 0.0), 0.0095, 0.010, law, name="pivot"))
    return cm.simulate(system, t_end=0.1)


def test_the_rose_shows_impulses_by_direction(journal):
    diagnosis = cm.diagnose_joint(journal, "pivot")
    axes = cm.plot.plot_impact_rose(journal, "pivot").axes[0]
    dots = {line.get_label(): line for line in axes.lines}["single impact"]
    assert np.array_equal(dots.get_xdata(), diagnosis.direction)
    assert np.array_equal(dots.get_ydata(), diagnosis.impulse)
    heights = np.array([bar.get_height() for bar in axes.patches]).reshape(2, -1)
    assert np.allclose(heights[::-1], diagnosis.sector_impulse)


def test_modes_have_their_shares_in_the_legend(journal):
    diagnosis = cm.diagnose_joint(journal, "pivot")
    axes = cm.plot.plot_joint_modes(journal).axes[0]
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [f"{mode} {100.0 * share:.3g} %" for mode, share in diagnosis.shares.items()]


def test_a_period_makes_a_section_of_the_orbit(journal):
    figure = cm.plot.plot_joint(journal, "pivot", period=0.01)
    section = figure.axes[3]
    points = section.lines[0].get_xydata()
    expected = journal.sample(np.arange(11) * 0.01)["pivot"]
    assert np.allclose(points, np.column_stack([expected.ex, expected.ey]) / 5e-4)
