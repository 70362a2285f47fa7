"""Results as CSV files."""

from __future__ import annotations

import numpy as np

from carom.study.fitting.csv_reader import read_csv
from known_results import thrown


def test_a_csv_file_has_exact_numbers_and_units_that_a_fit_can_read(tmp_path):
    run = thrown(np.linspace(0.0, 1.0, 9))
    run.to_csv(tmp_path / "run.csv")
    header = (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("t [s],ball.x [m],")
    columns = read_csv(tmp_path / "run.csv")
    np.testing.assert_array_equal(columns["t"], run.t)
    np.testing.assert_array_equal(columns["ball.vy"], run["ball"].vy)
    np.testing.assert_array_equal(columns["motor.power"], run["motor"].power)
    np.testing.assert_array_equal(columns["energy.kinetic"], run.energy.kinetic)
