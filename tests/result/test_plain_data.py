import numpy as np
import pytest

from carom.result.plain_data import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (np.float64(0.1), 0.1),
        (np.int64(2**40), 2**40),
        (np.str_("dopri5"), "dopri5"),
        (np.array([[1, 2], [3, 4]]), ((1, 2), (3, 4))),
        (np.array(2.5), 2.5),
        ({"a": (1, [np.float64(2.0), None])}, {"a": (1, [2.0, None])}),
        ({1: "one"}, {"1": "one"}),
    ],
)
def test_plain_converts_numpy_values_to_builtin_types(value, expected):
    result = plain(value)
    assert result == expected
    assert "numpy" not in type(result).__module__


def test_plain_converts_other_objects_to_their_repr():
    assert plain({"progress": print}) == {"progress": repr(print)}
