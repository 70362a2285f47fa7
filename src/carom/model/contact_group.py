"""Contacts between many shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from carom.argument_checks import boolean, is_list, short_repr
from carom.deprecation import DeprecatedName, deprecated_arguments
from carom.errors import ModelError
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes import Shape
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.contact import Contact, ContactLaws

MAX_SINGLE_CONTACTS = 300
"""Number of pairs up to which each pair is a `Contact` of its own."""

RENAMED = {"among": "shapes", "against": "others", "each_other": "self_contact"}
"""Deprecated names of arguments, and the current ones."""


class ContactGroup(ContactLaws):
    """Contacts of every shape of ``shapes`` with every other one on another body, and with every one of ``others``.

    With ``self_contact=False`` there are only the contacts with ``others``, e.g. of spheres with planes of another
    material. All pairs have the same ``law``, ``friction``, ``impact`` and ``rolling`` (see `Contact`). A group of up
    to 300 pairs adds a contact for each of them to the system, "<group> <body>–<body>", which are its ``contacts``. A
    larger group searches for close pairs during the run; compliant runs then use the integrator "verlet".

    Signals: number of pairs in contact (``contacts``), sum of their normal forces (``normal_force`` [N]),
    ``largest_indentation`` [m], mean number of contacts of a body of ``shapes`` (``coordination``), energy dissipated
    by friction since the start (``friction_work`` [J]) and ∫ F_N |v_t| dt, the sliding work of Archard's law of wear
    (``sliding_work`` [J], with friction only).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> bodies = [system.add(cm.Body(name, mass=1.0, position=(x, 0.0))) for name, x in (("a", 0.0), ("b", 1.0))]
    >>> spheres = [cm.Sphere(body, radius=0.1) for body in bodies]
    >>> group = system.add(cm.ContactGroup(spheres, law=cm.laws.Hertz(stiffness=1e8), name="spheres"))
    >>> [contact.name for contact in group.contacts]
    ['spheres a–b']
    """

    signals: tuple[str, ...] = (
        "contacts", "normal_force", "largest_indentation", "coordination", "friction_work", "sliding_work",
    )  # fmt: skip
    units: tuple[str, ...] = ("1", "N", "m", "1", "J", "J")
    posed = False

    among = DeprecatedName("shapes")
    against = DeprecatedName("others")
    each_other = DeprecatedName("self_contact")

    @deprecated_arguments(renamed=RENAMED)
    def __init__(
        self,
        shapes: Iterable[Shape],
        others: Iterable[Shape] = (),
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        name: str | None = None,
        self_contact: bool = True,
        rolling: Rolling | None = None,
    ):
        super().__init__(name)
        self.self_contact = boolean(self.label, "self_contact", self_contact)
        self.shapes = _shapes(self.label, "shapes", shapes)
        self.others = _shapes(self.label, "others", others)
        self.contacts: list[Contact] = []
        self.law, self.friction, self.impact, self.rolling = law, friction, impact, rolling
        self.parameters = ()
        if not self.shapes:
            raise ModelError(f"{self.label}: shapes must contain shapes such as Sphere(ball, 0.01), got none")
        self._check_laws()
        known: set[int] = set()
        for shape in self.all_shapes:
            if id(shape) in known:
                raise ModelError(f"{self.label}: {shape.label} is listed twice; list every shape once")
            known.add(id(shape))
        self.count = self._count()
        if self.count == 0:
            raise ModelError(f"{self.label}: no pair of shapes on different bodies found; add shapes of other bodies")
        self._check_kinds()

    def _contacts(self) -> list[Contact]:
        return self.contacts

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments from the attributes, since an iterator of shapes can be read only once."""
        values = {key: getattr(self, key) for key in ("shapes", "others", "law", "friction", "impact", "rolling")}
        return {**{key: value for key, value in values.items() if value}, "self_contact": self.self_contact}

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__

    @property
    def all_shapes(self) -> tuple[Shape, ...]:
        """Shapes and others."""
        return (*self.shapes, *self.others)

    @property
    def in_space(self) -> bool:
        """True if its bodies are spatial."""
        return any(len(shape.body.position) == 3 for shape in getattr(self, "shapes", ()))

    @property
    def connection(self) -> str:
        """Number of pairs, for tables."""
        return f"{self.count} pairs"

    def pairs(self) -> Iterator[tuple[Shape, Shape]]:
        """Yield every two shapes that may come into contact."""
        for k, shape in enumerate(self.shapes):
            for other in (*(self.shapes[k + 1 :] if self.self_contact else ()), *self.others):
                if other.body is not shape.body:
                    yield shape, other

    def make_contacts(self) -> list[Contact]:
        """Return a contact for every pair, named after the group and the bodies."""
        contacts: list[Contact] = []
        uses: dict[str, int] = {}
        for one, other in self.pairs():
            name = f"{self.name} {one.body.name}–{other.body.name}"
            uses[name] = uses.get(name, 0) + 1
            if uses[name] > 1:
                name = f"{name} {uses[name]}"
            contacts.append(
                Contact(one, other, self.law, self.friction, impact=self.impact, rolling=self.rolling, name=name)
            )
        return contacts

    def _count(self) -> int:
        """Return the number of pairs."""
        n, m = len(self.shapes), len(self.others)
        shapes_per_body: dict[int, int] = {}
        n_same_body = 0
        for shape in self.shapes:
            previous = shapes_per_body.get(id(shape.body), 0)
            n_same_body += previous * self.self_contact
            shapes_per_body[id(shape.body)] = previous + 1
        n_same_body += sum(shapes_per_body.get(id(shape.body), 0) for shape in self.others)
        return n * (n - 1) // 2 * self.self_contact + n * m - n_same_body

    def _check_kinds(self) -> None:
        """Raise if two kinds of shapes that may come into contact have no contact pair."""
        for a, b in self.example_pairs():
            pair(self.label, a, b)

    def example_pairs(self) -> Iterator[tuple[Shape, Shape]]:
        """Yield a pair of every two kinds of shapes that may come into contact."""
        shapes, others = _examples(self.shapes), _examples(self.others)
        for one in shapes.values():
            for other in (*(shapes.values() if self.self_contact else ()), *others.values()):
                for a in one:
                    b = next((shape for shape in other if shape is not a and shape.body is not a.body), None)
                    if b is not None:
                        yield a, b
                        break


def _shapes(owner: str, what: str, shapes: Any) -> tuple[Shape, ...]:
    """Return a tuple of shapes; raise for other values."""
    if not is_list(shapes):
        raise ModelError(f"{owner}: {what} must be a list of shapes, got {short_repr(shapes)}")
    checked = []
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: {what} must contain shapes such as Sphere or Plane, got {short_repr(shape)}")
        checked.append(shape)
    return tuple(checked)


def _examples(shapes: tuple[Shape, ...]) -> dict[Any, list[Shape]]:
    """Return one or two shapes of every kind, two if they are on different bodies."""
    kinds: dict[Any, list[Shape]] = {}
    for shape in shapes:
        known = kinds.setdefault((shape.kind, getattr(shape, "inside", False), shape.thin), [])
        if not known or (len(known) == 1 and known[0].body is not shape.body):
            known.append(shape)
    return kinds
