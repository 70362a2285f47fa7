"""Friction of joints in a system: entries beside the contacts, which never touch."""

from __future__ import annotations

from typing import Any

from carom.geometry.pairs.registry import Pairing
from carom.joints.base import Joint
from carom.laws.impact_law import ImpactLaw
from carom.model.contact import Contact
from carom.model.joint_stop import JointElement, StopSide


class JointFriction(JointElement):
    """Friction of a joint, which `System.add` adds for its argument ``friction``.

    The joint has its signals: ``friction_torque`` or ``friction_force``, on the second body along the coordinate. Its
    loss is part of the energy dissipated by friction.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> pin = {"friction": cm.friction.Coulomb(0.2), "pin_radius": 0.01}
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="hinge", **pin))
    >>> system["hinge friction"]
    <JointFriction 'hinge friction': ground – rod, Coulomb(μ=0.2, regularisation=None), ImpactLaw(e=0, μ=0)>
    """

    signals = ("contact_mode",)
    units = ("1",)
    needs_law = False

    def __init__(self, joint: Joint, name: str | None = None):
        super(Contact, self).__init__(name, *joint.members)
        assert joint.friction_data is not None
        self.joint = joint
        a, b = joint.members
        self.shapes: tuple[Any, Any] = (StopSide(a), StopSide(b))
        self.law = self.rolling = None
        self.friction = joint.friction_data.law
        self.impact = ImpactLaw(restitution=0.0)
        self.parameters = ()
        self.is_rotational = joint.friction_data.radius is not None

    @property
    def pairing(self) -> Pairing:  # type: ignore[override]
        """Kernel of the direction with its parameters."""
        data = self.joint.friction_data
        assert data is not None
        return Pairing(data.kernel, self.shapes, False, data.parameters, ())
