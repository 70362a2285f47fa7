"""Controls of parameters: defaults, slider steps and conversion of texts."""

from __future__ import annotations

import inspect

import pytest

from carom.errors import ModelError
from carom.gallery import CASES
from carom.studio.parameters import (
    CHOICES,
    control_for,
    convert_values,
    parameter_controls,
    round_range,
    run_label,
    slider_bounds,
)


def test_controls_of_every_case_start_at_its_defaults():
    for name, factory in CASES.items():
        controls = {control["name"]: control for control in parameter_controls(name)}
        for key, control in controls.items():
            if control["kind"] == "choice":
                assert control["value"] in control["choices"] == list(CHOICES[key]), (name, key)
            if "low" in control:
                assert control["low"] <= control["value"] <= control["high"], (name, key)
        defaults = {key: item.default for key, item in inspect.signature(factory).parameters.items()}
        as_texts = {key: str(control["value"]) for key, control in controls.items() if control["value"] != ""}
        assert convert_values(name, None, as_texts) == {key: defaults[key] for key in as_texts}


@pytest.mark.parametrize(("low", "high", "step"), [
    (0.01, 1.0, 0.005), (0.0, 1.0, 0.005), (0.2, 5.0, 0.02), (-1, 1, 0.005), (2e8, 5e9, 2e7), (1.4e-5, 3.5e-4, 1e-6),
])  # fmt: skip
def test_steps_of_a_slider_are_round(low, high, step):
    ends = round_range(low, high)
    assert ends["step"] == step
    for end in ("low", "high"):
        assert ends[end] / step == pytest.approx(round(ends[end] / step), abs=1e-9)
    assert ends["low"] <= low + 1e-12 * step
    assert ends["high"] >= high - 1e-12 * step


def test_integers_have_integer_steps():
    for value in (1, 5, 10, 999):
        control = control_for("balls", value)
        assert all(control[key] == int(control[key]) for key in ("low", "high", "step"))
        assert control["step"] >= 1


@pytest.mark.parametrize("value", [1e308, 5e-324, -1e301])
def test_extreme_numbers_have_no_slider(value):
    assert slider_bounds("length", value) == {}


@pytest.mark.parametrize("item", ["0,8", "0.8", 0.8, " .8 "])
def test_decimal_comma_is_accepted(item):
    assert convert_values("two_spheres", None, {"restitution": item, "t_end": item}) == {
        "restitution": 0.8,
        "t_end": 0.8,
    }


@pytest.mark.parametrize("item", ["3", "3.0", "3,0", 3, 3.0])
def test_integer_texts_are_converted(item):
    values = convert_values("chain", None, {"links": item, "t_end": item})
    assert values == {"links": 3, "t_end": 3.0}
    assert type(values["links"]) is int
    assert type(values["t_end"]) is float


@pytest.mark.parametrize("text", ["1.0, 0.9", "(1.0, 0.9)", "[1.0, 0.9]"])
def test_lists_of_numbers_stay_lists(text):
    assert convert_values("double_pendulum", None, {"lengths": text}) == {"lengths": (1.0, 0.9)}


@pytest.mark.parametrize(("source", "key", "item", "right"), [
    ("chain", "links", 2.5, "an integer"), ("chain", "links", True, "a number"),
    ("chain", "links", "x", "a number"), ("chain", "t_end", "1,2,3", "a number"), ("chain", "t_end", "nan", "finite"),
    ("chain", "t_end", 10**400, "finite"), ("two_spheres", "exact", 0.5, "True or False"),
])  # fmt: skip
def test_values_of_a_wrong_type_are_rejected_by_name(source, key, item, right):
    with pytest.raises(ModelError, match=f"{source}: {key} must be {right}"):
        convert_values(source, None, {key: item})


def test_labels_show_the_changed_values():
    assert run_label("A ball", {"t_end": 1.0}) == "A ball"
    assert run_label("A ball", {"initial_speed": 2.0, "law": "hertz"}) == "A ball (initial speed = 2.0, law = hertz)"
    assert len(run_label("A ball", {"x": "y" * 1000})) == 201
