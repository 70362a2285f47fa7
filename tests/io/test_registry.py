"""Output formats: every writer of the registry writes every result completely."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.io.registry import FORMATS
from carom.study.fitting.csv_reader import read_csv
from known_results import thrown


@pytest.fixture
def run():
    return thrown(np.linspace(0.0, 1.0, 9))


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_suffix_selects_the_format_and_nothing_else_is_left_in_the_folder(run, tmp_path, suffix):
    assert suffix.startswith(".")
    run.save(tmp_path / f"run{suffix}")
    FORMATS[suffix](run, tmp_path / "direct")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["direct", f"run{suffix}"]
    assert (tmp_path / f"run{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["run.dat", "run", "run.H5"])
def test_other_suffixes_are_hdf5_files(run, tmp_path, name):
    run.save(tmp_path / name)
    assert cm.load(tmp_path / name).same_as(run)


def test_a_csv_file_has_exact_numbers_and_units_that_a_fit_can_read(run, tmp_path):
    run.to_csv(tmp_path / "run.csv")
    header = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("t [s],ball.x [m],")
    columns = read_csv(tmp_path / "run.csv")
    np.testing.assert_array_equal(columns["t"], run.t)
    np.testing.assert_array_equal(columns["ball.vy"], run["ball"].vy)
    np.testing.assert_array_equal(columns["motor.power"], run["motor"].power)
    np.testing.assert_array_equal(columns["energy.kinetic"], run.energy.kinetic)


def test_a_mat_file_has_structures_of_columns(run, tmp_path):
    from scipy.io import loadmat

    run.to_mat(tmp_path / "run.mat")
    data = loadmat(tmp_path / "run.mat", simplify_cells=True)
    np.testing.assert_array_equal(data["t"], run.t)
    np.testing.assert_array_equal(data["bodies"]["ball"]["vy"], run["ball"].vy)
    np.testing.assert_array_equal(data["elements"]["motor"]["power"], run["motor"].power)
    np.testing.assert_array_equal(data["energy"]["potential"], run.energy.potential)
    assert (data["name"], data["outcome"]) == ("throw", "FINISHED")


def test_names_in_a_mat_file_are_valid_in_matlab_and_unique(tmp_path):
    from scipy.io import loadmat

    system = cm.System()
    for name in ("ball 1", "ball-1", "2nd", "µ", "long " * 20):
        system.add(cm.Body(name, 1.0, 1.0))
    cm.simulate(system, 0.1).to_mat(tmp_path / "run.mat")
    names = list(loadmat(tmp_path / "run.mat", simplify_cells=True)["bodies"])
    assert names[:4] == ["ball_1", "ball_1_2", "x2nd", "x_"]
    assert all(name.isidentifier() and len(name) <= 63 for name in names)
