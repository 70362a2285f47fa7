"""Contacts between many shapes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from carom.argument_checks import boolean, is_list, short_repr
from carom.errors import ModelError
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes import Shape
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.contact import Contact, ContactLaws

FEW = 300
"""Up to so many pairs, each is a `Contact` of its own."""


class ContactGroup(ContactLaws):
    """Every shape of ``among`` may touch every other one, on another body, and every one of ``against``.

    With ``each_other=False`` only the latter, such as balls and walls of another material. All pairs have the same
    ``law``, ``friction`` and ``impact`` (see `Contact`). A group of few pairs (up to 300) adds a contact for each of
    them to the system, "<group> <body>–<body>", its ``contacts``. A larger one stays a group: compliant runs find the
    pairs that are close as they go, with the integrator "verlet".

    The result shows, over time: how many pairs touch (``contacts``), the sum of their normal forces
    (``normal_force`` [N]) and the ``largest_indentation`` [m].
    """

    signals: tuple[str, ...] = ("contacts", "normal_force", "largest_indentation")
    units: tuple[str, ...] = ("1", "N", "m")
    posed = False

    def __init__(
        self,
        among: Iterable[Shape],
        against: Iterable[Shape] = (),
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        name: str | None = None,
        each_other: bool = True,
    ):
        super().__init__(name)
        self.each_other = boolean(self.label, "each_other", each_other)
        self.among = _shapes(self.label, "among", among)
        self.against = _shapes(self.label, "against", against)
        self.contacts: list[Contact] = []
        self.law, self.friction, self.impact = law, friction, impact
        self.parameters = ()
        if not self.among:
            raise ModelError(f"{self.label}: among must have shapes, such as [Sphere(ball, 0.01), …], got none")
        self._check_laws()
        known: set[int] = set()
        for shape in (*self.among, *self.against):
            if id(shape) in known:
                raise ModelError(f"{self.label}: {shape.label} is there twice; name every shape once")
            known.add(id(shape))
        self.count = self._count()
        if self.count == 0:
            raise ModelError(f"{self.label}: there is no pair of shapes on different bodies")
        self._check_kinds()

    def _contacts(self) -> list[Contact]:
        return self.contacts

    def keywords(self) -> dict[str, Any]:
        """Of what it holds: the shapes may have come from what is used up."""
        given = {key: getattr(self, key) for key in ("among", "against", "law", "friction", "impact")}
        return {**{key: value for key, value in given.items() if value}, "each_other": self.each_other}

    @property
    def label(self) -> str:
        return f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return (*self.among, *self.against)

    @property
    def in_space(self) -> bool:
        return any(len(shape.body.position) == 3 for shape in getattr(self, "among", ()))

    def pairs(self) -> Iterator[tuple[Shape, Shape]]:
        """Every two shapes that may touch."""
        for k, shape in enumerate(self.among):
            for other in (*(self.among[k + 1 :] if self.each_other else ()), *self.against):
                if other.body is not shape.body:
                    yield shape, other

    def make_contacts(self) -> list[Contact]:
        """A contact for every pair, named after the group and the bodies."""
        made: list[Contact] = []
        names: dict[str, int] = {}
        for one, other in self.pairs():
            name = f"{self.name} {one.body.name}–{other.body.name}"
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name = f"{name} {names[name]}"
            made.append(Contact(one, other, self.law, self.friction, impact=self.impact, name=name))
        return made

    def _count(self) -> int:
        """How many pairs there are."""
        n, m = len(self.among), len(self.against)
        bodies: dict[int, int] = {}
        together = 0  # pairs on one body
        for shape in self.among:
            seen = bodies.get(id(shape.body), 0)
            together += seen * self.each_other
            bodies[id(shape.body)] = seen + 1
        together += sum(bodies.get(id(shape.body), 0) for shape in self.against)
        return n * (n - 1) // 2 * self.each_other + n * m - together

    def _check_kinds(self) -> None:
        """Every two kinds of shapes that may meet have a pair."""
        among, against = _examples(self.among), _examples(self.against)
        for one in among.values():
            for other in (*(among.values() if self.each_other else ()), *against.values()):
                for a in one:
                    b = next((shape for shape in other if shape is not a and shape.body is not a.body), None)
                    if b is not None:
                        pair(self.label, a, b)
                        break


def _shapes(owner: str, what: str, shapes: Any) -> tuple[Shape, ...]:
    if not is_list(shapes):
        raise ModelError(f"{owner}: {what} must be a list of shapes, got {short_repr(shapes)}")
    found = []
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: {what} must hold shapes such as Sphere or Plane, got {short_repr(shape)}")
        found.append(shape)
    return tuple(found)


def _examples(shapes: tuple[Shape, ...]) -> dict[Any, list[Shape]]:
    """Two shapes of every kind, on different bodies where there are such."""
    kinds: dict[Any, list[Shape]] = {}
    for shape in shapes:
        known = kinds.setdefault((shape.kind, getattr(shape, "inside", False), shape.thin), [])
        if not known or (len(known) == 1 and known[0].body is not shape.body):
            known.append(shape)
    return kinds
