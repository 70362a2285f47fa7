"""Propagators: a run that is cut into pieces is the run itself."""

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.solve.propagate import propagator

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def driven(**contact):
    """A ball above a table that a driver lifts and lowers, anchored where it is at the start."""
    system = cm.System(gravity=(0.0, -9.81), name="driven")
    table = system.add(cm.Body("table", 1.0, 1.0, position=(0.0, 0.2), velocity=(0.0, 0.4)))
    ball = system.add(cm.Body("ball", 1.0, 1.0, position=(0.0, 0.3), velocity=(0.0, -0.5)))
    guide = system.add(cm.Prismatic(system.ground, table, axis=(0.0, 1.0)))
    system.add(cm.Driver(guide, cm.SineMotion(0.02, 10.0 / math.pi)))
    plane = cm.Plane(table, normal=(0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.05), plane, name="hit", **contact))
    return system


@pytest.mark.parametrize(
    ("contact", "options"),
    [
        ({"law": cm.laws.Flores(2e4, 0.6)}, {}),
        ({"law": cm.laws.Flores(2e4, 0.6)}, {"integrator": "adams"}),
        ({"impact": cm.ImpactLaw(restitution=0.7)}, {"method": "nonsmooth", "scheme": "event-driven"}),
    ],
    ids=["dopri5", "adams", "event-driven"],
)
def test_pieces_make_the_whole_run(contact, options):
    system = driven(**contact)
    whole = cm.simulate(system, 1.0, output=[1.0], **TIGHT, **options)
    assert len(whole.impacts) > 2
    motion = propagator(system, whole.settings, 1.0)
    t, state = 0.0, motion.first
    for end in np.linspace(0.0, 1.0, 38)[1:]:  # some of the ends are inside contacts
        state, t = motion.advance(t, state, [end])[0][-1], end
    n = motion.n
    np.testing.assert_allclose(state[:n], whole.q[-1], atol=1e-7)
    np.testing.assert_allclose(state[n : 2 * n], whole.v[-1], atol=1e-6)


def test_the_places_of_spots_are_part_of_the_state():
    """A state whose spots have exchanged their slots continues with the same motion, and keeps them exchanged."""
    system = cm.System(gravity=(0.0, -9.81), name="rocking")
    block = system.add(cm.Body("block", 1.0, 1e-3, position=(0.0, 0.06), angle=0.1))
    corners = [(-0.04, -0.05), (0.04, -0.05), (0.04, 0.05), (-0.04, 0.05)]
    floor = cm.Polygon(system.ground, [(-1.0, -0.1), (1.0, -0.1), (1.0, 0.0), (-1.0, 0.0)])
    system.add(cm.Contact(cm.Polygon(block, corners), floor, name="rock", law=cm.laws.Flores(1e6, 0.6)))
    motion = propagator(system, cm.simulate(system, 0.01, output=[0.01], **TIGHT).settings, 0.2)
    middle = motion.advance(0.0, motion.first, [0.1])[0][-1]
    end = motion.advance(0.1, middle, [0.12])[0][-1]
    exchanged = middle.copy()
    motion.memory(exchanged)[:2] = motion.memory(middle)[1::-1]
    motion.advance(0.0, motion.first, [0.05])
    other = motion.advance(0.1, exchanged, [0.12])[0][-1]
    assert np.isfinite(motion.memory(end)[:, -3:]).any()
    np.testing.assert_allclose(other[: 2 * motion.n], end[: 2 * motion.n], atol=1e-7)
    np.testing.assert_allclose(motion.memory(other)[[1, 0, 2, 3]], motion.memory(end), atol=1e-6)


def test_the_memory_of_contacts_is_part_of_the_state():
    """Contacts that would begin anew at every cut would have another approach speed, and another damping."""
    system = driven(law=cm.laws.Flores(2e4, 0.6))
    motion = propagator(system, cm.simulate(system, 0.01, output=[0.01], **TIGHT).settings, 1.0)
    whole = motion.advance(0.0, motion.first, [0.5])[0][-1]
    t, state, closed = 0.0, motion.first, 0
    for end in np.linspace(0.0, 0.5, 38)[1:]:
        closed += bool(motion.memory(state)[0, 0])
        forgetful = np.concatenate([state[: motion.size], motion.first[motion.size :]])
        state, t = motion.advance(t, forgetful, [end])[0][-1], end
    assert closed > 0
    assert np.abs(state - whole)[: 2 * motion.n].max() > 1e-3


def test_a_spatial_state_differs_by_what_it_was_displaced_by():
    system = cm.System(dim=3, gravity=(0.0, 0.0, 0.0), name="top")
    inertia = [[2.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 3.0]]
    system.add(cm.Body("top", 1.0, inertia, orientation=(0.8, 0.6, 0.0, 0.0), angular_velocity=(0.1, 2.0, 0.3)))
    top = propagator(system, cm.simulate(system, 0.01, output=[0.01], **TIGHT).settings, 10.0)
    state = top.advance(0.0, top.first, [3.0])[0][-1]
    away = 1e-6 * np.arange(1.0, 13.0)
    np.testing.assert_allclose(top.difference(state, top.displaced(3.0, state, away)), away, atol=1e-11)


def test_a_driver_moves_a_displaced_state_back():
    system = driven(impact=cm.ImpactLaw(restitution=0.7))
    settings = cm.simulate(system, 0.01, output=[0.01], method="nonsmooth", scheme="event-driven", **TIGHT).settings
    motion = propagator(system, settings, 1.0)
    away = motion.difference(motion.first, motion.displaced(0.0, motion.first, np.full(2 * motion.n, 1e-6)))
    np.testing.assert_allclose(away, [0, 0, 0, 1e-6, 1e-6, 1e-6] * 2, atol=1e-12)


def test_large_groups_have_no_propagator():
    system = cm.System(name="many")
    with pytest.raises(ModelError, match="verlet"):
        propagator(system, {"method": "compliant", "integrator": "verlet"}, 1.0)
