"""Memory layout of the tables of bodies in a many-body run."""

from __future__ import annotations

import pytest

from carom.compiled_model.many_body_records import BODY_MOTION_DATA, BODY_PAIR_DATA, aligned_table

CACHE_LINE = 64


@pytest.mark.parametrize(("layout", "lines"), [(BODY_PAIR_DATA, 2), (BODY_MOTION_DATA, 4)])
def test_rows_of_bodies_are_whole_cache_lines(layout, lines):
    table = aligned_table(layout, 3)
    assert layout.dtype.itemsize == lines * CACHE_LINE
    assert table.shape == (3,)
    assert table.ctypes.data % CACHE_LINE == 0
    assert not table.view("int64").any()


def test_a_separated_pair_reads_one_cache_line_per_body():
    """Position and radius of a body lie in its first cache line."""
    fields = BODY_PAIR_DATA.dtype.fields
    assert all(fields[name][1] + fields[name][0].itemsize <= CACHE_LINE for name in ("r", "bounding_radius"))
