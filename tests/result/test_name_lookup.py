from types import SimpleNamespace

import pytest

from carom.result.name_lookup import UnknownName, listed, name_of, unknown_name


def test_lookup_by_name_and_by_object_are_equal():
    assert name_of("crank") == name_of(SimpleNamespace(name="crank")) == "crank"


@pytest.mark.parametrize("key", [3, None, SimpleNamespace(name=7)])
def test_key_without_a_name_raises(key):
    with pytest.raises(TypeError, match="must be a name"):
        name_of(key)


def test_error_lists_similar_names_and_all_names():
    error = unknown_name("press", "cranck", ["crank", "rod"])
    assert isinstance(error, KeyError)
    assert str(error) == "Result 'press': unknown name 'cranck'; did you mean 'crank'? choose from 'crank', 'rod'"


def test_error_without_similar_names_or_without_any_names():
    assert "mean" not in str(unknown_name("press", "zzz", ["crank"]))
    assert str(unknown_name("empty", "crank", [])).endswith("the result has no bodies or elements")


def test_list_of_ten_thousand_names_is_shortened():
    text = listed([f"sphere {i}" for i in range(10_000)])
    assert text.endswith("and 9980 more")
    assert len(text) < 400


def test_unknown_name_is_caught_as_a_key_error():
    with pytest.raises(KeyError):
        raise UnknownName("no such thing")
