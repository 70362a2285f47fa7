"""Ball that falls on a force plate, whose stiffness and restitution are identified from the recorded force."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import finite_float, integer, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.drop_test import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.laws.root_finding import root
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

if TYPE_CHECKING:
    from carom.study.fitting.fit_result import FitResult

MASS, RADIUS, GRAVITY = 2.0, 0.1, 9.81
"""Mass [kg] and radius [m] of the ball, gravity [m/s²]."""
MIN_RESTITUTION, MAX_RESTITUTION = 0.2, 0.99
"""Range of the restitution [-]: damped oscillations with a damping ratio below 1."""
MIN_NOISE, MAX_NOISE = 1e-6, 0.1
"""Range of the noise of the record, relative to the largest force [-]."""
SAMPLES, RECORDED = 150, 1.3
"""Number of recorded forces, and their time relative to the duration of the contact [-]."""
MAX_DEVIATION = 4.0
"""Largest deviation of an identified parameter, in standard errors; noise exceeds it once in 16 000 records."""


@check_parameters
def drop_test(
    stiffness: float = 2e5, restitution: float = 0.6, height: float = 0.1, noise: float = 0.01, seed: int = 1
) -> Case:
    """A drop test that identifies a contact law.

    A ball of 2 kg falls from ``height`` [m] above a pad on a force plate, a spring with a damper, F = K δ + D δ̇, with
    the ``stiffness`` K and the ``restitution``. `force_record` is the recorded force: the closed form of
    the damped oscillation under gravity with normal ``noise``, relative to the largest force, from the random numbers
    of ``seed``. The check and the figure "identification" fit the model to it: `fit` finds stiffness and restitution
    again, from twice the stiffness and a restitution of 0.9, and states their standard errors, which are compared with
    those that follow from the closed form, the square roots of the diagonal of σ² (JᵀJ)⁻¹.

    Examples
    --------
    >>> import carom as cm
    >>> from carom.gallery.cases.drop_test import force_record
    >>> record = force_record(stiffness=2e5, restitution=0.6, height=0.1, noise=1e-4)
    >>> fit = cm.fit("drop_test", record, {"stiffness": (4e5, 2e4, 2e6), "restitution": (0.9, 0.2, 0.99)})
    >>> print(f"{fit['stiffness']:.3g} N/m, {fit['restitution']:.3f}")
    2e+05 N/m, 0.600
    """
    height = positive("drop_test", "height", height)
    law = pad_law(stiffness, restitution)
    noise, seed = finite_float("drop_test", "noise", noise), integer("drop_test", "seed", seed, 0, 2**32 - 1)
    if not MIN_NOISE <= noise <= MAX_NOISE:
        raise ModelError(f"drop_test: noise must lie between {MIN_NOISE:g} and {MAX_NOISE:g}, got {noise:g}")
    system = System(gravity=(0.0, -GRAVITY), name="drop test")
    ball = system.add(Body("ball", MASS, 0.4 * MASS * RADIUS**2, position=(0.0, height + RADIUS)))
    system.add(Contact(Sphere(ball, RADIUS), Plane(system.ground), law=law, name="plate"))
    fall = math.sqrt(2.0 * height / GRAVITY)
    duration = contact_duration(law, height)

    @functools.cache
    def identification() -> FitResult:
        return identified(law, height, noise, seed)

    def check_results(result: Result) -> list[CheckResult]:
        checks = [energy_drift(result, 1e-8)]
        if not result.impacts or not result.impacts[0].t_end < result.t[-1]:
            return checks
        times, impact, found = record_times(law, height), result.impacts[0], identification()
        times = times[times < result.t[-1]]
        forces, expected = result.sample(times)["plate"].normal_force, plate_force(times, law, height)
        speeds, velocity = (
            [impact.approach_speed, impact.separation_speed],
            [GRAVITY * fall, rebound_speed(law, height)],
        )
        checks += [
            CheckResult("onset [s]", abs(impact.t_start - fall), 1e-9),
            CheckResult("duration, relative", abs(impact.duration / duration - 1.0), 1e-7),
            max_abs_error("force, relative to its peak", forces / expected.max(), expected / expected.max(), 1e-5),
            max_abs_error("approach and separation speed [m/s]", np.abs(speeds), velocity, 1e-7 * velocity[0]),
        ]
        errors = standard_errors(law, height, noise)
        for name, error in zip(("stiffness", "restitution"), errors, strict=True):
            estimate, exact = found.estimate(name), getattr(law, name)
            deviation = abs(estimate.value - exact) / error
            checks += [
                CheckResult(f"identified {name}, off by [standard errors]", deviation, MAX_DEVIATION),
                CheckResult("its standard error, relative", abs(estimate.error / error - 1.0), noise + 1e-4),
            ]
        return checks

    return Case(
        drop_test,
        system=system,
        options={"t_end": fall + 5.0 * duration},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("plate.normal_force", "ball.vy"),
            motion=("ball.y", "ball.vy", "plate.normal_force"),
            ghosts=(fall,),
        ),
        reference="L. Ljung, System Identification: Theory for the User, 2nd ed., Prentice Hall 1999; T. Schwager, "
        "T. Pöschel, Granular Matter 9 (2007) 465–469",
        extra_figures=extra_figures(law, identification),
    )


def pad_law(stiffness: float, restitution: float) -> KelvinVoigt:
    """Return the law of the pad, whose damping returns the restitution without gravity."""
    restitution = finite_float("drop_test", "restitution", restitution)
    if not MIN_RESTITUTION <= restitution <= MAX_RESTITUTION:
        raise ModelError(
            f"drop_test: restitution must lie between {MIN_RESTITUTION:g} and {MAX_RESTITUTION:g}, got {restitution:g}"
        )
    return KelvinVoigt(positive("drop_test", "stiffness", stiffness), restitution=restitution, mass=MASS)


def force_record(
    stiffness: float, restitution: float, height: float, noise: float = 0.01, seed: int = 1
) -> dict[str, Any]:
    """Return times [s] and forces [N] with noise, as a force plate records them, for `fit`."""
    law = pad_law(stiffness, restitution)
    times = record_times(law, height)
    force = plate_force(times, law, height)
    force += noise * force.max() * np.random.default_rng(seed).normal(size=SAMPLES)
    return {"t": times, "plate.normal_force": force}


def identified(law: KelvinVoigt, height: float, noise: float, seed: int) -> FitResult:
    """Return stiffness and restitution found from the record."""
    from carom.study.fitting.least_squares import fit

    stiffness, restitution = law.stiffness, float(law.restitution or 0.0)
    sigma = noise * float(plate_force(record_times(law, height), law, height).max())
    parameters = {
        "stiffness": (2.0 * stiffness, 0.1 * stiffness, 10.0 * stiffness),
        "restitution": (0.9, MIN_RESTITUTION, MAX_RESTITUTION),
    }
    record = force_record(stiffness, restitution, height, noise, seed)
    return fit("drop_test", record, parameters, sigma=sigma, height=height)


def record_times(law: KelvinVoigt, height: float) -> np.ndarray:
    """Return the times of the record [s], from the onset until after the contact."""
    interval = RECORDED * contact_duration(law, height) / SAMPLES
    return math.sqrt(2.0 * height / GRAVITY) + interval * (np.arange(SAMPLES) + 0.5)


def oscillation(t: Any, law: KelvinVoigt, height: float) -> tuple[Any, Any]:
    """Return indentation [m] and its rate [m/s] at times ``t`` [s] since the onset: m δ̈ + D δ̇ + K δ = m g."""
    decay, speed = 0.5 * law.damping / MASS, math.sqrt(2.0 * GRAVITY * height)
    frequency = math.sqrt(law.stiffness / MASS - decay**2)
    rest = MASS * GRAVITY / law.stiffness
    sine = (speed - decay * rest) / frequency
    factor, c, s = np.exp(-decay * t), np.cos(frequency * t), np.sin(frequency * t)
    indentation = rest + factor * (sine * s - rest * c)
    rate = factor * ((frequency * sine + decay * rest) * c + (frequency * rest - decay * sine) * s)
    return indentation, rate


def contact_duration(law: KelvinVoigt, height: float) -> float:
    """Return the time [s] until the force K δ + D δ̇ vanishes."""

    def force(t: float) -> float:
        indentation, rate = oscillation(t, law, height)
        return float(law.stiffness * indentation + law.damping * rate)

    natural = math.sqrt(law.stiffness / MASS)
    angle = math.acos(0.5 * law.damping / (MASS * natural))
    unit = angle / (natural * math.sin(angle))
    # Without gravity, F vanishes at 2 units and is smallest at 3.
    if not force(3.0 * unit) < 0.0 < force(unit):
        raise ModelError(f"drop_test: the ball does not bounce from a height of {height:g} m; set a larger height")
    return root(force, unit, 3.0 * unit)


def plate_force(t: np.ndarray, law: KelvinVoigt, height: float) -> np.ndarray:
    """Return the force [N] on the plate at times ``t`` [s] since the release, in closed form."""
    since_onset = t - math.sqrt(2.0 * height / GRAVITY)
    indentation, rate = oscillation(since_onset, law, height)
    is_closed = (since_onset > 0.0) & (since_onset < contact_duration(law, height))
    force: np.ndarray = np.where(is_closed, law.stiffness * indentation + law.damping * rate, 0.0)
    return force


def rebound_speed(law: KelvinVoigt, height: float) -> float:
    """Return the speed [m/s] at the end of the contact."""
    return -float(oscillation(contact_duration(law, height), law, height)[1])


def standard_errors(law: KelvinVoigt, height: float, noise: float) -> np.ndarray:
    """Return the standard errors of stiffness [N/m] and restitution [-] from σ² (JᵀJ)⁻¹, J from the closed form."""
    times, step, restitution = record_times(law, height), 1e-5, float(law.restitution or 0.0)
    sigma = noise * float(plate_force(times, law, height).max())

    def force(stiffness: float, restitution: float) -> np.ndarray:
        changed = KelvinVoigt(stiffness, restitution=restitution, mass=MASS)
        return plate_force(times, changed, height)

    stiffness = law.stiffness
    rise = force(stiffness * (1.0 + step), restitution) - force(stiffness * (1.0 - step), restitution)
    change = force(stiffness, restitution + step) - force(stiffness, restitution - step)
    scale = np.array([2.0 * step * stiffness, 2.0 * step])
    jacobian = np.column_stack([rise, change]) / scale
    size = np.linalg.norm(jacobian, axis=0)
    covariance = np.linalg.inv((jacobian / size).T @ (jacobian / size))
    errors: np.ndarray = sigma * np.sqrt(np.diag(covariance)) / size
    return errors
