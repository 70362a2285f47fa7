"""Memory layout of the tables that the inner loop reads and writes."""

from __future__ import annotations

import pytest

from carom.compiled_model.many_body_records import aligned_table
from carom.solve.many_body import records

CACHE_LINE = 64


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("PAIR_HISTORY", 1),
        ("PAIR_STATE", 2),
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
