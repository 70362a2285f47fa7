"""Records as structures of ctypes."""

import pytest

from carom.kernels import FLOAT, INT, record
from carom.kernels.argument_types import FLOAT64
from carom.kernels.structure import structure, with_structures

ROW = record("stiffness", is_linear=INT, force=(FLOAT, 2), energy=FLOAT)


def test_a_structure_has_the_layout_of_the_record():
    fields = ROW.dtype.fields
    kind = structure(ROW.dtype)
    assert {name: getattr(kind, name).offset for name in ROW} == {name: fields[name][1] for name in ROW}


def test_a_function_of_records_reads_and_writes_at_their_addresses():
    def double(row, factor):
        row.stiffness *= factor
        row.is_linear += 1
        row.force[1] = row.energy

    rows = ROW.zeros(2)
    rows["stiffness"], rows["energy"] = (2.0, 3.0), (5.0, 7.0)
    with_structures(double, (ROW, FLOAT64))(rows[1:].ctypes.data, 4.0)
    assert rows["stiffness"].tolist() == [2.0, 12.0]
    assert rows["is_linear"].tolist() == [0, 1]
    assert rows["force"].tolist() == [[0.0, 0.0], [0.0, 7.0]]


def test_a_function_without_records_is_returned_as_it_is():
    def f(x):
        return None

    assert with_structures(f, (FLOAT64,)) is f


def test_unknown_fields_are_errors():
    row = structure(ROW.dtype)()
    with pytest.raises(AttributeError):
        _ = row.stifness
    with pytest.raises(AttributeError):
        row.stifness = 1.0
