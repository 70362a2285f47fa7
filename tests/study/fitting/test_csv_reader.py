"""CSV files as written by measuring instruments."""

import math

import pytest

from carom.errors import ModelError
from carom.study.fitting.csv_reader import read_csv


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, *omitted, encoding="utf-8"):
        path = tmp_path / "data.csv"
        path.write_bytes(text.encode(encoding))
        return read_csv(path, omitted)

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
def test_formats_of_the_same_table(read, text):
    assert read(text) == {"t": pytest.approx([0.0, 0.5]), "block.vx": pytest.approx([1.0, -2.5])}


@pytest.mark.parametrize(
    ("unit", "factor"),
    [("kN", 1e3), ("µm", 1e-6), ("m/s²", 1.0), ("deg", math.pi / 180), ("rpm", math.pi / 30), ("N·m", 1.0)],
)
def test_units_are_converted_to_si(read, unit, factor):
    assert read(f"a [{unit}]\n2\n")["a"] == pytest.approx([2.0 * factor])


def test_gaps_are_nan(read):
    assert [math.isnan(value) for value in read("t,x\n1,\n2,nan\n3,4\n5,NA\n")["x"]] == [True, True, False, True]


def test_a_column_of_text_can_be_omitted(read):
    assert read("t,note [!]\n1,loose screw\n", "note") == {"t": [1.0]}


def test_latin_1_encoding_is_read(read):
    assert read("t,a [µm]\n1,2\n", encoding="latin-1")["a"] == pytest.approx([2e-6])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,x\n1,2\n3,abc\n", r"line 3: x must be a number.*'abc'"),
        ("t,x\n1,2,3\n", r"line 2: 3 fields for 2 columns, t, x"),
        ("# only\n", "is empty"),
        ("t,x\n", "no numbers below the column names in line 1"),
        ("1,2\n3,4\n", "line 1: the first line must contain the column names"),
        ("t,t\n1,2\n", "line 1: column names must be unique, got 't' twice"),
        ("t [parsec]\n1\n", "line 1: unknown unit 'parsec' of 't'"),
    ],
)
def test_errors_name_file_and_line(read, text, message):
    with pytest.raises(ModelError, match=message) as error:
        read(text)
    assert "data.csv" in str(error.value)


def test_a_missing_file_raises(tmp_path):
    with pytest.raises(ModelError, match=r"cannot read \S*none\.csv: file not found"):
        read_csv(tmp_path / "none.csv")
