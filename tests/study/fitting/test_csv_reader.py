"""Tables of numbers as instruments write them."""

import math

import pytest

from carom.errors import ModelError
from carom.study.table_file import read_table


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, *skipped, encoding="utf-8"):
        path = tmp_path / "data.csv"
        path.write_bytes(text.encode(encoding))
        return read_table(path, skipped)

    return write_and_read


@pytest.mark.parametrize(
    "text",
    [
        "t,block.vx\n0,1\n0.5,-2.5\n",
        "# rig 3\n\n% run 7\nt ; block.vx\n0;1\n0,5;-2,5\n",
        "t\tblock.vx\n0\t1\n0,5\t-2,5\n",
        "t  block.vx\n0  1\n0.5  -2.5\n",
        't [ms], "block.vx [mm/s]"\n0, 1000\n500, -2500,\n',
        "t (s) block.vx (mm/s)\r\n0 1000\r\n0.5 -2500\r\n",
        "\ufefft,block.vx\n0,1\n0.5,-2.5\n",
    ],
)
def test_the_same_table_in_many_forms(read, text):
    assert read(text) == {"t": pytest.approx([0.0, 0.5]), "block.vx": pytest.approx([1.0, -2.5])}


@pytest.mark.parametrize(
    ("unit", "factor"),
    [("kN", 1e3), ("µm", 1e-6), ("m/s²", 1.0), ("deg", math.pi / 180), ("rpm", math.pi / 30), ("N·m", 1.0)],
)
def test_units_become_those_of_results(read, unit, factor):
    assert read(f"a [{unit}]\n2\n")["a"] == pytest.approx([2.0 * factor])


def test_gaps_are_not_a_number(read):
    assert [math.isnan(value) for value in read("t,x\n1,\n2,nan\n3,4\n5,NA\n")["x"]] == [True, True, False, True]


def test_a_column_can_be_skipped_whatever_is_in_it(read):
    assert read("t,note [!]\n1,loose screw\n", "note") == {"t": [1.0]}


def test_latin_letters_are_read(read):
    assert read("t,a [µm]\n1,2\n", encoding="latin-1")["a"] == pytest.approx([2e-6])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("t,x\n1,2\n3,abc\n", r"line 3: x must be a number.*'abc'"),
        ("t,x\n1,2,3\n", r"line 2: 3 fields for 2 columns, t, x"),
        ("# only\n", "is empty"),
        ("t,x\n", "no numbers below the names in line 1"),
        ("1,2\n3,4\n", "line 1: the first line must name the columns"),
        ("t,t\n1,2\n", "line 1: the column 't' is there twice"),
        ("t [parsec]\n1\n", "line 1: the unit 'parsec' of 't' is not known"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(read, text, told):
    with pytest.raises(ModelError, match=told) as error:
        read(text)
    assert "data.csv" in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ModelError, match=r"cannot read \S*none\.csv: file not found"):
        read_table(tmp_path / "none.csv")
