"""Validation problems with known solutions, and the report of failed comparisons."""

import json
import math

import numpy as np
import pytest

from carom.gallery import CASES
from carom.gallery.case import Case, CheckFailed, CheckResult
from carom.gallery.validation import VALIDATIONS, bricard, convergence_orders, hertz, law_restitution
from carom.gallery.validation.problem import CaseValidation, Validation, relative_error, validation_problem
from carom.gallery.validation.report_page import html, markdown, verdict, write_validation
from carom.gallery.validation.runner import ValidationResult, validate, validate_one
from carom.laws import LAWS
from carom.solve.runge_kutta.registry import TABLEAUS
from carom.solve.timestepping.schemes import SCHEMES
from quick import each


@each("name", VALIDATIONS)
def test_a_problem_is_within_its_bounds(name):
    done = validate_one(name)
    assert done.failure is None
    assert done.check_results
    assert [str(check) for check in done.check_results if not check.passed] == []
    assert done.passed
    assert json.loads(json.dumps(done.data()))["passed"] is True


@each("name", VALIDATIONS)
def test_problem_names_the_kind_of_its_known_solution(name):
    one = VALIDATIONS[name]
    assert one.name == name
    assert one.title
    assert one.description
    assert set(one.basis.split(", ")) <= {"closed form", "published values", "second method"}
    assert len(one.reference) > 15


def test_every_law_integrator_and_scheme_is_validated():
    at_a_point = {name for name, law in LAWS.items() if not law.is_distributed}
    assert at_a_point == {*law_restitution.ELASTIC, *law_restitution.EXACT, *law_restitution.FACTORS, "penalty_step"}
    assert set(convergence_orders.STEP_COUNTS) == set(TABLEAUS)
    assert {scheme for scheme, _, _ in convergence_orders.SCHEMES} | {"event-driven"} == set(
        SCHEMES
    )  # The event-driven scheme has no step size.


def test_problems_of_the_gallery_are_its_own_checks():
    own = [one for one in VALIDATIONS.values() if isinstance(one, CaseValidation)]
    assert {one.name for one in own} <= set(CASES)
    one = VALIDATIONS["painleve_rod"]
    case = CASES["painleve_rod"]()
    assert list(one()) == case.check(case.run())
    assert one.reference == case.reference


# ---- the theory itself


def test_the_duration_of_hertz_is_the_known_one():
    """2 ∫₀¹ dx/√(1 − x^2.5), with x = 1 − s² because of the root at its end."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    s = 0.5 * (nodes + 1.0)
    left = -np.expm1(2.5 * np.log1p(-s * s))
    assert np.sum(weights * 2.0 * s / np.sqrt(left)) == pytest.approx(hertz.DURATION, rel=1e-7)
    assert pytest.approx(2.94, abs=5e-3) == hertz.DURATION  # the value in textbooks


@each("factor", [0.1, 0.5, 2.0])
def test_integrated_impact_conserves_its_first_integral(factor):
    """A (1 + e) = ln[(1 + A)/(1 − A e)] for F = K δ^1.5 (1 + A δ'/v)."""
    e = law_restitution.reference_restitution(
        lambda depth, rate: law_restitution.STIFFNESS * depth**1.5 * (1.0 + factor * rate / law_restitution.APPROACH)
    )
    assert factor * (1.0 + e) == pytest.approx(math.log((1.0 + factor) / (1.0 - factor * e)), rel=1e-9)


def test_the_curve_of_bricards_mechanism_closes():
    s = np.linspace(0.0, 6.0, 50)
    angles, rates = bricard.hinges(s)
    a, b = angles[:, 0] + 0.5 * math.pi, angles[:, 1] + 0.5 * math.pi
    np.testing.assert_allclose((1.0 + np.cos(a)) * (1.0 + np.cos(b)), 1.0, rtol=1e-13)
    h = 1e-5
    change = (bricard.hinges(s + h)[0] - bricard.hinges(s - h)[0]) / (2.0 * h)
    np.testing.assert_allclose(np.mod(rates - change + 1.0, 2.0 * math.pi) - 1.0, 0.0, atol=1e-8)


def test_the_loop_of_bricards_mechanism_closes_in_space():
    angles, _ = bricard.hinges(np.array([0.7, 1.1, 1.9]))
    turn, corner = np.broadcast_to(np.eye(3), (3, 3, 3)), np.zeros((3, 3))
    for k, axis in enumerate(bricard.hinge_axes()):
        turn = turn @ bricard.rotation(axis, angles[:, k])
        corner = corner + turn @ (bricard.CORNERS[(k + 1) % 6] - bricard.CORNERS[k])
    np.testing.assert_allclose(turn, np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-13)
    np.testing.assert_allclose(corner, 0.0, atol=1e-13)


# ---- failures are reported


def test_wrong_factor_of_a_law_is_detected(monkeypatch):
    monkeypatch.setitem(law_restitution.FACTORS, "flores", lambda c: 1.5 * (1.0 - c) / c)  # the factor of Hu and Guo
    wrong = [check.quantity for check in validate_one("restitution_of_laws").check_results if not check.passed]
    assert wrong == ["restitution returned by flores"]


def test_wrong_case_fails_without_an_exception(monkeypatch):
    monkeypatch.setattr(Case, "compare", lambda *_: [CheckResult("all", 0.0, 1.0), CheckResult("this", 2.0, 1.0)])
    done = validate_one("ball_on_incline")
    assert done.failure is None
    assert not done.passed
    assert [check.passed for check in done.check_results] == [True, False]


def test_interrupted_run_fails_and_keeps_its_check_results(monkeypatch):
    @validation_problem("closed form", "nowhere")
    def broken():
        """Broken."""
        yield CheckResult("first", 0.0, 1.0)
        raise CheckFailed("it did not reach its end")

    monkeypatch.setitem(VALIDATIONS, "broken", broken)
    done = validate_one("broken")
    assert done.failure == "it did not reach its end"
    assert len(done.check_results) == 1
    assert not done.passed


def test_a_problem_without_comparisons_has_not_passed(monkeypatch):
    monkeypatch.setitem(VALIDATIONS, "empty", Validation(list, "closed form"))
    assert not validate_one("empty").passed


@pytest.mark.slow
def test_several_processes_keep_the_order():
    names = ["integrator_orders", "hertz_impact"]
    assert [one.name for one in validate(names, processes=2)] == names


# ---- pages


@pytest.fixture
def done():
    return [
        ValidationResult(
            "a", "A <problem>", "What ``x`` is", "closed form", "Someone 1900", [CheckResult("x | y", 1e-12, 1e-9)]
        ),
        ValidationResult("b", "B", "B", "second method", "SciPy", [relative_error("z", 1.1, 1.0, 1e-3)]),
        ValidationResult("c", "C", "C", "second method", "SciPy", failure="no end"),
    ]


def test_the_table_in_markdown(done):
    text = markdown(done)
    assert "| [A <problem>](#a) | x \\| y | closed form | 1e-12 | 1e-09 |" in text
    assert "| z, relative | second method | **0.1** | 0.001 |" in text
    assert "**no end**" in text
    assert "What `x` is *Someone 1900.* `carom validate a`" in text
    assert verdict(done) == "2 comparisons of 3 problems: failed: b, c."
    assert verdict(done[:1]) == "1 comparisons of 1 problems: all within their bounds."


def test_the_page_in_html(done, tmp_path):
    text = html(done)
    assert "A &lt;problem&gt;" in text
    assert text.count('<b class="bad">failed</b>') == 2
    assert "no end" in text
    assert "http" not in text
    assert write_validation(done, tmp_path / "v.html").read_text("utf-8") == text
    assert write_validation(done, tmp_path / "v.md").read_text("utf-8").startswith("# Validation\n")


def test_data_is_plain_and_finite(done):
    done[0].check_results.append(CheckResult("lost", math.nan, 1.0))
    data = done[0].data()
    assert data["findings"][1] == {"what": "lost", "error": None, "bound": 1.0, "passed": False}
    assert data["passed"] is False
