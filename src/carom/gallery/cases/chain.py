"""Chain of rods."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import integer, positive
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import hanging_rods, integrate
from carom.gallery.rods import hang_rods
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""
MAX_LINKS = 10_000
"""Largest number of links."""
COMPARED_LINKS = 15
"""Number of links up to which the whole first fall is compared."""


@check_parameters
def chain(links: int = 10, length: float = 1.0, mass: float = 1.0) -> Case:
    """Chain of rods released from the horizontal.

    A chain of ``links`` equal uniform rods with a total ``length`` [m] and ``mass`` [kg] hangs on the ground by its
    first rod. It falls, folds and whips. The energy is conserved, and the first part of the fall is compared with
    Lagrange's equations in the angles; after the whip, the motion is too sensitive to compare.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.chain().system
    <System 'chain of 10 links': 10 bodies, 10 joints>
    """
    links = integer("chain", "links", links, 1, MAX_LINKS)
    length, mass = positive("chain", "length", length), positive("chain", "mass", mass)
    lengths, masses = [length / links] * links, [mass / links] * links

    system = System(gravity=(0.0, -GRAVITY), name=f"chain of {links} links")
    rods = hang_rods(system, [f"link {k}" for k in range(1, links + 1)], lengths, masses, [0.0] * links)
    # A free fall covers 0.36 of the length in this time; for long chains it is shorter, as dense equations are slow.
    compared_time = 0.6 * math.sqrt(2.0 * length / GRAVITY) * min(1.0, COMPARED_LINKS / links) ** 2

    def check_results(result: Result) -> list[CheckResult]:
        compared = result.t <= compared_time
        expected = integrate(hanging_rods(lengths, masses, GRAVITY), [0.0] * (2 * links), result.t[compared])
        angles = np.column_stack([result[rod].angle[compared] for rod in rods])
        speeds = np.column_stack([result[rod].omega[compared] for rod in rods])
        half = 0.5 * length / links
        starts = [result[rod].point(-half, 0.0) for rod in rods]
        ends = [np.zeros_like(starts[0]), *(result[rod].point(half, 0.0) for rod in rods[:-1])]
        return [
            energy_drift(result, 1e-7),
            max_abs_error("opening of the pins [m]", starts, ends, 1e-10 * length),
            max_abs_error(
                "angles [rad] of the first fall against minimal coordinates", angles, expected[:, :links], 1e-7
            ),
            max_abs_error("angular velocities [rad/s] of the first fall", speeds, expected[:, links:], 1e-5),
        ]

    return Case(
        chain,
        system=system,
        options={"t_end": 2.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=((f"link {links}.x", f"link {links}.y"), f"link {links}.omega"),
            motion=(tuple(f"{rod.name}.angle" for rod in rods), tuple(f"{rod.name}.omega" for rod in rods)),
            ghosts=tuple(0.05 * k for k in range(1, 13)),
            trace=(rods[-1].point(length / links / 2, 0.0),),
        ),
        reference="W. Tomaszewski, P. Pieranski, J.-C. Geminard, The motion of a freely falling chain tip, "
        "American Journal of Physics 74 (2006) 776–783",
    )
