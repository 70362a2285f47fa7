"""Scenes in glTF 2.0, read back with trimesh and as JSON: nodes, animation, units and colours."""

import json
import struct

import numpy as np
import pytest

import carom as cm
from carom.geometry.rotation import matrix_of
from carom.view.gltf_export import quaternion_between


def document_of(path):
    """JSON text and numbers of a binary file."""
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    text_length, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    numbers = 20 + text_length + 8
    assert struct.unpack_from("<II", data, 20 + text_length) == (len(data) - numbers, 0x004E4942)
    return json.loads(data[20 : 20 + text_length]), data[numbers:]


def values_of(document, numbers, accessor):
    item = document["accessors"][accessor]
    view = document["bufferViews"][item["bufferView"]]
    size = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[item["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[item["componentType"]]
    return np.frombuffer(numbers, kind, item["count"] * size, view["byteOffset"]).reshape(-1, size)


def track(document, numbers, name, path):
    """Times and values of an animated property of the node with a name."""
    node = next(k for k, item in enumerate(document["nodes"]) if item.get("name") == name)
    animation = document["animations"][0]
    channel = next(item for item in animation["channels"] if item["target"] == {"node": node, "path": path})
    sampler = animation["samplers"][channel["sampler"]]
    return (values_of(document, numbers, sampler[key]) for key in ("input", "output"))


@pytest.fixture(scope="module")
def top():
    return cm.gallery.spinning_top().run(t_end=0.2)


def test_a_body_moves_as_in_the_result(top, tmp_path):
    document, numbers = document_of(top.to_gltf(tmp_path / "top.glb", speed=0.1, frames=41))
    assert document["asset"]["version"] == "2.0"
    times, positions = track(document, numbers, "top", "translation")
    assert times.ravel() == pytest.approx(np.linspace(0.0, 2.0, 41), abs=1e-6)
    sampled = top.sample(np.linspace(0.0, 0.2, 41))["top"]
    assert positions == pytest.approx(sampled.position, abs=1e-6)
    _, turns = track(document, numbers, "top", "rotation")
    assert np.linalg.norm(turns, axis=1) == pytest.approx(np.ones(41), abs=1e-6)
    rotations = matrix_of(turns[:, [3, 0, 1, 2]])
    assert rotations == pytest.approx(sampled.rotation, abs=1e-5)
    assert np.sum(turns[1:] * turns[:-1], axis=1).min() > 0.0  # neighbours have one sign


def test_up_is_the_second_axis(tmp_path):
    for up in np.vstack([np.eye(3), -np.eye(3)]):
        turned = matrix_of(quaternion_between(up, np.array([0.0, 1.0, 0.0]))) @ up
        assert turned == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_trimesh_reads_the_scene_to_scale(tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    system = cm.System(dim=3, gravity=(0.0, 0.0, -10.0))
    ball = system.add(cm.Body("ball", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, 3.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.25), cm.Plane(system.ground), cm.laws.Hertz(1e6)))
    path = cm.simulate(system, 0.1).to_gltf(tmp_path / f"ball.{suffix}")
    scene = trimesh.load(str(path))
    low, high = scene.bounds
    assert high[1] == pytest.approx(3.25, abs=1e-5)  # y is upwards
    assert low[1] == pytest.approx(0.0, abs=1e-6)
    assert "ball" in scene.graph.nodes


def test_springs_stretch_and_forces_are_arrows(tmp_path):
    spring = cm.gallery.spring_pendulum().run(t_end=1.0)
    document, numbers = document_of(spring.to_gltf(tmp_path / "spring.glb", frames=21))
    _, scales = track(document, numbers, "link 1", "scale")
    sampled = spring.sample(np.linspace(0.0, 1.0, 21))["bob"]
    assert scales[:, 0] == pytest.approx(np.linalg.norm(sampled.position, axis=1), abs=1e-5)
    assert document["extensionsUsed"] == ["KHR_materials_unlit"]  # planar drawings
    spheres = cm.gallery.two_spheres().run()
    for forces in (True, False):
        document, _ = document_of(spheres.to_gltf(tmp_path / "spheres.glb", forces=forces))
        assert any(node.get("name") == "force of touch" for node in document["nodes"]) is forces


def test_a_single_node_has_no_animation(tmp_path):
    result = cm.gallery.falling_ball().run(t_end=0.1).sample([0.05])
    document, _ = document_of(result.to_gltf(tmp_path / "still.glb"))
    assert "animations" not in document


def test_bad_names_are_refused_and_nothing_is_left(top, tmp_path):
    with pytest.raises(cm.ModelError, match=r"suffix must be one of '.glb', '.gltf', got '.obj'"):
        top.to_gltf(tmp_path / "top.obj")
    with pytest.raises(cm.ModelError, match="speed must be positive"):
        top.to_gltf(tmp_path / "top.glb", speed=-1.0)
    with pytest.raises(FileNotFoundError):
        top.to_gltf(tmp_path / "none" / "top.glb")
    assert list(tmp_path.iterdir()) == []
