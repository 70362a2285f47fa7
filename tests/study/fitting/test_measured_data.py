"""Measured data in the forms in which they come."""

import numpy as np
import pandas as pd
import pytest

from carom.errors import ModelError
from carom.study.measured import measured


def test_a_file_a_dict_and_a_frame_are_the_same(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("t,block.vx\n0.1,2\n0,1\n")
    frame = pd.DataFrame({"block.vx": [1.0, 2.0]}, index=pd.Index([0.0, 0.1], name="t"))
    for data in (path, str(path), {"t": [0.0, 0.1], "block.vx": [1, 2]}, frame, frame.reset_index()):
        made = measured(data)
        assert made.t.tolist() == [0.0, 0.1]
        assert made.series["block.vx"].tolist() == [1.0, 2.0]


def test_impacts_as_times_a_dict_or_a_table(tmp_path):
    path = tmp_path / "impacts.csv"
    path.write_text("t_start [ms],approach_speed\n500,3\n900,2\n")
    for data in ([0.5, 0.9], {"impacts": [0.5, 0.9]}, {"impacts": {"t": [0.5, 0.9]}}, path):
        assert measured(data).events["t_start"].tolist() == [0.5, 0.9]
    assert measured(path).columns["impacts.approach_speed"].tolist() == [3.0, 2.0]
    assert measured(path).last == 0.9


def test_columns_are_renamed_and_left_out():
    made = measured({"time": [0, 1], "F": [1, 2], "note": ["a", "b"]}, {"F": "touch.normal_force", "note": None})
    assert list(made.series) == ["touch.normal_force"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"block.vx": [1.0]}, "needs a column t"),
        ({"t": [0.0, 1.0], "x.y": [1.0]}, "x.y has 1 values for 2 times"),
        ({"t": [-1.0, 1.0], "x.y": [1.0, 2.0]}, "must begin at 0"),
        ({"t": [0.0, 1.0]}, "nothing to compare"),
        ({"impacts": {"t": [1.0], "speed": [2.0]}}, "an impact has no 'speed'"),
        ({"impacts": {"t": [1.0], "approach_speed": [2.0, 3.0]}}, "one value an impact"),
        ({"t": [0.0, 1.0], "x.y": [np.nan, np.nan]}, "has no number in it"),
        ({"t": [0.0, 1.0], "x.y": "ab"}, "must be a list of numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(data, told):
    with pytest.raises(ModelError, match=told):
        measured(data)
