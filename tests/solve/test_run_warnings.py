"""A run whose result should not be trusted says so, once, and says what to do."""

import warnings
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

import carom as cm
from carom.solve.run_warnings import _cause

FREE = {"integrator": "rk4", "constraints": "baumgarte", "alpha": 0.0, "beta": 0.0}
"""Nothing holds the joints but their accelerations."""


def caught(run):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return [str(warning.message) for warning in found if issubclass(warning.category, cm.CaromWarning)]


def pendulum():
    system = cm.System(gravity=(0.0, -9.81))
    bob = system.add(cm.Body("bob", mass=1.0, inertia=0.1, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    return system


def ball(stiffness):
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("ball", mass=0.5, inertia=1e-4, position=(0.0, 0.3)))
    floor = cm.Plane(system.ground, normal=(0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(body, 0.025), floor, law=cm.laws.Hertz(stiffness=stiffness), name="touch"))
    return system


def test_energy_without_a_cause_is_reported():
    texts = caught(lambda: cm.simulate(pendulum(), t_end=4.0, integrator="rk4", max_step=0.2))
    assert len(texts) == 1
    assert "reduce the step (now 0.2 s)" in texts[0]


def test_joints_that_come_apart_are_reported():
    texts = caught(lambda: cm.simulate(pendulum(), t_end=4.0, max_step=0.04, **FREE))
    assert any("'pivot' opened by" in text and "constraints='projection'" in text for text in texts)


def test_a_run_ends_where_its_joints_are_torn():
    result = cm.simulate(pendulum(), t_end=4.0, max_step=0.1, **FREE)
    assert result.outcome is cm.Outcome.CONSTRAINT_DRIFT
    assert "worst in 'pivot', open by 0.000" in result.message
    assert len(result.t) > 2


def test_indentations_beyond_theory_are_reported():
    texts = caught(lambda: cm.simulate(ball(2e4), t_end=0.3))
    assert len(texts) == 1
    assert "Contact 'touch': indents by" in texts[0]
    assert "stiffness" in texts[0]


@pytest.mark.parametrize(("count", "expected"), [(6, "indents in 6 contacts, by up to"), (400, "indents by")])
def test_indentations_of_a_group_are_reported_once(count, expected):
    """A small group consists of single contacts, a large one does not."""
    system = cm.System(gravity=(0.0, -9.81))
    balls = [
        cm.Sphere(system.add(cm.Body(f"ball {k}", 1.0, 1e-3, position=(0.2 * k, 0.1))), 0.05) for k in range(count)
    ]
    floor = [cm.Plane(system.ground)]
    system.add_contacts(balls, floor, law=cm.laws.Hertz(2e3), self_contact=False, name="balls")
    (text,) = caught(lambda: cm.simulate(system, t_end=0.2))
    assert text.startswith(f"ContactGroup 'balls': {expected} 0.0")
    assert "% of the radius 0.05 m; contact laws hold for small indentations" in text


def test_a_good_run_is_quiet():
    assert caught(lambda: cm.simulate(ball(1e9), t_end=0.3)) == []
    assert caught(lambda: cm.simulate(pendulum(), t_end=2.0, constraints="baumgarte")) == []


def jumping(settings, jump):
    """A run whose energy changes in one step; the contact point moves there by ``jump``."""
    t = np.linspace(0.0, 1.0, 11)
    x = 0.01 * t + np.where(t > 0.55, jump, 0.0)
    touch = SimpleNamespace(
        info=SimpleNamespace(signals=("x", "y", "contact_mode")), contact_mode=np.ones(11), x=x, y=0.0 * t
    )
    energy = SimpleNamespace(balance=np.where(t > 0.55, 1.0, 0.0))
    run = MagicMock(t=t, dim=2, settings=settings, energy=energy)
    run.__getitem__.return_value = touch
    return run


def test_a_smaller_rtol_is_advised_only_where_nothing_else_is_the_cause():
    system = ball(1e9)
    adaptive = {"rtol": 1e-8}
    assert "the contact point of 'touch' jumps" in _cause(system, jumping(adaptive, 0.1))
    assert "rtol" not in _cause(system, jumping(adaptive, 0.1))
    assert _cause(system, jumping(adaptive, 0.0)) == "reduce rtol (now 1e-08)"
    system.add(cm.PointForce(system["ball"], lambda t: (t, 0.0)))
    assert _cause(system, jumping(adaptive, 0.0)).endswith("or check user-defined forces and laws")


def fast(speed, shape=cm.Sphere):
    system = cm.System()
    start = {"velocity": (0.0, -speed)}
    body = system.add(cm.Body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.1 + 2e-5 * speed), **start))
    shape = cm.Sphere(body, 0.1) if shape is cm.Sphere else cm.Point(body)
    system.add(cm.Contact(shape, cm.Plane(system.ground), impact=cm.ImpactLaw(0.5), name="touch"))
    return system


def test_steps_that_pass_deep_into_a_rigid_body_are_reported():
    """At 1e6 m/s a step of 5e-5 s is 50 m."""
    for shape in (cm.Sphere, cm.Point):
        run = {"t_end": 2e-4, "method": "nonsmooth", "step": 5e-5}
        texts = caught(lambda run=run, shape=shape: cm.simulate(fast(1e6, shape), **run))
        assert len(texts) == 1
        assert "Contact 'touch': a step of 5e-05 s left an overlap of" in texts[0]
        assert "use a smaller step" in texts[0]
    assert caught(lambda: cm.simulate(fast(10.0), t_end=2e-4, method="nonsmooth", step=5e-5)) == []
