"""A report is one self-contained file with the values of the result."""

import base64
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import carom as cm
from carom.report import report_page
from carom.report.encoding import KINDS, MAX_FULL_POSES, encode_array, scene_data
from carom.view import describe

EVIL = '</script><script>alert("x")</script>&'


class Page(HTMLParser):
    """Elements with their attributes, text by element, and rows of tables."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.path, self.rows = [], {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "input", "img", "br"):
            self.path.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self.path and self.path.pop() != tag:
            continue

    def handle_data(self, data):
        for tag in self.path:
            self.texts[tag] = self.texts.get(tag, "") + data
        if {"td", "th"} & set(self.path):
            self.rows[-1][-1] += data


def unpack(array):
    return np.frombuffer(base64.b64decode(array["data"]), KINDS[array["kind"]])


def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="run">(.*?)</script>', text, re.DOTALL)[1])


def test_the_file_has_no_external_references(crank):
    text = report_page(crank)
    assert not re.search(r"https?://", text)
    page = Page(text)
    for tag, attributes in page.elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,"
    assert "default-src 'none'" in text
    assert not re.search(r"\{\{\w+\}\}", text)


def test_poses_in_the_page_are_those_of_the_run(crank):
    scene = data_of(report_page(crank, frames=50))["scene"]
    poses = unpack(scene["poses"]).reshape(50, 4, 7)
    now = crank.sample(np.linspace(0.0, 0.08, 50))
    assert np.allclose(poses[:, 3, 0], now["block"].x, atol=1e-7)
    assert scene["bodies"] == ["crank", "rod", "slider", "block"]


def test_curves_in_the_page_keep_the_peaks(crank):
    panels = data_of(report_page(crank, panels=("touch.normal_force",)))["panels"]
    (force,) = panels[0]["curves"]
    assert panels[0]["label"] == "touch: normal force [N]"
    assert unpack(force["y"]).max() == pytest.approx(crank["touch"].normal_force.max(), rel=1e-6)
    assert np.all(np.diff(unpack(force["t"])) >= 0.0)
    assert [panel["label"] for panel in panels[1:]] == ["energy [J]", "energy error [J]"]


def test_tables_list_impacts_energies_bodies_and_laws(crank):
    page = Page(report_page(crank))
    first = crank.impacts[0]
    (row,) = [row for row in page.rows if row[0] == "touch" and row[1] == f"{first.t_start:.6g}"]
    assert row[5] == f"{first.restitution:.4g}"
    assert row[6] == f"{first.peak_force / 1e3:.4g}"
    assert ["dissipated", "0", f"{crank.energy.dissipated[-1]:.6g}", f"{crank.energy.dissipated[-1]:.6g}"] in page.rows
    assert any(row[:2] == ["block", "0.19"] for row in page.rows)
    (law,) = [row[3] for row in page.rows if row[:2] == ["touch", "Contact"]]
    assert law == "law: LankaraniNikravesh (stiffness 9.5e+09, restitution 0.7, exponent 1.5)"
    assert ["integrator", "auto"] in page.rows
    times = [float(one["data-time"]) for tag, one in page.elements if tag == "tr" and "data-time" in one]
    assert times == [impact.t_start for impact in crank.impacts]


def test_names_are_escaped():
    system = cm.System(name=EVIL)
    ball = system.add(cm.Body(EVIL, 1.0, 0.1, position=(0.0, 0.09), velocity=(0.0, -1.0)))
    floor = cm.Plane(system.ground)
    contact = cm.Contact(cm.Sphere(ball, 0.1), floor, law=cm.laws.Hertz(stiffness=1e6), name="<img src=x onerror=a()>")
    system.add(contact)
    with pytest.warns(cm.CaromWarning):
        result = cm.simulate(system, t_end=0.01)
    text = report_page(result, lead=EVIL, warnings=[EVIL], check=(False, EVIL), title=EVIL)
    page = Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in dict(page.elements)
    assert page.texts["title"] == EVIL
    assert any(EVIL in row for row in page.rows)
    assert EVIL in data_of(text)["scene"]["bodies"]


def test_check_warnings_and_model_text_are_shown(crank):
    class Model:
        def to_yaml(self):
            return "name: <crank>\n"

    extras = {"check": (True, "4 comparisons"), "warnings": ["mind the gap"], "lead": "``law``: x"}
    text = report_page(crank, system=Model(), **extras)
    page = Page(text)
    assert "name: <crank>" in page.texts["pre"]
    assert "mind the gap" in page.texts["main"]
    assert "Check passed. 4 comparisons" in page.texts["main"]
    assert page.texts["code"].startswith("law")


def test_a_report_is_written_atomically(crank, tmp_path, monkeypatch):
    path = tmp_path / "run.html"
    assert crank.report(path, title="first") == path
    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        cm.report(crank, path, title="second")
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_reported(crank, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .* not found"):
        crank.report(tmp_path / "none" / "run.html")


def test_very_many_bodies_are_quantised_to_a_small_part_of_the_box():
    rng = np.random.default_rng(1)
    count = MAX_FULL_POSES + 1
    system = cm.System(dim=3, name="many")
    for k, place in enumerate(rng.uniform(-1.0, 1.0, (count, 3))):
        system.add(cm.Body(f"b{k}", 1.0, (0.1,) * 3, position=place, velocity=(1.0, 0.0, 0.0)))
    result = cm.simulate(system, t_end=0.5, output=[0.25])
    scene = describe(result, frames=5)
    data = scene_data(scene)
    low, high = (np.array(data["quantised"][key]) for key in ("low", "high"))
    back = low + unpack(data["poses"]).reshape(5, count, 3) * (high - low) / 65535.0
    assert np.abs(back - scene.poses[:, :, :3]).max() < 2e-5 * (high - low).max()
    assert len(json.dumps(data)) < 600_000


def test_machines_among_very_many_bodies_turn():
    """Bodies with visible orientations have quaternions, spheres about their centres of mass have none."""
    system = cm.System(dim=3, name="drum")
    drum = system.add(cm.Body("drum", 1.0, (1.0,) * 3, angular_velocity=(0.0, 3.0, 0.0)))
    paddle = cm.Box(drum, half=(0.1, 0.1, 0.01))
    spheres = cm.packing.spheres(system, cm.packing.lattice(MAX_FULL_POSES, radius=0.01, origin=(1, 1, 1)), mass=1.0)
    off = cm.Sphere(spheres[7].body, radius=0.003, at=(0.0, 0.0, 0.008))
    system.add_contacts([*spheres[:7], *spheres[8:], off], [paddle], law=cm.laws.Hertz(1e5), self_contact=False)
    scene = describe(cm.simulate(system, 0.4, output=0.1), frames=5)
    quantised = scene_data(scene)["quantised"]
    turning = unpack(quantised["turning"])
    assert [scene.bodies[k] for k in turning] == ["drum", "grain 7"]
    quaternions = unpack(quantised["quaternions"]).reshape(5, 2, 4) / 32767.0 - 1.0
    angle = 0.5 * 3.0 * scene.t
    assert quaternions[:, 0] == pytest.approx(
        np.column_stack([np.cos(angle), 0.0 * angle, np.sin(angle), 0.0 * angle]), abs=1e-4
    )


def test_arrays_are_encoded_as_little_endian_bytes():
    assert base64.b64decode(encode_array([1.0, 2.0], "f32")["data"]) == np.array([1.0, 2.0], "<f4").tobytes()


def test_a_run_of_one_node_has_a_report(crank):
    text = report_page(crank.sample([0.02]))
    assert data_of(text)["scene"]["frames"] == 1
