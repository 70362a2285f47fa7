"""Elastic foundation: a layer of independent springs on a rigid base."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.errors import ModelError
from carom.kernels import NORMAL, kernel, record
from carom.laws.base import finite_floats
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, NormalLaw

PARAMS = record("stiffness damping area")
"""Pressure over depth [N/m³], damping [s/m], and the area that is pressed to an equal depth [m²]."""


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def elastic_foundation(p, law_input, out):
    """Evaluate F = K A u (1 + c u̇)."""
    depth = max(law_input.delta, 0.0)
    ratio = 1.0 + p.damping * law_input.delta_dot
    elastic = p.stiffness * p.area * depth
    out.force = elastic * ratio
    out.elastic_force = elastic
    out.stored_energy = 0.5 * elastic * depth
    out.force_sign = ratio
    if law_input.needs_derivatives:
        out.stiffness = p.stiffness * p.area * ratio if law_input.delta >= 0.0 else 0.0
        out.damping = elastic * p.damping


class ElasticFoundation(NormalLaw):
    """Pressure p = E' u/h (1 + c u̇) of an elastic layer of thickness h on a rigid base, u its local compression.

    E' = (1 − ν) E/((1 + ν)(1 − 2ν)) is the modulus of a layer that cannot expand sideways: E is ``modulus`` [Pa], ν
    ``poisson_ratio`` (0: E' = E), h ``thickness`` [m], c ``damping`` [s/m]. One of the two shapes is a `Mesh` or a
    `Surface`: the pressure is integrated over its triangles, or over cells of its parameters, from the depth of their
    middles in the other shape, along the normal of that one. Triangles are divided until no side is longer than
    ``element_size`` [m], and cells are as small; by default triangles are those of the mesh and cells 64 × 64.

    The contact has the signals ``contact_area`` [m²] and ``max_pressure`` [Pa], too; ``normal_force`` [N] is the
    resultant, which acts at the centre of pressure (``x``, ``y``, ``z``), as friction does, with the moment that is
    left. ``cm.pressure_map`` returns the pressure of every element. `force` is that on 1 m² at equal depth.

    Examples
    --------
    >>> import carom as cm
    >>> layer = cm.laws.ElasticFoundation(modulus=5e6, thickness=0.003, poisson_ratio=0.45)
    >>> round(layer.pressure(1e-4))
    632184
    """

    name = "elastic_foundation"
    formula = "p = E' u/h (1 + c u̇)"
    reference = (
        "Y. Bei, B.J. Fregly, Multibody dynamic simulation of knee contact mechanics, "
        "Medical Engineering & Physics 26 (2004) 777–789"
    )
    arguments = ("modulus", "thickness", "poisson_ratio", "damping", "element_size")
    kernel = elastic_foundation
    params = PARAMS
    is_distributed = True
    area = 1.0

    def __init__(
        self,
        modulus: float,
        thickness: float,
        poisson_ratio: float = 0.0,
        damping: float = 0.0,
        element_size: float | None = None,
    ):
        owner = type(self).__name__
        self.modulus, self.thickness = positive(owner, "modulus", modulus), positive(owner, "thickness", thickness)
        self.poisson_ratio = finite_float(owner, "poisson_ratio", poisson_ratio)
        if not -1.0 < self.poisson_ratio < 0.5:
            raise ModelError(
                f"{owner}: poisson_ratio must lie in (-1, 0.5), got {self.poisson_ratio:g}: a layer that keeps its "
                "volume cannot be compressed"
            )
        self.damping = non_negative(owner, "damping", damping)
        self.element_size = None if element_size is None else positive(owner, "element_size", element_size)

    @property
    def stiffness(self) -> float:
        """Pressure over depth, E'/h [N/m³]."""
        ratio = self.poisson_ratio
        return (1.0 - ratio) * self.modulus / ((1.0 + ratio) * (1.0 - 2.0 * ratio) * self.thickness)

    def parameters_on(self, area: float) -> tuple[float, ...]:
        """Return the kernel parameters for elements with this sum of areas [m²]."""
        return self.stiffness, self.damping, area

    def pressure(self, depth: Any, rate: Any = 0.0) -> Any:
        """Return the pressure [Pa] at a depth [m] and its rate [m/s], numbers or arrays."""
        owner = type(self).__name__
        u, u_dot = finite_floats(owner, "depth", depth), finite_floats(owner, "rate", rate)
        pressure = np.maximum(self.stiffness * np.maximum(u, 0.0) * (1.0 + self.damping * u_dot), 0.0)
        return float(pressure) if pressure.ndim == 0 else pressure
