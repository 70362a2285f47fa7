"""Import of robot descriptions (URDF): links as bodies, joints, and collision shapes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of, readable_file, vector
from carom.errors import ModelError, warn
from carom.forces.rotational_spring_damper import RotationalSpringDamper
from carom.geometry.marker import Marker
from carom.geometry.mesh.mesh_file import read_triangles
from carom.geometry.rotation import about, frame_along, matrix_of, quaternion_of
from carom.geometry.shapes import Box, Cylinder, Shape, Sphere
from carom.geometry.shapes.mesh import Mesh
from carom.io.model.joint_properties import hinge_friction, slide_friction, slide_spring
from carom.joints.planar_joint import Planar
from carom.joints.prismatic import Prismatic
from carom.joints.revolute import Revolute
from carom.joints.weld import Weld
from carom.model.body import Body
from carom.model.system import System
from carom.model.visual import Visual

REVOLUTE, PRISMATIC = ("revolute", "continuous"), ("prismatic",)
"""Joint types of URDF with an angle and with a displacement."""
BASES = ("fixed", "free")
MAX_BYTES = 1 << 25
"""Size of a file [bytes]."""


def read_urdf(
    path: str | os.PathLike[str],
    base: str = "fixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    joints: Mapping[str, float] | None = None,
    name: str | None = None,
) -> System:
    """Return the spatial system of a URDF file, a tree of rigid links.

    Each link becomes a body with the axes of the link frame. ``system.shapes`` contains the collision shapes under the
    name of the link, or "link 1", "link 2" … if it has several; add the required contacts to the system. Visual shapes
    become visuals. Limits of joints become stops, their dry friction a friction independent of the reaction, and their
    damping a force. A warning lists what is not imported: mimic joints, limits of effort and velocity, and safety
    controllers.

    Parameters
    ----------
    path
        URDF file.
    base
        "fixed": the base link is the ground; "free": it is a body at the origin.
    gravity
        gravitational acceleration [m/s²].
    joints
        initial angles [rad] and displacements [m] by joint, zero if omitted; the coordinates of the joints are
        zero in the zero position of the URDF file.
    name
        name of the system; by default that of the robot.
    """
    return UrdfImport(readable_file("URDF", path), base, gravity, dict(joints or {}), name).system


class UrdfImport:
    """Import of one file."""

    def __init__(
        self, path: Path, base: str, gravity: Sequence[float], initial_values: dict[str, float], name: str | None
    ):
        one_of("from_urdf", "base", base, BASES)
        self.path = path
        self.owner = f"URDF {path.name}"
        robot = _robot(self.owner, path)
        self.system = System(dim=3, gravity=gravity, name=name or robot.name or path.stem)
        self.initial_values = initial_values
        self._not_imported: list[str] = []
        self._bodies: dict[str, Any] = {}
        self._centres: dict[str, np.ndarray] = {}
        self._frames: dict[str, np.ndarray] = {}
        self._links = {link.name: link for link in robot.links}
        self._check_names(robot)
        root = self._root(robot)
        self._frames[root] = np.eye(4)
        if base == "fixed":
            self._bodies[root], self._centres[root] = self.system.ground, np.zeros(3)
        else:
            self._add_link(root)
        self._add_tree(root, robot.joints)
        for link in self._links.values():
            self._add_shapes(link)
        if self._not_imported:
            warn(f"{self.owner}: not imported: {', '.join(self._not_imported)}")

    def _check_names(self, robot: Any) -> None:
        """Raise if a joint with an initial value or a link of a joint is unknown."""
        known = [joint.name for joint in robot.joints]
        for name in self.initial_values:
            if name not in known:
                raise ModelError(f"{self.owner}: unknown joint {name!r} in joints; choose from {', '.join(known)}")
        for joint in robot.joints:
            for link in (joint.parent, joint.child):
                if link not in self._links:
                    raise ModelError(f"{self.owner}: joint {joint.name!r} refers to the unknown link {link!r}")

    def _root(self, robot: Any) -> str:
        """Return the name of the base link."""
        children = [joint.child for joint in robot.joints]
        roots = [name for name in self._links if name not in children]
        if len(roots) != 1 or len(children) != len(set(children)):
            raise ModelError(
                f"{self.owner}: the links must form a tree with one base, got the bases {', '.join(roots) or 'none'}"
            )
        return roots[0]

    def _add_tree(self, root: str, joints: list[Any]) -> None:
        """Add links and joints, starting from the base."""
        reached = [root]
        for parent in reached:
            for joint in joints:
                if joint.parent == parent:
                    self._add_joint(joint)
                    reached.append(joint.child)
        if len(reached) < len(self._links):
            unreached = [name for name in self._links if name not in reached]
            raise ModelError(f"{self.owner}: links {', '.join(unreached)} are not connected to the base by joints")

    def _add_link(self, name: str) -> None:
        """Add the body of a link at its frame."""
        inertial = self._links[name].inertial
        mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertial is not None:
            mass = float(inertial.mass or 0.0)
            origin = _matrix(inertial.origin)
            centre = origin[:3, 3]
            tensor = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, float)
            inertia = origin[:3, :3] @ tensor @ origin[:3, :3].T  # It is expressed in the axes of the link.
        frame = self._frames[name]
        body = Body(
            name, mass, (0.5 * (inertia + inertia.T)).tolist(), frame[:3, :3] @ centre + frame[:3, 3],
            orientation=quaternion_of(frame[:3, :3]),
        )  # fmt: skip
        self._bodies[name], self._centres[name] = self.system.add(body), centre

    def _add_joint(self, joint: Any) -> None:
        """Add a joint and the link beyond it."""
        kind, parent, child = joint.type, joint.parent, joint.child
        value = finite_float(self.owner, f"joints[{joint.name!r}]", self.initial_values.get(joint.name, 0.0))
        origin = _matrix(joint.origin)
        components = (1.0, 0.0, 0.0) if joint.axis is None else joint.axis
        axis = np.array(vector(self.owner, f"axis of joint {joint.name!r}", components, 3))
        length = float(np.linalg.norm(axis))
        if length == 0.0 and kind not in ("fixed", "floating"):
            raise ModelError(f"{self.owner}: axis of joint {joint.name!r} must not be zero")
        axis = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        motion = np.eye(4)
        if kind in REVOLUTE:
            motion[:3, :3] = matrix_of(about(axis, value))
        elif kind in PRISMATIC:
            motion[:3, 3] = value * axis
        elif value != 0.0:
            raise ModelError(f"{self.owner}: joint {joint.name!r} of type {kind} has no initial value, got {value:g}")
        self._frames[child] = self._frames[parent] @ origin @ motion
        self._add_link(child)
        axis_frame = np.eye(4)
        axis_frame[:3, :3] = frame_along(axis)
        first, second = self._marker(parent, origin @ axis_frame), self._marker(child, axis_frame)
        stops = self._limits(joint)
        if kind in REVOLUTE:
            element: Any = Revolute(
                first, second, name=joint.name, **stops, **hinge_friction(self._dry_friction(joint))
            )
        elif kind in PRISMATIC:
            element = Prismatic(first, second, name=joint.name, **stops, **slide_friction(self._dry_friction(joint)))
        elif kind == "fixed":
            element = Weld(first, second, name=joint.name)
        elif kind == "planar":
            element = Planar(first, second, name=joint.name)
        elif kind == "floating":
            return
        else:
            raise ModelError(f"{self.owner}: unknown type {kind!r} of joint {joint.name!r}")
        self.system.add(element)
        self._add_damping(joint, element)

    def _add_damping(self, joint: Any, element: Any) -> None:
        """Add the damping of a revolute joint; collect the properties that are not imported."""
        damping = float(getattr(joint.dynamics, "damping", None) or 0.0)
        if damping > 0.0 and joint.type in REVOLUTE:
            self.system.add(RotationalSpringDamper(joint=element, damping=damping, name=f"{joint.name} damping"))
        elif damping > 0.0 and joint.type in PRISMATIC:
            self.system.add(slide_spring(element, 0.0, damping, f"{joint.name} damping"))
        elif damping > 0.0:
            self._not_imported.append(f"the damping of joint {joint.name!r}")
        if self._dry_friction(joint) > 0.0 and joint.type not in (*REVOLUTE, *PRISMATIC):
            self._not_imported.append(f"the friction of joint {joint.name!r}")
        if joint.mimic is not None:
            self._not_imported.append(f"joint {joint.name!r} following {joint.mimic.joint!r}")
        if joint.safety_controller is not None:
            self._not_imported.append(f"the safety controller of joint {joint.name!r}")
        for what in ("effort", "velocity"):
            if joint.type != "fixed" and float(getattr(joint.limit, what, None) or 0.0) > 0.0:
                self._not_imported.append(f"the limit of {what} of joint {joint.name!r}")

    def _dry_friction(self, joint: Any) -> float:
        """Return the dry friction of a joint [N, N m]."""
        return float(getattr(joint.dynamics, "friction", None) or 0.0)

    def _limits(self, joint: Any) -> dict[str, Any]:
        """Return the limits of a joint as arguments of its constructor; only two different ones are limits."""
        limit = joint.limit
        if limit is None or joint.type not in ("revolute", "prismatic"):
            return {}
        lower, upper = float(limit.lower or 0.0), float(limit.upper or 0.0)
        if lower == upper:
            return {}
        if lower > upper:
            raise ModelError(
                f"{self.owner}: joint {joint.name!r}: lower must be below upper, got {lower:g} and {upper:g}"
            )
        return {"limits": (lower, upper)}

    def _marker(self, link: str, frame: np.ndarray) -> Marker:
        """Return the marker of a frame of a link on its body."""
        return Marker(self._bodies[link], tuple(frame[:3, 3] - self._centres[link]), 0.0, quaternion_of(frame[:3, :3]))

    def _add_shapes(self, link: Any) -> None:
        """Add the collision shapes of a link to the system."""
        body, centre = self._bodies[link.name], self._centres[link.name]
        for k, collision in enumerate(link.collisions):
            origin = _matrix(collision.origin)
            origin[:3, 3] -= centre
            name = link.name if len(link.collisions) == 1 else f"{link.name} {k + 1}"
            self.system.shapes[name] = self._shape(link.name, body, collision.geometry, origin)
        for k, visual in enumerate(link.visuals):
            origin = _matrix(visual.origin)
            origin[:3, 3] -= centre
            title = f"{link.name} visual" + (f" {k + 1}" if len(link.visuals) > 1 else "")
            try:
                shape = self._shape(link.name, body, visual.geometry, origin)
            except ModelError as error:
                self._not_imported.append(f"visual {title!r} ({error})")
                continue
            colour, opacity = _colour(visual.material)
            self.system.add(Visual(shape, colour, opacity, name=title))

    def _shape(self, link: str, body: Any, geometry: Any, origin: np.ndarray) -> Shape:
        """Return a collision shape; ``origin`` is its frame relative to the centre of mass."""
        at, rotation = tuple(origin[:3, 3]), origin[:3, :3]
        if geometry.sphere is not None:
            return Sphere(body, geometry.sphere.radius, at)
        if geometry.box is not None:
            return Box(body, 0.5 * np.asarray(geometry.box.size, float), at, quaternion_of(rotation))
        if geometry.cylinder is not None:
            return Cylinder(body, at, rotation[:, 2], geometry.cylinder.radius, 0.5 * geometry.cylinder.length)
        if geometry.mesh is not None:
            return self._mesh(link, body, geometry.mesh, origin)
        raise ModelError(f"{self.owner}: unknown collision shape of link {link!r}")

    def _mesh(self, link: str, body: Any, mesh: Any, origin: np.ndarray) -> Mesh:
        """Return the mesh of a file, scaled and moved to ``origin``."""
        from yourdfpy.urdf import filename_handler_magic

        file = Path(filename_handler_magic(mesh.filename, dir=str(self.path.parent)))
        scale = np.broadcast_to(np.asarray(1.0 if mesh.scale is None else mesh.scale, float), 3)
        if np.array_equal(origin, np.eye(4)) and scale[0] == scale[1] == scale[2]:
            return Mesh(body, file, scale=float(scale[0]))
        vertices, faces = read_triangles(f"{self.owner}, link {link!r}", file)
        if np.prod(scale) < 0.0:  # a mirror image
            faces = faces[:, ::-1]
        return Mesh(body, vertices=(vertices * scale) @ origin[:3, :3].T + origin[:3, 3], faces=faces)


def _colour(material: Any) -> tuple[str | None, float | None]:
    """Return colour and opacity of a material; None where it has none."""
    rgba = getattr(getattr(material, "color", None), "rgba", None)
    if rgba is None or not 0.0 < float(rgba[3]) <= 1.0:
        return None, None
    red, green, blue = (round(255.0 * min(max(float(value), 0.0), 1.0)) for value in rgba[:3])
    return f"#{red:02x}{green:02x}{blue:02x}", None if rgba[3] == 1.0 else float(rgba[3])


def _matrix(origin: Any) -> np.ndarray:
    """Return the homogeneous transformation of an origin."""
    return np.eye(4) if origin is None else np.array(origin, float)


def _robot(owner: str, path: Path) -> Any:
    """Return the robot of a URDF file, parsed by yourdfpy."""
    try:
        import yourdfpy
    except ModuleNotFoundError:
        raise ModelError(f"{owner}: yourdfpy is required but not installed; run: pip install 'carom[urdf]'") from None
    from xml.etree.ElementTree import ParseError

    from lxml.etree import LxmlError, XMLParser, fromstring

    if path.stat().st_size > MAX_BYTES:
        raise ModelError(f"{owner}: must have at most {MAX_BYTES >> 20} MB, got {path.stat().st_size >> 20} MB")
    content = path.read_bytes()
    try:
        # Entities are not resolved, since they may read other files or expand to very long texts.
        tree = fromstring(content, XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False))
        if tree.getroottree().docinfo.doctype:
            raise ModelError(f"{owner}: must not contain a DOCTYPE or entities")
        model = yourdfpy.URDF.load(
            BytesIO(content), build_scene_graph=False, build_collision_scene_graph=False, load_meshes=False,
            load_collision_meshes=False,
        )  # fmt: skip
    except ModelError:
        raise
    except (LxmlError, ParseError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError,
            AssertionError) as error:  # fmt: skip
        raise ModelError(f"{owner}: cannot read the file: {' '.join(str(error).split())[:200]}") from None
    return model.robot
