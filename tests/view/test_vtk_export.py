"""Export for ParaView, read back with an XML parser, and with VTK where it is installed."""

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import carom as cm
from carom.view.vtk_export import write_vtk
from carom.view.vtp_file import VtpFile

TYPES = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8"}


def read_vtp(path):
    """Arrays of a polygon file by section and name."""
    text = path.read_bytes()
    start = text.index(b"_", text.index(b"<AppendedData")) + 1
    appended = text[start : text.index(b"\n</AppendedData>")]
    root = ET.fromstring(text)
    piece = root.find("PolyData/Piece")
    offsets = sorted(int(item.get("offset")) for item in root.iter("DataArray"))
    ends = dict(zip(offsets, [*offsets[1:], len(appended)], strict=True))
    arrays = {}
    for section in piece:
        for item in section:
            offset = int(item.get("offset"))
            block = base64.b64decode(appended[offset : ends[offset]], validate=True)
            size = int(np.frombuffer(block[:8], "<u8")[0])
            assert size == len(block) - 8
            values = np.frombuffer(block[8:], TYPES[item.get("type")])
            n = int(item.get("NumberOfComponents"))
            arrays[section.tag, item.get("Name")] = values.reshape(-1, n) if n > 1 else values
    assert int(piece.get("NumberOfPoints")) == len(arrays["Points", "points"])
    return arrays


def collection(path):
    """Times and files of a collection."""
    return [(float(item.get("timestep")), item.get("file")) for item in ET.parse(path).getroot().iter("DataSet")]


@pytest.fixture(scope="module")
def heap():
    case = cm.gallery.box_of_spheres(balls=100)
    return case.system, cm.simulate(case.system, 0.05, output=0.025)


def test_spheres_are_points_with_radius_and_velocity(heap, tmp_path):
    _, result = heap
    path = result.to_vtk(tmp_path / "heap")
    assert path == tmp_path / "heap" / "heap.pvd"
    entries = collection(path)
    assert sorted({t for t, _ in entries}) == result.t.tolist()
    assert all((path.parent / file).exists() for _, file in entries)
    (file,) = [file for t, file in entries if t == result.t[-1] and "spheres" in file]
    arrays = read_vtp(path.parent / file)
    order = arrays["PointData", "body"]
    assert sorted(order) == list(range(100))
    q, v = result.q[-1].reshape(100, 7), result.v[-1].reshape(100, 6)
    assert arrays["Points", "points"] == pytest.approx(q[order, :3])
    assert arrays["PointData", "velocity"] == pytest.approx(v[order, :3], rel=1e-6)
    assert arrays["PointData", "radius"] == pytest.approx(np.full(100, 0.01))
    assert arrays["Verts", "connectivity"].tolist() == list(range(100))
    ground = read_vtp(path.parent / "heap_ground.vtp")
    assert set(ground["CellData", "body"]) == {-1}
    assert ground["Polys", "offsets"][-1] == len(ground["Polys", "connectivity"])


def test_angular_velocity_is_in_global_axes(tmp_path):
    system = cm.System(dim=3)
    turned = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # the axis z of the body is −y
    body = cm.Body("top", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 1.0), orientation=turned, angular_velocity=(0.0, 0.0, 2.0))
    floor = cm.Plane(system.ground)
    system.add_contacts([cm.Sphere(system.add(body), 0.1)], [floor], cm.laws.Hertz(1e6))
    path = cm.simulate(system, 0.1).to_vtk(tmp_path / "top", times=[0.0])
    arrays = read_vtp(path.parent / "top_spheres_0000.vtp")
    assert arrays["PointData", "angular_velocity"][0] == pytest.approx([0.0, -2.0, 0.0])


@pytest.mark.parametrize("name", ["funnel", "slider_crank_block", "falling_ball", "newtons_cradle"])
def test_cases_in_2d_and_3d_are_written(name, tmp_path):
    if name not in cm.gallery.CASES:
        pytest.skip("no such case")
    case = cm.gallery.CASES[name]()
    path = write_vtk(cm.simulate(case.system, 0.02), tmp_path / "run", times=0.01)
    assert len({t for t, _ in collection(path)}) == 3
    for file in path.parent.glob("*.vtp"):
        arrays = read_vtp(file)
        kind = "Polys" if ("Polys", "offsets") in arrays else "Verts"
        assert arrays[kind, "connectivity"].max(initial=-1) < len(arrays["Points", "points"])
        assert np.isfinite(arrays["Points", "points"]).all()


def test_triangles_move_with_their_body(tmp_path):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -10.0))
    box = system.add(cm.Body("box", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 9.0)))
    law = cm.laws.Hertz(1e6)
    system.add_contacts([cm.Box(box, (0.1, 0.2, 0.3))], [cm.Plane(system.ground)], law, self_contact=False)
    result = cm.simulate(system, 1.0)
    path = result.to_vtk(tmp_path / "box", times=[0.0, 1.0])
    first, last = (read_vtp(path.parent / f"box_shapes_000{k}.vtp")["Points", "points"] for k in (0, 1))
    assert first[:, 2].max() == pytest.approx(9.3)
    assert last - first == pytest.approx(np.tile([0.0, 0.0, -5.0], (len(first), 1)), abs=1e-6)


def test_a_failed_export_leaves_the_earlier_one(heap, tmp_path, monkeypatch):
    _, result = heap
    result.to_vtk(tmp_path / "heap", times=[0.0])
    before = {file.name: file.read_bytes() for file in (tmp_path / "heap").iterdir()}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(VtpFile, "write", full)
    with pytest.raises(cm.DiskError, match="No space left on device"):
        result.to_vtk(tmp_path / "heap")
    assert {file.name: file.read_bytes() for file in (tmp_path / "heap").iterdir()} == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["heap"]
    monkeypatch.undo()
    result.to_vtk(tmp_path / "heap")  # replaces the earlier export
    assert len(list((tmp_path / "heap").glob("*spheres*"))) == len(result.t)
    assert [entry.name for entry in tmp_path.iterdir()] == ["heap"]


def test_other_files_are_not_removed(heap, tmp_path):
    _, result = heap
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine", "utf-8")
    with pytest.raises(cm.DiskError, match=re.escape("other files, such as 'a.txt'; choose a new folder")):
        result.to_vtk(tmp_path / "notes")
    (tmp_path / "file").write_text("mine", "utf-8")
    with pytest.raises(cm.DiskError, match="it is a file"):
        result.to_vtk(tmp_path / "file")
    with pytest.raises(FileNotFoundError, match="not found"):
        result.to_vtk(tmp_path / "none" / "heap")


def test_vtk_reads_the_files(heap, tmp_path):
    vtk = pytest.importorskip("vtk")
    path = heap[1].to_vtk(tmp_path / "heap", times=[0.0])
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path.parent / "heap_spheres_0000.vtp"))
    reader.Update()
    assert reader.GetOutput().GetNumberOfPoints() == 100
    assert reader.GetOutput().GetPointData().GetArray("radius").GetRange() == pytest.approx((0.01, 0.01))


def test_loaded_contacts_are_points_with_their_forces(tmp_path):
    result = cm.gallery.two_spheres().run()
    peak = float(result.t[np.argmax(result["touch"].normal_force)])
    path = result.to_vtk(tmp_path / "run", times=[0.0, peak])
    free, loaded = (read_vtp(path.parent / f"run_contacts_000{k}.vtp") for k in (0, 1))
    assert len(free["Points", "points"]) == 0
    force = result["touch"].normal_force.max()
    assert loaded["PointData", "normal_force"] == pytest.approx([force], rel=1e-6)
    assert np.linalg.norm(loaded["PointData", "force"]) == pytest.approx(force, rel=1e-6)
    at = result.sample([peak])["touch"]
    assert loaded["Points", "points"][0] == pytest.approx([at.x[0], at.y[0], 0.0])
    assert result.elements[int(loaded["PointData", "contact"].item())].name == "touch"


def test_pyvista_reads_the_collection(tmp_path):
    pyvista = pytest.importorskip("pyvista")
    result = cm.gallery.slider_crank_block().run(t_end=0.05)
    reader = pyvista.get_reader(str(result.to_vtk(tmp_path / "run", times=0.025)))
    assert reader.time_values == pytest.approx([0.0, 0.025, 0.05])
    blocks = reader.read()
    assert blocks.n_blocks == 4  # ground, spheres, shapes, contacts
    assert all(np.isfinite(block.points).all() for block in blocks)


def test_the_name_of_a_collection_is_refused(heap, tmp_path):
    with pytest.raises(cm.ModelError, match=r"writes a folder of files, got 'heap\.pvd'; use 'heap'"):
        heap[1].to_vtk(tmp_path / "heap.pvd")


def test_the_former_name_works_with_a_warning(heap, tmp_path):
    with pytest.warns(DeprecationWarning, match="to_paraview is deprecated; use to_vtk"):
        assert heap[1].to_paraview(tmp_path / "heap", times=[0.0]).name == "heap.pvd"
