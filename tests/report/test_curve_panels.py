"""Curve panels of a report."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.report.curve_panels import changing_energies, decimate, default_panels
from carom.scene.curve_data import CurveFinder


@given(st.integers(10, 4000), st.integers(0, 10_000))
def test_a_decimated_curve_has_the_same_extrema_and_ends(count, seed):
    y = np.random.default_rng(seed).standard_normal(count)
    t = np.arange(count) / count
    t2, y2 = decimate(t, y, 200)
    assert len(t2) <= max(202, min(count, 200))
    assert (y2.min(), y2.max()) == (y.min(), y.max())
    assert (t2[0], t2[-1]) == (t[0], t[-1])
    assert np.all(np.diff(t2) > 0.0)
    assert np.isin(y2, y).all()


def test_default_panels_show_bodies_and_contacts(crank):
    panels = default_panels(crank, CurveFinder(crank))
    shown = [{f"{curve.owner}.{curve.quantity}" for curve in panel} for panel in panels if panel]
    assert {"crank.x", "rod.x", "slider.x", "block.x"} in shown
    assert shown[0] == {"touch.normal_force"}
    assert {"touch.indentation"} in shown


def test_only_changing_energies_are_plotted(crank):
    assert changing_energies(crank) == ["kinetic", "potential", "elastic", "dissipated", "total"]
    free = cm.System(name="free")
    free.add(cm.Body("ball", 1.0, 0.1, velocity=(1.0, 0.0)))
    assert changing_energies(cm.simulate(free, t_end=0.1)) == ["kinetic", "total"]
