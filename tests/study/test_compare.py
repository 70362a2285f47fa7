"""Comparison of the variants of a model."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.gallery.case_variants import AUTHORS, DISSIPATIVE_LAWS

CASE = "slider_crank_block"


@pytest.fixture(scope="module")
def laws():
    return cm.compare(CASE, law=list(DISSIPATIVE_LAWS), watch=["block.vx", "crank.omega"])


def test_seven_laws_are_named_by_their_authors(laws):
    assert list(laws.results) == [AUTHORS[law] for law in DISSIPATIVE_LAWS]
    for law in ("flores", "hunt_crossley"):
        assert laws[AUTHORS[law]].same_as(cm.gallery.slider_crank_block(law).run())


def test_table_contains_measures_and_deviations(laws):
    table = laws.table
    one, reference = laws["Flores et al."], laws["Hunt–Crossley"]
    assert list(table.index) == list(laws.results)
    row = table.loc["Flores et al."]
    assert row["peak force [N]"] == max(impact.peak_force for impact in one.impacts)
    assert row["impacts"] == 2
    assert row["restitution"] == np.mean([impact.restitution for impact in one.impacts])
    assert row["block.vx at the end"] == one["block"].vx[-1]
    times = np.linspace(0.0, 0.08, 2001)
    off = np.abs(one.sample(times)["block"].vx - reference.sample(times)["block"].vx).max()
    assert row["block.vx off by"] == off > 1.0
    assert table.loc["Hunt–Crossley"]["block.vx off by"] == 0.0
    assert row["steps"] == one.stats["steps"]


def test_figures_show_all_runs(laws):
    figure = laws.plot("block.vx", "touch.normal_force")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["block.vx", "touch.normal_force"]
    assert [line.get_label() for line in figure.axes[0].get_lines()] == list(laws.results)
    impact = laws["Hunt–Crossley"].impacts[0]
    near = laws.plot("touch.normal_force", span=(impact.t_start, impact.t_end))
    assert near.axes[0].get_xlim()[1] < impact.t_end + impact.duration
    assert near.axes[0].get_lines()[0].get_ydata().max() == pytest.approx(impact.peak_force, rel=1e-3)


def test_text_has_one_line_per_run(laws):
    lines = str(laws).splitlines()
    assert len(lines) == 1 + len(DISSIPATIVE_LAWS)
    assert lines[0].split()[0] == "variant"
    assert lines[1].startswith(" ") or lines[1].startswith("Hunt")
    assert repr(laws).startswith("<Comparison of slider_crank_block: Hunt–Crossley, ")


def test_an_invalid_variant_is_left_out_with_its_error():
    found = cm.compare(CASE, law=["hertz", "flores", "nonsense"], restitution=0.9, t_end=0.001)
    assert "Flores et al." in found.results
    assert "nonsense" in found.left_out
    assert "nonsense" in str(found)
    with pytest.raises(ModelError, match="no variant of slider_crank_block can run"):
        cm.compare(CASE, law=["nonsense"])


def test_lists_of_parameters_and_paths_are_combined():
    found = cm.compare(CASE, rtol=[1e-6, 1e-9], t_end=0.001, watch="block.vx", **{"touch.law.restitution": [0.8, 0.9]})
    assert list(found.results) == [
        f"rtol = {rtol:g}, touch.law.restitution = {value:g}" for rtol in (1e-6, 1e-9) for value in (0.8, 0.9)
    ]
    assert next(iter(found.results.values())).settings["rtol"] == 1e-6


def test_named_variants_are_bit_identical_for_all_executors():
    variants = {"rough": {"rtol": 1e-5}, "fine": {"rtol": 1e-10}}
    here = cm.compare(CASE, variants=variants, reference="fine", t_end=0.001)
    there = cm.compare(CASE, variants=variants, reference="fine", t_end=0.001, executor=2)
    assert list(here.results) == ["rough", "fine"]
    assert here.table.loc["fine"].filter(like="off by").max() == 0.0
    for label in variants:
        assert here[label].same_as(there[label])


def test_both_methods_agree_for_a_bouncing_ball():
    found = cm.compare("bouncing_ball", method=["nonsmooth", "compliant"], t_end=0.5, watch="ball.y")
    assert [result.settings["method"] for result in found.results.values()] == ["nonsmooth", "compliant"]
    assert found.table["ball.y off by"].iloc[1] < 1e-2
    rigid, soft = (row["peak force [N]"] for row in found.rows())
    assert rigid is None  # An impulse over a step is not a force.
    assert soft > 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing varies; use a list"),
        ({"law": []}, "law must not be an empty list"),
        ({"law": ["flores"], "variants": {"a": {}}}, "variants or lists"),
        ({"variants": {}}, "variants must not be empty"),
        ({"lwa": ["flores"]}, "did you mean law"),
        ({"law": ["flores"], "reference": "none", "t_end": 1e-4}, "unknown reference 'none'"),
        ({"law": ["flores"], "watch": "blok.vx", "t_end": 1e-4}, "did you mean 'block'"),
    ],
)
def test_invalid_comparisons_raise(options, message):
    with pytest.raises(ModelError, match=message):
        cm.compare(CASE, **options)
