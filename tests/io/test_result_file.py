import os
import stat
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from carom.geometry.drawing import DrawnLink, DrawnShape
from carom.io.result_file import ResultFileError, load, save
from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result
from carom.result.drawing_data import DrawingData

ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)  # with -0.0 and subnormals, to be kept bit for bit
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def build(n=4, names=("ball", "anvil"), seed=0, **changes) -> Result:
    """Return a result of random numbers with one element of two signals per body."""
    rng = np.random.default_rng(seed)
    elements = tuple(
        ElementInfo(
            f"joint of {name}", "Revolute", "joint", ("ground", name), ("fx", "fy"), ("N", "N"), (2 * i, 2 * i + 2)
        )
        for i, name in enumerate(names)
    )
    parts = {
        "name": "noise",
        "dim": 2,
        "t": np.sort(rng.random(n)),
        "q": rng.standard_normal((n, 3 * len(names))),
        "v": rng.standard_normal((n, 3 * len(names))),
        "a": rng.standard_normal((n, 3 * len(names))),
        "signals": rng.standard_normal((n, 2 * len(names))),
        "ledger": Energy.from_columns(rng.random((n, 7))),
        "bodies": tuple(BodyInfo(name, 1.5, 0.1) for name in names),
        "elements": elements,
        "stats": {"steps": 12, "by phase": {"detect": 0.1, "solve": {"lcp": 3}}, "integrator": "dopri5"},
        "outcome": Outcome.INTERRUPTED,
        "message": "Stopped at t = 0.3 s.",
        "settings": {"rtol": 1e-8, "max_step": None, "keep": ("crank", 2), "projection": True, "tolerances": [1e-3]},
    }
    return Result(**{**parts, **changes})


@st.composite
def results(draw) -> Result:
    n = draw(st.integers(1, 5))
    names = draw(st.lists(st.text(min_size=1), unique=True, max_size=3).filter(distinct_with_joints))
    b = len(names)
    column = hnp.arrays(float, n, elements=ANY_FLOAT)
    return build(
        n,
        names,
        name=draw(st.text()),
        t=np.sort(draw(hnp.arrays(float, n, elements=st.floats(0, 1e3)))),
        q=draw(hnp.arrays(float, (n, 3 * b), elements=ANY_FLOAT)),
        signals=draw(hnp.arrays(float, (n, 2 * b), elements=ANY_FLOAT)),
        ledger=Energy(*(draw(column) for _ in Energy.names())),
        bodies=tuple(BodyInfo(name, draw(st.floats(0, 10)), draw(st.floats(0, 10))) for name in names),
        stats=draw(st.dictionaries(st.text(), PLAIN, max_size=3)),
        settings=draw(st.dictionaries(st.text(), PLAIN, max_size=3)),
        outcome=draw(st.sampled_from(Outcome)),
        message=draw(st.text()),
    )


def distinct_with_joints(names) -> bool:
    return not set(names) & {f"joint of {name}" for name in names}


@given(result=results())
def test_round_trip_is_exact(tmp_path_factory, result):
    path = tmp_path_factory.getbasetemp() / "round-trip.h5"
    save(result, path)
    again = load(path)
    assert again.same_as(result)
    # repr tells a tuple from a list and True from 1, which == does not.
    assert repr(again.stats) == repr(result.stats)
    assert repr(again.settings) == repr(result.settings)


def test_names_with_slashes_spaces_and_any_script(tmp_path):
    result = build(names=("left/arm", " two words ", "Kurbel — κ", ".."))
    save(result, tmp_path / "run.h5")
    again = load(tmp_path / "run.h5")
    np.testing.assert_array_equal(again["left/arm"].x, result["left/arm"].x)
    assert [body.name for body in again.bodies] == ["left/arm", " two words ", "Kurbel — κ", ".."]


def test_inertia_of_a_spatial_body_is_loaded_as_a_tuple(tmp_path):
    bodies = (BodyInfo("ball", 1.0, (0.1, 0.2, 0.3)), BodyInfo("anvil", 2.0, 0.4))
    save(build(bodies=bodies), tmp_path / "run.h5")
    assert load(tmp_path / "run.h5").bodies == bodies


def test_texts_longer_than_an_attribute_can_hold(tmp_path):
    result = build(settings={"output": np.linspace(0.0, 1.0, 20_000)}, names=[f"sphere {i}" for i in range(3_000)])
    save(result, tmp_path / "run.h5")
    again = load(tmp_path / "run.h5")
    assert again.same_as(result)
    assert again.settings == result.settings


def test_long_runs_are_compressed_without_loss(tmp_path):
    n = 60_000
    result = build(n, q=np.zeros((n, 6)))
    save(result, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file["q"].compression == "gzip"
        assert file["t"].compression is None
        assert file["q"].id.get_storage_size() < 0.05 * result.q.nbytes
    assert load(tmp_path / "run.h5").same_as(result)


def test_file_can_be_read_without_carom(tmp_path):
    result = build()
    save(result, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        names = {"a", "about", "bodies", "columns", "elements", "energy", "impacts", "q", "signals", "t", "v"}
        assert set(file) == names
        assert sorted(file["energy"]) == sorted(Energy.names())
        np.testing.assert_array_equal(file["q"][:, 3], result["anvil"].x)
        assert '"name": "anvil"' in file["bodies"].asstr()[1]


def test_save_method_of_a_result(tmp_path):
    result = build()
    result.save(str(tmp_path / "run.h5"))
    assert load(str(tmp_path / "run.h5")).same_as(result)


def test_saving_again_replaces_the_file(tmp_path):
    save(build(seed=1), tmp_path / "run.h5")
    save(build(seed=2), tmp_path / "run.h5")
    assert load(tmp_path / "run.h5").same_as(build(seed=2))
    assert os.listdir(tmp_path) == ["run.h5"]


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failure):
    path = tmp_path / "run.h5"
    save(build(seed=1), path)
    before = path.read_bytes()
    create = h5py.Group.create_dataset

    def fail_half_way(group, name, *args, **options):
        if name == "signals":
            raise failure
        return create(group, name, *args, **options)

    monkeypatch.setattr(h5py.Group, "create_dataset", fail_half_way)
    with pytest.raises(type(failure)):
        save(build(seed=2), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.h5"]


def test_failed_move_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    save(build(seed=1), path)

    def refuse(*_):
        raise PermissionError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        save(build(seed=2), path)
    assert load(path).same_as(build(seed=1))
    assert os.listdir(tmp_path) == ["run.h5"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are those of POSIX")
def test_saved_file_has_default_permissions_and_keeps_a_symbolic_link(tmp_path):
    (tmp_path / "plain").touch()
    link = tmp_path / "latest.h5"
    link.symlink_to("run.h5")
    save(build(), link)
    assert link.is_symlink()
    assert load(tmp_path / "run.h5").same_as(build())
    assert stat.S_IMODE((tmp_path / "run.h5").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere not found"):
        save(build(), tmp_path / "nowhere" / "run.h5")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        save(build(), tmp_path)
    assert os.listdir(tmp_path) == []


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.h5"):
        load(tmp_path / "nothing.h5")


def not_hdf5(path: Path) -> None:
    path.write_text("t,x\n0,1\n")


def someone_elses(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["t"] = [0.0, 1.0]


def from_the_future(path: Path) -> None:
    save(build(), path)
    with h5py.File(path, "a") as file:
        file.attrs["version"] = 99


def without_velocities(path: Path) -> None:
    save(build(), path)
    with h5py.File(path, "a") as file:
        del file["v"]


def with_garbled_text(path: Path) -> None:
    save(build(), path)
    with h5py.File(path, "a") as file:
        del file["about"]
        file["about"] = "{"


def cut_short(path: Path) -> None:
    save(build(n=2000), path)
    path.write_bytes(path.read_bytes()[:20_000])


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (not_hdf5, "not an HDF5 file"),
        (someone_elses, "attribute 'format' is not 'carom result'"),
        (from_the_future, "version must be 1, got 99"),
        (without_velocities, "damaged .*'v'"),
        (with_garbled_text, "damaged"),
        (cut_short, "damaged"),
    ],
)
def test_invalid_files_are_named_with_the_problem(tmp_path, write, words):
    path = tmp_path / "run.h5"
    write(path)
    with pytest.raises(ResultFileError, match=rf"run\.h5: .*{words}"):
        load(path)


def test_sketch_is_loaded_with_its_arrays(tmp_path):
    line, faces = np.linspace(0.0, 1.0, 6).reshape(3, 2), np.array([[0, 1, 2]])
    skins = (
        DrawnShape("ball", "Sphere", (0.0, 0.5, 0.0), 0.25, inside=True, line=line, extent_points=line[:1]),
        DrawnShape("ground", "Box", vertices=np.eye(3), faces=faces),
    )
    link = DrawnLink(
        "pin", "Revolute", "ground", "ball", (0.0, 1.0), (2.0, 3.0), axis=0.5, corners=((0.0, 1.0), (1.0, 0.0))
    )
    given = DrawingData(2, (0.0, -9.81), skins, (link,), (("pin", "Revolute", "ground – ball", ""),))
    save(build(sketch=given), tmp_path / "run.h5")
    back = load(tmp_path / "run.h5").sketch
    assert (back.dim, back.gravity, back.element_table) == (given.dim, given.gravity, given.element_table)
    assert vars(back.links[0]) == vars(link)
    for one, other in zip(back.shapes, skins, strict=True):
        for name, value in vars(other).items():
            assert np.array_equal(getattr(one, name), value), name


def test_file_without_a_sketch_is_loaded(tmp_path):
    save(build(), tmp_path / "run.h5")
    assert load(tmp_path / "run.h5").sketch is None


def test_file_with_old_names_of_signals_answers_to_both(tmp_path):
    signals, old = ("indentation_rate", "sliding_velocity", "contact_mode"), ("rate", "sliding_speed", "mode")
    contact = ElementInfo("touch", "Contact", "contact", ("ball", "anvil"), signals, ("m/s", "m/s", "1"), (0, 3))
    spring = ElementInfo("spring", "SpringDamper", "force", ("ball",), ("rate",), ("m/s",), (3, 4))
    result = build(elements=(contact, spring))
    save(result, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "a") as file:
        text = file["elements"].asstr()[0]
        for new_name, old_name in zip(signals, old, strict=True):
            assert f'"{new_name}"' in text
            text = text.replace(f'"{new_name}"', f'"{old_name}"')
        file["elements"][0] = text
    loaded = load(tmp_path / "run.h5")
    assert loaded.same_as(result)
    assert loaded["spring"].names == ("rate",)
    for column, (new_name, old_name) in enumerate(zip(signals, old, strict=True)):
        np.testing.assert_array_equal(getattr(loaded["touch"], new_name), result.signals[:, column])
        with pytest.warns(DeprecationWarning, match=f"'{old_name}' is deprecated; use '{new_name}'"):
            np.testing.assert_array_equal(getattr(loaded["touch"], old_name), result.signals[:, column])
