"""A heavy symmetric top."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import number
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import integrate
from carom.geometry.rotation import about
from carom.joints.registry import Spherical
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

MASS, ARM, GRAVITY = 0.5, 0.05, 9.81
ACROSS, ALONG = 5e-4, 3e-4
"""Inertias about the centre of mass, across the axis and about it [kg m²]."""


@check_parameters
def spinning_top(spin: float = 150.0, tilt: float = math.radians(30.0)) -> Case:
    """A heavy top spins on its tip: it precesses and nods.

    The top starts with ``spin`` [rad/s] about its own axis, which leans by ``tilt`` [rad] and is at rest otherwise.
    """
    spin, tilt = number("spinning_top", "spin", spin), number("spinning_top", "tilt", tilt)
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="spinning top")
    axis = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    top = Body(
        "top", MASS, (ACROSS, ACROSS, ALONG), position=tuple(ARM * axis), angular_velocity=(0.0, 0.0, spin),
        orientation=about((0.0, 1.0, 0.0), tilt),
    )  # fmt: skip
    system.add(top)
    system.add(Spherical(system.ground, top, at=(0.0, 0.0, 0.0), name="tip"))
    whole = ACROSS + MASS * ARM**2

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        """Of tilt and azimuth of the axis, from the momenta about the vertical and the axis, that stay."""
        lean, nod, _ = y
        precession = turning(lean)
        force = precession * (whole * precession * math.cos(lean) - ALONG * spin) + MASS * GRAVITY * ARM
        return np.array([nod, force * math.sin(lean) / whole, precession])

    def turning(lean: float) -> float:
        return ALONG * spin * (math.cos(tilt) - math.cos(lean)) / (whole * math.sin(lean) ** 2)

    def check_results(result: Result) -> list[CheckResult]:
        times = np.linspace(0.0, float(result.t[-1]), 201)
        other = integrate(rate, [tilt, 0.0, 0.0], times)
        axes = result.sample(times)["top"].rotation[:, :, 2]
        expected = np.column_stack([
            np.sin(other[:, 0]) * np.cos(other[:, 2]), np.sin(other[:, 0]) * np.sin(other[:, 2]), np.cos(other[:, 0])
        ])  # fmt: skip
        held = np.linalg.norm(result["top"].point(0.0, 0.0, -ARM), axis=1).max()
        return [
            energy_drift(result, 1e-7),
            max_abs_error("axis by Euler's angles", axes, expected, 1e-5),
            max_abs_error("spin about its own axis [rad/s]", result["top"].wz, spin, 1e-5),
            CheckResult("tip off its place [m]", held, 1e-11),
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
