from types import SimpleNamespace

import pytest

from carom.result.lookup import UnknownName, listed, name_of, unknown_name


def test_a_name_and_an_object_with_that_name_are_the_same_key():
    assert name_of("crank") == name_of(SimpleNamespace(name="crank")) == "crank"


@pytest.mark.parametrize("key", [3, None, SimpleNamespace(name=7)])
def test_what_has_no_name_is_no_key(key):
    with pytest.raises(TypeError, match="by a name"):
        name_of(key)


def test_error_gives_the_nearest_name_and_all_there_is():
    error = unknown_name("press", "cranck", ["crank", "rod"])
    assert isinstance(error, KeyError)
    assert str(error) == "Result 'press' has no 'cranck'; did you mean 'crank'? it has 'crank', 'rod'"


def test_error_without_anything_near_or_anything_at_all():
    assert "mean" not in str(unknown_name("press", "zzz", ["crank"]))
    assert str(unknown_name("empty", "crank", [])).endswith("it has no bodies or elements")


def test_ten_thousand_names_are_cut_short():
    text = listed([f"sphere {i}" for i in range(10_000)])
    assert text.endswith("and 9980 more")
    assert len(text) < 400


def test_unknown_name_is_caught_as_a_key_error():
    with pytest.raises(KeyError):
        raise UnknownName("no such thing")
