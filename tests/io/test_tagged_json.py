import math

from hypothesis import given
from hypothesis import strategies as st

from carom.io import tagged_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
KEYS = st.sampled_from(["tuple", "dict"]) | st.text()
PLAIN = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(PLAIN)
def test_round_trip_keeps_types(value):
    # repr tells a tuple from a list, True from 1 and 1.0 from 1, which == does not.
    assert repr(tagged_json.loads(tagged_json.dumps(value))) == repr(value)


def test_nan_round_trip():
    assert math.isnan(tagged_json.loads(tagged_json.dumps((math.nan,)))[0])
