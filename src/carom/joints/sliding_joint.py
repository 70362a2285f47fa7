"""Base class of joints in which a point of the second body moves along a line of the first."""

from __future__ import annotations

from typing import ClassVar

from carom.argument_checks import object_label
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.base import Joint
from carom.joints.planar_markers import planar_params, slide_markers
from carom.joints.spatial_constraints import axis_displacement
from carom.joints.spatial_markers import line_markers, spatial_params
from carom.typing import PointLike, VectorLike


class SlidingJoint(Joint):
    """Joint along a line of ``a``; ``spatial_rows`` is the number of its equations in 3D."""

    spatial_rows: ClassVar[int]

    def _connect(
        self, a: AttachmentLike, b: AttachmentLike, at: PointLike | None, axis: VectorLike | None, name: str | None
    ) -> None:
        """Set bodies, points and parameters from the arguments of the constructor."""
        owner = object_label(type(self).__name__, name)
        in_space = as_marker(owner, b).spatial
        first, second = (line_markers if in_space else slide_markers)(owner, a, b, at, axis)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        self.parameters = (spatial_params if in_space else planar_params)(first, second)
        if in_space:
            self.rows = self.spatial_rows
            self.coordinates = {"displacement": axis_displacement}
