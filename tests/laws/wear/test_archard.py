"""Archard's law: its parameters, and profiles that are saved and loaded."""

from __future__ import annotations

import pytest

import carom as cm


def test_the_volume_is_k_f_s_over_h():
    assert cm.wear.Archard(1e-4, 2e9).removed_volume(50.0) == pytest.approx(1e-4 * 50.0 / 2e9, rel=1e-15)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"coefficient": 0.0}, "coefficient must be positive, got 0"),
        ({"coefficient": -1e-4}, "coefficient must be positive"),
        ({"hardness": 0.0}, "hardness must be positive"),
        ({"cycle_factor": -1.0}, "cycle_factor must be positive"),
        ({"interval": 0.0}, "interval must be positive"),
        ({"share": 1.5}, r"share must lie in \[0, 1\], got 1.5"),
        ({"length": -0.1}, "length must be positive"),
        ({"distribution": "even"}, "distribution"),
        ({"sectors": 10}, "sectors"),
        ({"profile": [1e-6]}, "profile must be a carom.wear.WearProfile"),
    ],
)
def test_wrong_parameters_are_refused(values, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.wear.Archard(**{"coefficient": 1e-4, "hardness": 2e9, **values})


def test_a_profile_survives_its_file(tmp_path):
    profile = cm.wear.WearProfile([1e-6 / 3.0] * 36, [0.0, 2e-7] * 18)
    profile.save(tmp_path / "pin.json")
    assert cm.wear.WearProfile.load(tmp_path / "pin.json") == profile


def test_wrong_profiles_are_refused(tmp_path):
    with pytest.raises(cm.ModelError, match="must not be negative, got -1e-06 m"):
        cm.wear.WearProfile([1e-6, -1e-6])
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(cm.ModelError, match="not a file of a worn profile"):
        cm.wear.WearProfile.load(tmp_path / "other.json")
    worn = cm.wear.Archard(1e-4, 2e9, profile=cm.wear.WearProfile([1e-6] * 36))
    body = cm.Body("shaft", 1.0, 1e-3)
    sizes = {"journal_radius": 9.9e-3, "bearing_radius": 10e-3}
    with pytest.raises(cm.ModelError, match="36 depths of the first surface, but sectors=720; set sectors=36"):
        cm.RevoluteClearance(
            cm.System().ground, body, at=(0.0, 0.0), law=cm.laws.Hertz(1e9), wear=worn, name="bearing", **sizes
        )
