"""Result files read with h5py alone: every dataset has a description and a unit, every column a name."""

import h5py
import numpy as np
import pytest

import carom as cm
from carom.io.dataset_descriptions import column_labels


def datasets_of(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


@pytest.mark.parametrize("streamed", [False, True])
def test_every_dataset_is_described(tmp_path, streamed):
    case = cm.gallery.slider_crank_block()
    path = tmp_path / "run.h5"
    result = case.run(t_end=0.01, **({"stream": str(path)} if streamed else {}))
    if not streamed:
        result.save(path)
    with h5py.File(path) as file:
        datasets = datasets_of(file)
        assert {"t", "q", "v", "a", "signals", "energy/kinetic", "impacts", "columns/q"} <= set(datasets)
        for name, item in datasets.items():
            assert item.attrs["description"], name
            assert item.attrs["units"], name
        for name in ("q", "v", "a", "signals"):
            labels = file[file[name].attrs["columns"]].asstr()[()]
            assert len(labels) == file[name].shape[1]
        at = list(file["columns/signals"].asstr()).index("touch.normal_force [N]")
        assert np.array_equal(file["signals"][:, at], result["touch"].normal_force)
    assert cm.load(path).same_as(result)


def test_columns_of_a_spatial_run_are_named():
    result = cm.gallery.spinning_top().run(t_end=0.01)
    labels = column_labels(3, result.bodies, result.elements)
    assert labels["q"] == [f"top.{name} [m]" for name in "xyz"] + [f"top.q{k} [1]" for k in range(4)]
    assert labels["v"][3:] == ["top.wx [rad/s]", "top.wy [rad/s]", "top.wz [rad/s]"]
    assert len(labels["a"]) == 6


def test_files_without_descriptions_load(tmp_path):
    result = cm.gallery.falling_ball().run(t_end=0.1)
    result.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "a") as file:
        del file["columns"]
        for item in datasets_of(file).values():
            for key in list(item.attrs):
                del item.attrs[key]
    assert cm.load(tmp_path / "run.h5").same_as(result)
