"""Heavy symmetric top."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import integrate
from carom.geometry.rotation import about
from carom.geometry.shapes.registry import Cone, Cylinder
from carom.joints.registry import Spherical
from carom.model.body import Body
from carom.model.system import System
from carom.model.visual import Visual
from carom.result.result import Result

MASS, ARM, GRAVITY = 0.5, 0.05, 9.81
"""Mass [kg], distance of the centre of mass from the tip [m], gravity [m/s²]."""
TRANSVERSE, AXIAL = 5e-4, 3e-4
"""Transverse and axial inertia about the centre of mass [kg m²]."""


@check_parameters
def spinning_top(spin: float = 150.0, tilt: float = math.radians(30.0)) -> Case:
    """A heavy top spins on its tip: precession and nutation.

    The top starts with ``spin`` [rad/s] about its axis, which is tilted by ``tilt`` [rad] and initially at rest.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.spinning_top().system
    <System 'spinning top': 1 bodies, 1 joints>
    """
    spin, tilt = finite_float("spinning_top", "spin", spin), finite_float("spinning_top", "tilt", tilt)
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="spinning top")
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    top = Body(
        "top", MASS, (TRANSVERSE, TRANSVERSE, AXIAL), position=tuple(ARM * axis), angular_velocity=(0.0, 0.0, spin),
        orientation=about((0.0, 1.0, 0.0), tilt),
    )  # fmt: skip
    system.add(top)
    system.add(Spherical(system.ground, top, at=(0.0, 0.0, 0.0), name="tip"))
    system.add(Visual(Cone(top, at=(0.0, 0.0, -0.4 * ARM), axis=(0.0, 0.0, -1.0), radius=0.035, half_length=0.6 * ARM)))
    system.add(Visual(Cylinder(top, at=(0.0, 0.0, 0.45 * ARM), radius=0.006, half_length=0.25 * ARM)))
    tip_inertia = TRANSVERSE + MASS * ARM**2

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        """Return the rates of tilt, tilt rate and azimuth; the angular momenta about vertical and axis are constant."""
        theta, theta_rate, _ = y
        precession = precession_rate(theta)
        moment = precession * (tip_inertia * precession * math.cos(theta) - AXIAL * spin) + MASS * GRAVITY * ARM
        return np.array([theta_rate, moment * math.sin(theta) / tip_inertia, precession])

    def precession_rate(theta: float) -> float:
        """Return the precession rate at a tilt [rad/s]."""
        return AXIAL * spin * (math.cos(tilt) - math.cos(theta)) / (tip_inertia * math.sin(theta) ** 2)

    def check_results(result: Result) -> list[CheckResult]:
        times = np.linspace(0.0, float(result.t[-1]), 201)
        expected_angles = integrate(rhs, [tilt, 0.0, 0.0], times)
        axes = result.sample(times)["top"].rotation[:, :, 2]
        theta, azimuth = expected_angles[:, 0], expected_angles[:, 2]
        expected = np.column_stack([np.sin(theta) * np.cos(azimuth), np.sin(theta) * np.sin(azimuth), np.cos(theta)])
        tip_distance = np.linalg.norm(result["top"].point(0.0, 0.0, -ARM), axis=1).max()
        return [
            energy_drift(result, 1e-7),
            max_abs_error("axis by Euler's angles", axes, expected, 1e-5),
            max_abs_error("spin about its own axis [rad/s]", result["top"].wz, spin, 1e-5),
            CheckResult("distance of the tip from its pivot [m]", tip_distance, 1e-11),
        ]

    return Case(
        spinning_top,
        system=system,
        options={"t_end": 2.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("top.x", "top.y", "top.z"), motion=("top.x", "top.y", "top.z"), pose=0.0, trace=("top",)
        ),
        reference="H. Goldstein, Classical Mechanics, §5.7",
    )
