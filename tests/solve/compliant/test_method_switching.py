"""Choice between explicit and implicit steps: when a trial begins, how it ends, and what a run shows of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.kernels import RUN, kernel
from carom.kernels.interpreted import address_of_argument
from carom.mechanics.contact_records import CONTACT_HISTORY, LOADED, SEPARATED
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.method_switching import (
    FIRST_GAIN,
    FIRST_WAIT,
    LASTING,
    MAX_SHORT_STEPS,
    MAX_WAIT,
    MIN_GAIN,
    STIFF_IMPACT,
    TRIAL_STEPS,
    abandon_failed_trial,
    choose_method,
)
from carom.solve.compliant.records import EVENTS, INTEGRATION, PROGRESS, TRIAL_STEP
from carom.solve.runge_kutta.step_control import MIN_LAST_ERROR

STEP, LAST_ERROR = 1e-4, 0.3
"""Length of explicit steps [s], and the error of the last one in units of the tolerance [-]."""
IMPACT = 0.01
"""Duration of an impact of the contact [s]."""


@kernel(RUN, INTEGRATION)
def accept(run):
    """Choose the method after an accepted step."""
    choose_method(run, PROGRESS(run.progress), TRIAL_STEP(run.trial_step))
    return 0


@kernel(RUN, INTEGRATION)
def reject(run):
    """Return whether a rejected step ends a trial."""
    return 1 if abandon_failed_trial(run, PROGRESS(run.progress)) else 0


class Loop:
    """The records of a run with one contact, which has lasted for a second."""

    def __init__(self, mode: int = LOADED, t_start: float = -1.0):
        self.history = CONTACT_HISTORY.zeros(1)
        self.history["mode"], self.history["t_start"], self.history["impact_duration"] = mode, t_start, IMPACT
        self.model = MODEL.new(n_contacts=1, contact_history=self.history.ctypes.data)
        self.events = EVENTS.new(min_impact_duration=IMPACT if mode == LOADED else math.inf)
        self.progress = PROGRESS.new(h=STEP, last_error=LAST_ERROR, steps_before_trial=FIRST_WAIT)
        self.trial = TRIAL_STEP.new()
        self.run = INTEGRATION.new(
            model=address_of_argument(self.model), events=address_of_argument(self.events), may_switch=1,
            progress=address_of_argument(self.progress), trial_step=address_of_argument(self.trial), t_rest=-math.inf,
        )  # fmt: skip

    def accept(self, count: int = 1, *, event: bool = False) -> Loop:
        """Accept steps; all are explicit or all are implicit."""
        self.trial.has_event = event
        for _ in range(count):
            accept.call(self.run)
        return self

    def reject(self, h: float) -> bool:
        """Reject a step; ``h`` [s] is the length of the next one."""
        self.progress.h = h
        return bool(reject.call(self.run))

    @property
    def is_implicit(self) -> bool:
        return bool(self.progress.is_implicit)


def in_trial() -> Loop:
    return Loop().accept(FIRST_WAIT)


# ---- beginning


def test_trial_begins_after_enough_steps_in_contact():
    loop = Loop().accept(FIRST_WAIT - 1)
    assert not loop.is_implicit
    loop.accept()
    assert loop.is_implicit
    assert loop.progress.h == FIRST_GAIN * STEP
    assert loop.progress.trial_steps_left == TRIAL_STEPS
    assert loop.progress.last_error == MIN_LAST_ERROR


def test_steps_are_counted_from_the_last_event():
    loop = Loop().accept(FIRST_WAIT - 1).accept(event=True).accept(FIRST_WAIT - 1)
    assert not loop.is_implicit
    assert loop.accept().is_implicit


def test_flight_is_explicit():
    assert not Loop(SEPARATED).accept(STIFF_IMPACT * FIRST_WAIT).is_implicit


def test_steps_in_flight_do_not_count():
    loop = Loop().accept(FIRST_WAIT - 1)
    loop.events.min_impact_duration = math.inf
    loop.accept()
    loop.events.min_impact_duration = IMPACT
    assert not loop.accept(FIRST_WAIT - 1).is_implicit
    assert loop.accept().is_implicit


def test_run_that_may_not_switch_stays_explicit():
    loop = Loop()
    loop.run.may_switch = 0
    assert not loop.accept(STIFF_IMPACT * FIRST_WAIT).is_implicit


@pytest.mark.parametrize(("age", "lasts"), [(0.99 * LASTING * IMPACT, False), (1.01 * LASTING * IMPACT, True)])
def test_impact_is_explicit_unless_its_steps_are_many(age, lasts):
    loop = Loop(t_start=-age).accept(FIRST_WAIT)
    assert loop.is_implicit == lasts
    if not lasts:
        assert not loop.accept((STIFF_IMPACT - 1) * FIRST_WAIT - 1).is_implicit
        assert loop.accept().is_implicit


def test_contact_at_rest_from_the_start_lasts_at_once():
    loop = Loop(t_start=-0.1 * IMPACT)
    loop.run.t_rest = -0.1 * IMPACT
    assert loop.accept(FIRST_WAIT).is_implicit


# ---- end of a trial


def test_rejected_step_ends_a_trial_without_gain_and_restores_the_explicit_step():
    loop = in_trial()
    assert loop.reject(0.99 * MIN_GAIN * STEP)
    assert not loop.is_implicit
    assert loop.progress.h == STEP
    assert loop.progress.last_error == LAST_ERROR
    assert loop.progress.trial_steps_left == 0
    assert not loop.accept(2 * FIRST_WAIT - 1).is_implicit  # the next trial comes later
    assert loop.accept().is_implicit


def test_rejected_step_that_is_long_enough_is_repeated():
    loop = in_trial()
    assert not loop.reject(1.01 * MIN_GAIN * STEP)
    assert loop.is_implicit
    assert loop.progress.trial_steps_left == TRIAL_STEPS


def test_waiting_time_is_bounded_and_short_again_after_a_success():
    loop = Loop()
    waits = []
    for _ in range(6):
        waits.append(int(loop.progress.steps_before_trial))
        loop.accept(waits[-1])
        assert loop.reject(0.5 * STEP)
    assert waits == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT, MAX_WAIT, MAX_WAIT, MAX_WAIT]
    loop.accept(MAX_WAIT).accept(TRIAL_STEPS - 1)
    assert loop.progress.steps_before_trial == MAX_WAIT
    loop.accept()
    assert loop.progress.steps_before_trial == FIRST_WAIT


def test_short_accepted_step_ends_a_trial_unless_an_event_made_it_short():
    loop = in_trial()
    loop.progress.h = 0.5 * STEP
    assert loop.accept(event=True).is_implicit
    loop.accept()
    assert not loop.is_implicit
    assert loop.progress.h == STEP


def test_method_stays_implicit_after_a_successful_trial():
    loop = in_trial().accept(TRIAL_STEPS)
    assert loop.progress.trial_steps_left == 0
    assert not loop.reject(1e-3 * STEP)
    loop.progress.h = 1e-3 * STEP
    assert loop.accept().is_implicit


def test_method_is_explicit_again_after_many_short_steps_in_a_row():
    loop = in_trial().accept(TRIAL_STEPS)
    loop.progress.h = 0.99 * MIN_GAIN * STEP
    loop.accept(MAX_SHORT_STEPS - 1)
    loop.progress.h = 1.01 * MIN_GAIN * STEP
    assert loop.accept().is_implicit  # the count begins again
    loop.progress.h = 0.99 * MIN_GAIN * STEP
    assert loop.accept(MAX_SHORT_STEPS - 1).is_implicit
    assert not loop.accept().is_implicit
    assert loop.progress.h == 0.99 * MIN_GAIN * STEP
    assert not loop.accept(2 * FIRST_WAIT - 1).is_implicit
    assert loop.accept().is_implicit


@pytest.mark.parametrize("steps", [1, TRIAL_STEPS + 5])
def test_method_is_explicit_again_when_the_contact_opens(steps):
    loop = in_trial().accept(steps)
    loop.events.min_impact_duration = math.inf
    loop.progress.h = 7e-3
    loop.accept(event=True)
    assert not loop.is_implicit
    assert loop.progress.h == 7e-3
    loop.events.min_impact_duration = IMPACT
    assert not loop.accept(FIRST_WAIT - 1).is_implicit
    assert loop.accept().is_implicit


# ---- whole runs


def ball_in_contact(stiffness: float, damping: float, load: float, release: float = math.inf) -> cm.System:
    """Return a ball of 1 kg that rolls on the floor, in balance for ``load`` 1; it is lifted at ``release`` [s]."""
    system = cm.System(gravity=(0.0, -9.81))
    position = (0.0, 0.1 - load * 9.81 / stiffness)
    ball = system.add(cm.Body("ball", 1.0, 4e-3, position=position, velocity=(0.1, 0.0), angular_velocity=-1.0))
    law, friction = cm.laws.KelvinVoigt(stiffness, damping), cm.friction.Coulomb(0.3, 1e-2)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law, friction, name="floor"))
    if release < math.inf:
        system.add(cm.PointForce(ball, lambda t: (0.0, 20.0 if t > release else 0.0)))
    return system


@pytest.mark.filterwarnings("ignore:Contact 'floor'")
def test_failed_trials_leave_no_trace_in_the_nodes():
    """A soft contact without damping: the oscillation limits the steps, implicit ones are not longer."""
    options = {"rtol": 1e-7, "atol": 1e-9}
    result = cm.simulate(ball_in_contact(1e4, 0.0, load=0.5), 1.0, **options)
    explicit = cm.simulate(ball_in_contact(1e4, 0.0, load=0.5), 1.0, integrator="dopri5", **options)
    trials = result.stats["jacobians"]
    assert trials >= 4
    assert result.stats["implicit_steps"] == 0
    assert result.stats["implicit_time"] == 0.0
    assert result.stats["rejected"] == explicit.stats["rejected"] + trials  # each ends at its first rejected step
    assert result.stats["steps"] == explicit.stats["steps"]
    np.testing.assert_array_equal(result.t, explicit.t)
    np.testing.assert_array_equal(result.q, explicit.q)
    np.testing.assert_array_equal(result.signals, explicit.signals)


@pytest.mark.filterwarnings("ignore:Contact 'floor'")
def test_steps_are_implicit_while_the_contact_lasts():
    """The ball is lifted after 0.5 s; its flight is explicit."""
    release = 0.5
    result = cm.simulate(ball_in_contact(1e6, 500.0, load=1.0, release=release), 0.8)
    assert result.outcome.ok
    (contact,) = result.impacts
    assert contact.t_end == pytest.approx(release, abs=1e-3)
    assert 0.9 * contact.t_end < result.stats["implicit_time"] < contact.t_end
    flight = int(np.count_nonzero(result.t > contact.t_end))
    assert flight > 3
    assert result.stats["steps"] - result.stats["implicit_steps"] >= flight - 1  # two nodes at the separation
    push = 9.81 / math.sqrt(1e6)  # the speed that the contact can give [m/s], its elastic energy without damping
    assert result["ball"].vy[-1] == pytest.approx((20.0 - 9.81) * (0.8 - release), abs=push)


def test_stiff_damper_that_begins_in_implicit_steps_ends_them():
    """A ball rolls on the floor; after 0.1 s a torque of the user damps it with 1e5/s, which the Jacobian lacks."""
    system = ball_in_contact(1e6, 500.0, load=1.0)
    brake = cm.expression("u = min(max((t - 0.1)/0.01, 0), 1); -400*ball.omega*u*u*(3 - 2*u)")
    system.add(cm.Torque(system["ball"], brake))
    options = {"rtol": 1e-6, "atol": 1e-8}
    result = cm.simulate(system, 0.2, **options)
    explicit = cm.simulate(system, 0.2, integrator="dopri5", **options)
    assert result.outcome.ok
    assert result.stats["implicit_steps"] > 0
    assert result.stats["evaluations"] < 3.0 * explicit.stats["evaluations"]
    assert result["ball"].x[-1] == pytest.approx(explicit["ball"].x[-1], abs=1e-8)
