"""System: bodies, joints, forces and contacts, in the order of their addition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from carom.argument_checks import one_of, short_repr, vector
from carom.deprecation import DeprecatedName, deprecated_arguments
from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.element import Element
from carom.geometry.shapes import Shape
from carom.init_arguments import Sealed, count_change
from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body, Ground
from carom.model.boundary import Boundary
from carom.model.compound import Compound
from carom.model.contact import Contact
from carom.model.contact_group import MAX_SINGLE_CONTACTS, RENAMED, ContactGroup
from carom.model.controller import Controller
from carom.model.input import Input
from carom.model.joint_friction import JointFriction
from carom.model.joint_stop import stops_of
from carom.model.output import Output
from carom.model.sensors.base import Sensor
from carom.model.visual import Visual
from carom.typing import FilePath, ResultLike, VectorLike

AXES = ("x", "y", "z")
"""Names of the axes."""

Item = TypeVar(
    "Item", Body, Joint, Force, Contact, Compound, ContactGroup, Boundary, Visual, Sensor, Input, Output, Controller
)


def _text(owner: str, what: str, value: Any) -> str:
    """Return ``value``, which must be a text."""
    if not isinstance(value, str):
        raise ModelError(f"System: {what} must be a text, got {short_repr(value)}")
    return value


def _interval(owner: str, axis: Any, value: Any, dim: int) -> tuple[float, float]:
    """Return lower and upper bound of a periodic direction [m]."""
    one_of(owner, "direction of periodic", axis, AXES[:dim])
    low, high = vector(owner, f"periodic[{axis!r}]", value, 2)
    if not low < high:
        raise ModelError(f"{owner}: periodic[{axis!r}] must be (low, high) with low < high, got ({low:g}, {high:g})")
    return low, high


def _periodic(owner: str, value: Any, dim: int) -> dict[str, tuple[float, float]]:
    """Return the periodic directions and their bounds [m] in the order of the axes."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ModelError(f'{owner}: periodic must be a mapping such as {{"x": (0.0, 1.0)}}, got {short_repr(value)}')
    bounds = {axis: _interval(owner, axis, interval, dim) for axis, interval in value.items()}
    return {axis: bounds[axis] for axis in AXES if axis in bounds}


class System(Sealed):
    """Multibody system, planar (``dim=2``) or spatial (``dim=3``).

    ``gravity`` [m/s²] is zero by default. ``add`` adds bodies, then the elements between them, and returns its
    argument. ``ground`` is the fixed body. ``shapes`` are shapes by name, which several contacts may use.

    ``periodic={"x": (low, high)}`` [m] continues the system periodically, for runs of many bodies: a free
    body that leaves on one side is in contact with those on the other side. Positions in results are not wrapped: they
    continue beyond the bounds.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81), name="pendulum")
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
    >>> system, system.degrees_of_freedom
    (<System 'pendulum': 1 bodies, 1 joints>, 1)
    """

    change_advice = "build a new System instead"
    assignable = {"name": _text, "gravity": vector, "periodic": vector}

    gravity: tuple[float, ...]
    periodic: dict[str, tuple[float, float]]

    def __init__(
        self,
        dim: int = 2,
        gravity: VectorLike | None = None,
        name: str = "system",
        periodic: Mapping[str, Sequence[float]] | None = None,
    ):
        self.name = name
        if not isinstance(dim, (int, np.integer)) or dim not in (2, 3):
            raise ModelError(f"System {name!r}: dim must be 2 (planar) or 3 (spatial), got {short_repr(dim)}")
        self.dim = int(dim)
        self.gravity = (0.0,) * dim if gravity is None else gravity  # type: ignore[assignment]
        self.periodic = periodic  # type: ignore[assignment]
        self.ground = Ground(dim)
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        self.contacts: list[Contact] = []
        self.compounds: list[Compound | Contact] = []
        self.groups: list[ContactGroup] = []
        self.small_groups: list[ContactGroup] = []
        self.boundaries: list[Boundary] = []
        self.visuals: list[Visual] = []
        self.sensors: list[Sensor] = []
        self.inputs: list[Input] = []
        self.outputs: list[Output] = []
        self.controllers: list[Controller] = []
        self.shapes: dict[str, Shape] = {}
        self._by_name: dict[str, Any] = {"ground": self.ground}
        self._known = {id(self.ground)}

    def _check_assignment(self, key: str, value: Any) -> Any:
        if key == "periodic":
            return _periodic(self.label, value, self.dim)
        return vector(self.label, key, value, self.dim) if key == "gravity" else super()._check_assignment(key, value)

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"System {vars(self).get('name')!r}"

    def __repr__(self) -> str:
        families = ("bodies", "joints", "forces", "contacts", "compounds", "groups", "boundaries", "sensors")
        parts = [f"{len(getattr(self, family))} {family}" for family in families if getattr(self, family)]
        return f"<System {self.name!r}: {', '.join(parts) or 'empty'}>"

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without what was built for runs, which copies and other processes build again."""
        return {name: value for name, value in vars(self).items() if name != "_built_run"}

    def __getitem__(self, name: str) -> Any:
        """Return the body, joint, force or contact with this name."""
        if not isinstance(name, str) or name not in self._by_name:
            raise ModelError(f"System {self.name!r} has no {short_repr(name)}; it has {', '.join(self._by_name)}")
        return self._by_name[name]

    def add(self, item: Item) -> Item:
        """Add and return a body, an element, a group, a boundary, a visual, a sensor, an input, output, controller."""
        if isinstance(item, Body):
            self._check_new(item, item.name)
            self._check_dimension(item)
            self.bodies.append(item)
        elif isinstance(item, ContactGroup):
            self._add_group(item)
        elif isinstance(item, Boundary):
            self._add_boundary(item)
        elif isinstance(item, (Input, Output, Controller)):
            self._check_new(item, str(item.name))
            getattr(self, item.family).append(item)
        elif isinstance(item, Element) and item.family:
            self._check_members(item)
            item.check_addition(self)
            self._name(item)
            if item.parts:
                self._add_parts(item)
            else:
                getattr(self, item.family).append(item)
        else:
            expected = "a Body, a joint, a force, a contact, an inlet, an outlet, a Visual, a sensor, an Input, an "
            raise ModelError(
                f"System {self.name!r}: cannot add {short_repr(item)}; expected {expected}Output or a Controller"
            )
        self._by_name[item.name or ""] = item
        self._known.add(id(item))
        count_change()
        if isinstance(item, Joint) and item.limits:
            vars(item)["stops"] = tuple(self.add(stop) for stop in stops_of(item))
        if isinstance(item, Joint) and item.friction_data is not None:
            self.add(JointFriction(item, f"{item.name} friction"))
        if isinstance(item, Element):
            for attached in item.attached_elements():
                self.add(attached)
        return item

    @deprecated_arguments(renamed=RENAMED)
    def add_contacts(
        self,
        shapes: Iterable[Shape],
        others: Iterable[Shape] = (),
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        name: str | None = None,
        self_contact: bool = True,
        rolling: Rolling | None = None,
    ) -> ContactGroup:
        """Add and return a `ContactGroup`: contacts of ``shapes`` with each other and with ``others``.

        With ``self_contact=False`` there are only contacts of ``shapes`` with ``others``. ``law``, ``friction``,
        ``impact`` and ``rolling`` are those of a `Contact`, equal for all pairs. Up to 300 pairs become single contacts
        in ``contacts``; a larger group is added to ``groups`` and searched for close pairs during a run.
        """
        return self.add(ContactGroup(shapes, others, law, friction, impact, name, self_contact, rolling))

    def _add_group(self, group: ContactGroup) -> None:
        """Add a group; a small one adds a contact for each of its pairs."""
        for shape in group.all_shapes:
            body = shape.body
            if id(body) not in self._known:
                where = "another system's ground" if isinstance(body, Ground) else f"body {body.name!r}"
                raise ModelError(
                    f"{group.label}: {where} of {shape.label} is not in system {self.name!r}; add it first"
                )
        title = group.name or self._free_name("contacts")
        self._check_new(group, title)
        vars(group)["name"] = title
        if group.count <= MAX_SINGLE_CONTACTS:
            vars(group)["contacts"] = group.make_contacts()
            for contact in group.contacts:
                self.add(contact)
            self.small_groups.append(group)
        else:
            self.groups.append(group)

    def _add_boundary(self, boundary: Boundary) -> None:
        """Add an inlet or outlet."""
        boundary.check_addition(self)
        title = boundary.name or self._free_name(type(boundary).__name__.lower())
        self._check_new(boundary, title)
        vars(boundary)["name"] = title
        self.boundaries.append(boundary)

    def _add_parts(self, compound: Any) -> None:
        """Add an element that acts through its parts: the parts are added, and it reports what follows from them."""
        compound.name_parts()
        for part in compound.parts:
            self.add(part)
        self.compounds.append(compound)

    def _check_new(self, item: Any, name: str) -> None:
        if id(item) in self._known:
            raise ModelError(f"System {self.name!r}: {name!r} is in the system already")
        if name in self._by_name:
            owner = self._by_name[name]
            raise ModelError(f"System {self.name!r}: the name {name!r} is used by {owner!r}; choose a different name")

    def _check_dimension(self, body: Body) -> None:
        if body.dim != self.dim:
            spatial = "spatial, with position=(x, y, z) or an inertia in three parts"
            kinds = {2: "planar, with position=(x, y)", 3: spatial}
            raise ModelError(
                f"System {self.name!r} has dim={self.dim}: body {body.name!r} must be {kinds[self.dim]}; "
                f"it is {kinds[body.dim].split(',')[0]}"
            )

    def _name(self, item: Element) -> None:
        """Name an element after its class and bodies if it has no name; raise if its name is in use."""
        if item.name:
            self._check_new(item, item.name)
            return
        self._check_new(item, item.label)
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(item).__name__).lower()
        pair = "-".join(body.name for body in item.members if body is not None)
        vars(item)["name"] = self._free_name(f"{kind} {pair}")

    def _free_name(self, base: str) -> str:
        """Return ``base``, with a number where the name is in use."""
        name, count = base, 1
        while name in self._by_name:
            count += 1
            name = f"{base} {count}"
        return name

    def _check_members(self, item: Element) -> None:
        for body in item.members:
            if body is not None and id(body) not in self._known:
                where = "another system's ground" if isinstance(body, Ground) else f"body {body.name!r}"
                raise ModelError(f"{item.label}: {where} is not in system {self.name!r}; add the body first")
        if item.acts and all(body is None or body is self.ground for body in item.members):
            raise ModelError(f"{item.label}: needs at least one body that moves, got only the ground")

    @property
    def drivers(self) -> list[Driver]:
        """Drivers among the joints."""
        return [joint for joint in self.joints if isinstance(joint, Driver)]

    @property
    def degrees_of_freedom(self) -> int:
        """Number of independent velocities that joints and drivers leave."""
        from carom.solve.analyses.mobility import degrees_of_freedom

        return degrees_of_freedom(self)

    def assemble(self, keep: Iterable[Body | str | tuple[Body | str, str]] = ()) -> System:
        """Make positions and velocities consistent with the joints, from approximate values, and return the system.

        ``keep`` lists values that stay fixed: ``(crank, "angle")``, ``(crank, "angular_velocity")``, also "x", "y",
        "vx", "vy", "position", "velocity", in 3D "z", "vz", "orientation", or a body for all of its values. The
        mass-weighted change of the other values is minimal.
        """
        from carom.solve.analyses.assembly import assemble

        assemble(self, keep)
        return self

    def set_state(self, result: ResultLike, time: float | None = None) -> System:
        """Set positions and velocities to those of a result at ``time`` [s] (default: its end); return the system."""
        if not hasattr(result, "sample") or not hasattr(result, "t"):
            raise ModelError(f"System {self.name!r}: set_state requires a result, got {short_repr(result)}")
        sample = result.sample([result.t[-1] if time is None else time])
        for body in self.bodies:
            series = sample[body]
            body.position, body.velocity = series.position[0], series.velocity[0]
            body.angular_velocity = series.omega[0]
            if self.dim == 2:
                body.angle = series.angle[0]
            else:
                body.orientation = series.orientation[0]
        return self

    place = DeprecatedName("set_state")

    def summary(self) -> str:
        """Return bodies, joints, degrees of freedom, contacts, and what looks wrong, as text."""
        from carom.solve.analyses.model_summary import model_summary

        return str(model_summary(self))

    def plot(self, **options: Any) -> Any:
        """Return a figure of the system as it is now; ``options`` are those of `carom.plot.plot_result`."""
        from carom.plot.mechanism import plot_system

        return plot_system(self, **options)

    def view(self, **options: Any) -> Any:
        """Show the system as it is now in a browser; ``options`` are those of `carom.view.show`."""
        from carom.scene.snapshot import snapshot
        from carom.view import show

        return show(snapshot(self), **options)

    def _repr_html_(self) -> str:
        """Return a summary and a picture for notebooks."""
        from carom.plot.notebook import system_html

        return system_html(self)

    def to_yaml(self, path: FilePath | None = None, run: Mapping[str, Any] | None = None) -> str:
        """Return the system as the text of a model file, which `from_yaml` reads; write it to ``path`` if set.

        ``run`` contains options of `simulate` to be stored with it. Python functions cannot be written to a file;
        functions made by `expression` can.
        """
        from carom.io.model.model_writer import write

        return write(self, path, run)

    def to_fmu(self, path: FilePath, **options: Any) -> Path:
        """Write the system as a co-simulation FMU; return its path. Requires ``pip install 'carom[fmi]'``.

        ``inputs`` and ``outputs`` are lists of `Input` and `Output` objects or names, with signals such as
        "crank.omega" among the outputs; by default all of them. ``parameters`` are paths such as
        "touch.law.stiffness" that can be set before initialisation. ``fmi_version`` is "3.0" or "2.0",
        ``communication_step`` a recommendation to the importer [s]. Other options are those of `Simulation`. The FMU
        contains the system as a model file, so it cannot contain Python functions, and it needs carom where it runs.

        Examples
        --------
        >>> system = cm.gallery.two_spheres().system
        >>> path = system.to_fmu("spheres.fmu", outputs=["right.vx"], parameters=["touch.law.stiffness"])
        >>> path.name
        'spheres.fmu'
        """
        from carom.io.fmu.export import write_system

        return write_system(self, path, **options)

    @classmethod
    def from_yaml(cls, path_or_text: FilePath, **parameters: float) -> System:
        """Return the system of a model file, or of its text; ``parameters`` replace those defined in the file."""
        from carom.io.model.model_reader import read

        return read(path_or_text, parameters).system

    def with_changes(self, changes: Mapping[str, Any]) -> System:
        """Return the system with other values at paths of its model file, as "touch.law.stiffness".

        Examples
        --------
        >>> import carom as cm
        >>> system = cm.gallery.two_spheres().system
        >>> system.with_changes({"left.mass": 0.2})["left"].mass
        0.2
        """
        from carom.io.model.model_reader import read

        return read(self.to_yaml(), changes=changes).system

    @classmethod
    def from_urdf(cls, path: FilePath, **options: Any) -> System:
        """Return the system of a robot description (URDF); see `carom.io.model.urdf.read_urdf`."""
        from carom.io.model.urdf import read_urdf

        return read_urdf(path, **options)

    @classmethod
    def from_mjcf(cls, path: FilePath, **options: Any) -> System:
        """Return the system of a MuJoCo model (MJCF); see `carom.io.model.mjcf.read_mjcf`."""
        from carom.io.model.mjcf import read_mjcf

        return read_mjcf(path, **options)
