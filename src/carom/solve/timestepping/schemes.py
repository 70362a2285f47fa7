"""Registry of the time-stepping schemes. A new scheme is one file with a kernel and one line here."""

from __future__ import annotations

from dataclasses import dataclass

from carom.kernels import Kernel
from carom.solve.event_driven.impact_equations import solve_impact_equations
from carom.solve.timestepping.moreau_jean import theta_step
from carom.solve.timestepping.moreau_midpoint import midpoint


@dataclass(frozen=True)
class Scheme:
    """A time-stepping scheme: the kernel of a step and its options, which are fields of `STEPPER`."""

    step: Kernel
    repeats_with_mean_velocity: bool = True
    """Forces are those at the mean of the velocities before and after the step."""
    curvature_correction: bool = True
    """Velocities of persistent contacts are those at the ends of the step."""
    no_energy_gain: bool = True
    """Persistent contacts stay closed, and closed contacts gain no energy when they open."""
    projects_positions: bool = True
    """Penetration is removed, unless the run has the option projection=False."""
    is_implicit: bool = False
    """The step is implicit in the forces."""
    has_joint_friction: bool = False
    """Joints may have friction."""


SCHEMES: dict[str, Scheme] = {
    "midpoint": Scheme(midpoint, has_joint_friction=True),
    "moreau": Scheme(
        midpoint,
        repeats_with_mean_velocity=False,
        curvature_correction=False,
        no_energy_gain=False,
        projects_positions=False,
        has_joint_friction=True,
    ),
    "theta": Scheme(theta_step, repeats_with_mean_velocity=False, is_implicit=True),
    # The step of an event-driven run is an impact.
    "event-driven": Scheme(
        solve_impact_equations, repeats_with_mean_velocity=False, curvature_correction=False, projects_positions=False
    ),
}
