"""Named records: fields in compiled code, in Python and in plain runs."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from numba.core.errors import TypingError

from carom.kernels import ADDRESS, FLOAT, INT, RECORD, address_of, floats, jit, kernel, record
from carom.kernels.argument_types import FLOAT64, VOID
from carom.kernels.interpreted import PLAIN
from carom.kernels.numba_compat import numba_type
from carom.kernels.signatures import through_address

SPRING = record("stiffness exponent", is_linear=INT)
TABLE = record(n_springs=INT, springs=ADDRESS, total=FLOAT, force=(FLOAT, 2), law_kernel=ADDRESS)
LAW = FLOAT64(RECORD, FLOAT64)
SUM = VOID(RECORD, FLOAT64)
call_law = through_address(LAW)


@kernel(LAW, SPRING)
def power_force(spring, x):
    if spring.is_linear:
        return spring.stiffness * x
    return spring.stiffness * x**spring.exponent


@jit
def store(table, k, value):
    table.force[k] = value
    table.total += value


@kernel(SUM, TABLE)
def sum_forces(table, x):
    table.total = 0.0
    for k in range(table.n_springs):
        spring = SPRING(table.springs, k)
        store(table, k, call_law(table.law_kernel, spring, x))
    floats(address_of(table))[2] += 0.5  # the third number of the row


SHORT, LONG = record("a"), record("a b")


@jit
def first_field(row):
    return row.a


@kernel(FLOAT64(RECORD), SHORT)
def read_short(row):
    return first_field(row)


@kernel(FLOAT64(RECORD), LONG)
def read_long(row):
    return first_field(row)


def table_of_springs():
    springs = SPRING.zeros(2)
    springs["stiffness"] = 3.0, 5.0
    springs["exponent"] = 1.5
    springs["is_linear"] = 0, 1
    table = TABLE.zeros()
    table["n_springs"] = 2
    table["springs"] = springs.ctypes.data
    table["law_kernel"] = power_force.address
    return table, springs


def test_compiled_code_reads_and_writes_fields_by_name():
    table, springs = table_of_springs()
    sum_forces.call(table, 4.0)
    assert table["force"][0].tolist() == [24.0, 20.0]
    assert table["total"][0] == 44.5
    assert springs["stiffness"].tolist() == [3.0, 5.0]


def test_rows_in_python_read_and_write_through():
    table, springs = table_of_springs()
    row = SPRING(springs, 1)
    assert (row.stiffness, row.is_linear) == (5.0, 1)
    row.stiffness = 7.0
    assert springs["stiffness"][1] == 7.0
    assert power_force.call(springs[1:], 2.0) == 14.0
    assert TABLE(table).force[1] == 0.0


def run_kernel(function, argument):
    """Call a kernel; in plain Python not through C, which would hide an exception."""
    return function.compiled.run(argument) if PLAIN else function.call(argument)


def test_unknown_fields_are_errors():
    def wrong(spring):
        return spring.stifness

    with pytest.raises((TypingError, AttributeError, KeyError), match="stifness"):
        run_kernel(kernel(FLOAT64(RECORD), SPRING)(wrong), SPRING.zeros())
    with pytest.raises(AttributeError, match="no field 'stifness'; it has stiffness, exponent"):
        _ = SPRING(SPRING.zeros()).stifness
    with pytest.raises(AttributeError, match="stifness"):
        SPRING(SPRING.zeros()).stifness = 1.0


PAIR_OF_SPRINGS = record(first=SPRING, second=SPRING, gap=FLOAT)


@kernel(FLOAT64(RECORD), PAIR_OF_SPRINGS)
def stiffness_of_both(pair):
    second = SPRING(address_of(pair.second))
    return pair.first.stiffness + second.stiffness + pair.gap


def test_a_field_may_be_a_record():
    pair = PAIR_OF_SPRINGS.zeros()
    pair["first"]["stiffness"], pair["second"]["stiffness"], pair["gap"] = 3.0, 5.0, 0.25
    assert stiffness_of_both.call(pair) == 8.25
    assert PAIR_OF_SPRINGS(pair).second.stiffness == 5.0


def test_fields_are_aligned_and_sizes_known():
    assert SPRING.names == ("stiffness", "exponent", "is_linear")
    assert (len(SPRING), SPRING.size, SPRING.dtype.itemsize) == (3, 3, 24)
    assert all(TABLE.dtype.fields[name][1] % 8 == 0 for name in TABLE)


def test_packed_numbers_are_in_the_order_of_the_fields():
    joint = record("stiffness", axis=(FLOAT, 3))
    numbers = joint.pack(axis=(1.0, 2.0, 3.0), stiffness=5)
    assert numbers == (5.0, 1.0, 2.0, 3.0)
    row = joint.unpack((*numbers, 7.0))
    assert row["stiffness"] == 5.0
    assert row["axis"].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match="record has the fields stiffness, axis, got stiffness"):
        joint.pack(stiffness=5.0)
    with pytest.raises(TypeError, match="field 'axis' has 3 numbers, got 2"):
        joint.pack(stiffness=5.0, axis=(1.0, 2.0))


def test_a_helper_is_compiled_for_each_record_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read, kind in ((read_short, SHORT), (read_long, LONG)):
            row = kind.zeros()
            row["a"] = 4.0
            assert run_kernel(read, row) == 4.0


def test_two_records_have_two_names_in_machine_code():
    first, second = record("a"), record("b")
    names = [numba_type(kind).mangling_args for kind in (first, second, record("a"))]
    assert names[0] == names[2] != names[1]


def test_the_same_kernels_run_as_plain_python():
    program = """
import sys
sys.path[:0] = [sys.argv[1]]
import kernels.test_record as t
assert t.PLAIN
t.test_compiled_code_reads_and_writes_fields_by_name()
t.test_rows_in_python_read_and_write_through()
t.test_unknown_fields_are_errors()
t.test_a_field_may_be_a_record()
"""
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    tests = str(Path(__file__).resolve().parents[1])
    subprocess.run([sys.executable, "-c", program, tests], env=variables, check=True)
