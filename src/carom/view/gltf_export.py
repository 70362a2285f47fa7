"""Export of a run as an animated 3D scene in glTF 2.0, which Blender and web pages open."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import file_path, one_of, positive
from carom.io.atomic_write import atomic_write
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.result import Result
from carom.scene.colours import rgb
from carom.scene.glyphs import arrow_lengths, end_points, quaternions_from_x, unit_arrow, unit_sphere
from carom.scene.playback_speed import default_speed
from carom.scene.scene import GROUND, Part, Scene
from carom.scene.scene_builder import describe
from carom.view.glb_file import ARRAY_BUFFER, ELEMENT_BUFFER, GlbFile

SUFFIXES = (".glb", ".gltf")
HIDDEN_SCALE = 1e-9
"""Scale of arrows that are not visible [-]; zero would give a singular matrix."""
ARROW_COLOUR = "#d62728"
SEGMENTS = 18
"""Number of segments along the equator of a sphere."""


def write_gltf(
    result: Result,
    path: str | os.PathLike[str],
    *,
    speed: float | None = None,
    frames: int | None = None,
    forces: bool = True,
    system: System | GeneralizedSystem | None = None,
) -> Path:
    """Write ``result`` atomically as an animated scene, ".glb" (one binary file) or ".gltf" (text).

    One node per body, with its name, moves its shapes. Second 1 of the animation is the time ``speed`` [s] of the run;
    1 is real time, the default for runs of 3 to 20 s; others take about 8 s. ``forces`` draws an arrow for the force of
    each contact, with a length proportional to the square root of the force. ``frames`` and ``system`` are those of
    `describe`.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> cm.view.write_gltf(result, "ball.glb", frames=50).name
    'ball.glb'
    """
    target = file_path("to_gltf: path", path)
    suffix = one_of("to_gltf", "suffix", target.suffix.lower(), SUFFIXES)
    scene = describe(result, system, frames=frames)
    duration = float(scene.t[-1] - scene.t[0])
    factor = default_speed(duration) if speed is None else positive("to_gltf", "speed", speed)
    file = SceneWriter(scene, factor, forces).file
    with atomic_write(target) as part:
        part.write_bytes(file.to_glb() if suffix == ".glb" else file.to_gltf())
    return target


class SceneWriter:
    """Document of a scene: materials, meshes, one node per body, and one animation."""

    def __init__(self, scene: Scene, speed: float, forces: bool):
        self.scene, self.file = scene, GlbFile()
        self._materials: dict[tuple[Any, ...], int] = {}
        self._meshes: dict[tuple[Any, ...], int] = {}
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        poses = scene.poses.astype(float)
        self.moves = len(scene.t) > 1
        times = (scene.t - scene.t[0]) / speed
        self._times = self.file.add_array(times.astype(np.float32)) if self.moves else -1
        children: dict[int, list[int]] = {k: [] for k in range(GROUND, len(scene.bodies))}
        for part in scene.parts:
            children[part.body].append(self._node(mesh=self._part_mesh(part)))
        for group in scene.spheres:
            for body, centre, radius, colour in zip(
                group.bodies.tolist(), group.centres, group.radii, group.colours, strict=True
            ):
                node = self._node(mesh=self._glyph_mesh("sphere", colour), translation=centre, scale=[radius] * 3)
                children[body].append(node)
        roots = [
            self._moving_node(name, poses[:, k, :3], poses[:, k, 3:], children=children[k])
            for k, name in enumerate(scene.bodies)
        ]
        roots += [self._node(name="ground", children=children[GROUND])] if children[GROUND] else []
        roots += self._two_body_nodes(poses)
        roots += self._arrow_nodes() if forces else []
        self._finish(roots, speed)

    def _finish(self, roots: list[int], speed: float) -> None:
        """Add the scene with y upwards, and the animation."""
        document = self.file.document
        turn = quaternion_between(np.asarray(self.scene.up, float), np.array([0.0, 1.0, 0.0]))
        root = self._node(name=self.scene.name, rotation=_gltf_quaternion(turn[None])[0], children=roots)
        document["asset"] = {"version": "2.0", "generator": "carom", "extras": {"units": "m", "speed": speed}}
        document["scenes"], document["scene"] = [{"name": self.scene.name, "nodes": [root]}], 0
        if self._channels:
            document["animations"] = [{"name": "run", "channels": self._channels, "samplers": self._samplers}]
        if any("extensions" in material for material in document.get("materials", ())):
            document["extensionsUsed"] = ["KHR_materials_unlit"]

    def _node(self, **fields: Any) -> int:
        """Add a node; empty fields are left out."""
        plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()}
        return self.file.add("nodes", {key: value for key, value in plain.items() if value not in ([], None)})

    def _moving_node(self, name: str, positions: np.ndarray, quaternions: np.ndarray, **fields: Any) -> int:
        """Add a node with ``positions`` (f, 3) [m] and ``quaternions`` (f, 4) in each frame."""
        scales = fields.pop("scales", None)
        tracks = {"translation": positions, "rotation": _gltf_quaternion(_continuous(quaternions)), "scale": scales}
        values = {key: track for key, track in tracks.items() if track is not None}
        node = self._node(name=name, **{key: track[0] for key, track in values.items()}, **fields)
        for key, track in values.items():
            if self.moves and np.ptp(track, axis=0).any():
                output = self.file.add_array(track.astype(np.float32))
                self._samplers.append({"input": self._times, "output": output, "interpolation": "LINEAR"})
                self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": key}})
        return node

    def _two_body_nodes(self, poses: np.ndarray) -> list[int]:
        """Add springs and rods, stretched between their ends in each frame."""
        nodes = []
        for k, part in enumerate(self.scene.two_body_parts):
            ends = np.array([end_points(part, frame) for frame in poses])
            along = ends[:, 1] - ends[:, 0]
            length = np.maximum(np.linalg.norm(along, axis=1), HIDDEN_SCALE)
            mesh = self._mesh(part.vertices, part.faces, part.colour, flat=self.scene.dim == 2)
            scales = np.column_stack([length, np.ones_like(length), np.ones_like(length)])
            nodes.append(
                self._moving_node(f"link {k + 1}", ends[:, 0], quaternions_from_x(along), scales=scales, mesh=mesh)
            )
        return nodes

    def _arrow_nodes(self) -> list[int]:
        """Add an arrow for the force of each contact."""
        contacts = self.scene.contacts
        if contacts is None:
            return []
        lengths = np.array([arrow_lengths(self.scene, frame) for frame in range(len(self.scene.t))])
        widths = np.minimum(0.45 * self.scene.size, 0.3 * lengths)
        nodes = []
        for k, name in enumerate(contacts.names):
            scales = np.maximum(np.column_stack([lengths[:, k], widths[:, k], widths[:, k]]), HIDDEN_SCALE)
            directions = quaternions_from_x(contacts.forces[:, k].astype(float))
            mesh, points = self._glyph_mesh("arrow", ARROW_COLOUR), contacts.points[:, k].astype(float)
            nodes.append(self._moving_node(f"force of {name}", points, directions, scales=scales, mesh=mesh))
        return nodes

    def _part_mesh(self, part: Part) -> int:
        """Return the mesh of a part."""
        return self._mesh(part.vertices, part.faces, part.colour, part.opacity, part.flat, part.one_sided)

    def _glyph_mesh(self, kind: str, colour: str) -> int:
        """Return the mesh of a unit sphere or arrow, which all of one colour share."""
        if (kind, colour) not in self._meshes:
            vertices, faces = unit_sphere(SEGMENTS) if kind == "sphere" else unit_arrow()
            self._meshes[kind, colour] = self._mesh(vertices, faces, colour, normals=kind == "sphere")
        return self._meshes[kind, colour]

    def _mesh(
        self, vertices: np.ndarray, faces: np.ndarray, colour: str, opacity: float = 1.0, flat: bool = False,
        one_sided: bool = False, normals: bool = False,
    ) -> int:  # fmt: skip
        """Add a mesh; without ``normals`` (those of a unit sphere) viewers shade its triangles flat."""
        attributes = {"POSITION": self.file.add_array(np.asarray(vertices, np.float32), ARRAY_BUFFER)}
        if normals:
            attributes["NORMAL"] = self.file.add_array(np.asarray(vertices, np.float32), ARRAY_BUFFER)
        indices = self.file.add_array(np.asarray(faces, np.uint32).ravel(), ELEMENT_BUFFER)
        material = self._material(colour, opacity, flat, one_sided)
        return self.file.add(
            "meshes", {"primitives": [{"attributes": attributes, "indices": indices, "material": material}]}
        )

    def _material(self, colour: str, opacity: float, flat: bool, one_sided: bool) -> int:
        """Return the material of a colour; planar drawings are not lit."""
        key = (colour, opacity, flat, one_sided)
        if key not in self._materials:
            surface = {
                "baseColorFactor": [*_linear(rgb(colour)), opacity], "metallicFactor": 0.0, "roughnessFactor": 0.7
            }  # fmt: skip
            material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": not one_sided}
            if opacity < 1.0:
                material["alphaMode"] = "BLEND"
            if flat:
                material["extensions"] = {"KHR_materials_unlit": {}}
            self._materials[key] = self.file.add("materials", material)
        return self._materials[key]


def _linear(colour: Sequence[int]) -> list[float]:
    """Return a colour of sRGB (0 … 255) as linear light (0 … 1), as glTF defines it."""
    values = np.array(colour) / 255.0
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4).round(6).tolist()


def _gltf_quaternion(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions (w, x, y, z) in the order x, y, z, w, with norm 1."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    return unit[:, [1, 2, 3, 0]]


def _continuous(quaternions: np.ndarray) -> np.ndarray:
    """Return quaternions (f, 4) with signs so that neighbours are close."""
    signs = np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0, -1.0, 1.0)
    return quaternions * np.concatenate([[1.0], np.cumprod(signs)])[:, None]


def quaternion_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion of the smallest rotation from unit vector a to b; half a turn about x if a = −b."""
    quaternion = np.array([1.0 + a @ b, *np.cross(a, b)])
    return quaternion / np.linalg.norm(quaternion) if quaternion[0] > 1e-12 else np.array([0.0, 1.0, 0.0, 0.0])
