"""A free body that spins about its middle axis."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import positive
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

INERTIA = (1.0, 2.0, 2.9)
SPIN = 3.0


@check_parameters
def dzhanibekov(disturbance: float = 1e-3) -> Case:
    """A free body spins about its middle axis, and turns over.

    It does so again and again. The spin of 3 rad/s is disturbed by ``disturbance`` [rad/s] about the first
    axis. Energy and angular momentum stay; the angular velocities are Jacobi's elliptic functions of time.
    """
    small = positive("dzhanibekov", "disturbance", disturbance)
    system = System(dim=3, name="Dzhanibekov's wing nut")
    system.add(Body("nut", 1.0, INERTIA, position=(0.0, 0.0, 0.0), angular_velocity=(small, SPIN, 0.0)))

    def check_results(result: Result) -> list[CheckResult]:
        body, tensor = result["nut"], np.array(INERTIA)
        momentum = np.einsum("nij,nj->ni", body.rotation, tensor * body.omega)
        length = np.abs(np.linalg.norm(body.orientation, axis=1) - 1.0).max()
        return [
            energy_drift(result, 1e-9),
            max_abs_error("change of the angular momentum [N m s]", momentum, momentum[0], 1e-8),
            CheckResult("length of the quaternion", length, 1e-12),
            max_abs_error("spin by elliptic functions [rad/s]", body.wy, spin(result.t, small), 1e-5),
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


def spin(t: np.ndarray, small: float) -> np.ndarray:
    """Angular velocity about the middle axis, from Euler's equations with ω₁ = small, ω₂ = SPIN, ω₃ = 0 at the start.

    The sum of the squares I₁ω₁² + I₂ω₂² + I₃ω₃² = 2T and of the momenta, M², make ω₂ ∝ cd or sn of one argument.
    """
    from scipy.special import ellipj, ellipk

    one, two, three = INERTIA
    energy = one * small**2 + two * SPIN**2
    square = (one * small) ** 2 + (two * SPIN) ** 2
    # M² < 2T I₂ here: ω₁ never vanishes (§37, eq. 37.10 with the axes 1 and 3 exchanged).
    frequency = math.sqrt((two - one) * (energy * three - square) / (one * two * three))
    modulus = (three - two) * (square - energy * one) / ((two - one) * (energy * three - square))
    size = math.sqrt((square - energy * one) / (two * (two - one)))
    sn = ellipj(frequency * t + ellipk(modulus), modulus)[0]
    return size * sn
