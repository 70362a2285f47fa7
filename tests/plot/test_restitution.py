"""Returned and prescribed restitution of contact laws."""

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.plot import plot_energy, plot_restitution


def curve(figure, name):
    (line,) = [line for line in figure.get_axes()[0].lines if line.get_label() == name]
    return line.get_xydata()


def test_returned_restitution_agrees_with_theory():
    figure = plot_restitution("hunt_crossley", "lankarani_nikravesh", "flores")
    for name, returned in (("hunt crossley", 0.663), ("lankarani nikravesh", 0.725), ("flores", 0.470)):
        prescribed, back = curve(figure, name).T
        assert np.interp(0.5, prescribed, back) == pytest.approx(returned, abs=1e-3)
        assert back[-1] == pytest.approx(1.0)


def test_an_exact_law_lies_on_the_diagonal():
    prescribed, back = curve(plot_restitution(cm.laws.ExactRestitution), "exact restitution").T
    there = np.isfinite(back)
    assert np.allclose(back[there], prescribed[there], atol=1e-6)
    assert np.count_nonzero(there) > 70


def test_without_names_all_laws_with_a_restitution_are_shown():
    names = [line.get_label() for line in plot_restitution().get_axes()[0].lines]
    assert {"hunt crossley", "gonthier", "hu guo", "exact restitution"} <= set(names)


def test_a_law_without_a_restitution_is_rejected():
    with pytest.raises(ModelError, match=r"expected laws with a restitution, got 'hertz'"):
        plot_restitution("hertz")


def test_the_energy_error_is_below_the_energies(throw):
    energies, balance = plot_energy(throw).get_axes()
    assert energies.get_ylabel() == "energy [J]"
    assert balance.get_ylabel().startswith("energy error")
