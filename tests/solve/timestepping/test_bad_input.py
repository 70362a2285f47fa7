"""Input that a non-smooth run rejects, and its error messages."""

from __future__ import annotations

import math

import pytest

import carom as cm
from quick import each
from solve.timestepping.scenes import ball_above_floor, disc, run, world

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.0}, "step must be positive, got 0"),
        ({"step": -1e-3}, "step must be positive"),
        ({"step": NAN}, "step must be finite, got nan"),
        ({"step": INF}, "step must be finite"),
        ({"step": "small"}, "step must be a number, got 'small'"),
        ({"step": None}, "step must be a number"),
        ({"scheme": "euler"}, "scheme must be one of 'midpoint', 'moreau', 'theta'"),
        ({"scheme": None}, "scheme must be one of"),
        ({"solver": "simplex"}, "solver must be one of 'lemke', 'enumeration', 'alart-curnier', 'pgs', got 'simplex'"),
        ({"theta": 0.3}, "theta must lie in \\[0.5, 1\\], got 0.3"),
        ({"theta": 1.1}, "theta must lie in"),
        ({"theta": NAN}, "theta must be finite"),
        ({"projection": "yes"}, "projection must be"),
        ({"adaptive": "yes"}, "adaptive must be"),
        ({"min_step": 0.0}, "min_step must be positive"),
        ({"output": 0.0}, "output must be positive"),
        ({"output": [0.1, 2.0]}, "output times must lie between 0 and t_end"),
        ({"output": NAN}, "output must be finite"),
    ],
    ids=str,
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(cm.ModelError, match=message):
        run(ball_above_floor(0.5), 0.5, **options)


@each("t_end", [0.0, -1.0, NAN, INF])
def test_run_must_have_a_length(t_end):
    with pytest.raises(cm.ModelError, match="t_end must be"):
        run(ball_above_floor(0.5), t_end)


def contact(**physics):
    system = world()
    ball = disc(system, "ball", (0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), name="floor", **physics))
    return system


def test_contact_needs_an_impact():
    with pytest.raises(cm.ModelError, match=r"'floor': no impact law; set impact=ImpactLaw\(restitution=...\)"):
        run(contact(law=cm.laws.Hertz(stiffness=1e8)), 0.1)


def test_compliant_run_of_it_needs_a_law():
    with pytest.raises(cm.ModelError, match="'floor': no contact law; set law="):
        cm.simulate(contact(impact=cm.ImpactLaw(0.5)), 0.1)


def test_contact_needs_one_of_them():
    with pytest.raises(cm.ModelError, match="'floor': set law= for compliant runs, impact= for non-smooth ones"):
        contact()


@each("impact", [0.5, "elastic", {"restitution": 0.5}])
def test_impact_must_be_an_impact(impact):
    with pytest.raises(cm.ModelError, match=r"'floor': impact must be an ImpactLaw"):
        contact(impact=impact)


def test_contact_with_both_runs_both_ways():
    """An elastic ball rises to where it fell from, whether its contact takes time or not."""
    system = contact(law=cm.laws.Hertz(stiffness=1e9), impact=cm.ImpactLaw(1.0))
    period = 2.0 * math.sqrt(2.0 * 0.9 / 9.81)
    for r in (run(system, period, step=1e-5), cm.simulate(system, period, progress=False)):
        assert r["ball"].y[-1] == pytest.approx(1.0, abs=1e-3)
        assert len(r.impacts) == 1
        assert r.impacts[0].restitution == pytest.approx(1.0, abs=1e-6)


def test_system_must_have_bodies():
    with pytest.raises(cm.ModelError, match="has no body"):
        run(world(), 0.1)


@each("thing", [3, None, "system"])
def test_only_systems_run(thing):
    with pytest.raises(cm.ModelError, match="expected a System"):
        run(thing, 0.1)


def test_generalised_coordinates_say_by_which_method_they_run():
    system = cm.GeneralizedSystem(q0=[1.0], u0=[0.0], mass=[[1.0]], force=[-9.81])
    with pytest.raises(cm.ModelError, match="nonsmooth"):
        cm.simulate(system, 1.0)


def test_body_without_mass_or_joints_is_refused():
    system = world()
    body = system.add(cm.Body("body", 0.0, position=(0.0, 1.0)))
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(0.5)))
    with pytest.raises(cm.ModelError, match="'body' free to move, without mass"):
        run(system, 0.1)


def point_mass(**impact):
    system = world()
    body = system.add(cm.Body("mass", 1.0, position=(0.0, 0.2)))
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(**impact), name="floor"))
    return system


def test_body_without_inertia_may_not_be_turned():
    with pytest.raises(cm.ModelError, match="'mass' free to move, without mass or inertia"):
        run(point_mass(restitution=0.5, friction=0.3), 0.1)


def test_body_without_inertia_that_nothing_turns_is_a_point_mass():
    r = run(point_mass(restitution=0.5), 1.0)
    assert r.impacts[0].restitution == pytest.approx(0.5, abs=1e-12)
    assert r["mass"].y[-1] == pytest.approx(0.1, abs=1e-5)


def test_names_of_contacts_are_unique():
    system = ball_above_floor(0.5)
    other = cm.Contact(cm.Sphere(system["ball"], 0.2), cm.Plane(system.ground), impact=cm.ImpactLaw(), name="floor")
    with pytest.raises(cm.ModelError, match="the name 'floor' is used"):
        system.add(other)
