import dataclasses

import numpy as np
import pytest

from carom.result.column_info import BodyInfo, ElementInfo

PIVOT = {
    "name": "pivot",
    "kind": "Revolute",
    "family": "joint",
    "members": ("ground", "crank"),
    "signals": ("fx", "fy"),
    "units": ("N", "N"),
    "columns": (3, 5),
}


def test_infos_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BodyInfo("crank", 1.0, 2.0).mass = 3.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        ElementInfo(**PIVOT).name = "other"


def test_infos_convert_numpy_numbers_to_python_numbers():
    planar = BodyInfo("crank", np.float64(1.5), np.float32(0.25))
    spatial = BodyInfo("rod", 1, (np.float64(1.0), 2, 3.0))
    element = ElementInfo(**{**PIVOT, "columns": (np.int64(3), np.int64(5))})
    assert (type(planar.mass), type(planar.inertia)) == (float, float)
    assert spatial.inertia == (1.0, 2.0, 3.0)
    assert {type(value) for value in spatial.inertia} == {float}
    assert element.columns == (3, 5)
    assert {type(column) for column in element.columns} == {int}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": (3, 6)}, "2 signals require as many units and columns"),
        ({"columns": (-2, 0)}, "columns"),
        ({"units": ("N",)}, "1 units"),
        ({"signals": ("fx", "fx")}, "different names"),
        ({"signals": ("fx", "name")}, "'name' is reserved"),
    ],
)
def test_element_info_with_inconsistent_columns_raises(change, words):
    with pytest.raises(ValueError, match="Element 'pivot'") as error:
        ElementInfo(**{**PIVOT, **change})
    assert words in str(error.value)
