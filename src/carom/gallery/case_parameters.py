"""Parameters of the gallery cases: default value, unit and meaning."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

ANGLE, LENGTH, MASS, SPEED, RATIO, TEXT = "rad", "m", "kg", "m/s", "-", ""

COMMON: dict[str, tuple[str, str]] = {
    "angle": (ANGLE, "initial angle"),
    "balls": (RATIO, "number of balls"),
    "exact": (TEXT, "hysteresis factor that returns the restitution exactly, for laws that have it"),
    "friction": (RATIO, "coefficient of friction"),
    "height": (LENGTH, "initial height"),
    "inertia": ("kg m²", "moment of inertia about the centre of mass"),
    "law": (TEXT, "contact law: a name of `carom laws` or a law object"),
    "length": (LENGTH, "length"),
    "mass": (MASS, "mass"),
    "onset": (TEXT, 'location of the contact onset: "event", "reject", "interpolate" or "none"'),
    "restitution": (RATIO, "coefficient of restitution"),
    "rod_inertia": ("kg m²", "moment of inertia of the connecting rod"),
    "speed": (SPEED, "initial speed"),
    "stiffness": ("N/m", "stiffness of the spring"),
}
"""Unit and meaning of parameters that mean the same in several cases."""

OWN: dict[str, dict[str, tuple[str, str]]] = {
    "worn_slider_crank": {
        "cycles": (RATIO, "number of revolutions"),
        "cycle_factor": (RATIO, "revolutions that each simulated one stands for"),
        "speed": ("rad/s", "angular velocity of the crank"),
    },
    "pendulum": {"angle": (ANGLE, "initial angle from the x-axis"), "length": (LENGTH, "length of the arm")},
    "double_pendulum": {
        "lengths": (LENGTH, "lengths of the two rods"),
        "masses": (MASS, "masses of the two rods"),
        "angles": (ANGLE, "initial angles from the x-axis"),
    },
    "chain": {"links": (RATIO, "number of links"), "length": (LENGTH, "total length"), "mass": (MASS, "total mass")},
    "spring_pendulum": {
        "damping": ("N s/m", "damping of the spring"),
        "free_length": (LENGTH, "length of the unloaded spring"),
    },
    "slider_crank": {
        "crank": (TEXT, '"free" or "driven"'),
        "speed": ("rad/s", "angular velocity of the crank"),
    },
    "four_bar": {
        "crank": (LENGTH, "length of the crank"),
        "coupler": (LENGTH, "length of the coupler"),
        "rocker": (LENGTH, "length of the rocker"),
        "base": (LENGTH, "distance of the two ground pins"),
        "speed": ("rad/s", "angular velocity of the driven crank"),
    },
    "parallelogram": {
        "length": (LENGTH, "length of the three bars"),
        "mass": (MASS, "mass of a bar"),
        "beam_mass": (MASS, "mass of the beam"),
    },
    "n_four_bar": {"n": (RATIO, "number of four-bar loops")},
    "quick_return": {"joints": (TEXT, '"clearance" or "ideal"')},
    "slider_crank_clearance": {
        "crank": (TEXT, '"free" or "driven" at the initial speed'),
        "slider_angle": (ANGLE, "initial angle of the slider in its guide"),
        "coordinates": (TEXT, '"generalized" (three angles) or "cartesian" (three per body)'),
        "law": (TEXT, "contact law of compliant runs in Cartesian coordinates"),
        "stiffness": ("N/m^1.5", "stiffness of that law; none: 4.8e9, steel corners of 1 mm radius"),
    },
    "piston_pin": {
        "joint": (TEXT, 'joint of rod and piston: "dry", "lubricated" or "ideal"'),
        "speed": ("rad/s", "angular velocity of the crank"),
        "clearance": (LENGTH, "radial clearance"),
        "viscosity": ("Pa s", "viscosity of the oil"),
    },
    "four_bar_clearance": {
        "joints": (RATIO, "number of loose joints, 0 to 3"),
        "speed": ("rad/s", "angular velocity of the crank"),
        "clearance": (LENGTH, "radial clearance"),
    },
    "crank_press": {
        "clearance": (LENGTH, "radial clearance of the worn pin"),
        "load": ("N", "largest force of the tool"),
        "speed": ("rad/s", "angular velocity of the crank"),
    },
    "five_bar_clearance": {
        "elbow": (TEXT, 'left elbow: "loose" or "ideal"'),
        "frequency": ("Hz", "frequency of the motion"),
        "clearance": (LENGTH, "radial clearance"),
    },
    "newtons_cradle": {
        "lifted": (RATIO, "number of balls that are lifted at the start"),
        "gap": (LENGTH, "distance between neighbouring balls at rest"),
        "angle": (ANGLE, "angle by which the first balls are lifted"),
    },
    "rocking_block": {
        "width": (LENGTH, "width of the block"),
        "height": (LENGTH, "height of the block"),
        "angle0": (ANGLE, "initial tilt"),
    },
    "stick_slip": {
        "belt_speed": (SPEED, "speed of the belt"),
        "stretch": (LENGTH, "initial elongation of the spring"),
    },
    "painleve_rod": {
        "angle": (ANGLE, "angle of the rod behind its lower end"),
        "speed": (SPEED, "initial sliding speed of the lower end"),
    },
    "ball_on_swinging_disc": {
        "amplitude": (ANGLE, "amplitude of the disc; a value above π/2 is read in degrees"),
        "start": (LENGTH, "initial position (x, y) of the ball"),
        "edges": (TEXT, 'contact at the rim: "contact" or "ignore"'),
    },
    "cam_follower": {"profile": (TEXT, '"closed" (rotating cam) or "graph" (translating cam)')},
    "cup_and_marble": {
        "surface": (TEXT, '"table" (lookup tables) or "analytic"'),
        "points": (RATIO, "number of points of a lookup table in each direction"),
        "window": (RATIO, "records of the tables in memory, such as (5, 11); none: all"),
        "interpolation": (TEXT, 'interpolation in the tables, such as "bicubic"'),
        "crank": (TEXT, '"driven" at 2 rad/s, or "free" after a start at that speed'),
    },
    "condyles": {
        "tilt": ("degrees", "initial tilt, so that one condyle lands first"),
        "flexion": ("rad/s", "initial flexion rate"),
    },
    "ball_on_incline": {"slope": (ANGLE, "slope of the plane"), "speed": (SPEED, "initial speed down the slope")},
    "spinning_top": {"spin": ("rad/s", "initial spin about the axis"), "tilt": (ANGLE, "initial tilt of the axis")},
    "dzhanibekov": {"disturbance": ("rad/s", "disturbance of the spin about the first axis")},
    "dominoes": {"count": (RATIO, "number of dominoes"), "pitch": (LENGTH, "distance of neighbouring dominoes")},
    "box_of_spheres": {"balls": (RATIO, "number of spheres"), "seed": (RATIO, "seed of the random displacements")},
    "drop_test": {
        "stiffness": ("N/m", "stiffness of the pad"),
        "noise": (RATIO, "noise of the recorded force, relative to its largest value"),
        "seed": (RATIO, "seed of the noise"),
    },
    "bumper": {
        "stiffness": ("N/m", "stiffness of the bumper"),
        "damping": ("N s/m", "damping of the bumper"),
        "stroke": (LENGTH, "largest travel of the bumper"),
    },
}
"""Unit and meaning of parameters of single cases."""


@dataclass(frozen=True)
class CaseParameter:
    """Parameter of a case: name, default value, unit ("-" for a ratio or a number, empty for a text), and meaning."""

    name: str
    default: Any
    unit: str
    meaning: str


def case_parameters(factory: Callable[..., Any]) -> list[CaseParameter]:
    """Return the parameters of the function that builds a case."""
    known = {**COMMON, **OWN.get(factory.__name__, {})}
    return [
        CaseParameter(name, parameter.default, *known.get(name, ("", "")))
        for name, parameter in inspect.signature(factory).parameters.items()
    ]
