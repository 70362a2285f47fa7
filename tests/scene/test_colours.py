"""Colours of bodies and curves."""

import pytest

from carom.scene.colours import COLOURS, INK, body_colours, palette_colour, rgb
from carom.scene.scene_builder import scene_colours


def test_few_bodies_have_the_colours_of_the_palette():
    assert list(body_colours("abc").values()) == [colour.lower() for colour in COLOURS[:3]]


def test_more_bodies_than_colours_have_different_colours():
    assert len(set(body_colours([f"body {k}" for k in range(20)]).values())) == 20


def test_very_many_bodies_repeat_the_palette_without_black():
    colours = body_colours([f"sphere {k}" for k in range(1000)])
    assert len(colours) == 1000
    assert len(set(colours.values())) == 6
    assert "#000000" not in colours.values()


def test_black_becomes_ink_in_a_scene():
    assert scene_colours("abcde")["e"] == INK


@pytest.mark.parametrize(("colour", "expected"), [("#ff8000", (255, 128, 0)), ("paper", (255, 255, 255))])
def test_rgb_of_a_scene_colour(colour, expected):
    assert rgb(colour) == expected


def test_palette_colour_of_many_curves_is_hexadecimal():
    assert all(palette_colour(k, 12).startswith("#") for k in range(12))
