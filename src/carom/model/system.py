"""The system: bodies, joints, forces and contacts, in the order they were added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from carom.errors import ModelError, vector
from carom.forces.base import Force
from carom.geometry.element import Element
from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.model.body import Body, Ground
from carom.model.compound import Compound
from carom.model.contact import Contact

Item = TypeVar("Item", Body, Joint, Force, Contact, Compound)


class System:
    """A multibody system.

    ``gravity`` [m/s²] is (0, 0) unless given. ``add`` takes bodies first, then what connects them, and returns what it
    was given. ``ground`` is the body that does not move.
    """

    def __init__(self, dim: int = 2, gravity: Sequence[float] | None = None, name: str = "system"):
        if dim != 2:
            raise ModelError(f"System {name!r}: dim must be 2 (planar), got {dim!r}")
        self.dim = dim
        self.name = str(name)
        self.gravity = (0.0,) * dim if gravity is None else vector(f"System {name!r}", "gravity", gravity, dim)
        self.ground = Ground()
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        self.contacts: list[Contact] = []
        self.compounds: list[Compound] = []
        self._by_name: dict[str, Any] = {"ground": self.ground}
        self._known = {id(self.ground)}

    def __repr__(self) -> str:
        families = ("bodies", "joints", "forces", "contacts", "compounds")
        parts = [f"{len(getattr(self, family))} {family}" for family in families if getattr(self, family)]
        return f"<System {self.name!r}: {', '.join(parts) or 'empty'}>"

    def __getitem__(self, name: str) -> Any:
        """The body, joint, force or contact of that name."""
        try:
            return self._by_name[name]
        except KeyError:
            raise ModelError(f"System {self.name!r} has no {name!r}; it has {', '.join(self._by_name)}") from None

    def add(self, item: Item) -> Item:
        """Take a body, joint, driver, force or contact into the system, and return it."""
        if isinstance(item, Body):
            self._check_new(item, item.name)
            self.bodies.append(item)
        elif isinstance(item, Joint):
            self._check_members(item)
            if isinstance(item, Driver):
                self._check_driver(item)
            self._name(item)
            self.joints.append(item)
        elif isinstance(item, Force):
            self._check_members(item)
            self._name(item)
            self.forces.append(item)
        elif isinstance(item, Contact):
            self._check_members(item)
            self._name(item)
            self.contacts.append(item)
        elif isinstance(item, Compound):
            self._check_members(item)
            self._name(item)
            item.name_parts()
            for part in item.parts:
                self.add(part)
            self.compounds.append(item)
        else:
            expected = "a Body, a joint, a force or a contact"
            raise ModelError(f"System {self.name!r}: cannot add {item!r}; expected {expected}")
        self._by_name[item.name or ""] = item
        self._known.add(id(item))
        return item

    def _check_new(self, item: Any, name: str) -> None:
        if id(item) in self._known:
            raise ModelError(f"System {self.name!r}: {name!r} is in the system already")
        if name in self._by_name:
            taken = self._by_name[name]
            raise ModelError(f"System {self.name!r}: the name {name!r} is taken by {taken!r}; choose another")

    def _name(self, item: Element) -> None:
        """Names given must be new; others are made from the kind and the bodies."""
        if item.name:
            self._check_new(item, item.name)
            return
        self._check_new(item, item.label)
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(item).__name__).lower()
        pair = "-".join(body.name for body in item.members if body is not None)
        base = name = f"{kind} {pair}"
        count = 1
        while name in self._by_name:
            count += 1
            name = f"{base} {count}"
        item.name = name

    def _check_members(self, item: Element) -> None:
        for body in item.members:
            if body is not None and id(body) not in self._known:
                where = "another system's ground" if isinstance(body, Ground) else f"body {body.name!r}"
                raise ModelError(f"{item.label}: {where} is not in system {self.name!r}; add the body first")
        if all(body is None or body is self.ground for body in item.members):
            raise ModelError(f"{item.label}: needs at least one body that moves, got only the ground")

    def _check_driver(self, driver: Driver) -> None:
        if isinstance(driver.target, Joint) and id(driver.target) not in self._known:
            raise ModelError(f"{driver.label}: add {driver.target.label} to the system before its driver")
        for other in self.joints:
            if isinstance(other, Driver) and other.key == driver.key:
                raise ModelError(
                    f"{driver.label}: coordinate {driver.coordinate_name!r} is driven already by {other.name!r}; "
                    "one driver a coordinate"
                )

    @property
    def drivers(self) -> list[Driver]:
        return [joint for joint in self.joints if isinstance(joint, Driver)]

    @property
    def degrees_of_freedom(self) -> int:
        """Velocities the bodies have left when joints and drivers are respected."""
        from carom.solve.mobility import degrees_of_freedom

        return degrees_of_freedom(self)

    def assemble(self, keep: Iterable[Any] = ()) -> System:
        """Make positions and velocities consistent with the joints, from a rough start, and return the system.

        ``keep`` lists what must stay as it is: ``(crank, "angle")``, ``(crank, "angular_velocity")``, also "x", "y",
        "vx", "vy", "position", "velocity", or a body for all of it. The rest moves as little as its mass allows.
        """
        from carom.solve.assembly import assemble

        assemble(self, keep)
        return self

    def place(self, result: Any, time: float | None = None) -> System:
        """Take positions and velocities from a result, at ``time`` (default: its end), as the new start."""
        sample = result.sample([result.t[-1] if time is None else time])
        for body in self.bodies:
            series = sample[body]
            body.position = (float(series.x[0]), float(series.y[0]))
            body.angle = float(series.angle[0])
            body.velocity = (float(series.vx[0]), float(series.vy[0]))
            body.angular_velocity = float(series.omega[0])
        return self
