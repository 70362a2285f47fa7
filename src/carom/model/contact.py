"""Contact between two shapes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from carom.argument_checks import object_label, short_repr
from carom.errors import ModelError
from carom.geometry.drawing import DrawnLink
from carom.geometry.element import Element
from carom.geometry.pairs.foundation import FoundationPairing, foundation_pairing
from carom.geometry.pairs.registry import pair
from carom.geometry.shapes import Shape
from carom.init_arguments import Check, constructor_signature
from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.elastic_foundation import ElasticFoundation
from carom.laws.wear.base import WearLaw
from carom.mechanics.contact_records import (
    PRESSURE_SIGNALS,
    PRESSURE_UNITS,
    SIGNAL_NAMES,
    SIGNAL_UNITS,
    SPATIAL_SIGNAL_NAMES,
    SPATIAL_SIGNAL_UNITS,
)
from carom.short_form import law_text
from carom.typing import BodyLike

SUMS = ("normal_force", "friction_force", "fx", "fy", "fz")
"""Signals of a contact with several contact points that are the sums of those of the points."""


def _law_check(kind: type, example: str) -> Check:
    """Return the check of an attribute that holds None or an object of class ``kind``."""

    def check(owner: str, what: str, value: Any) -> Any:
        if value is not None and not isinstance(value, kind):
            raise ModelError(f"{owner}: {what} must be {example}, got {short_repr(value)}")
        return value

    return check


def require_law(owner: str, law: NormalLaw | None, impact: ImpactLaw | None) -> None:
    """Raise if a contact has neither a normal law nor an impact law."""
    if law is None and impact is None:
        raise ModelError(f"{owner}: set law= for compliant runs, impact= for non-smooth ones, or both")


class ContactLaws(Element):
    """Element with exchangeable contact laws, which are passed on to all contacts that it consists of."""

    assignable = {
        "law": _law_check(NormalLaw, "one of carom.laws, such as laws.Hertz(stiffness=...)"),
        "friction": _law_check(FrictionLaw, "one of carom.friction, such as friction.Coulomb(0.1), or None"),
        "impact": _law_check(ImpactLaw, "an ImpactLaw, such as ImpactLaw(restitution=0.4)"),
        "rolling": _law_check(Rolling, "a friction.Rolling(lever=...), or None"),
    }
    change_advice = "build a new contact instead"

    shapes: tuple[Shape, ...]
    law: NormalLaw | None
    friction: FrictionLaw | None
    impact: ImpactLaw | None

    def __setattr__(self, key: str, value: Any) -> None:
        if key == "law":
            self._check_pressure(value)
        super().__setattr__(key, value)
        if key in self.assignable:
            for contact in self._contacts():
                setattr(contact, key, value)

    @property
    def all_shapes(self) -> tuple[Shape, ...]:
        """Shapes that may come into contact."""
        return self.shapes

    def _contacts(self) -> Sequence[Contact]:
        """Return the contacts it consists of, apart from itself."""
        raise NotImplementedError

    def _details(self) -> list[str]:
        """Return the facts that its representation shows: what may touch, and its laws."""
        laws = (getattr(self, name, None) for name in ("law", "friction", "impact", "rolling"))
        return [self._touching(), *(law_text(law) for law in laws if law is not None)]

    def _touching(self) -> str:
        """Return the text of what may touch."""
        return self.connection

    def _check_pressure(self, law: NormalLaw | None) -> None:
        """Raise if a law of the pressure does not fit the pair of shapes, which integrates it or does not."""
        pairing = self.__dict__.get("pairing")
        needed = isinstance(pairing, FoundationPairing)
        if not isinstance(law, NormalLaw):
            return
        if law.is_distributed != needed:
            raise ModelError(
                f"{self.label}: {type(law).__name__} "
                + (
                    "is integrated over a Mesh or a Surface; build a Contact with it"
                    if law.is_distributed
                    else "cannot replace a law of the pressure; build a new Contact"
                )
            )
        if isinstance(law, ElasticFoundation) and isinstance(pairing, FoundationPairing):
            if (law.thickness, law.element_size) != (pairing.thickness, pairing.element_size):
                raise ModelError(f"{self.label}: thickness and element_size cannot change; build a new Contact")

    def _check_laws(self) -> None:
        require_law(self.label, self.law, self.impact)


class Contact(ContactLaws):
    """Contact between two shapes, with laws for compliant runs, for non-smooth runs, or for both.

    In a compliant run ``law`` is the normal force and ``friction`` (None: none) the tangential force; in a non-smooth
    run ``impact`` is the impact law. ``rolling`` (None: none) is the torque against rolling and spinning about the
    normal, in both. In a non-smooth run ``normal_force`` and ``friction_force`` are the impulses of a step divided by
    its length, and an indentation is its remainder after the step.

    Signals: ``indentation`` [m] (negative: the gap) and ``indentation_rate`` [m/s], ``normal_force`` and
    ``friction_force`` [N], ``sliding_velocity`` [m/s] of the first body relative to the second along the tangent
    (−ny, nx), the contact point (``x``, ``y``) [m], the normal (``nx``, ``ny``) from the second body to the first, the
    force (``fx``, ``fy``) [N] on the first body, and ``contact_mode``: 0 separated, 1 impact, 2 lasting contact. In 3D
    there are also ``z``, ``nz`` and ``fz``; ``friction_force`` is then a magnitude, and so is ``sliding_speed`` [m/s],
    which replaces ``sliding_velocity``.

    Shapes such as a box on a plane may touch at several points at once. Each of them is a separate contact with these
    laws, named after this one ("touch 1", "touch 2" …). The signals of the whole are then the largest ``indentation``,
    the sums of ``normal_force``, ``friction_force`` and the force (``fx``, ``fy``, ``fz``), the largest
    ``contact_mode``, and the number of points in contact, ``touching``; all others are those of its leading point: the
    deepest one in contact, or while nothing touches the one with the smallest gap.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> ball = system.add(cm.Body("ball", mass=1.0, position=(0.0, 1.0)))
    >>> law = cm.laws.HuntCrossley(stiffness=1e8, restitution=0.8)
    >>> system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground, (0, 0), (0, 1)), law=law, name="touch"))
    <Contact 'touch': Sphere(ball) – Plane(ground), HuntCrossley(K=1e8, e=0.8, n=1.5)>
    """

    family = "contacts"
    signals: tuple[str, ...] = (*SIGNAL_NAMES, "contact_mode")
    units: tuple[str, ...] = (*SIGNAL_UNITS, "1")
    posed = False
    needs_law = True
    wear: WearLaw | None = None
    needs_poses = False
    """True if `complete` receives the poses of its bodies, in place of their angles."""
    is_rotational = False
    """True if the gap is an angle and the normal force a torque."""

    def __init__(
        self,
        shape_a: Shape,
        shape_b: Shape,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        *,
        impact: ImpactLaw | None = None,
        rolling: Rolling | None = None,
        name: str | None = None,
    ):
        owner = object_label(type(self).__name__, name)
        for shape in (shape_a, shape_b):
            if not isinstance(shape, Shape):
                raise ModelError(f"{owner}: expected two shapes such as Sphere or Plane, got {short_repr(shape)}")
        self.parts: tuple[Contact, ...] = ()
        is_distributed = isinstance(law, ElasticFoundation)
        pairing = (
            foundation_pairing(owner, shape_a, shape_b, law.thickness, law.element_size)
            if isinstance(law, ElasticFoundation)
            else pair(owner, shape_a, shape_b)
        )
        super().__init__(name, shape_a.body, shape_b.body)
        self.pairing = pairing
        self.shapes = (shape_a, shape_b)
        self.law = law
        self.friction = friction
        self.impact = impact
        self.rolling = rolling
        self._check_laws()
        self.parameters = ()
        if self.in_space:
            names, units = (PRESSURE_SIGNALS, PRESSURE_UNITS) if is_distributed else ((), ())
            self.signals = (*SPATIAL_SIGNAL_NAMES, *names, "contact_mode")
            self.units = (*SPATIAL_SIGNAL_UNITS, *units, "1")
        if pairing.contact_points > 1:
            self.parts = tuple(self._at_contact_point(k) for k in range(1, pairing.contact_points + 1))
            self.signals, self.units = (*self.signals, "touching"), (*self.units, "1")

    @property
    def law_parameters(self) -> tuple[float, ...]:
        """Parameters of its normal law."""
        if isinstance(self.law, ElasticFoundation) and isinstance(self.pairing, FoundationPairing):
            return self.law.parameters_on(self.pairing.area)
        return () if self.law is None else self.law.parameters

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments with the current laws, which may have been exchanged."""
        laws = {key: getattr(self, key) for key in ("law", "friction", "impact", "rolling")}
        known = constructor_signature(type(self)).parameters
        return {**super().keywords(), **{key: law for key, law in laws.items() if key in known and law is not None}}

    def _contacts(self) -> Sequence[Contact]:
        return self.parts

    def _touching(self) -> str:
        shapes = (shape for shape in self.shapes if isinstance(shape, Shape))
        return " – ".join(f"{type(shape).__name__}({shape.body.name})" for shape in shapes) or self.connection

    def _at_contact_point(self, k: int) -> Contact:
        """Return the contact at contact point ``k``, with the laws and shapes of the whole."""
        point_contact = copy(self)
        point_contact.pairing = self.pairing.at_contact_point(k)
        point_contact._seal()
        return point_contact

    def sum_up(self, signals: np.ndarray, parts: list[np.ndarray]) -> None:
        """Fill the columns of the whole from those of its contact points, which have the same ones in this order."""
        every = np.stack(parts)
        column = {name: every[:, :, k] for k, name in enumerate(self.signals[:-1])}
        indentation, mode = column["indentation"], column["contact_mode"]
        touching = mode > 0.0
        leading = np.where(touching | ~touching.any(axis=0), indentation, -np.inf).argmax(axis=0)
        signals[:, :-1] = every[leading, np.arange(len(signals))]
        signals[:, self.signals.index("indentation")] = indentation.max(axis=0)
        signals[:, self.signals.index("contact_mode")] = mode.max(axis=0)
        for k, name in enumerate(self.signals):
            if name in SUMS:
                signals[:, k] = column[name].sum(axis=0)
        signals[:, -1] = touching.sum(axis=0)

    def drawing(self) -> DrawnLink | None:
        """Return the link of a planar joint with clearance; None for other contacts, which are drawn by shapes."""
        return None if self.in_space else super().drawing()

    def turns(self, body: BodyLike) -> bool:
        """Return True if it can rotate ``body``; a frictionless sphere about its centre of mass cannot."""
        impact = self.impact
        if self.friction is not None or self.rolling is not None or (impact is not None and impact.friction > 0.0):
            return any(member is body for member in self.members)
        return any(shape.body is body and self.turns_with(shape) for shape in self.shapes)

    def turns_with(self, shape: Shape) -> bool:
        """Return True if a shape moves when its body rotates about its centre of mass."""
        return shape.moves_with_rotation

    def complete(self, signals: np.ndarray, angle_a: np.ndarray, angle_b: np.ndarray) -> None:
        """Fill the columns of ``signals`` that follow from the others and from the bodies' angles over time."""
