"""Prismatic joint with clearance in 3D: a slider in a rectangular guide, a bar in a circular one."""

from __future__ import annotations

import itertools

import numpy as np

from carom.argument_checks import object_label, positive
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike
from carom.geometry.shapes import Plane, Point
from carom.joints.base import Joint
from carom.joints.cylindrical import Cylindrical
from carom.joints.prismatic import Prismatic
from carom.laws.friction.base import FrictionLaw
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.model.compound import Compound
from carom.model.contact import Contact, require_law
from carom.model.hinge_clearance import aligned_markers, axes_over_time, axial_position, ring_contacts
from carom.typing import PointLike, VectorLike


class GuideClearance(Compound):
    """Prismatic joint with clearance in 3D: the slider of ``b`` moves in the guide of ``a``.

    ``at`` [m] is the middle of the slider (default: the centre of mass of ``b``), ``axis`` the direction of the guide,
    in global axes in the current pose, in which both are aligned. The slider has the ``length`` [m] along the axis and
    ``clearance`` [m] on each side. A rectangular guide has ``width`` and ``height`` [m], those of the slider along the
    x- and y-axis of the guide: its eight corners touch the four walls. The axes of the guide follow from ``axis``; with
    two markers they are those of the markers. A circular guide has the ``radius`` [m] of the slider, whose two end
    rings touch the bore; it leaves
    the rotation about the axis free, so a prismatic joint has two of them, or one and a key.

    Signals: number of points in contact (``touching``), ``position`` along the guide, ``offset_x`` and ``offset_y``
    across it [m], ``turn_x``, ``turn_y``, ``turn_z``: small rotations about the axes of the guide [rad]. The points are
    contacts, named after the joint: "guide 1" …

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> slider = system.add(cm.Body("slider", mass=0.5, inertia=1e-3, position=(0.0, 0.0, 0.0)))
    >>> sizes = {"length": 0.1, "width": 0.04, "height": 0.03, "clearance": 1e-4}
    >>> guide = cm.GuideClearance(system.ground, slider, axis=(1, 0, 0), impact=cm.ImpactLaw(0.4), **sizes)
    >>> len(system.add(guide).parts)
    16
    """

    signals = ("touching", "position", "offset_x", "offset_y", "turn_x", "turn_y", "turn_z")
    units = ("1", "m", "m", "m", "rad", "rad", "rad")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | None = None,
        axis: VectorLike = (0.0, 0.0, 1.0),
        length: float | None = None,
        clearance: float | None = None,
        law: NormalLaw | None = None,
        friction: FrictionLaw | None = None,
        impact: ImpactLaw | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
        radius: float | None = None,
        name: str | None = None,
    ):
        owner = object_label("GuideClearance", name)
        if length is None or clearance is None:
            raise ModelError(f"{owner}: set length of the slider and the clearance on each side")
        if (radius is None) == (width is None or height is None) or (radius is not None and (width or height)):
            raise ModelError(f"{owner}: set width and height of a rectangular guide, or radius of a circular one")
        require_law(owner, law, impact)
        self.length, self.clearance = positive(owner, "length", length), positive(owner, "clearance", clearance)
        self.guide, self.slider = aligned_markers(owner, a, b, at, axis)
        self.radius = None if radius is None else positive(owner, "radius", radius)
        if self.radius is None:
            assert width is not None
            assert height is not None
            self.width, self.height = positive(owner, "width", width), positive(owner, "height", height)
            parts = self._corners(law, friction, impact)
        else:
            sizes = (self.radius, self.radius + self.clearance)
            parts = ring_contacts(self.guide, self.slider, sizes, (self.length,) * 2, (law, friction, impact))
        super().__init__(name, (self.guide.body, self.slider.body), tuple(parts))
        self.points = (self.guide.at, self.slider.at)

    def ideal_joint(self) -> Joint:
        """Return the joint without clearance along the same axis: Cylindrical for a circular guide."""
        kind = Prismatic if self.radius is None else Cylindrical
        return kind(self.guide, self.slider, name=self.name)

    def _corners(self, law: NormalLaw | None, friction: FrictionLaw | None, impact: ImpactLaw | None) -> list[Contact]:
        """Return the contacts of each corner with the two walls next to it."""
        half = (0.5 * self.width, 0.5 * self.height)
        walls = {}
        for k, side in itertools.product((0, 1), (-1.0, 1.0)):
            outward = side * self.guide.axes[:, k]
            walls[k, side] = Plane(
                self.guide.body, np.array(self.guide.at) + (half[k] + self.clearance) * outward, -outward
            )
        contacts = []
        for z, x, y in itertools.product((-0.5, 0.5), (-1.0, 1.0), (-1.0, 1.0)):
            local = np.array([x * half[0], y * half[1], z * self.length])
            corner = Point(self.slider.body, np.array(self.slider.at) + self.slider.axes @ local)
            contacts += [
                Contact(corner, walls[0, x], law, friction, impact=impact),
                Contact(corner, walls[1, y], law, friction, impact=impact),
            ]
        return contacts

    def complete(self, signals: np.ndarray, parts: list[np.ndarray], pose_a: np.ndarray, pose_b: np.ndarray) -> None:
        """Fill in the signals from those of the contacts and from the poses."""
        mode = self.parts[0].signals.index("contact_mode")
        signals[:, 0] = sum((part[:, mode] > 0.0).astype(float) for part in parts)
        signals[:, 1] = axial_position(pose_a, pose_b, self.guide, self.slider)
        origin, frame = axes_over_time(pose_a, self.guide)
        centre, turned = axes_over_time(pose_b, self.slider)
        signals[:, 2:4] = np.einsum("nji,nj->ni", frame, centre - origin)[:, :2]
        turn = np.einsum("nji,njk->nik", frame, turned)  # axes of the slider in those of the guide
        signals[:, 4] = 0.5 * (turn[:, 2, 1] - turn[:, 1, 2])
        signals[:, 5] = 0.5 * (turn[:, 0, 2] - turn[:, 2, 0])
        signals[:, 6] = np.arctan2(turn[:, 1, 0], turn[:, 0, 0])
