"""Base class of joints, forces and contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.geometry.drawing import DrawnLink, Symbol
from carom.geometry.marker import body_of
from carom.init_arguments import InitArguments
from carom.short_form import one_line, parameter_texts


class Element(InitArguments):
    """Element between bodies, or on one body.

    ``members`` are the bodies in the order of the kernel's blocks (None is the ground), ``parameters`` those of the
    kernel. ``points`` are its points of attachment in the axes of each member; ``grips`` is True for a member to which
    it can apply a torque about that point. ``styles`` are the argument lists of the functions among its arguments. A
    ``posed`` element refers to the poses of its bodies at its construction, ``construction_poses``. ``symbol``
    represents it in drawings; a planar element without one is not drawn. ``family`` is the attribute of a system that
    lists such elements; ``parts`` are elements that are added to the system with it and act in its place. An element
    that ``acts`` needs a body that moves.
    """

    grips: tuple[bool, ...] = (True, True, True)
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    posed: ClassVar[bool] = True
    acts: ClassVar[bool] = True
    symbol: ClassVar[Symbol] = Symbol.NONE
    family: ClassVar[str] = ""
    parts: tuple[Any, ...] = ()

    name: str | None
    members: tuple[Any, ...]
    parameters: Sequence[float]
    points: tuple[Sequence[float], ...]

    def __init__(self, name: str | None, *members: Any):
        if name is not None and (not isinstance(name, str) or not name):
            raise ModelError(f"{type(self).__name__}: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        self.members = members
        self.construction_poses: list[tuple[Any, Any, Any]] = []
        for k, body in enumerate(members):
            if body is None:
                continue
            body_of(self.label, body)
            orientation = body.angle if len(body.position) == 2 else body.orientation
            self.construction_poses.append((body, body.position, orientation))
            if any(body is other for other in members[:k]):
                raise ModelError(f"{self.label}: needs different bodies, got {short_repr(body.name)} twice")
        self.points = ((0.0,) * (3 if self.in_space else 2),) * len(members)

    def attached_elements(self) -> tuple[Any, ...]:
        """Return elements that belong to this one, which a system adds behind it."""
        return ()

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        kind = type(self).__name__
        if self.name:
            return f"{kind} {self.name!r}"
        return f"{kind} {'–'.join(getattr(b, 'name', None) or short_repr(b) for b in self.members if b is not None)}"

    def __repr__(self) -> str:
        if "_unsealed" in self.__dict__:  # An error of the constructor shows the object.
            return f"<{self.label}>"
        return one_line(f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__, self._details())

    def _details(self) -> list[str]:
        """Return the facts that its representation shows: its bodies and its first parameters."""
        return [self.connection, *parameter_texts(self.keywords())]

    @property
    def in_space(self) -> bool:
        """True if its bodies are spatial."""
        return any(body is not None and len(body.position) == 3 for body in self.members)

    @property
    def all_shapes(self) -> tuple[Any, ...]:
        """Shapes that may come into contact; none for joints and forces."""
        return ()

    @property
    def connection(self) -> str:
        """Names of its bodies, for tables."""
        return " – ".join(body.name for body in self.members if body is not None)

    def name_parts(self) -> None:
        """Name the parts after the element: "guide 1", "guide 2"."""
        for k, part in enumerate(self.parts):
            vars(part)["name"] = f"{self.name} {k + 1}"

    def check_addition(self, system: Any) -> None:
        """Raise if it cannot be added to ``system`` in its current state."""

    def drawing(self) -> DrawnLink | None:
        """Return its ends and symbol as plain numbers for drawings; None if it is not drawn between two bodies."""
        if self.symbol is Symbol.NONE and not self.in_space:
            return None
        dim = 3 if self.in_space else 2
        ends = [
            (body.name, tuple(float(x) for x in point))
            for body, point in zip(self.members, self.points, strict=False)
            if body is not None and len(point) == dim
        ]
        if len(ends) < 2:
            return None
        (a, at_a), (b, at_b) = ends[:2]
        kind = type(self).__name__
        return DrawnLink(self.name or "", kind, a, b, at_a, at_b, symbol=self.symbol, **self._drawn_fields())

    def _drawn_fields(self) -> dict[str, Any]:
        """Return the fields of its `DrawnLink` other than ends and symbol."""
        return {}

    def turns(self, body: Any) -> bool:
        """Return True if it can rotate ``body``: by a torque, or by a force away from its centre of mass."""
        return any(
            member is body and (grip or any(point))
            for member, grip, point in zip(self.members, self.grips, self.points, strict=False)
        )
