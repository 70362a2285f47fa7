"""Base class of lubricants, and the records that their kernels read and write.

The film between a journal and its bearing has the thickness h = c (1 + ε cos θ), with the angle θ from the point
opposite to the thinnest place, in the sense of rotation. Reynolds' equation has the source

    q(θ) = w sin θ − s cos θ,   w = ε (ω/2 − γ̇),   s = ε̇

with the speed ω of the journal (the sum of both if the bearing turns) and the line of centres turning with γ̇. The force
on the journal has components along the line from the bearing's centre to the journal's (radial) and 90° ahead
(tangential):

    F_r = R ∫∫ p cos θ dθ dz,   F_t = R ∫∫ p sin θ dθ dz

A cavitated film has no pressure below zero; the rules of the lubricants say where it ends.
"""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.kernels import FILM
from carom.kernels.argument_types import c_function
from carom.laws.base import Law, finite_floats


def evaluate_film(kernel: Any, parameters: tuple[float, ...], inputs: np.ndarray) -> np.ndarray:
    """Return radial and tangential forces [N] for rows of radius, clearance [m], ε [-], w and s [1/s]."""
    function, params, forces = c_function(FILM)(kernel.address), np.array(parameters), np.zeros((len(inputs), 2))
    for row, force in zip(inputs.tolist(), forces, strict=True):
        function(params.ctypes.data, *row, ctypes.cast(force.ctypes.data, ctypes.POINTER(ctypes.c_double)))
    return forces


class Lubricant(Law):
    """Lubricant in a journal bearing: the force of its film on the journal, without suction."""

    params: ClassVar[Any]

    def __init__(self, viscosity: float, length: float):
        owner = type(self).__name__
        self.viscosity = positive(owner, "viscosity", viscosity)
        self.length = positive(owner, "length", length)

    def film_parameters(self, radius: float) -> tuple[float, ...]:
        """Return the values of the kernel parameters for a journal of ``radius`` [m]."""
        return self.parameters

    def force(
        self,
        *,
        radius: float,
        clearance: float,
        eccentricity: Any,
        eccentricity_rate: Any = 0.0,
        speed: Any = 0.0,
        line_speed: Any = 0.0,
    ) -> tuple[Any, Any]:
        """Return the force of the film on the journal: radial and tangential [N].

        ``eccentricity`` is the ratio to ``clearance`` [m], ``eccentricity_rate`` its rate [1/s], ``speed`` that of the
        journal (the sum of both if the bearing turns) and ``line_speed`` that of the line of centres [rad/s]. The
        radial force acts along the line from the bearing's centre to the journal's, the tangential one 90° ahead in
        the sense of positive rotation. All but the sizes may be arrays.
        """
        owner = type(self).__name__
        sizes = positive(owner, "radius", radius), positive(owner, "clearance", clearance)
        named = {"eccentricity": eccentricity, "eccentricity_rate": eccentricity_rate, "speed": speed,
                 "line_speed": line_speed}  # fmt: skip
        epsilon, rate, omega, gamma = np.broadcast_arrays(*(finite_floats(owner, *item) for item in named.items()))
        if epsilon.size and not (epsilon.min() >= 0.0 and epsilon.max() < 1.0):
            outside = epsilon.max() if epsilon.max() >= 1.0 else epsilon.min()
            raise ModelError(f"{owner}: eccentricity must be from 0 to below 1, got {outside:g}")
        inputs = np.empty((epsilon.size, 5))
        inputs[:, :2] = sizes
        for column, values in enumerate((epsilon, epsilon * (0.5 * omega - gamma), rate), start=2):
            inputs[:, column] = values.ravel()
        forces = evaluate_film(self.kernel, self.film_parameters(sizes[0]), inputs)
        radial, tangential = (forces[:, k].reshape(epsilon.shape) for k in range(2))
        return (radial, tangential) if epsilon.shape else (float(radial), float(tangential))
