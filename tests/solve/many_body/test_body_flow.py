"""Inlets and outlets: bodies appear and leave, and masses, energies and bits are right."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.model.contact_group import ContactGroup
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from carom.solve.many_body.body_flow import BodyFlow
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.many_body.verlet_flow import VerletBodies
from solve.many_body.systems import GRAVITY, MASS, RADIUS, add_group, add_sphere

STEP = 5e-5


def thrown_body(dim: int) -> tuple[cm.System, cm.Body]:
    """Return a system with one body that appears at 0.0312 s with a velocity and a spin."""
    gravity, velocity = ((0.0, -GRAVITY), (0.3, 1.0)) if dim == 2 else ((0.0, 0.0, -GRAVITY), (0.3, 0.0, 1.0))
    system = cm.System(dim=dim, gravity=gravity)
    spin, inertia = (3.0, 0.1) if dim == 2 else ((0.0, 0.0, 3.0), (0.1, 0.2, 0.3))
    body = system.add(
        cm.Body("ball", MASS, inertia, np.full(dim, 0.5), velocity=velocity, angular_velocity=spin)
    )  # fmt: skip
    other = system.add(cm.Body("other", MASS, inertia, np.full(dim, 7.0)))
    system.add(cm.Contact(cm.Sphere(body, RADIUS), cm.Sphere(other, RADIUS), law=cm.laws.Hertz(1e6)))
    system.add(cm.Inlet([body], times=[0.0312], name="feed"))
    return system, body


@pytest.mark.parametrize("dim", [2, 3])
def test_a_body_waits_and_then_falls_exactly(dim):
    """Velocity Verlet is exact for constant acceleration, if the segment ends exactly at the time of the inlet."""
    system, body = thrown_body(dim)
    result = cm.simulate(system, 0.1, max_step=1e-3, output=0.01)
    assert result.settings["integrator"] == "verlet"
    ball, t = result[body], result.t - 0.0312
    waits = t < 0.0
    assert np.array_equal(ball.position[waits], np.full((4, dim), 0.5))
    assert not ball.velocity[waits].any()
    assert not ball.omega[waits].any()
    fall = np.zeros(dim)
    fall[-1] = -GRAVITY
    t = t[~waits, None]
    assert ball.position[~waits] == pytest.approx(0.5 + np.array(body.velocity) * t + 0.5 * fall * t**2, abs=1e-14)
    assert ball.velocity[~waits] == pytest.approx(np.array(body.velocity) + fall * t, abs=1e-13)
    assert np.array_equal(result["feed"].count, ~waits)
    assert result["feed"].mass[-1] == MASS
    assert result.energy.drift < 1e-12
    kinetic = 0.5 * MASS * np.dot(body.velocity, body.velocity) + 0.5 * (0.1 if dim == 2 else 0.3) * 3.0**2
    assert result.energy.applied_work[-1] == pytest.approx(kinetic)


def chute(count: int = 60) -> cm.System:
    """Return spheres from two inlets that fall on a slope and slide through an outlet."""
    system = cm.System(dim=3, gravity=(3.0, 0.0, -GRAVITY), name="chute")
    places = [(0.0, 0.03 * (k % 3), 0.06) for k in range(count)]
    spheres = [add_sphere(system, f"b{k}", place, (1.0, 0.0, -0.5)) for k, place in enumerate(places)]
    floor = cm.Plane(system.ground)
    system.add_contacts(spheres, [floor], cm.laws.Flores(1e5, 0.5), cm.friction.ElastoPlastic(0.1, 1e5))
    bodies = [sphere.body for sphere in spheres]
    system.add(cm.Inlet(bodies[: count // 2], rate=100.0, name="one"))
    system.add(cm.Inlet(bodies[count // 2 :], rate=80.0, start=0.05, name="two"))
    system.add(cm.Outlet(box=((0.08, -1.0, 0.0), (0.3, 1.0, 1.0)), interval=0.002, name="end"))
    return system


def test_bodies_in_equal_bodies_present_and_out():
    system = chute()
    result = cm.simulate(system, 0.6, max_step=STEP, output=0.01)
    speed = np.array([np.linalg.norm(result[body].velocity, axis=1) for body in system.bodies])
    n_present = np.count_nonzero(speed > 0.0, axis=0)
    entered = result["one"].count + result["two"].count
    left = result["end"].count
    assert np.array_equal(entered, n_present + left)
    assert entered[-1] == 60.0
    assert left[-1] > 30.0
    assert np.all(np.diff(left) >= 0.0)
    assert result["end"].mass == pytest.approx(left * MASS)
    assert np.isfinite(result.q).all()
    # Bodies leave while they touch the floor; their elastic energy leaves with them.
    assert result.energy.drift < 1e-3


def test_a_body_that_left_stays_where_it_was():
    system = chute()
    result = cm.simulate(system, 0.6, max_step=STEP, output=0.01)
    position = result["b0"].position
    gone = np.flatnonzero(position[:, 0] > 0.08)
    assert len(gone) > 5
    assert np.array_equal(position[gone[1]], position[-1])
    assert not result["b0"].velocity[gone[1:]].any()


def column(lower_first: bool = True) -> cm.System:
    """Return a sphere that rests on another one, which an outlet removes at 0.05 s."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    shapes = {name: add_sphere(system, name, (0.0, 0.0, z)) for name, z in (("low", RADIUS), ("high", 3.0 * RADIUS))}
    pair = [shapes["low"], shapes["high"]] if lower_first else [shapes["high"], shapes["low"]]
    law = cm.laws.Flores(1e5, 0.3)
    system.groups.append(ContactGroup(pair[:1], pair[1:], law, name="pair"))
    add_group(system, [shapes["low"]], [cm.Plane(system.ground)], law, name="floor")
    system.add(cm.Outlet(at=(0.0, 0.0, 1.5 * RADIUS), normal=(0.0, 0.0, -1.0), interval=0.05))
    return system


@pytest.mark.parametrize("lower_first", [True, False])
def test_the_force_of_a_body_that_leaves_vanishes(lower_first):
    system = column(lower_first)
    system.bodies[0].position = (0.0, 0.0, 1.6 * RADIUS)  # it enters the outlet later
    system.bodies[1].position = (0.0, 0.0, 3.601 * RADIUS)
    system.bodies[0].velocity = system.bodies[1].velocity = (0.0, 0.0, -0.02)
    result = cm.simulate(system, 0.1, max_step=STEP, output=0.05)
    high = result["high"]
    assert np.array_equal(result["outlet"].count, [0.0, 1.0, 1.0])
    assert high.acceleration[1:] == pytest.approx(np.array([[0.0, 0.0, -GRAVITY]] * 2), abs=1e-12)
    fall = high.z[1] + high.vz[1] * 0.05 - 0.5 * GRAVITY * 0.05**2
    assert high.z[2] == pytest.approx(fall, abs=1e-12)
    assert result.energy.drift < 1e-3


@pytest.mark.parametrize("plate_first", [True, False])
def test_a_mechanism_loses_the_force_of_a_body_that_leaves(plate_first):
    """A plate on a spring carries a sphere; its acceleration is that of the spring alone when the sphere has left."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    plate = system.add(cm.Body("plate", 0.1, 1e-3, (0.0, 0.0)))
    system.add(cm.Prismatic(system.ground, plate, at=(0.0, 0.0), axis=(0.0, 1.0)))
    system.add(cm.SpringDamper(cm.Marker(system.ground, (0.0, -0.5)), plate, stiffness=500.0, free_length=0.5))
    ball = system.add(cm.Body("ball", 0.1, 1e-5, (0.0, RADIUS)))
    top, sphere = cm.Plane(plate, normal=(0.0, 1.0)), cm.Sphere(ball, RADIUS)
    shapes = ([top], [sphere]) if plate_first else ([sphere], [top])
    system.groups.append(ContactGroup(*shapes, law=cm.laws.Flores(1e5, 0.2), name="load"))
    system.add(cm.Outlet(box=((-1.0, -1.0), (1.0, 1.0)), interval=0.05, name="out"))
    system.bodies[1].position = (1.5, RADIUS)
    system.bodies[1].velocity = (-12.0, 0.0)
    result = cm.simulate(system, 0.1, max_step=STEP, output=0.05)
    assert result["out"].count.tolist() == [0.0, 1.0, 1.0]
    assert result["load"].contacts.tolist() == [0.0, 0.0, 0.0]
    assert result["plate"].acceleration[1, 1] == pytest.approx(-500.0 * result["plate"].y[1] / 0.1 - GRAVITY, rel=1e-9)
    assert result.energy.drift < 1e-3


def test_a_body_waits_until_its_place_is_free():
    """Bodies of one place appear in their order, each one when the one before has fallen by its diameter."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, 1.0)) for k in range(4)]
    add_group(system, spheres, [cm.Plane(system.ground)])
    system.add(cm.Inlet([sphere.body for sphere in spheres], times=[0.0, 0.0, 0.1, 0.0], name="feed"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = cm.simulate(system, 0.4, max_step=STEP, output=0.005)
    assert result["grains"].contacts.max() == 0.0
    assert np.ptp(result["feed"].count) == 3.0
    fall = np.sqrt(2.0 * 2.0 * RADIUS / GRAVITY)
    starts = [result.t[np.flatnonzero(result[f"b{k}"].vz)[0]] for k in range(4)]
    assert starts[1] == pytest.approx(fall, abs=0.011)
    assert starts[3] == pytest.approx(2.0 * fall, abs=0.02)
    assert starts[3] < starts[2]
    assert result.energy.drift < 1e-10


def test_bodies_that_never_find_a_free_place_give_a_warning():
    system = cm.System(dim=3)
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, 1.0)) for k in range(3)]
    add_group(system, spheres)
    system.add(cm.Inlet([sphere.body for sphere in spheres], rate=1e3, name="feed"))
    with pytest.warns(
        cm.CaromWarning, match=r"Inlet 'feed': 2 of 3 bodies still wait for a free place at t = 0.1 s, after"
    ):
        cm.simulate(system, 0.1, max_step=STEP)


def test_results_do_not_depend_on_the_number_of_threads():
    ends = []
    for threads in (1, 2):
        with VerletEngine(ManyBodyData(chute()), threads) as engine:
            flow = BodyFlow(VerletBodies(engine), STEP)
            flow.update(0.0)
            engine.evaluate(STEP)
            t = 0.0
            for stop in flow.times(0.25):
                assert engine.advance(stop - t, STEP, t=t)
                t = stop
                flow.update(t)
            assert flow.passed[2, 0] > 0.0
            ends.append([array.tobytes() for array in (*engine.model.body_values, *flow.mutable_arrays().values())])
    assert ends[0] == ends[1]


def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch):
    """The run ends at a check of the outlet between two nodes."""
    with warnings.catch_warnings(record=True) as of_whole:
        whole = cm.simulate(chute(), 0.25, max_step=STEP, output=0.01)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)  # a checkpoint at each check and node
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.86:
            raise KeyboardInterrupt

    options = {"max_step": STEP, "output": 0.01, "progress": stop}
    part = cm.simulate(chute(), 0.25, stream=tmp_path / "run.h5", **options)
    assert part.outcome is cm.Outcome.INTERRUPTED
    assert part["end"].count[-1] > 0.0
    with warnings.catch_warnings(record=True) as of_resumed:
        resumed = cm.resume(tmp_path / "run.h5")
    assert [str(warning.message) for warning in of_resumed] == [str(warning.message) for warning in of_whole]
    assert resumed.outcome.ok
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)
    assert np.array_equal(resumed.energy.columns(), whole.energy.columns())


def test_output_does_not_change_the_times_of_checks():
    """Bodies leave at multiples of the interval, whatever the nodes are."""
    ends = [cm.simulate(chute(), 0.25, max_step=STEP, output=output)["end"].count[-1] for output in (0.25, 0.0125)]
    assert ends[0] == ends[1] > 0.0


def test_present_bodies_count_for_the_coordination_number():
    system = cm.System(dim=3)
    places = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.9 * RADIUS), (1.0, 0.0, 0.0)]
    spheres = [add_sphere(system, f"b{k}", place) for k, place in enumerate(places)]
    add_group(system, spheres)
    system.add(cm.Inlet([spheres[2].body], times=[1.0]))
    with pytest.warns(cm.CaromWarning, match="overlap"):
        result = cm.simulate(system, 1e-6, max_step=1e-7)
    assert result["grains"].coordination[0] == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"integrator": "dopri5"}, r"Inlet 'feed': integrator 'dopri5' does not support inlets and outlets; use"),
        (
            {"method": "nonsmooth", "step": 1e-3, "solver": "lemke"},
            r"Inlet 'feed': method 'nonsmooth', where solver='lemke' needs single contacts, does not support "
            r"inlets and outlets; use integrator='verlet', or method='nonsmooth' with the default scheme and solver",
        ),
        ({"method": "nonsmooth", "scheme": "event-driven"}, r"where scheme='event-driven' needs single contacts"),
    ],
)
def test_other_methods_refuse_inlets(options, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.simulate(thrown_body(3)[0], 0.01, **options)


def test_statics_refuses_inlets():
    with pytest.raises(cm.ModelError, match="Inlet 'feed': statics does not support inlets and outlets"):
        cm.statics(thrown_body(2)[0])


def test_bodies_of_a_mechanism_cannot_wait():
    system, body = thrown_body(2)
    system.add(cm.Revolute(system.ground, body, at=(0.5, 0.5)))
    with pytest.raises(cm.ModelError, match="Inlet 'feed': body 'ball' must be free, but a joint or force element"):
        cm.simulate(system, 0.01)


def test_an_interval_below_the_step_is_rejected():
    system = chute()
    with pytest.raises(cm.ModelError, match=r"'end': interval must be at least the step of 0.004 s, got 0.002 s"):
        cm.simulate(system, 0.1, max_step=4e-3)
