"""Import of MuJoCo models (MJCF): bodies, joints, geoms, contacts, equality constraints and actuators."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from carom.argument_checks import finite_float, readable_file
from carom.errors import ModelError, warn
from carom.forces.bushing import Bushing
from carom.forces.rotational_spring_damper import RotationalSpringDamper
from carom.geometry.marker import Marker
from carom.geometry.rotation import about, matrix_of, quaternion_of
from carom.io.model.joint_properties import hinge_friction, slide_force, slide_friction, slide_spring
from carom.io.model.mjcf_contacts import add_contacts
from carom.io.model.mjcf_document import MjcfDocument, axis_frame
from carom.io.model.mjcf_geoms import Geom, inertia_of, read_geom
from carom.joints.prismatic import Prismatic
from carom.joints.revolute import Revolute
from carom.joints.spherical import Spherical
from carom.joints.weld import Weld
from carom.model.body import Body
from carom.model.system import System
from carom.model.visual import Visual

IGNORED = {"compiler", "option", "default", "asset", "worldbody", "equality", "actuator", "contact", "visual",
           "statistic", "size"}  # fmt: skip
"""Sections that are read, or that concern the picture and the memory of MuJoCo only."""
IN_BODIES = {"inertial", "joint", "freejoint", "geom", "body", "frame", "site", "camera", "light"}
FORCE_FLAGS = {"constraint", "equality", "frictionloss", "limit", "passive", "spring", "damper", "actuation"}
"""Flags of <option> that switch off forces and constraints; gravity and contact are read."""
GRAVITY = (0.0, 0.0, -9.81)


def read_mjcf(
    path: str | os.PathLike[str],
    joints: Mapping[str, float] | None = None,
    controls: Mapping[str, float] | None = None,
    contacts: bool = True,
    name: str | None = None,
) -> System:
    """Return the spatial system of a MuJoCo model.

    Bodies have their axes in the axes of the MJCF body. Hinges, slides, balls and free joints become joints with their
    limits, springs, dampers and dry friction; coordinates are zero in the initial position, where MJCF has ``ref``.
    Static bodies belong to the ground. Geoms are `Visual` shapes and in ``system.shapes``, and those that may collide
    get contacts; a soft contact with ``solref`` becomes a spring and damper for the reduced mass of the two bodies, in
    non-smooth runs with restitution 0. Equality constraints "connect" and "weld" are rigid joints. Actuators "motor",
    "position" and "velocity" act with constant ``controls``. A warning lists what is not imported.

    Parameters
    ----------
    path
        MJCF file.
    joints
        initial angles [rad] and displacements [m] of hinges and slides by name, from the initial position.
    controls
        constant controls by the names of the actuators, zero if omitted.
    contacts
        False: without contacts; the shapes are in ``system.shapes``.
    name
        name of the system; by default that of the model.
    """
    return MjcfImport(readable_file("MJCF", path), dict(joints or {}), dict(controls or {}), contacts, name).system


class MjcfImport:
    """Import of one file."""

    def __init__(self, path: Any, joints: dict[str, float], controls: dict[str, float], contacts: bool, name: Any):
        self.owner = f"MJCF {path.name}"
        self.document = document = MjcfDocument(self.owner, path)
        root = document.root
        gravity, collides = self._read_options()
        self.system = System(dim=3, gravity=gravity, name=name or root.get("model") or path.stem)
        self.initial_values, self.controls = joints, controls
        self.geoms: list[tuple[Geom, Any, str, np.ndarray]] = []
        self.parents: dict[str, str] = {}
        self.joint_frames: dict[str, tuple[Any, float]] = {}
        self.bodies: dict[str, Any] = {"world": self.system.ground}
        self.centres: dict[str, np.ndarray] = {"world": np.zeros(3)}
        self.frames: dict[str, np.ndarray] = {"world": np.eye(4)}
        self.static: dict[str, np.ndarray] = {"world": np.eye(4)}
        for element in root:
            if element.tag not in IGNORED:
                document.not_imported[f"<{element.tag}>"] += 1
        for world in root.findall("worldbody"):
            self._add_children(world, "world", np.eye(4), "main")
        self._check_names(joints, self.joint_frames, "joint")
        for section in root.findall("equality"):
            for element in section:
                self._add_equality(element)
        names = [element.get("name", "") for section in root.findall("actuator") for element in section]
        self._check_names(controls, names, "actuator")
        for section in root.findall("actuator"):
            for element in section:
                self._add_actuator(element)
        self._add_shapes(contacts and collides)
        message = document.message()
        if message is not None:
            warn(message)

    def _read_options(self) -> tuple[tuple[float, ...], bool]:
        """Return gravity [m/s²], and False if contacts are switched off; note other options that change the motion."""
        document, gravity, collides = self.document, GRAVITY, True
        for option in document.root.findall("option"):
            attributes = dict(option.attrib)
            gravity = tuple(document.numbers(attributes, "gravity", gravity, 3).tolist())
            document.note(attributes, ("wind", "density", "viscosity"), "<option>")
        for flags in document.root.findall("option/flag"):
            disabled = [name for name, value in flags.items() if value == "disable"]
            gravity = (0.0, 0.0, 0.0) if "gravity" in disabled else gravity
            collides = collides and "contact" not in disabled
            for name in sorted(set(disabled) & FORCE_FLAGS):
                document.not_imported[f"the flag {name} of <option>"] += 1
        return gravity, collides

    def _check_names(self, given: Mapping[str, float], known: Any, what: str) -> None:
        for name in given:
            if name not in known:
                raise ModelError(f"{self.owner}: unknown {what} {name!r}; choose from {', '.join(known) or 'none'}")

    # ---- bodies

    def _add_children(self, element: Element, parent: str, frame: np.ndarray, class_name: str) -> None:
        """Add the bodies inside a body, the world or a frame; geoms of the world belong to the ground."""
        for child in element:
            if child.tag == "body":
                self._add_body(child, parent, frame, child.get("childclass", class_name))
            elif child.tag == "frame":
                own = frame @ self.document.frame(dict(child.attrib))
                self._add_children(child, parent, own, child.get("childclass", class_name))
            elif child.tag == "geom" and parent == "world" and element.tag != "body":
                geom = read_geom(self.document, self.document.attributes(child, class_name), frame)
                if geom is not None:
                    self.geoms.append((geom, self.system.ground, "world", np.zeros(3)))
            elif child.tag not in IN_BODIES:
                self.document.not_imported[f"<{child.tag}>"] += 1

    def _own(self, element: Element, tag: str, frame: np.ndarray, class_name: str) -> list[tuple[dict[str, str], Any]]:
        """Return attributes and frame of the elements of a kind in a body and in its frames."""
        found = [(self.document.attributes(child, class_name), frame) for child in element if child.tag == tag]
        for child in element.findall("frame"):
            own = frame @ self.document.frame(dict(child.attrib))
            found += self._own(child, tag, own, child.get("childclass", class_name))
        return found

    def _add_body(self, element: Element, parent: str, frame: np.ndarray, class_name: str) -> None:
        """Add a body with its joints and geoms, then its children."""
        document, name = self.document, element.get("name") or f"body {len(self.bodies)}"
        if name in self.bodies:
            raise ModelError(f"{self.owner}: two bodies have the name {name!r}")
        document.note(dict(element.attrib), ("mocap", "gravcomp"), f"body {name!r}")
        local = frame @ document.frame(dict(element.attrib))
        joints = self._own(element, "joint", np.eye(4), class_name)
        if element.find("freejoint") is not None:
            joints.append(({"type": "free"}, np.eye(4)))
        found = [read_geom(document, *part) for part in self._own(element, "geom", np.eye(4), class_name)]
        geoms = [geom for geom in found if geom is not None]
        self.parents[name] = parent
        if not joints and parent in self.static:
            at = self.static[parent] @ local
            self.static[name] = self.frames[name] = at
            self.bodies[name], self.centres[name] = self.system.ground, np.zeros(3)
            for geom in geoms:
                geom.frame = at @ geom.frame
                self.geoms.append((geom, self.system.ground, name, np.zeros(3)))
            self._add_children(element, name, np.eye(4), class_name)
            return
        mass, centre, inertia = self._inertia(element, geoms)
        motion = np.eye(4)
        for attributes, _ in joints:
            motion = motion @ self._motion(attributes)
        pose = self.frames[parent] @ local @ motion
        self.frames[name], self.centres[name] = pose, centre
        body = Body(
            name, mass, (0.5 * (inertia + inertia.T)).tolist(), pose[:3, :3] @ centre + pose[:3, 3],
            orientation=quaternion_of(pose[:3, :3]),
        )  # fmt: skip
        self.bodies[name] = self.system.add(body)
        self.geoms += [(geom, body, name, centre) for geom in geoms]
        self._add_joints(name, parent, local, joints)
        self._add_children(element, name, np.eye(4), class_name)

    def _inertia(self, element: Element, geoms: list[Geom]) -> tuple[float, np.ndarray, np.ndarray]:
        """Return mass, centre and inertia of a body in its axes, from <inertial> or from its geoms."""
        document, given = self.document, element.find("inertial")
        if given is None or document.inertia_from_geoms == "true":
            if given is None and document.inertia_from_geoms == "false":
                return 0.0, np.zeros(3), np.zeros((3, 3))
            return inertia_of(geoms)
        attributes = dict(given.attrib)
        frame = document.frame(attributes)
        if "fullinertia" in attributes:
            xx, yy, zz, xy, xz, yz = document.numbers(attributes, "fullinertia", [], 6)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(document.numbers(attributes, "diaginertia", [0.0] * 3, 3))
        rotation = frame[:3, :3]
        return document.number(attributes, "mass"), frame[:3, 3], rotation @ tensor @ rotation.T

    # ---- joints

    def _axis(self, attributes: dict[str, str]) -> np.ndarray:
        axis = self.document.numbers(attributes, "axis", [0.0, 0.0, 1.0], 3)
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise ModelError(f"{self.owner}: axis of joint {attributes.get('name', '')!r} must not be zero")
        return axis / length

    def _motion(self, attributes: dict[str, str]) -> np.ndarray:
        """Return the initial motion of a joint in the axes of its body."""
        value = finite_float(self.owner, "joints", self.initial_values.get(attributes.get("name", ""), 0.0))
        kind, motion = attributes.get("type", "hinge"), np.eye(4)
        if kind == "slide":
            motion[:3, 3] = value * self._axis(attributes)
        elif kind == "hinge" and value != 0.0:
            at = self.document.numbers(attributes, "pos", [0.0] * 3, 3)
            motion[:3, :3] = matrix_of(about(self._axis(attributes), value))
            motion[:3, 3] = at - motion[:3, :3] @ at
        elif value != 0.0:
            raise ModelError(f"{self.owner}: joint {attributes['name']!r} of type {kind} has no initial value")
        return motion

    def _marker(self, body: str, frame: np.ndarray) -> Marker:
        """Return the marker of a frame in the axes of an MJCF body."""
        if body in self.static:
            frame = self.static[body] @ frame
        return Marker(self.bodies[body], tuple(frame[:3, 3] - self.centres[body]), 0.0, quaternion_of(frame[:3, :3]))

    def _add_joints(self, name: str, parent: str, local: np.ndarray, joints: list[tuple[dict[str, str], Any]]) -> None:
        """Add the joints between a body and its parent; between several, bodies without mass."""
        if not joints:
            self.system.add(Weld(self._marker(parent, local), self._marker(name, np.eye(4)), name=f"{name} weld"))
        moved, previous = local, parent
        for k, (attributes, frame) in enumerate(joints):
            kind = attributes.get("type", "hinge")
            if kind == "free":
                if len(joints) > 1 or parent != "world":
                    raise ModelError(f"{self.owner}: body {name!r}: a free joint must be the only one, on the world")
                return
            title = attributes.get("name") or f"{name} joint" + (f" {k + 1}" if len(joints) > 1 else "")
            own = frame @ axis_frame(self._axis(attributes))
            own[:3, 3] = (frame @ np.append(self.document.numbers(attributes, "pos", [0.0] * 3, 3), 1.0))[:3]
            following = name
            if k < len(joints) - 1:
                following = f"{title} link"
                moved_next = self.frames[previous] @ moved @ self._motion(attributes)
                self.frames[following], self.centres[following] = moved_next, np.zeros(3)
                link = Body(following, 0.0, 0.0, moved_next[:3, 3], orientation=quaternion_of(moved_next[:3, :3]))
                self.bodies[following] = self.system.add(link)
            markers = self._marker(previous, moved @ own), self._marker(following, own)
            self._add_joint(title, kind, attributes, markers)
            moved, previous = np.eye(4), following

    def _add_joint(self, title: str, kind: str, attributes: dict[str, str], markers: tuple[Marker, Marker]) -> None:
        """Add one joint with its spring, damper, limits and friction."""
        document, (a, b) = self.document, markers
        angular = document.angle if kind in ("hinge", "ball") else float
        reference = angular(document.number(attributes, "ref"))
        free = angular(document.number(attributes, "springref")) - reference
        stiffness, damping = (document.number(attributes, what) for what in ("stiffness", "damping"))
        dry = document.number(attributes, "frictionloss")
        limited = attributes.get("limited", "auto")
        has_limits = limited == "true" or (limited == "auto" and document.infers_limits and "range" in attributes)
        limits: dict[str, Any] = {}
        if has_limits and kind != "ball":
            low, high = (angular(float(x)) - reference for x in document.numbers(attributes, "range", [0, 0], 2))
            limits = {"limits": (low, high)}
        document.note(attributes, ("armature", "springdamper", "actuatorfrcrange"), f"joint {title!r}")
        if kind == "hinge":
            hinge = self.system.add(Revolute(a, b, name=title, **limits, **hinge_friction(dry)))
            if stiffness or damping:
                spring = RotationalSpringDamper(
                    joint=hinge, stiffness=stiffness, damping=damping, free_angle=free, name=f"{title} spring"
                )
                self.system.add(spring)
            self.joint_frames[title] = hinge, reference
        elif kind == "slide":
            slide = Prismatic(a, b, name=title, **limits, **slide_friction(dry))
            self.system.add(slide)
            if stiffness or damping:
                self.system.add(slide_spring(slide, stiffness, damping, f"{title} spring", free))
            self.joint_frames[title] = slide, reference
        elif kind == "ball":
            self.system.add(Spherical(a, b, name=title))
            if stiffness or damping:
                rest = (0.0, 0.0, 0.0)
                parts = ((*rest, *[value] * 3) for value in (stiffness, damping))
                self.system.add(Bushing(a, b, *parts, name=f"{title} spring"))
            for what, present in (("range", has_limits), ("friction", dry > 0.0)):
                if present:
                    document.not_imported[f"the {what} of ball joint {title!r}"] += 1
        else:
            raise ModelError(f"{self.owner}: unknown type {kind!r} of joint {title!r}")

    # ---- constraints, actuators, shapes

    def _add_equality(self, element: Element) -> None:
        """Add an equality constraint between bodies as a rigid joint."""
        document, attributes = self.document, self.document.attributes(element, "main")
        names = [attributes.get("body1"), attributes.get("body2", "world")]
        if attributes.get("active", "true") == "false":
            return
        if (
            element.tag not in ("connect", "weld")
            or names[0] is None
            or (element.tag == "weld" and "relpose" in attributes)
        ):
            document.not_imported[f"equality {element.tag}"] += 1
            return
        for name in names:
            if name not in self.bodies:
                raise ModelError(f"{self.owner}: equality {element.tag} refers to the unknown body {name!r}")
        first, second = (str(name) for name in names)
        anchor = np.eye(4)
        anchor[:3, 3] = document.numbers(attributes, "anchor", [0.0] * 3, 3)
        place = self.frames[first] @ anchor
        inside = np.linalg.inv(self.frames[second] if second not in self.static else np.eye(4)) @ place
        other = Marker(
            self.bodies[second], tuple(inside[:3, 3] - self.centres[second]), 0.0, quaternion_of(inside[:3, :3])
        )
        kind = Spherical if element.tag == "connect" else Weld
        title = attributes.get("name") or f"{first}-{second} {element.tag}"
        self.system.add(kind(other, self._marker(first, anchor), name=title))

    def _add_actuator(self, element: Element) -> None:
        """Add an actuator on a hinge or slide with a constant control."""
        document, attributes = self.document, self.document.attributes(element, "main")
        title = attributes.get("name") or f"{element.tag} of {attributes.get('joint')}"
        joint, reference = self.joint_frames.get(attributes.get("joint", ""), (None, 0.0))
        kind, gear = element.tag, float(document.numbers(attributes, "gear", [1.0])[0])
        control = finite_float(self.owner, f"controls[{title!r}]", self.controls.get(title, 0.0))
        document.note(attributes, ("ctrlrange", "forcerange"), f"actuator {title!r}")
        stiffness = damping = force = 0.0
        if kind == "motor":
            force = gear * control
        elif kind == "position":
            stiffness, damping = document.number(attributes, "kp", 1.0), document.number(attributes, "kv")
            force = gear * stiffness * (control - gear * reference)
        elif kind == "velocity":
            damping = document.number(attributes, "kv", 1.0)
            force = gear * damping * control
        stiffness, damping = gear * gear * stiffness, gear * gear * damping
        if joint is None or kind not in ("motor", "position", "velocity"):
            document.not_imported[f"actuator {title!r}"] += 1
        elif isinstance(joint, Revolute):
            spring = RotationalSpringDamper(
                joint=joint, stiffness=stiffness, damping=damping, free_angle=0.0, torque=force, name=title
            )
            self.system.add(spring)
        elif stiffness > 0.0:
            self.system.add(slide_spring(joint, stiffness, damping, title, force / stiffness))
        else:
            for part in slide_force(joint, force, title):
                self.system.add(part)
            if damping > 0.0:
                self.system.add(slide_spring(joint, 0.0, damping, f"{title} damping"))

    def _add_shapes(self, with_contacts: bool) -> None:
        """Add the geoms as shapes and visuals, and their contacts."""
        shapes = []
        for geom, body, owner, centre in self.geoms:
            shape = geom.shape(body, centre)
            title, number = geom.name or f"{owner} geom", 1
            while title in self.system.shapes:
                number += 1
                title = f"{geom.name or f'{owner} geom'} {number}"
            self.system.shapes[title] = shape
            if geom.kind != "plane":
                self.system.add(Visual(shape, *geom.colour, name=f"{title} visual"))
            shapes.append((title, geom, shape, owner))
        if with_contacts:
            add_contacts(self.document, self.system, shapes, self.parents, set(self.static))
