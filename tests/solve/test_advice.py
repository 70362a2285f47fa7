"""A run whose result should not be trusted says so, once, and says what to do."""

import warnings

import carom as cm

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
    assert "steps of 0.2 s are too long" in texts[0]


def test_joints_that_come_apart_are_reported():
    texts = caught(lambda: cm.simulate(pendulum(), t_end=4.0, max_step=0.04, **FREE))
    assert any("'pivot' came apart" in text and "constraints='projection'" in text for text in texts)


def test_a_run_ends_where_its_joints_are_torn():
    result = cm.simulate(pendulum(), t_end=4.0, max_step=0.1, **FREE)
    assert result.outcome is cm.Outcome.APART
    assert "worst in 'pivot', open by 0.000" in result.message
    assert len(result.t) > 2


def test_indentations_beyond_theory_are_reported():
    texts = caught(lambda: cm.simulate(ball(2e4), t_end=0.3))
    assert len(texts) == 1
    assert "Contact 'touch': indents by" in texts[0]
    assert "stiffness" in texts[0]


def test_a_good_run_is_quiet():
    assert caught(lambda: cm.simulate(ball(1e9), t_end=0.3)) == []
    assert caught(lambda: cm.simulate(pendulum(), t_end=2.0, constraints="baumgarte")) == []
