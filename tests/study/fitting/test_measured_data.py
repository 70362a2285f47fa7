"""Measured data from files, mappings, data frames and lists."""

import numpy as np
import pandas as pd
import pytest

from carom.errors import ModelError
from carom.study.fitting.measured_data import measured_data


def test_file_dict_and_data_frame_are_equivalent(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("t,block.vx\n0.1,2\n0,1\n")
    frame = pd.DataFrame({"block.vx": [1.0, 2.0]}, index=pd.Index([0.0, 0.1], name="t"))
    for data in (path, str(path), {"t": [0.0, 0.1], "block.vx": [1, 2]}, frame, frame.reset_index()):
        result = measured_data(data)
        assert result.t.tolist() == [0.0, 0.1]
        assert result.series["block.vx"].tolist() == [1.0, 2.0]


def test_impacts_as_times_a_dict_or_a_table(tmp_path):
    path = tmp_path / "impacts.csv"
    path.write_text("t_start [ms],approach_speed\n500,3\n900,2\n")
    for data in ([0.5, 0.9], {"impacts": [0.5, 0.9]}, {"impacts": {"t": [0.5, 0.9]}}, path):
        assert measured_data(data).events["t_start"].tolist() == [0.5, 0.9]
    assert measured_data(path).columns["impacts.approach_speed"].tolist() == [3.0, 2.0]
    assert measured_data(path).last == 0.9


def test_columns_are_renamed_and_omitted():
    result = measured_data({"time": [0, 1], "F": [1, 2], "note": ["a", "b"]}, {"F": "touch.normal_force", "note": None})
    assert list(result.series) == ["touch.normal_force"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"block.vx": [1.0]}, "needs a column t"),
        ({"t": [0.0, 1.0], "x.y": [1.0]}, "x.y must have one value per time, got 1 for 2"),
        ({"t": [-1.0, 1.0], "x.y": [1.0, 2.0]}, "must be counted from the start of the run"),
        ({"t": [0.0, 1.0]}, "nothing to compare"),
        ({"impacts": {"t": [1.0], "speed": [2.0]}}, "unknown impact quantity 'speed'"),
        ({"impacts": {"t": [1.0], "approach_speed": [2.0, 3.0]}}, "one value per impact"),
        ({"t": [0.0, 1.0], "x.y": [np.nan, np.nan]}, "contains no finite number"),
        ({"t": [0.0, 1.0], "x.y": "ab"}, "must be a list of numbers"),
    ],
)
def test_data_that_cannot_be_compared_raise(data, message):
    with pytest.raises(ModelError, match=message):
        measured_data(data)
