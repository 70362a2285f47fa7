"""Files with anything in them: read, or refused in one sentence."""

import io
import os
import shutil
import struct
import zipfile
import zlib

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carom as cm
from carom.io import tagged_json
from carom.io.binary_records import FRAME, frame, pack, unpack
from carom.io.records import checkpoint_path, records_path
from carom.io.result_file_checks import read_json_list
from carom.study.fitting.csv_reader import read_csv
from carom.study.sweep_journal import SweepJournal, encode_line
from quick import examples, slow_but

LONGEST_MESSAGE = 1500


def ball():
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("bob", mass=1.0, position=(0.0, 0.2)))
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(body, 0.1), floor, law=cm.laws.Flores(1e6, 0.5), name="touch"))
    return system


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A result, and one that was written while it was computed."""
    folder = tmp_path_factory.mktemp("kept")
    cm.simulate(ball(), t_end=0.2).save(folder / "good.h5")
    cm.simulate(ball(), t_end=0.2, stream=folder / "run.h5", output=0.01)
    return folder


def outcome(read, *values, **options):
    """Return the contents, or None if the file is rejected."""
    try:
        found = read(*values, **options)
    except (cm.ModelError, OSError) as error:
        found, message = None, str(error)
        if len(message) > LONGEST_MESSAGE:
            raise
    return found


def used(result):
    if result is not None:
        assert result.summary()
        assert repr(result)
        assert isinstance(result.energy.drift, float)


@settings(examples(150), suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9), st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 255)), max_size=20))
def test_bytes_of_a_result_are_others(kept, cut, changes):
    content = bytearray((kept / "good.h5").read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    path = kept / "changed.h5"
    path.write_bytes(content if cut % 3 else content[: cut % len(content)])
    used(outcome(cm.load, path))


def text(value):
    return lambda file, name: file.create_dataset(name, data=value, dtype=h5py.string_dtype())


def array(value):
    return lambda file, name: file.create_dataset(name, data=value)


OTHERS = {
    "gone": lambda file, name: None,
    "group": lambda file, name: file.create_group(name),
    "claims 1e18 numbers": lambda file, name: file.create_dataset(name, (10**9, 10**9), "f8", chunks=(10, 10)),
    "claims 1e11 numbers": lambda file, name: file.create_dataset(name, (10**11,), "f8", chunks=(10,)),
    "another file": lambda file, name: file.__setitem__(name, h5py.ExternalLink("run.h5", "t")),
    "a link to itself": lambda file, name: file.__setitem__(name, h5py.SoftLink(f"/{name}")),
    "a pickle": array(np.frombuffer(b"\x80\x04cos\nsystem\n", np.uint8)),
    "nothing": array(h5py.Empty("f8")), "one number": array(1.0), "three axes": array(np.zeros((2, 3, 4))),
    "lists": lambda file, name: file.create_dataset(name, (1,), h5py.vlen_dtype(np.float64)),
    "complex": array(np.array([1j])), "records": array(np.array([(1, 2.0)], dtype="i4,f8")),
    "no nodes": array(np.zeros(0)),
    "not numbers": array(np.full(7, np.nan)), "texts": text(["a", "b"]), "a list": text("[]"), "null": text("null"),
    "deep": text("[" * 100_000), "no tuple": text('{"tuple": 1}'), "half": text('{"name":'), "nan": text(["NaN"]),
}  # fmt: skip
PLACES = ("about", "bodies", "elements", "t", "q", "v", "a", "signals", "energy", "impacts", "sketch", "energy/kinetic")


@pytest.mark.parametrize("other", OTHERS)
def test_a_part_of_a_result_is_something_else(kept, other):
    for place in PLACES:
        path = shutil.copy(kept / "good.h5", kept / "changed.h5")
        with h5py.File(path, "a") as file:
            del file[place]
            OTHERS[other](file, place)
        found = outcome(cm.load, path)
        used(found)
        assert found is None or (place, other) in (("sketch", "gone"), ("impacts", "no nodes"))


VALUES = [None, 1, -1, 1.5, "x", [], {}, True, float("nan"), 10**400, [1, 2], (1, 2)]


@pytest.mark.parametrize("place", slow_but(["bodies"], ["about", "bodies", "elements", "impacts"]))
def test_a_value_in_a_result_is_another(kept, place):
    with h5py.File(kept / "good.h5") as file:
        content = file[place][()]
    several = isinstance(content, np.ndarray)
    known = tagged_json.loads(content[0] if several else content)
    for key in (*known, "extra"):
        for value in VALUES:
            path = shutil.copy(kept / "good.h5", kept / "changed.h5")
            changed = tagged_json.dumps({**known, key: value})
            with h5py.File(path, "a") as file:
                del file[place]
                text([changed] if several else changed)(file, place)
            used(outcome(cm.load, path))


@pytest.mark.parametrize("value", [1, "x", np.zeros(3), b"carom result", h5py.Empty("f8")])
def test_attributes_of_other_types(kept, value):
    for key in ("format", "version"):
        path = shutil.copy(kept / "good.h5", kept / "changed.h5")
        with h5py.File(path, "a") as file:
            file.attrs[key] = value
        same = (key, value) in (("version", 1), ("format", b"carom result")) if np.ndim(value) == 0 else False
        assert (outcome(cm.load, path) is not None) == same


def test_links_to_one_array_are_counted_each(kept):
    """A file of some kilobytes must not take gigabytes: gzip makes zeros 1000 times smaller, names cost nothing."""
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        zeros = file.create_dataset("zeros", data=np.zeros((40_000, 100)), compression="gzip", chunks=(1000, 100))
        for name in ("q", "v", "a", "signals"):
            del file[name]
            file[name] = zeros
            file[f"sketch/{name}"] = zeros
    assert path.stat().st_size < 500_000
    with pytest.raises(cm.ModelError, match="its arrays need more than 256 MB of memory"):
        cm.load(path)


def test_small_numbers_count_as_what_they_become(kept):
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        del file["q"]
        file.create_dataset("q", data=np.zeros((100_000, 400), "i1"), compression="gzip", chunks=(10_000, 400))
    with pytest.raises(cm.ModelError, match="its arrays need more than 256 MB of memory"):
        cm.load(path)


def test_lists_of_any_length_are_not_read(kept):
    """One changed byte makes a text a list; reading that ends the process."""
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        file.create_dataset("lists", (2,), h5py.vlen_dtype(np.float64))
        with pytest.raises(cm.ModelError, match="lists must contain numbers or texts, got object"):
            read_json_list(file, "lists")


def test_groups_that_contain_each_other_end(kept):
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        file["sketch/again"] = file["sketch"]
    with pytest.raises(cm.ModelError, match="groups are nested more than 3 deep"):
        cm.load(path)


def test_texts_that_refer_to_one_text_are_counted_each(kept):
    """An entry of a list of texts is a reference into the file; a million of them may be the same."""
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        content = file["impacts"][()][0]
        del file["impacts"]
        place = file.create_dataset("impacts", (2,), h5py.string_dtype())
        place[...] = [content, content + b" " * 30_000]
        at, size = place.id.get_offset(), path.stat().st_size
    data = bytearray(path.read_bytes())
    data[at : at + 16] = data[at + 16 : at + 32]
    path.write_bytes(data)
    assert outcome(cm.load, path) is not None  # twice is little
    with h5py.File(path, "a") as file:
        long = file.create_dataset("long", (size // 5_000,), h5py.string_dtype())
        long[...] = content
        at, count = long.id.get_offset(), len(long)
    data = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        first = file["impacts"].id.get_offset()
    data[at : at + 16 * count] = data[first : first + 16] * count
    path.write_bytes(data)
    with h5py.File(path) as file, pytest.raises(cm.ModelError, match="long refers to more text than the file contains"):
        read_json_list(file, "long")


def test_an_array_that_a_sketch_names_often_is_read_once(kept):
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        del file["sketch"]
        group = file.create_group("sketch")
        group["0"] = np.zeros((20, 2))
        skin = {"body": "bob", "kind": "Curve", "line": {"array": "0"}}
        plain = {"dim": 2, "gravity": (0.0, 0.0), "words": (), "skins": [skin] * 500, "links": []}
        group["plain"] = tagged_json.dumps(plain)
    assert len({id(one.line) for one in cm.load(path).sketch.shapes}) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_are_not_read(kept):
    path = kept / "pipe.h5"
    os.mkfifo(path)
    for read in (cm.load, cm.resume, read_csv):
        with pytest.raises(cm.ModelError, match=r"cannot read \S*pipe\.h5: it is not a regular file"):
            read(path)
    path.unlink()
    os.mkfifo(records_path(path))
    for read in (cm.load, cm.resume):
        with pytest.raises(cm.ModelError, match="it is not a regular file"):
            read(path)
    records_path(path).unlink()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_result_without_numbers_has_a_report(kept, value):
    """Numbers that are none are not drawn; what was computed before them is."""
    for names in (("q",), ("q", "v", "a", "signals", "energy/kinetic"), ("signals", "energy/elastic")):
        for rows in (slice(None), slice(3, None)):
            path = shutil.copy(kept / "good.h5", kept / "changed.h5")
            with h5py.File(path, "a") as file:
                for name in names:
                    values = file[name][()]
                    values[rows] = value
                    file[name][...] = values
            page = cm.load(path).report(kept / "page.html").read_text("utf-8")
            assert "bob" in page
            assert "NaN" not in page.split('<script id="data"')[-1].split("</script>")[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_times_are_numbers(kept, value):
    path = shutil.copy(kept / "good.h5", kept / "changed.h5")
    with h5py.File(path, "a") as file:
        file["t"][-1] = value
    with pytest.raises(cm.ModelError, match="times must be finite"):
        cm.load(path)


def read_resume(path):
    """Entries and arrays of the data for resuming."""
    with h5py.File(path) as file:
        return unpack(file["resume"][()].tobytes()[FRAME.size :])


def test_what_a_run_goes_on_with_is_something_else(kept):
    entries, state = read_resume(kept / "run.h5")
    head, position = entries["head"], entries["position"]
    values = (None, 1, -1, "x", [], {})
    heads = [{**head, key: value} for key in head for value in values]
    heads += [{**head, "options": {**head["options"], key: []}} for key in head["options"]]
    changes = [{**entries, "head": changed} for changed in heads] + [{**entries, key: 1} for key in entries]
    changes += [{**entries, "position": {**position, key: value}} for key in position for value in values]
    changes += [{}, [], None]
    for changed in changes:
        path = shutil.copy(kept / "run.h5", kept / "changed.h5")
        with h5py.File(path, "a") as file:
            del file["resume"]
            file["resume"] = np.frombuffer(frame(3, pack(changed, state)), np.uint8)
        outcome(cm.resume, path, t_end=0.21)
        for place in (records_path(path), checkpoint_path(path)):
            place.unlink(missing_ok=True)


def test_records_of_anything(kept):
    head = read_resume(kept / "run.h5")[0]["head"]
    first = frame(0, pack(head, {}))
    header = {"about": {"outcome": "FINISHED", "message": "m", "stats": {}}, "still": [], "impacts": []}
    width = max(element["columns"][1] for element in head["result"]["elements"])
    nodes = {name: np.zeros((3, 3)) for name in "qva"}
    nodes |= {"t": np.arange(3.0), "signals": np.zeros((3, width)), "energies": np.zeros((3, 7))}

    def bare(arrays):
        described = tagged_json.dumps({"plain": header, "arrays": arrays}).encode()
        return frame(1, struct.pack("<Q", len(described)) + described)

    records = [
        b"", b"junk" * 50, b"crm1" + b"\xff" * 16, frame(0, b""), frame(0, b"\xff" * 60), frame(0, pack({}, {})),
        frame(0, pack([], {})), first, first + frame(1, pack({}, {})), first + frame(2, pack({}, {})),
        first + frame(9, pack({}, {})), first + bare({"t": ["O", [1]]}), first + bare({"t": ["<f8", [10**18]]}),
        first + bare({"t": ["<f8", [-1]]}), first + bare({"t": 3}), first + frame(1, pack(header, {"t": np.zeros(3)})),
        first + frame(1, pack({**header, "still": [1]}, nodes)),
        first + frame(1, pack(header, {**nodes, "x": np.zeros(3)})),
        first + frame(1, pack(header, {**nodes, "q": np.zeros((2, 3))})),
        first + frame(1, pack({**header, "about": {"outcome": "NONE"}}, nodes)),
        first + frame(1, pack(header, nodes)) + frame(1, pack(header, {**nodes, "q": np.zeros((3, 5))})),
    ]  # fmt: skip
    states = [b"", b"junk", frame(3, pack({}, {})), frame(3, pack({"run": head["run"], "length": "x", "count": 0}, {})),
              frame(3, pack({"run": head["run"], "length": len(first), "count": 0}, {"x": np.zeros(3)}))]  # fmt: skip
    path = kept / "unfinished.h5"
    for record in records:
        records_path(path).write_bytes(record)
        assert outcome(cm.load, path) is None
        for state in states:
            records_path(path).write_bytes(record)
            checkpoint_path(path).write_bytes(state)
            outcome(cm.resume, path)
        for place in (path, records_path(path), checkpoint_path(path)):
            place.unlink(missing_ok=True)


@pytest.mark.parametrize("path", [None, 1, b"x", [], "", "a\0b", "/"])
def test_what_is_no_path(path):
    assert outcome(cm.load, path) is None
    assert outcome(cm.resume, path) is None


# Tables


@pytest.mark.parametrize("content", [
    "", "t,x\n\0,1", "t," + "x" * 3_000_000, ",".join(f"c{k}" for k in range(200_000)), ",".join("c" * 100_000),
    "[" * 200_000 + " a", "(" * 200_000, "a [" * 100_000, '"' * 200_001, "t x\n" + "[" * 200_000, "t,x\n1,2,3", "1,2\n",
    "t,x" + " " * 400 + "[", "t [parsec]\n1", ",\n", "t\n",
])  # fmt: skip
def test_tables_that_are_none(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(cm.ModelError, match=r"table\.csv"):
        read_csv(path)


words = st.sampled_from(
    ["t", "x", " ", ",", ";", "\n", "\t", "[ms]", "(N)", "1", "2.5", "nan", "-", "#", '"', "[", ")", "\0"]
)


@settings(examples(800), suppress_health_check=list(HealthCheck))
@given(st.lists(words, max_size=40).map("".join).map(str.encode) | st.binary(max_size=60))
def test_tables_of_anything(tmp_path, content):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    outcome(read_csv, path)


# Meshes and robots

TRIANGLE = struct.pack("<12f", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0) + b"\0\0"
PLY = b"ply\nformat ascii 1.0\nelement vertex 4000000000\n"
PLY += b"property float x\nproperty float y\nproperty float z\nend_header\n"


@pytest.mark.parametrize(("name", "content"), [
    ("a.stl", b"x" * 80 + b"\xff\xff\xff\xff" + TRIANGLE), ("a.stl", b""), ("a.stl", b"solid\n"), ("a.ply", PLY),
    ("a.obj", b"f 1 2 999999999999\n"), ("a.obj", b"v 1e999 nan 0\nf 1 1 1\n"), ("a.off", b"OFF\n4000000000 1 0\n"),
    ("a.glb", b"glTF" + b"\xff" * 20), ("a.3mf", b"PK\3\4"), ("a.pickle", b"\x80\x04cos\nsystem\n"), ("a.zip", b"PK"),
])  # fmt: skip
def test_meshes_that_are_none(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    body = cm.Body("a", 1.0, 1.0, position=(0.0, 0.0, 0.0))
    with pytest.raises(cm.ModelError, match="Mesh on 'a'"):
        cm.Mesh(body, tmp_path / name)


DAE = b"<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"


@pytest.mark.parametrize("content", [b"", b"x", DAE, DAE + b"<asset></COLLADA>", DAE + b"<scene/></COLLADA>"])
def test_damaged_collada_files(tmp_path, content):
    pytest.importorskip("collada")
    (tmp_path / "a.dae").write_bytes(content)
    with pytest.raises(cm.ModelError, match="Mesh on 'a'"):
        cm.Mesh(cm.Body("a", 1.0, 1.0, position=(0.0, 0.0, 0.0)), tmp_path / "a.dae")


def test_damaged_archives_of_meshes(tmp_path):
    """No model, no XML, bytes that do not unpack, and more unpacked than a file may be."""
    body, path = cm.Body("a", 1.0, 1.0, position=(0.0, 0.0, 0.0)), tmp_path / "a.3mf"
    for content in (b"", b"<a/>", b"<model/>", bytes(3_000)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("3D/3dmodel.model", content)
        whole = path.read_bytes()
        for changed in (whole, whole[:50] + b"\xff\x00" + whole[52:]):
            path.write_bytes(changed)
            with pytest.raises(cm.ModelError, match="Mesh on 'a'"):
                cm.Mesh(body, path)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", b"<model/>")
        archive.infolist()[0].file_size = 1 << 30  # what the directory at its end claims
    path.write_bytes(stream.getvalue())
    with pytest.raises(cm.ModelError, match="at most 512 MB unpacked, got 1024"):
        cm.Mesh(body, path)


def test_a_mesh_that_claims_too_much_says_so(tmp_path):
    (tmp_path / "a.stl").write_bytes(b"x" * 80 + b"\xff\xff\xff\xff" + TRIANGLE)
    with pytest.raises(cm.ModelError, match="declares 4294967295 triangles, 214748364834 bytes, but has 134"):
        cm.Mesh(cm.Body("a", 1.0, 1.0, position=(0.0, 0.0, 0.0)), tmp_path / "a.stl")


LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 12))


@pytest.mark.parametrize("content", [
    f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]><robot name="&l11;"><link name="a"/></robot>',
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r"><link name="&x;"/></robot>',
    '<!DOCTYPE r SYSTEM "http://127.0.0.1:1/x.dtd"><robot name="r"><link name="a"/></robot>',
    "<a>" * 50_000, "", "\0", "<robot/>", '<robot name="r"/>', "<x/>",
])  # fmt: skip
def test_robots_that_are_none(tmp_path, content):
    pytest.importorskip("yourdfpy")
    (tmp_path / "a.urdf").write_text(content)
    with pytest.raises(cm.ModelError, match=r"a\.urdf"):
        cm.System.from_urdf(tmp_path / "a.urdf")


# Journals of sweeps


def summed(content):
    return f"{zlib.crc32(content):08x} ".encode() + content + b"\n"


@pytest.mark.parametrize("content", [b"[]", b"1", b"null", b"{", b"\xff", b"[" * 100_000, b"9" * 5000])
def test_damaged_lines_of_a_sweep_journal(tmp_path, content):
    path = tmp_path / "sweep.jsonl"
    path.write_bytes(summed(content))
    with pytest.raises(cm.ModelError, match="is not a sweep journal"):
        SweepJournal(path, {"a": 1})
    path.write_bytes(encode_line({"format": "carom sweep 1", "a": 1}) + summed(content))
    with pytest.warns(cm.CaromWarning, match="1 damaged line ignored"), SweepJournal(path, {"a": 1}) as journal:
        assert journal.lines == []
