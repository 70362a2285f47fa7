"""Validation problem: conserved quantities over long runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from carom.forces.registry import SpringDamper
from carom.gallery.case import CheckResult, max_abs_error
from carom.gallery.cases.dzhanibekov import INERTIA, dzhanibekov
from carom.gallery.cases.falling_ball import GRAVITY, HEIGHT, RADIUS, falling_ball
from carom.gallery.cases.pendulum import pendulum
from carom.gallery.reference_solutions import swing, swing_period
from carom.gallery.validation.problem import CLOSED_FORM, require_finished, validation_problem
from carom.joints.registry import Distance, Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.solve.simulate import simulate

SWINGS, BOUNCES, TUMBLING_TIME, FREE_TIME = 200, 200, 300.0, 60.0
"""Numbers of swings of a pendulum and of bounces of a ball, and durations of the free motions [s]."""


@validation_problem(CLOSED_FORM, "Conservation laws; D. F. Lawden, Elliptic Functions and Applications, §5.1")
def long_runs() -> Iterator[CheckResult]:
    """Energy and momentum over long runs.

    Two hundred swings of a pendulum, with the phase from elliptic functions; two hundred bounces of an elastic ball; a
    free body that tumbles for 300 s; four free bodies connected by a pin, a rod and a spring for 60 s.
    """
    yield from pendulum_checks()
    yield from bounce_checks()
    yield from tumbling_checks()
    yield from free_body_checks()


def pendulum_checks() -> Iterator[CheckResult]:
    """Check energy and phase of a pendulum."""
    frequency = math.sqrt(GRAVITY)
    period = swing_period(frequency, 0.5 * math.pi)
    result = require_finished(pendulum().run(t_end=SWINGS * period, output=0.25 * period))
    angle, _ = swing(result.t, frequency, 0.5 * math.pi)
    yield CheckResult(f"energy drift, {SWINGS} swings", result.energy.drift, 1e-7)
    yield max_abs_error(f"angle [rad], {SWINGS} swings", result["bob"].angle, angle - 0.5 * math.pi, 1e-5)


def bounce_checks() -> Iterator[CheckResult]:
    """Check energy and momentum of a bouncing ball."""
    fall_time = math.sqrt(2.0 * (HEIGHT - RADIUS) / GRAVITY)
    result = require_finished(falling_ball(restitution=1.0).run(t_end=2.0 * BOUNCES * fall_time))
    speeds = np.array([impact.approach_speed for impact in result.impacts])
    yield CheckResult(f"energy drift, {len(speeds)} bounces", result.energy.drift, 1e-7)
    yield max_abs_error("speed of every impact, relative", speeds / (GRAVITY * fall_time), 1.0, 1e-7)
    yield max_abs_error("momentum along the floor [kg m/s]", result["ball"].vx, 1.0, 1e-12)


def tumbling_checks() -> Iterator[CheckResult]:
    """Check energy and angular momentum of a tumbling body."""
    result = require_finished(dzhanibekov().run(t_end=TUMBLING_TIME))
    nut = result["nut"]
    momentum = np.einsum("nij,nj->ni", nut.rotation, np.array(INERTIA) * nut.omega)
    yield CheckResult(f"energy drift, {TUMBLING_TIME:g} s of tumbling", result.energy.drift, 1e-8)
    yield max_abs_error(f"angular momentum [N m s], {TUMBLING_TIME:g} s of tumbling", momentum, momentum[0], 1e-7)


def free_body_checks() -> Iterator[CheckResult]:
    """Check energy and momenta of four connected bodies."""
    system = System(name="free bodies")
    a = system.add(Body("a", 1.0, 0.2, (0.0, 0.0), 0.0, (0.3, -0.2), 1.0))
    b = system.add(Body("b", 2.0, 0.4, (1.5, 0.4), 0.3, (-0.1, 0.4), -0.7))
    c = system.add(Body("c", 0.5, 0.1, (0.6, 1.4), 0.6, (0.2, 0.1), 2.0))
    d = system.add(Body("d", 0.8, 0.1, (2.0, 1.5), 0.0, (0.0, -0.5), 0.0))
    system.add(Revolute(a, b, at=(0.8, 0.3)))
    system.add(Distance(b.point(0.1, 0.3), c.point(0.0, -0.2)))
    system.add(SpringDamper(c, d, stiffness=20.0))
    system.assemble()
    result = require_finished(simulate(system, FREE_TIME))
    linear, angular = np.zeros((len(result.t), 2)), np.zeros(len(result.t))
    for body in result.bodies:
        motion = result[body.name]
        linear += body.mass * motion.velocity
        angular += body.inertia * motion.omega + body.mass * (motion.x * motion.vy - motion.y * motion.vx)
    yield CheckResult(f"energy drift, {FREE_TIME:g} s of four bodies", result.energy.drift, 1e-7)
    yield max_abs_error(f"momentum [N s], {FREE_TIME:g} s of four bodies", linear, linear[0], 1e-9)
    yield max_abs_error(f"angular momentum [N m s], {FREE_TIME:g} s of four bodies", angular, angular[0], 1e-7)
