"""Spatial knee: two condyles on a tibial plateau, a contact of two freeform surfaces."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float
from carom.forces.registry import PointForce, SpringDamper
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.figures.frame_strip import frame_strip
from carom.geometry.rotation import about
from carom.geometry.shapes.surface import Surface
from carom.geometry.surfaces import HeightMap, Revolution
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

SHAFT, BULGE, OFFSET, WIDTH = 0.017, 0.006, 0.024, 0.013
"""Profile r(x) of the femur [m]: radius between the condyles, their height, distance from the middle and width."""
DEPTH, DISH_WIDTH = 0.002, 0.018
"""Depth and width of the two dishes of the tibia [m]."""
HALF_WIDTH, HALF_DEPTH = 0.042, 0.030
"""Half width of both bones along x and half depth of the tibia along y [m]."""
MASS, LOAD, GRAVITY = 1.5, 300.0, 9.81
"""Mass of the femur [kg], load on it [N], gravity [m/s²]."""
STIFFNESS, RESTITUTION, FRICTION = 2e7, 0.3, 0.01
"""Stiffness [N/m^1.5], restitution [-] and coefficient of friction [-] of the contacts."""
LIGAMENT, LIGAMENT_DAMPING = 2e4, 30.0
"""Stiffness [N/m] and damping [N s/m] of a ligament."""
FRAME_TIMES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Times of the frames in the animation strip [s]."""


@check_parameters
def condyles(tilt: float = 2.0, flexion: float = 4.0) -> Case:
    """Two condyles land on a tibial plateau and roll there.

    The femur, a surface of revolution with two bulges, is pressed by 300 N onto a plateau with two dishes, a height
    map, and held by two collateral ligaments. It starts with a ``tilt`` [degrees], so that one condyle lands first, and
    with a ``flexion`` rate [rad/s]. Each condyle is a part of the surface with its own contact.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.condyles().system
    <System 'condyles': 1 bodies, 3 forces, 2 contacts, 1 compounds>
    """
    tilt_angle = math.radians(finite_float("condyles", "tilt", tilt))
    spin = finite_float("condyles", "flexion", flexion)
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="condyles")
    femur_profile, plateau = femur_surface(), tibia_surface()
    start = SHAFT + BULGE - DEPTH + 1e-4 + OFFSET * math.sin(abs(tilt_angle))
    femur = system.add(
        Body(
            "femur", MASS, (4e-4, 8e-4, 8e-4), position=(0.0, 0.0, start),
            orientation=about((0.0, 1.0, 0.0), tilt_angle), angular_velocity=(spin, 0.0, 0.0),
        )
    )  # fmt: skip
    (low, high), v_range = femur_profile.u_range, femur_profile.v_range
    midpoint = 0.5 * (low + high)
    parts = ((low, midpoint, *v_range), (midpoint, high, *v_range))
    condyle = Surface(femur, femur_profile, orientation=about((0.0, 1.0, 0.0), 0.5 * math.pi), parts=parts)
    tibia = Surface(system.ground, plateau, edges="ignore")
    law = ExactRestitution(stiffness=STIFFNESS, restitution=RESTITUTION)
    system.add(Contact(condyle, tibia, law, Coulomb(FRICTION, 1e-3), name="touch"))
    system.add(PointForce(femur, (0.0, 0.0, -LOAD), name="load"))
    for side, name in ((-1.0, "medial ligament"), (1.0, "lateral ligament")):
        below = system.ground.point(side * HALF_WIDTH, 0.0, -0.05)
        above = femur.point(side * HALF_WIDTH, 0.0, 0.0)
        system.add(SpringDamper(above, below, LIGAMENT, LIGAMENT_DAMPING, free_length=0.05 + start, name=name))

    def check_results(result: Result) -> list[CheckResult]:
        checks = [energy_drift(result, 1e-7)]
        for time in (0.25 * result.t[-1], result.t[-1]):
            sample = result.sample([float(time)])
            rotation, position = sample["femur"].rotation[0], sample["femur"].position[0]
            indentations = [float(sample[f"touch {k}"].indentation[0]) for k in (1, 2)]
            expected = [indentation_by_sampling(femur_profile, part, rotation, position) for part in parts]
            error = max(abs(a - b) for a, b in zip(indentations, expected, strict=True) if b > -1e-3)
            checks.append(CheckResult(f"indentations at {time:.3g} s by sampling [m]", error, 5e-6))
        if tilt == 0.0:
            difference = result["touch 1"].normal_force - result["touch 2"].normal_force
            checks.append(CheckResult("difference of the condyles' loads [N]", np.abs(difference).max(), 1e-6 * LOAD))
        return checks

    return Case(
        condyles,
        system=system,
        options={"t_end": 0.4},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("femur.z", ("touch 1.normal_force", "touch 2.normal_force")),
            motion=("femur.wx", "femur.wy", ("touch 1.normal_force", "touch 2.normal_force")),
            pose=0.1,
        ),
        reference="after M. Machado, P. Flores, J. Ambrósio, A lookup-table-based approach for spatial analysis of "
        "contact problems, Journal of Computational and Nonlinear Dynamics 9 (2014) 041010: freeform on freeform",
        extra_figures={
            "scenes": lambda result: frame_strip(system, result, FRAME_TIMES, "Condyles on a tibial plateau")
        },
    )


def femur_surface() -> Revolution:
    """Return the surface of the femur: a shaft about z with two bulges."""
    z = np.linspace(-HALF_WIDTH, HALF_WIDTH, 41)
    bulges = sum(np.exp(-(((z - side * OFFSET) / WIDTH) ** 2)) for side in (-1.0, 1.0))
    return Revolution(np.column_stack([SHAFT + BULGE * bulges, z]), outward_from=(0.0, 0.0, 0.0))


def tibia_surface() -> HeightMap:
    """Return the surface of the tibia: two dishes below the condyles."""
    x, y = np.linspace(-HALF_WIDTH, HALF_WIDTH, 57), np.linspace(-HALF_DEPTH, HALF_DEPTH, 41)
    return HeightMap(x, y, plateau_height(x[:, None], y[None, :]))


def plateau_height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the height of the plateau [m]."""
    dishes = sum(np.exp(-((x - side * OFFSET) ** 2 + y**2) / DISH_WIDTH**2) for side in (-1.0, 1.0))
    return np.asarray(-DEPTH * dishes)


def indentation_by_sampling(
    femur_profile: Revolution, part: tuple[float, ...], rotation: np.ndarray, position: np.ndarray
) -> float:
    """Return the indentation of one condyle [m]: the largest depth of its points along the normal of the plateau."""
    low_u, high_u, low_v, high_v = part
    u, v = np.meshgrid(np.linspace(low_u, high_u, 400), np.linspace(low_v, high_v, 1600), indexing="ij")
    local = femur_profile.point(u, v)
    # The z-axis of the surface is the x-axis of the femur.
    rotated = np.stack([local[..., 2], local[..., 1], -local[..., 0]], axis=-1)
    x, y, z = np.moveaxis(rotated @ rotation.T + position, -1, 0)
    near = (np.abs(x) < HALF_WIDTH) & (np.abs(y) < HALF_DEPTH)
    x, y, z = x[near], y[near], z[near]
    step = 1e-6
    slope_x = (plateau_height(x + step, y) - plateau_height(x - step, y)) / (2.0 * step)
    slope_y = (plateau_height(x, y + step) - plateau_height(x, y - step)) / (2.0 * step)
    return float(np.max((plateau_height(x, y) - z) / np.sqrt(1.0 + slope_x**2 + slope_y**2)))
