"""Tests of the parsing of KEY=VALUE arguments."""

import pytest

from carom.cli.key_values import parse, parse_value, separate_options
from carom.errors import ModelError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3),
        ("-2", -2),
        ("0.5", 0.5),
        ("1e-8", 1e-8),
        ("true", True),
        ("Off", False),
        ("none", None),
        ("driven", "driven"),
        ("1,2.5", (1, 2.5)),
        ("", ""),
    ],
)
def test_text_is_parsed_to_the_type_it_denotes(text, expected):
    parsed = parse_value(text)
    assert parsed == expected
    assert type(parsed) is type(expected)


def test_dashes_in_keys_are_read_as_underscores():
    assert parse(["rod-inertia=5.9e-4", "crank = driven"]) == {"rod_inertia": 5.9e-4, "crank": "driven"}


@pytest.mark.parametrize("pair", ["crank", "=3", ""])
def test_text_without_key_and_value_is_rejected(pair):
    with pytest.raises(ModelError, match="--set: expected KEY=VALUE"):
        parse([pair])


def case(links=3, mass=1.0):
    """A case."""


def test_settings_are_separated_into_parameters_and_options():
    assert separate_options("case", case, {"links": 5, "rtol": 1e-6}, ["rtol", "t_end"]) == (
        {"links": 5},
        {"rtol": 1e-6},
    )


def test_unknown_key_gets_a_suggestion_or_the_list_of_keys():
    with pytest.raises(ModelError, match="case: unknown parameter 'link'; did you mean links"):
        separate_options("case", case, {"link": 5}, ["rtol"])
    with pytest.raises(ModelError, match="parameters: links, mass; options of a run: rtol"):
        separate_options("case", case, {"zzz": 5}, ["rtol"])


def test_none_is_a_text_for_the_onset_method():
    from carom.gallery import CASES

    parameters, options = separate_options(
        "falling_ball", CASES["falling_ball"], parse(["onset=none", "max_step=none"]), ["max_step"]
    )
    assert parameters == {"onset": "none"}
    assert options == {"max_step": None}
