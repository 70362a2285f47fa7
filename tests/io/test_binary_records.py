"""Framed records: round trip, truncated and damaged records."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from carom.io.binary_records import frame, next_frame, pack, unpack

ARRAYS = st.dictionaries(
    st.text(),
    hnp.arrays(st.sampled_from([np.float64, np.int64, np.uint8]), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0)),
    max_size=3,
)


@given(ARRAYS, st.dictionaries(st.text(), st.none() | st.floats(allow_nan=False) | st.text()))
def test_pack_and_unpack_are_bit_identical(arrays, plain):
    header, found = unpack(pack(plain, arrays))
    assert header == plain
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


def test_truncated_or_changed_record_is_not_read():
    record = frame(3, b"what was written")
    assert next_frame(io.BytesIO(record + b"more")) == (3, b"what was written")
    for length in range(len(record)):
        assert next_frame(io.BytesIO(record[:length])) is None
    for place in range(len(record)):
        wrong = bytearray(record)
        wrong[place] ^= 0x10
        assert next_frame(io.BytesIO(bytes(wrong))) is None


@pytest.mark.parametrize("length", [2**40, 2**64 - 1])
def test_record_with_an_invalid_length_is_not_read(length):
    record = bytearray(frame(1, b"few bytes"))
    record[8:16] = length.to_bytes(8, "little")
    assert next_frame(io.BytesIO(bytes(record))) is None
