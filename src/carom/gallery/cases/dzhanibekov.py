"""Free body that rotates about its axis of intermediate inertia."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import positive
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.geometry.shapes.registry import Cylinder, Segment
from carom.model.body import Body
from carom.model.system import System
from carom.model.visual import Visual
from carom.result.result import Result

INERTIA = (1.0, 2.0, 2.9)
"""Principal inertias [kg m²]."""
SPIN = 3.0
"""Angular velocity about the intermediate axis [rad/s]."""


@check_parameters
def dzhanibekov(disturbance: float = 1e-3) -> Case:
    """A free body spins about its intermediate axis and turns over.

    It turns over periodically. The spin of 3 rad/s is disturbed by ``disturbance`` [rad/s] about the first axis. Energy
    and angular momentum are conserved; the angular velocities are Jacobi's elliptic functions of time.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.dzhanibekov().system
    <System "Dzhanibekov's wing nut": 1 bodies>
    """
    disturbance_rate = positive("dzhanibekov", "disturbance", disturbance)
    system = System(dim=3, name="Dzhanibekov's wing nut")
    spin = (disturbance_rate, SPIN, 0.0)
    nut = system.add(Body("nut", 1.0, INERTIA, position=(0.0, 0.0, 0.0), angular_velocity=spin))
    # A hub about the axis of the spin with two wings along the axis of least inertia; not to scale.
    system.add(Visual(Cylinder(nut, at=(0.0, 0.35, 0.0), axis=(0.0, 1.0, 0.0), radius=0.3, half_length=0.75)))
    for side in (-1.0, 1.0):
        system.add(Visual(Segment(nut, start=(0.2 * side, 0.0, 0.0), end=(1.2 * side, -0.35, 0.0), radius=0.16)))

    def check_results(result: Result) -> list[CheckResult]:
        body, tensor = result["nut"], np.array(INERTIA)
        momentum = np.einsum("nij,nj->ni", body.rotation, tensor * body.omega)
        norm_error = np.abs(np.linalg.norm(body.orientation, axis=1) - 1.0).max()
        return [
            energy_drift(result, 1e-9),
            max_abs_error("change of the angular momentum [N m s]", momentum, momentum[0], 1e-8),
            CheckResult("norm of the quaternion", norm_error, 1e-12),
            max_abs_error(
                "spin by elliptic functions [rad/s]", body.wy, reference_spin(result.t, disturbance_rate), 1e-5
            ),
        ]

    return Case(
        dzhanibekov,
        system=system,
        options={"t_end": 30.0, "rtol": 1e-10, "atol": 1e-12},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(["nut.wx", "nut.wy", "nut.wz"],), motion=(["nut.wx", "nut.wy", "nut.wz"], "nut.q0")
        ),
        reference="L. D. Landau, E. M. Lifshitz, Mechanics, §37",
    )


def reference_spin(t: np.ndarray, disturbance_rate: float) -> np.ndarray:
    """Return the angular velocity about the intermediate axis [rad/s] from Euler's equations.

    At the start ω₁ = ``disturbance_rate``, ω₂ = SPIN, ω₃ = 0. The constants 2T = I₁ω₁² + I₂ω₂² + I₃ω₃² and M², the
    squared angular momentum, make ω₂ proportional to sn.
    """
    from scipy.special import ellipj, ellipk

    i_1, i_2, i_3 = INERTIA
    twice_energy = i_1 * disturbance_rate**2 + i_2 * SPIN**2
    momentum_squared = (i_1 * disturbance_rate) ** 2 + (i_2 * SPIN) ** 2
    # Here M² < 2T I₂, so ω₁ never vanishes (§37, eq. 37.10 with the axes 1 and 3 exchanged).
    frequency = math.sqrt((i_2 - i_1) * (twice_energy * i_3 - momentum_squared) / (i_1 * i_2 * i_3))
    modulus = (
        (i_3 - i_2) * (momentum_squared - twice_energy * i_1) / ((i_2 - i_1) * (twice_energy * i_3 - momentum_squared))
    )
    amplitude = math.sqrt((momentum_squared - twice_energy * i_1) / (i_2 * (i_2 - i_1)))
    sn = ellipj(frequency * t + ellipk(modulus), modulus)[0]
    return amplitude * sn
