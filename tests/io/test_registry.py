"""Output formats: every writer of the registry writes every result completely."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.io.registry import FORMATS
from known_results import thrown


@pytest.fixture
def run():
    return thrown(np.linspace(0.0, 1.0, 9))


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_suffix_selects_the_format_and_nothing_else_is_left_in_the_folder(run, tmp_path, suffix):
    assert suffix.startswith(".")
    run.save(tmp_path / f"run{suffix}")
    FORMATS[suffix](run, tmp_path / "direct")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["direct", f"run{suffix}"]
    assert (tmp_path / f"run{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("name", ["run.dat", "run", "run.H5"])
def test_other_suffixes_are_hdf5_files(run, tmp_path, name):
    run.save(tmp_path / name)
    assert cm.load(tmp_path / name).same_as(run)
