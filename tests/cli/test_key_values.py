import pytest

from carom.cli.key_values import parse, parse_value, separate_options
from carom.errors import ModelError


@pytest.mark.parametrize(
    ("text", "meant"),
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
def test_a_text_becomes_what_it_reads_as(text, meant):
    found = parse_value(text)
    assert found == meant
    assert type(found) is type(meant)


def test_pairs_are_read_and_dashes_are_underscores():
    assert parse(["rod-inertia=5.9e-4", "crank = driven"]) == {"rod_inertia": 5.9e-4, "crank": "driven"}


@pytest.mark.parametrize("pair", ["crank", "=3", ""])
def test_what_is_no_pair_is_refused(pair):
    with pytest.raises(ModelError, match="--set: expected KEY=VALUE"):
        parse([pair])


def case(links=3, mass=1.0):
    """A case."""


def test_parameters_go_to_the_case_and_options_to_the_run():
    assert separate_options("case", case, {"links": 5, "rtol": 1e-6}, ["rtol", "t_end"]) == (
        {"links": 5},
        {"rtol": 1e-6},
    )


def test_an_unknown_key_is_answered_with_the_nearest_or_with_all():
    with pytest.raises(ModelError, match="case: unknown parameter 'link'; did you mean links"):
        separate_options("case", case, {"link": 5}, ["rtol"])
    with pytest.raises(ModelError, match="parameters: links, mass; options of a run: rtol"):
        separate_options("case", case, {"zzz": 5}, ["rtol"])


def test_none_is_a_word_where_the_onset_of_contacts_is_meant():
    from carom.gallery import CASES

    ours, theirs = separate_options(
        "falling_ball", CASES["falling_ball"], parse(["onset=none", "max_step=none"]), ["max_step"]
    )
    assert ours == {"onset": "none"}
    assert theirs == {"max_step": None}
