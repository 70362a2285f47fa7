"""Results as MAT files."""

from __future__ import annotations

import numpy as np
from scipy.io import loadmat

import carom as cm
from known_results import thrown


def test_a_mat_file_has_structures_of_columns(tmp_path):
    run = thrown(np.linspace(0.0, 1.0, 9))
    run.to_mat(tmp_path / "run.mat")
    data = loadmat(tmp_path / "run.mat", simplify_cells=True)
    np.testing.assert_array_equal(data["t"], run.t)
    np.testing.assert_array_equal(data["bodies"]["ball"]["vy"], run["ball"].vy)
    np.testing.assert_array_equal(data["elements"]["motor"]["power"], run["motor"].power)
    np.testing.assert_array_equal(data["energy"]["potential"], run.energy.potential)
    assert (data["name"], data["outcome"]) == ("throw", "FINISHED")


def test_names_in_a_mat_file_are_valid_in_matlab_and_unique(tmp_path):
    system = cm.System()
    for name in ("ball 1", "ball-1", "2nd", "µ", "long " * 20):
        system.add(cm.Body(name, 1.0, 1.0))
    cm.simulate(system, 0.1).to_mat(tmp_path / "run.mat")
    names = list(loadmat(tmp_path / "run.mat", simplify_cells=True)["bodies"])
    assert names[:4] == ["ball_1", "ball_1_2", "x2nd", "x_"]
    assert all(name.isidentifier() and len(name) <= 63 for name in names)


def test_a_mat_file_has_units_and_impacts(tmp_path):
    run = cm.gallery.two_spheres().run()
    run.to_mat(tmp_path / "run.mat")
    data = loadmat(tmp_path / "run.mat", simplify_cells=True)
    assert data["units"]["elements"]["touch"]["normal_force"] == "N"
    assert (data["units"]["t"], data["units"]["bodies"]["left"]["vx"]) == ("s", "m/s")
    assert set(data["impacts"]) == set(data["units"]["impacts"])
    assert data["impacts"]["contact"] == "touch"
    assert data["impacts"]["peak_force"] == run.impacts[0].peak_force
    assert np.isnan(data["impacts"]["impulse"])
