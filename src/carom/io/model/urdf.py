"""Robot descriptions (URDF): links as bodies, their joints, and their collision shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, notify, number, readable_file, vector
from carom.forces.rotational_spring_damper import RotationalSpringDamper
from carom.geometry.marker import Marker
from carom.geometry.mesh import Mesh, read_triangles
from carom.geometry.rotation import about, frame_along, matrix_of, quaternion_of
from carom.geometry.shapes import Shape, Sphere
from carom.geometry.solids import Box, Cylinder
from carom.joints.planar_joint import Planar
from carom.joints.prismatic import Prismatic
from carom.joints.revolute import Revolute
from carom.joints.weld import Weld
from carom.model.body import Body
from carom.model.system import System

TURNING, SLIDING = ("revolute", "continuous"), ("prismatic",)
BASES = ("fixed", "free")
LARGEST = 1 << 25
"""Bytes of a file."""


def read_urdf(
    path: str | os.PathLike[str],
    base: str = "fixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    joints: Mapping[str, float] | None = None,
    name: str | None = None,
) -> System:
    """The system of a URDF file: a tree of rigid links, in space.

    A ``fixed`` base is the ground, a ``free`` one a body at the origin. ``joints`` gives the angles [rad] and
    displacements [m] to start from, zero where none is given; the coordinates of the joints count from URDF's zero.
    Each link is a body with the axes of the link's frame. ``system.shapes`` has the collision shapes: under the name of
    the link, or "link 1", "link 2" … where it has several; add the contacts that are wanted. The damping of a revolute
    joint becomes a force. Limits, mimics and dry friction are not taken over; a notice says which.
    """
    return Import(readable_file("URDF", path), base, gravity, dict(joints or {}), name).system


class Import:
    """One reading of one file."""

    def __init__(self, path: Path, base: str, gravity: Sequence[float], start: dict[str, float], name: str | None):
        choice("from_urdf", "base", base, BASES)
        self.path = path
        self.owner = f"URDF {path.name}"
        robot = _robot(self.owner, path)
        self.system = System(dim=3, gravity=gravity, name=name or robot.name or path.stem)
        self.start = start
        self._left_out: list[str] = []
        self._bodies: dict[str, Any] = {}
        self._centres: dict[str, np.ndarray] = {}
        self._frames: dict[str, np.ndarray] = {}
        self._links = {link.name: link for link in robot.links}
        self._check(robot)
        root = self._root(robot)
        self._frames[root] = np.eye(4)
        if base == "fixed":
            self._bodies[root], self._centres[root] = self.system.ground, np.zeros(3)
        else:
            self._add_link(root)
        self._grow(root, robot.joints)
        for link in self._links.values():
            self._add_shapes(link)
        if self._left_out:
            notify(f"{self.owner}: {'; '.join(self._left_out)} not taken over")

    def _check(self, robot: Any) -> None:
        known = [joint.name for joint in robot.joints]
        for name in self.start:
            if name not in known:
                raise ModelError(f"{self.owner}: there is no joint {name!r} to start from; it has {', '.join(known)}")
        for joint in robot.joints:
            for link in (joint.parent, joint.child):
                if link not in self._links:
                    raise ModelError(f"{self.owner}: joint {joint.name!r} names a link {link!r} that is not there")

    def _root(self, robot: Any) -> str:
        children = [joint.child for joint in robot.joints]
        roots = [name for name in self._links if name not in children]
        if len(roots) != 1 or len(children) != len(set(children)):
            raise ModelError(f"{self.owner}: must be a tree with one base, got {', '.join(roots) or 'none'}")
        return roots[0]

    def _grow(self, root: str, joints: list[Any]) -> None:
        """Links and joints outwards from the base."""
        reached = [root]
        for parent in reached:
            for joint in joints:
                if joint.parent == parent:
                    self._add_joint(joint)
                    reached.append(joint.child)
        if len(reached) < len(self._links):
            lost = [name for name in self._links if name not in reached]
            raise ModelError(f"{self.owner}: no joints lead from the base to {', '.join(lost)}")

    def _add_link(self, name: str) -> None:
        inertial = self._links[name].inertial
        mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertial is not None:
            mass = float(inertial.mass or 0.0)
            origin = _placed(inertial.origin)
            centre = origin[:3, 3]
            tensor = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, float)
            inertia = origin[:3, :3] @ tensor @ origin[:3, :3].T  # in the axes of the link
        frame = self._frames[name]
        body = Body(
            name, mass, (0.5 * (inertia + inertia.T)).tolist(), frame[:3, :3] @ centre + frame[:3, 3],
            orientation=quaternion_of(frame[:3, :3]),
        )  # fmt: skip
        self._bodies[name], self._centres[name] = self.system.add(body), centre

    def _add_joint(self, joint: Any) -> None:
        kind, parent, child = joint.type, joint.parent, joint.child
        value = number(self.owner, f"start of joint {joint.name!r}", self.start.get(joint.name, 0.0))
        origin = _placed(joint.origin)
        given = (1.0, 0.0, 0.0) if joint.axis is None else joint.axis
        axis = np.array(vector(self.owner, f"axis of joint {joint.name!r}", given, 3))
        length = float(np.linalg.norm(axis))
        if length == 0.0 and kind not in ("fixed", "floating"):
            raise ModelError(f"{self.owner}: the axis of joint {joint.name!r} must have a direction")
        axis = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        moved = np.eye(4)
        if kind in TURNING:
            moved[:3, :3] = matrix_of(about(axis, value))
        elif kind in SLIDING:
            moved[:3, 3] = value * axis
        elif value != 0.0:
            raise ModelError(
                f"{self.owner}: joint {joint.name!r} is {kind}, with no number to start from, got {value:g}"
            )
        self._frames[child] = self._frames[parent] @ origin @ moved
        self._add_link(child)
        along = np.eye(4)
        along[:3, :3] = frame_along(axis)
        sides = self._marker(parent, origin @ along), self._marker(child, along)
        if kind in TURNING:
            made: Any = Revolute(*sides, name=joint.name)
        elif kind in SLIDING:
            made = Prismatic(*sides, name=joint.name)
        elif kind == "fixed":
            made = Weld(*sides, name=joint.name)
        elif kind == "planar":
            made = Planar(*sides, name=joint.name)
        elif kind == "floating":
            return
        else:
            raise ModelError(f"{self.owner}: joint {joint.name!r} is of a kind that URDF does not know, {kind!r}")
        self.system.add(made)
        self._take_dynamics(joint, made)

    def _take_dynamics(self, joint: Any, made: Any) -> None:
        damping = float(getattr(joint.dynamics, "damping", None) or 0.0)
        if damping > 0.0 and joint.type in TURNING:
            self.system.add(RotationalSpringDamper(joint=made, damping=damping, name=f"{joint.name} damping"))
        elif damping > 0.0:
            self._left_out.append(f"the damping of joint {joint.name!r}")
        if float(getattr(joint.dynamics, "friction", None) or 0.0) > 0.0:
            self._left_out.append(f"the friction of joint {joint.name!r}")
        if joint.mimic is not None:
            self._left_out.append(f"joint {joint.name!r} following {joint.mimic.joint!r}")
        limit = joint.limit
        if limit is not None and joint.type not in ("continuous", "fixed") and (limit.lower or limit.upper):
            self._left_out.append(f"the limits of joint {joint.name!r}")

    def _marker(self, link: str, frame: np.ndarray) -> Marker:
        """A frame of a link as a marker of its body."""
        return Marker(self._bodies[link], tuple(frame[:3, 3] - self._centres[link]), 0.0, quaternion_of(frame[:3, :3]))

    def _add_shapes(self, link: Any) -> None:
        body, centre = self._bodies[link.name], self._centres[link.name]
        for k, collision in enumerate(link.collisions):
            origin = _placed(collision.origin)
            origin[:3, 3] -= centre
            name = link.name if len(link.collisions) == 1 else f"{link.name} {k + 1}"
            self.system.shapes[name] = self._shape(link.name, body, collision.geometry, origin)

    def _shape(self, link: str, body: Any, geometry: Any, origin: np.ndarray) -> Shape:
        at, turned = tuple(origin[:3, 3]), origin[:3, :3]
        if geometry.sphere is not None:
            return Sphere(body, geometry.sphere.radius, at)
        if geometry.box is not None:
            return Box(body, 0.5 * np.asarray(geometry.box.size, float), at, quaternion_of(turned))
        if geometry.cylinder is not None:
            return Cylinder(body, at, turned[:, 2], geometry.cylinder.radius, 0.5 * geometry.cylinder.length)
        if geometry.mesh is not None:
            return self._mesh(link, body, geometry.mesh, origin)
        raise ModelError(f"{self.owner}: a collision shape of link {link!r} is none that URDF knows")

    def _mesh(self, link: str, body: Any, mesh: Any, origin: np.ndarray) -> Mesh:
        from yourdfpy.urdf import filename_handler_magic

        file = Path(filename_handler_magic(mesh.filename, dir=str(self.path.parent)))
        scale = np.broadcast_to(np.asarray(1.0 if mesh.scale is None else mesh.scale, float), 3)
        if np.array_equal(origin, np.eye(4)) and scale[0] == scale[1] == scale[2]:
            return Mesh(body, file, scale=float(scale[0]))
        vertices, faces = read_triangles(f"{self.owner}, link {link!r}", file)
        return Mesh(body, vertices=(vertices * scale) @ origin[:3, :3].T + origin[:3, 3], faces=faces)


def _placed(origin: Any) -> np.ndarray:
    return np.eye(4) if origin is None else np.array(origin, float)


def _robot(owner: str, path: Path) -> Any:
    try:
        import yourdfpy
    except ModuleNotFoundError:
        raise ModelError(f"{owner}: reading robot descriptions needs yourdfpy: pip install 'carom[urdf]'") from None
    from xml.etree.ElementTree import ParseError

    from lxml.etree import LxmlError, XMLParser, fromstring

    if path.stat().st_size > LARGEST:
        raise ModelError(f"{owner}: must have at most {LARGEST >> 20} MB, got {path.stat().st_size >> 20}")
    content = path.read_bytes()
    try:
        # Entities are never put in: they may be other files, or texts that multiply.
        tree = fromstring(content, XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False))
        if tree.getroottree().docinfo.doctype:
            raise ModelError(f"{owner}: must have no DOCTYPE, and no entities of its own")
        model = yourdfpy.URDF.load(
            BytesIO(content), build_scene_graph=False, build_collision_scene_graph=False, load_meshes=False,
            load_collision_meshes=False,
        )  # fmt: skip
    except ModelError:
        raise
    except (LxmlError, ParseError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
            AssertionError) as trouble:  # fmt: skip
        raise ModelError(f"{owner}: cannot be read: {' '.join(str(trouble).split())[:200]}") from None
    return model.robot
