"""Stops of joints: contacts of the two bodies of a joint at the limits of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from carom.geometry.drawing import DrawnLink
from carom.geometry.pairs.registry import Pairing
from carom.joints.base import Joint
from carom.joints.stop_gaps import StopGap
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.model.contact import Contact
from carom.typing import BodyLike

PERIOD = 1e-3
"""Natural period of a stop without a law [s]."""
DAMPING_RATIO = 2.0
"""Largest damping ratio of a stop without a law [-]; it returns 5 % of the approach speed."""


class StiffStop(KelvinVoigt):
    """Law of a stop without one: a spring and damper with the natural `PERIOD` of the effective mass of the mechanism.

    The damping returns the ``restitution`` of the impact law of the stop, and at least that of `DAMPING_RATIO`.
    Stiffness and damping are those of a unit mass here; those of the mechanism in its initial position are set where a
    model is compiled.
    """

    def __init__(self, restitution: float = 0.0):
        super().__init__(stiffness=1.0, damping=2.0 * DAMPING_RATIO)
        if restitution > self.returned_restitution(mass=1.0):
            super().__init__(stiffness=1.0, restitution=restitution, mass=1.0)

    @property
    def damping_ratio(self) -> float:
        """Damping ratio ζ [-]."""
        return self._ratio(1.0)


@dataclass(frozen=True, eq=False)
class StopSide:
    """Body at one side of a stop, in the place of a shape."""

    body: Any
    kind: str = "stop"
    solid_sphere_radius: None = None

    def bounding_sphere(self) -> None:
        """Return None: it has no extent."""


class JointElement(Contact):
    """Contact between the two bodies of a joint without shapes: a stop, or friction."""

    joint: Joint

    @property
    def all_shapes(self) -> tuple[Any, ...]:
        """Shapes that may come into contact: none."""
        return ()

    def drawing(self) -> DrawnLink | None:
        """Return None: the joint is drawn."""
        return None

    def turns(self, body: BodyLike) -> bool:
        """Return True if it can rotate ``body``."""
        return any(member is body for member in self.members)

    def turns_with(self, shape: Any) -> bool:
        """Return True: both bodies count with their rotation."""
        return True


class JointStop(JointElement):
    """Stop of a joint at a limit of a coordinate; `System.add` makes it for the argument ``limits`` of a joint.

    ``side`` is "lower" or "upper". Without ``law``, a compliant run uses a stiff spring and damper, which follows from
    the mechanism in its initial position: its natural period is 1 ms, and it returns the restitution of ``impact``, but
    at least 5 % of the approach speed (damping ratio 2). Without ``impact``, a non-smooth run uses restitution 0.

    Signals: ``indentation`` beyond the limit and ``indentation_rate``, ``normal_force``, and ``contact_mode``: 0
    separated, 1 impact, 2 lasting contact. At the limit of an angle these are [rad], [rad/s] and a torque [N m].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), limits=(-1.0, None), name="hinge"))
    >>> hinge.stops
    (<JointStop 'hinge lower stop': ground – rod, ...>,)
    """

    signals = ("indentation", "indentation_rate", "normal_force", "contact_mode")

    def __init__(self, joint: Joint, coordinate: str, side: str, name: str | None = None):
        super(Contact, self).__init__(name, *joint.members)
        self.joint, self.coordinate, self.side = joint, coordinate, side
        given = joint.limits[coordinate]
        limit = given.lower if side == "lower" else given.upper
        assert limit is not None
        self.limit = limit
        self.is_rotational = self.gap.is_angle
        a, b = joint.members
        self.shapes: tuple[Any, Any] = (StopSide(a), StopSide(b))
        self.impact = ImpactLaw(restitution=0.0) if given.impact is None else given.impact
        self.law = StiffStop(self.impact.restitution) if given.law is None else given.law
        self.friction = self.rolling = None
        self.parameters = ()
        self.units = ("rad", "rad/s", "N m", "1") if self.is_rotational else ("m", "m/s", "N", "1")

    @property
    def gap(self) -> StopGap:
        """Gap of the coordinate."""
        gap = self.joint.coordinates[self.coordinate].stop
        assert gap is not None
        return gap

    @property
    def pairing(self) -> Pairing:  # type: ignore[override]
        """Kernel of the gap with its parameters in the current pose."""
        side = 1.0 if self.side == "lower" else -1.0
        limits = self.joint.limits[self.coordinate].pair
        parameters = self.gap.parameters(self.joint, side, self.limit, limits)
        return Pairing(self.gap.kernel, self.shapes, False, parameters, self.gap.warm_start(self.joint))

    @property
    def has_own_law(self) -> bool:
        """True if the user set a law."""
        return not isinstance(self.law, StiffStop)


def stops_of(joint: Joint) -> list[JointStop]:
    """Return the stops of a joint, named after it and, if it has several coordinates, after them."""
    several = len(joint.coordinates) > 1
    return [
        JointStop(joint, coordinate, side, f"{joint.name}{f' {coordinate}' if several else ''} {side} stop")
        for coordinate, limits in joint.limits.items()
        for side, limit in zip(("lower", "upper"), limits.pair, strict=True)
        if limit is not None
    ]
