"""Memory layout of the tables that the inner loop reads and writes."""

from __future__ import annotations

import pytest

from carom.solve.many_body import records
from carom.solve.many_body.model_arrays import aligned_table

CACHE_LINE = 64


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("BODY_PAIR_DATA", 2),
        ("BODY_MOTION_DATA", 4),
        ("PAIR_HISTORY", 1),
        ("PAIR_STATE", 1),
        ("PAIR_WRENCH", 1),
        ("ENERGY_LOSSES", 1),
        ("WORKSPACE", 1),
    ],
)
def test_rows_are_whole_cache_lines(name, lines):
    layout = getattr(records, name)
    table = aligned_table(layout, 3)
    assert layout.dtype.itemsize == lines * CACHE_LINE
    assert table.shape == (3,)
    assert table.ctypes.data % CACHE_LINE == 0
    assert not table.view("int64").any()


def test_a_separated_pair_reads_one_cache_line_per_body():
    """Position and radius of a body lie in its first cache line."""
    fields = records.BODY_PAIR_DATA.dtype.fields
    assert all(fields[name][1] + fields[name][0].itemsize <= CACHE_LINE for name in ("r", "bounding_radius"))
