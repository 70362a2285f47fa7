"""Tests of ``carom validate``."""

import json

import pytest

from carom.gallery.case import CheckResult
from carom.gallery.validation import VALIDATIONS, hertz
from carom.gallery.validation.problem import Validation


@pytest.fixture
def wrong(monkeypatch):
    """Set a wrong duration of Hertz's impact."""
    monkeypatch.setattr(hertz, "DURATION", 2.87)


def test_problem_is_printed_with_errors_bounds_and_reference(carom):
    output = carom("validate", "hertz_impact", "--processes", "1")
    assert output.exit_code == 0
    text = " ".join(output.stdout.split())
    assert "hertz_impact Hertz's impact of two spheres; closed form: H. Hertz" in text
    assert "passed duration, dopri5, relative off by" in text
    assert "bound 1e-08" in text
    assert "FAILED" not in text
    assert "12 comparisons of 1 problems: all within their bounds." in text


def test_units_are_printed(carom):
    """Check that units in brackets are not read as markup."""
    assert "angles at the end [rad], tsit5" in carom("validate", "andrews_squeezer").stdout


@pytest.mark.usefixtures("wrong")
def test_error_beyond_its_bound_returns_exit_code_1(carom):
    output = carom("validate", "hertz_impact", "--processes", "1")
    assert output.exit_code == 1
    text = " ".join(output.stdout.split())
    assert "FAILED duration, dopri5, relative off by 0.026 bound 1e-08" in text
    assert "passed peak force, dopri5" in text
    assert "failed: hertz_impact." in text


@pytest.mark.usefixtures("wrong")
def test_json_contains_the_failed_comparisons(carom):
    output = carom("validate", "hertz_impact", "integrator_orders", "--json", "--processes", "1")
    assert output.exit_code == 1
    data = json.loads(output.stdout)
    assert data["passed"] is False
    assert [one["passed"] for one in data["problems"]] == [False, True]
    failed = [one["what"] for one in data["problems"][0]["findings"] if not one["passed"]]
    assert failed == [f"duration, {name}, relative" for name in ("dopri5", "dop853", "tsit5")]
    assert data["problems"][1]["reference"] == VALIDATIONS["integrator_orders"].reference


@pytest.mark.parametrize("name", ["pages/validation.html", "validation.md"])
def test_a_page_is_written(carom, tmp_path, name):
    output = carom("validate", "integrator_orders", "--out", name)
    assert output.exit_code == 0
    assert f"wrote {name}" in output.stdout
    assert "Orders of the Runge–Kutta methods" in (tmp_path / name).read_text("utf-8")


@pytest.mark.parametrize(("words", "message"), [
    (["herz_impact"], "unknown problem 'herz_impact'; did you mean hertz_impact"),
    (["qqqq"], "unknown problem 'qqqq'; choose from hertz_impact, restitution_of_laws"),
    (["--out", "table.pdf"], "--out must end in .html or .md, got 'table.pdf'"),
    (["--out", "closed/table.md"], "closed is a file"),
])  # fmt: skip
def test_invalid_input_is_rejected_before_the_computation(carom, tmp_path, monkeypatch, words, message):
    (tmp_path / "closed").write_text("")
    monkeypatch.setattr(Validation, "__call__", lambda *_: pytest.fail("it ran"))
    output = carom("validate", *words)
    assert output.exit_code == 2
    assert message in " ".join(output.stderr.split())


def test_all_problems_are_computed_by_default(carom, monkeypatch):
    def at_once():
        """Return a trivial comparison."""
        yield CheckResult("nothing", 0.0, 0.0)

    for name in list(VALIDATIONS):
        monkeypatch.setitem(VALIDATIONS, name, Validation(at_once, "closed form", "none"))
    data = json.loads(carom("validate", "--json", "--processes", "1").stdout)
    assert [one["name"] for one in data["problems"]] == list(VALIDATIONS)
