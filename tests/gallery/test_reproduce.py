"""Figures of the papers on one page, each with its check."""

import re

import pytest

import carom as cm
from carom.gallery import CASES
from carom.gallery import reproduce as module
from carom.gallery.case import Case, CheckResult
from carom.gallery.reproduce import ReproducedCase, paper_figures, reproduce, reproduce_case, write_page


@pytest.fixture
def few(monkeypatch):
    """Reduce the gallery to two cases."""
    few = {name: CASES[name] for name in ("two_spheres", "pendulum")}
    monkeypatch.setattr(module, "CASES", few)
    return few


def test_figures_of_papers_have_a_letter_and_a_number():
    assert paper_figures(cm.gallery.two_spheres()) == ["C3", "C4", "C5", "C6", "C7"]
    assert paper_figures(cm.gallery.pendulum()) == []
    for name in ("L11", "T_table2", "table 4", "Table4", "N10a"):
        assert module.FIGURE_ID.fullmatch(name), name
    for name in ("overview", "motion", "energy", "compliant"):
        assert not module.FIGURE_ID.fullmatch(name), name


def test_case_draws_the_requested_figures_and_is_checked(tmp_path):
    done = reproduce_case("two_spheres", ["C7"], str(tmp_path))
    assert done.figures == {"C7": "C7.png"}
    assert (tmp_path / "C7.png").read_bytes().startswith(b"\x89PNG")
    assert done.passed
    assert len(done.check_results) == 6
    assert done.verdict.startswith("6 comparisons; closest to its bound: ")


def test_case_without_requested_figures_does_not_run(tmp_path, monkeypatch):
    monkeypatch.setattr(Case, "run", lambda *_: pytest.fail("it ran"))
    assert reproduce_case("two_spheres", ["N10"], str(tmp_path)).figures == {}


def test_every_case_is_reproduced(few, tmp_path):
    done = {item.case: item for item in reproduce(["C3", "C7"], tmp_path, processes=1)}
    assert set(done) == set(few)
    assert list(done["two_spheres"].figures) == ["C3", "C7"]


def test_the_page_shows_figures_in_order_with_verdicts(tmp_path):
    right = [CheckResult("energy", 1e-12, 1e-9)]
    done = [
        ReproducedCase("b", "B <case>", figures={"N10": "N10.png", "N9": "N9.png"}, check_results=right),
        ReproducedCase(
            "a", "A case", figures={"C3": "C3.png"}, failure="Case 'a': energy: off by 1, beyond the bound 0"
        ),
        ReproducedCase("lookup", "Cup", figures={"L11": "L11.png", "table 4": "table 4.png"}, check_results=right),
        ReproducedCase("none"),
    ]
    text = write_page(done, tmp_path, 12.3).read_text(encoding="utf-8")
    assert re.findall(r'<figure class="paper" id="([^"]+)"', text) == ["N9", "N10", "L11", "table 4", "C3"]
    assert "5 figures and tables of 3 cases in 12 s" in text
    assert "the checks of 1 cases failed" in text
    assert "B &lt;case&gt;" in text
    assert "energy: off by 1e-12, within the bound 1e-09" in text
    assert text.count('<b class="bad">failed</b>') == 1
    assert "http" not in text


def test_fraction_of_a_zero_bound():
    assert CheckResult("exact", 0.0, 0.0).bound_fraction == 0.0
    assert CheckResult("exact", 1.0, 0.0).bound_fraction == float("inf")
    assert CheckResult("near", 1.0, 4.0).bound_fraction == 0.25
