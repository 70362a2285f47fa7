"""Tests of ``carom compare``."""

import json

import pytest

from carom.cli.compare import parse_variants

SHORT = "t_end=0.001"


def test_compare_prints_and_plots_the_differences(carom, tmp_path):
    output = carom("compare", "slider_crank_block", "law=flores,hertz,nonsense", SHORT, "--series", "block.vx")
    assert output.exit_code == 1, output.output  # A requested variant could not be run.
    assert "Flores et al." in output.stdout
    assert "block.vx off by" in output.stdout
    assert "left out: nonsense" in output.stdout
    folder = tmp_path / "out" / "slider_crank_block" / "comparison"
    assert {path.name for path in folder.iterdir()} == {"table.csv", "comparison.png"}
    assert (folder / "table.csv").read_text().count("\n") == 3


def test_compare_prints_json(carom):
    output = carom("compare", "slider_crank_block", "rtol=1e-6,1e-9", SHORT, "--plot", "block.vx", "--json")
    data = json.loads(output.stdout)
    assert [run["variant"] for run in data["runs"]] == ["rtol = 1e-06", "rtol = 1e-09"]
    assert data["left_out"] == {}
    assert len(data["files"]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "no_such_case", "law=a,b"),
        ("compare", "pendulum", "law"),
    ],
)
def test_invalid_input_returns_exit_code_2(words, carom):
    output = carom(*words)
    assert output.exit_code == 2
    assert output.stderr.startswith("error: ")


def test_several_values_are_variants():
    assert parse_variants("a,b") == ["a", "b"]
    assert parse_variants("0.5") == 0.5


def test_option_watch_is_deprecated(carom):
    output = carom("compare", "slider_crank_block", "rtol=1e-6,1e-9", SHORT, "--watch", "block.vx")
    assert "block.vx off by" in output.stdout
    assert "--watch is deprecated; use --series" in output.output


def test_old_name_of_a_signal_is_deprecated(carom):
    with pytest.warns(DeprecationWarning, match="signal 'rate' is deprecated; use 'indentation_rate'"):
        output = carom("compare", "two_spheres", "rtol=1e-6,1e-9", "--series", "touch.rate")
    assert "touch.rate off by" in output.stdout
