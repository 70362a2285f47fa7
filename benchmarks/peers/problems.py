"""The problems all programs solve: their numbers, in SI units, as every program and every reference reads them."""

from __future__ import annotations

import math

import numpy as np

GRAVITY = 9.81


class TwoSpheres:
    """Equal spheres that start 10 µm apart and meet head on, with Hunt and Crossley's law; restitution afterwards."""

    radius, mass, speed, gap = 0.020, 0.092, 0.15, 1e-5
    stiffness, restitution, t_end = 5.5e9, 0.7, 3e-4
    damping = 1.5 * (1.0 - restitution) / (2.0 * speed)
    """a of F = K δ^1.5 (1 + a δ̇) [s/m]: the approach speed is known."""


class TwoSpheresEnsemble:
    """Runs of the two spheres in which one of them has another speed.

    The damping belongs to the approach speed of the run, so that all runs have the same restitution.
    """

    count = 400
    speeds = np.linspace(0.12, 0.18, count)

    @staticmethod
    def worst(restitution: np.ndarray) -> float:
        """Restitution that differs most from the mean."""
        return float(restitution[np.argmax(np.abs(restitution - np.mean(restitution)))])


class SliderCrankBlock:
    """Slider-crank and a free block that meet twice, with Lankarani and Nikravesh's law; speed of the block."""

    crank, rod = 0.153, 0.306
    masses, inertias = (0.038, 0.076, 0.038, 0.19), (7.4e-5, 5.9e-5)
    omega, block, block_speed, reach = 150.0, 0.914, -15.0, 0.03386
    """Crank speed; place and speed of the block; distance of the centres of slider and block when they touch."""
    stiffness, restitution, t_end = 9.5e9, 0.7, 0.08
    damping = 0.75 * (1.0 - restitution**2)
    between = 0.055
    """A time between the impacts [s]."""
    windows = ((0.0433, 0.0437), (0.0662, 0.0666))
    """Times within which the impacts lie, for programs that are told beforehand where to take small steps [s]."""


class SliderCrankClearance:
    """Slider-crank whose slider has play in its guide, with rigid impacts and friction; crank angle and speed."""

    crank, rod, half_length, half_width, clearance = 0.153, 0.306, 0.05, 0.025, 1e-3
    masses, inertias = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)
    speeds, restitution, friction, t_end = (150.0, -75.0, 0.0), 0.4, 0.01, 0.1


class LoadedCam:
    """Eccentric disc that turns under a spring-loaded follower; position of the follower and contact force.

    The flat foot of the follower is at height s, the top of the disc at e cos ωt + R, and δ = e cos ωt + R − s > 0 at
    all times. The spring pushes the follower down with F_s + k (s − e − R). The contact alone has 1.46 kHz.
    """

    radius, eccentricity, foot = 0.03, 5e-3, 0.01
    """Radius of the disc R, eccentricity e, and height of the follower's centre above its foot [m]."""
    speed, mass, spring, preload = 20.0 * math.pi, 1.0, 4000.0, 200.0
    """Of the shaft ω [rad/s]; mass of the follower [kg]; spring k [N/m], and its force F_s at full lift [N]."""
    stiffness, damping, t_end = 1e10, 10.0, 1.0
    """K and a of F = K δ^1.5 (1 + a δ̇) [N/m^1.5, s/m]: a is a number of its own, as no approach precedes."""
    start = eccentricity + radius - (preload / stiffness) ** (2.0 / 3.0)
    """Height of the foot at the start, where the contact carries the spring [m]."""
    times = (0.237, 0.481, 0.733, 1.0)
    """When position and force are compared [s]: at four phases of the cam."""


class FiveBoxes:
    """Boxes one above the other that settle into a stack; time of the run, penetration and creep at its end.

    carom's contacts are springs and dampers at the corners. MuJoCo has contacts of its own, so that there is no common
    reference: how far boxes sink in and creep is stated beside the time.
    """

    count, mass, half = 5, 1.0, (0.1, 0.1, 0.05)
    """Number, mass [kg] and half sides [m] of the boxes."""
    stiffness, damping, friction = 1e6, 500.0, 0.5
    """Of a corner: stiffness [N/m] and damping [N s/m] of Kelvin and Voigt, coefficient of Coulomb [-]."""
    offset, gap = 3e-3, 1e-5
    """Each box lies this far beside the one below [m], and this far above it at the start [m]."""
    t_end, t_creep = 2.0, 1.0
    """Length of the run, and the time from which creep is measured [s]."""
    static_penetration = count * mass * GRAVITY / (4.0 * stiffness)
    """Penetration of the lowest box, which four corners carry [m]."""

    @classmethod
    def start(cls) -> np.ndarray:
        """Return the centres of the boxes at the start, one row per box [m]."""
        k = np.arange(cls.count)
        heights = cls.half[2] * (2 * k + 1) + cls.gap * (k + 1)
        return np.stack([cls.offset * k, np.zeros(cls.count), heights], axis=1)

    @classmethod
    def settled(cls, before: np.ndarray, after: np.ndarray) -> dict[str, float]:
        """Return the deepest penetration [m] and the fastest creep [m/s], from the centres at t_creep and t_end."""
        nominal = np.array([cls.half[2]] + [2.0 * cls.half[2]] * (cls.count - 1))
        penetration = nominal - np.diff(after[:, 2], prepend=0.0)
        creep = np.linalg.norm(after[:, :2] - before[:, :2], axis=1) / (cls.t_end - cls.t_creep)
        return {"penetration": float(penetration.max()), "creep": float(creep.max())}


class ArmInSpheres:
    """A driven arm that sweeps through a bed of spheres; time of the run and deepest penetration.

    carom's contacts are springs and dampers, MuJoCo's are its own, so the penetration is stated beside the time.
    """

    count, mass, radius, spacing = 200, 0.01, 0.02, 0.05
    """Number, mass [kg], radius [m] and distance at the start [m] of the spheres, 8 × 8 in a layer."""
    arm_mass, arm_inertia, arm_half, arm_radius = 1.0, 0.01, 0.2, 0.02
    """Mass [kg], moments of inertia [kg m²], half length [m] and radius [m] of the arm, a capsule."""
    pivot, speed = (0.0, 0.0, 0.3), 1.0
    """Hinge of the arm, about y [m], and its angular velocity [rad/s]."""
    stiffness, restitution, friction = 1e4, 0.65, 0.3
    """Of carom's contacts: stiffness [N/m^1.5], coefficients of restitution and friction [-]."""
    t_end = 0.5
    """Length of the run [s]."""

    @classmethod
    def start(cls) -> np.ndarray:
        """Return the centres of the spheres at the start, one row per sphere [m]."""
        k = np.arange(cls.count)
        return cls.spacing * np.stack([k % 8, k // 8 % 8, 1 + k // 64], axis=1)


class Chain:
    """Rods, together one metre and one kilogram, pinned in a row and released from the horizontal.

    What counts is the place of the tip and the angle of the first link, which turns fastest.
    """

    links = (10, 100, 1000)
    t_end = {10: 1.0, 100: 0.5, 1000: 0.02}
    """As far as the motion can be computed to many digits, and a long chain in reasonable time [s]."""


class Spheres:
    """Spheres at rest in a box, with friction: time of a step. All programs start from the same settled places."""

    counts = (100, 1000, 10_000)
    radius, density, friction = 0.010, 2500.0, 0.3
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    stiffness, creep, step = 1e4, 1e-2, 1e-4
    """Of a contact [N/m]; sliding speed below which friction is viscous [m/s]; step of explicit programs [s]."""
    damping = 2.0 * 0.2 * math.sqrt(stiffness * mass / 2.0)
    settle, window = 0.5, 0.02
    """How long they fall before [s], and what is timed [s]."""


def lattice(count: int) -> tuple[np.ndarray, float]:
    """Centres of spheres at the start, on a lattice jittered at random, and the side of the box [m]."""
    across = max(2, round((count / 2) ** (1 / 3)))
    spacing = 2.5 * Spheres.radius
    k = np.arange(count)
    cells = np.stack([k % across, (k // across) % across, k // across**2], axis=1)
    jitter = np.random.default_rng(1).uniform(-0.2 * Spheres.radius, 0.2 * Spheres.radius, cells.shape)
    return spacing * (cells + 0.5) + jitter, across * spacing


def overlaps(places: np.ndarray, side: float) -> np.ndarray:
    """Return the indentations of spheres in each other and in the planes, one entry per contact [m]."""
    from scipy.spatial import cKDTree

    pairs = cKDTree(places).query_pairs(2.0 * Spheres.radius, output_type="ndarray")
    between = 2.0 * Spheres.radius - np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    flat = places[:, :2].ravel()
    walls = Spheres.radius - np.concatenate([places[:, 2], flat, side - flat])
    return np.concatenate([between, walls[walls > 0.0]])
