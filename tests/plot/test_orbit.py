import numpy as np
import pytest
from matplotlib.colors import to_rgba

import carom as cm
from carom.errors import ModelError
from carom.plot import plot_orbit
from carom.plot.style import COLOURS


@pytest.fixture(scope="module")
def journal():
    """A pendulum that hangs by a journal in a bearing, 0.5 mm larger."""
    system = cm.System(gravity=(0.0, -9.81), name="loose pendulum")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(0.5, 0.0)))
    law = cm.laws.LankaraniNikravesh(stiffness=1e9, restitution=0.9)
    system.add(cm.RevoluteClearance(system.ground, bob, (0.0, 0.0), 0.0095, 0.010, law, name="pivot"))
    return cm.simulate(system, t_end=0.05)


def test_the_circle_is_the_clearance_and_points_are_journal_positions(journal):
    axes = plot_orbit(journal, "pivot").get_axes()[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert np.allclose(np.hypot(*lines["clearance"].get_xydata().T), 5e-4, rtol=1e-12)
    pivot = journal["pivot"]
    free, touching = (lines[name].get_xydata() for name in ("free flight", "contact"))
    assert len(free) + len(touching) == len(journal.t)
    assert len(touching) > 50
    where = journal["bob"].point(-0.5, 0.0)
    assert np.allclose(touching, where[pivot.contact_mode > 0.0], atol=1e-12)
    assert np.hypot(*free.T).max() < 5e-4 + 1e-12
    assert np.hypot(*touching.T).max() == pytest.approx(5e-4 + pivot.indentation.max(), rel=1e-9)


def test_contact_has_another_colour_and_the_scales_are_equal(journal):
    axes = plot_orbit(journal, "pivot").get_axes()[0]
    colours = {line.get_label(): to_rgba(line.get_color()) for line in axes.lines}
    assert colours["free flight"] == to_rgba(COLOURS[0])
    assert colours["contact"] == to_rgba(COLOURS[1])
    assert axes.get_aspect() == 1.0
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlim()[1] > 5e-4
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("journal x [µm]", "journal y [µm]")


def test_a_contact_without_a_journal_is_rejected(spheres):
    with pytest.raises(ModelError, match="Contact 'touch' has no journal; choose a RevoluteClearance"):
        plot_orbit(spheres["Hertz"], "touch")
