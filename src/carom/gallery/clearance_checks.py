"""Common parts of cases of mechanisms with clearance: joints, laws, momentum balance, figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.gallery.case import CheckResult
from carom.joints.registry import Revolute
from carom.laws.stiffness import hertz_stiffness
from carom.model.planar_clearance import RevoluteClearance
from carom.model.system import System
from carom.result.joint_diagnosis import diagnose_joint
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOMENTUM_BOUND = 1e-3
"""Error of an impulse over the integral of the magnitude of the force up to which they agree [-]; the force is
integrated over the nodes of the run."""


def journal_in(owner: str, bearing_radius: float, clearance: float) -> dict[str, float]:
    """Return the radii of a joint with a radial clearance [m]; raise if it leaves no journal."""
    play = positive(owner, "clearance", clearance)
    if not play < 0.5 * bearing_radius:
        raise ModelError(f"{owner}: clearance must be below half of the bearing radius {bearing_radius:g} m, got "
                         f"{play:g} m")  # fmt: skip
    return {"journal_radius": bearing_radius - play, "bearing_radius": bearing_radius}


def joint_stiffness(sizes: dict[str, float]) -> float:
    """Return Hertz's stiffness of steel spheres with the radii of a joint [N/m^1.5], as in the papers."""
    return hertz_stiffness(sizes["journal_radius"], -sizes["bearing_radius"])


def pin(owner: Any, other: Any, at: Any, name: str, sizes: dict[str, float] | None, **laws: Any) -> Any:
    """Return a revolute joint, with clearance if there are ``sizes``."""
    if sizes is None:
        return Revolute(owner, other, at=at, name=name)
    return RevoluteClearance(owner, other, at=at, name=name, **{**sizes, **laws})


def copy_velocities(system: System, ideal: System) -> None:
    """Set the velocities of all bodies to those of the ideal mechanism."""
    for body in system.bodies:
        body.velocity, body.angular_velocity = ideal[body.name].velocity, ideal[body.name].angular_velocity


def reaction_of(result: Result, joint: str) -> np.ndarray:
    """Return the force of a joint on its second body at the nodes [N]."""
    if result[joint].kind == "Revolute":
        return np.column_stack([result[joint].fx, result[joint].fy])
    return diagnose_joint(result, joint).reaction


def momentum_balance(
    result: Result,
    body: str,
    joints: Iterable[tuple[str, float]],
    gravity: Sequence[float],
    axes: Sequence[int] = (0, 1),
    external: Sequence[float] = (0.0, 0.0),
) -> CheckResult:
    """Check m Δv = ∫ (Σ sign · reaction + m g) dt of a body, along ``axes``; the error is relative to ∫ |force| dt.

    ``external`` is the impulse of other forces [N s].
    """
    info = next(one for one in result.bodies if one.name == body)
    total, size = np.zeros(2), 0.0
    for joint, sign in joints:
        reaction = reaction_of(result, joint)
        total += sign * np.trapezoid(reaction, result.t, axis=0)
        size += float(np.trapezoid(np.linalg.norm(reaction, axis=1), result.t))
    duration = float(result.t[-1] - result.t[0])
    total += info.mass * np.array(gravity) * duration + np.array(external)
    change = info.mass * (result[body].velocity[-1] - result[body].velocity[0])
    error = float(np.max(np.abs((total - change)[list(axes)])))
    return CheckResult(f"momentum of the {body} against the impulse of its joints", error / size, MOMENTUM_BOUND)


def largest_deviation(result: Result, joints: Iterable[str]) -> float:
    """Return the sum of the largest eccentricities of joints with clearance [m]."""
    return float(sum(np.max(result[joint].eccentricity) for joint in joints))


def diagnosis_figure(joint: str, period: float) -> Callable[[Result], Figure]:
    """Return the function that draws the diagnosis of a joint."""

    def draw(result: Result) -> Figure:
        from carom.plot import plot_joint

        return plot_joint(result, joint, period=period)

    return draw


def series_figure(title: str, runs: Callable[[Result], dict[str, Result]], *what: str) -> Callable[[Result], Figure]:
    """Return the function that draws series of several runs."""

    def draw(result: Result) -> Figure:
        from carom.plot import plot_comparison

        return plot_comparison(runs(result), *what, title=title)

    return draw
