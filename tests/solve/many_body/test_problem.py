"""`simulate` with large groups: options, results and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.model.contact_group import ContactGroup
from carom.solve.many_body.default_step import default_step
from carom.solve.many_body.problem import MAX_NUMBERS, node_times
from solve.many_body.systems import (
    GRAVITY,
    MASS,
    RADIUS,
    STIFFNESS,
    add_group,
    add_sphere,
    box_of_spheres,
    box_walls,
    lattice,
)


def test_groups_run_with_verlet_by_default():
    system = box_of_spheres(40)
    result = cm.simulate(system, 0.02)
    assert result.settings["integrator"] == "verlet"
    assert result.stats["steps"] == math.ceil(0.02 / result.settings["max_step"] / (len(result.t) - 1)) * (
        len(result.t) - 1
    )
    assert set(result.stats) >= {"steps", "contacts", "rebuilds", "threads", "wall_time"}
    assert result["grains"].contacts.shape == result.t.shape
    assert "z [m]" in result.summary()


def test_default_step_is_a_fraction_of_the_shortest_contact():
    system = box_of_spheres(40)
    step, speed = default_step(system, system.groups)
    drop = np.ptp([body.position[2] for body in system.bodies])
    assert speed == pytest.approx(math.sqrt(2.0 * GRAVITY * drop))
    law = system.groups[0].law
    assert step <= law.impact(0.5 * MASS, speed).duration / 30.0
    assert step > law.impact(0.5 * MASS, speed).duration / 60.0
    bristles = box_of_spheres(40, friction=cm.friction.Dahl(0.3, 1e7))
    assert default_step(bristles, bristles.groups)[0] < 0.3 * step


def test_output_sets_the_node_times():
    system = box_of_spheres(40)
    every = cm.simulate(system, 0.02, output=0.005)
    assert every.t == pytest.approx([0.0, 0.005, 0.01, 0.015, 0.02])
    some = cm.simulate(system, 0.02, output=[0.001, 0.013])
    assert some.t == pytest.approx([0.0, 0.001, 0.013, 0.02])


def test_number_of_nodes_is_limited():
    for bodies in (10, 1000, 10_000):
        nodes = len(node_times(None, 1.0, 1e-5, bodies))
        assert 20 <= nodes <= 1000
        assert nodes * 19 * bodies <= max(MAX_NUMBERS, 20 * 19 * bodies)


def test_floor_carries_the_weight_of_settled_spheres():
    """Separate groups for the floor give the force on it."""
    places, side = lattice(40)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    spheres = [add_sphere(system, f"b{k}", place) for k, place in enumerate(places)]
    floor, *sides = box_walls(system, side)
    law = cm.laws.Flores(STIFFNESS, 0.5)
    add_group(system, spheres, sides, law)
    for k, shape in enumerate(spheres):
        system.groups.append(ContactGroup([shape], [floor], law, name=f"floor {k}"))
    result = cm.simulate(system, 1.0, max_step=5e-5, output=0.01)
    carried = sum(result[group].normal_force for group in system.groups[1:])
    assert carried[-20:].mean() == pytest.approx(40 * MASS * GRAVITY, rel=0.02)
    height = min(result[body].z.min() for body in system.bodies)
    assert height > 0.9 * RADIUS


def test_an_interrupted_run_returns_its_nodes():
    system = box_of_spheres(40)

    def stop(done: float) -> None:
        if done > 0.0:
            raise KeyboardInterrupt

    result = cm.simulate(system, 20.0, progress=stop)
    assert result.outcome is cm.Outcome.INTERRUPTED
    assert 1 <= len(result.t) < 1001
    assert np.isfinite(result.q).all()


def test_too_long_a_step_ends_with_a_message():
    system = box_of_spheres(40, cm.laws.Hertz(1e12))
    result = cm.simulate(system, 0.5, max_step=5e-3)
    if result.outcome is not cm.Outcome.FINISHED:
        assert result.outcome is cm.Outcome.NOT_FINITE
        assert "reduce max_step" in result.message
    else:
        assert result.energy.drift > 0.1


def test_user_defined_law_runs():
    def law(delta, rate):
        return 1e6 * delta * math.sqrt(delta) * (1.0 + 0.2 * rate)

    mine = cm.simulate(box_of_spheres(20, cm.laws.custom(law)), 0.1)
    assert mine.outcome.ok
    assert mine["grains"].contacts.max() > 2


def test_exception_in_a_user_defined_law_is_raised():
    def law(delta, rate):
        if delta > 1e-6:
            raise ZeroDivisionError("too deep")
        return 1e6 * delta

    with pytest.raises(ZeroDivisionError, match="too deep") as caught:
        cm.simulate(box_of_spheres(20, cm.laws.custom(law)), 0.1, max_step=5e-5)
    assert caught.value.result.t[0] == 0.0


def test_a_run_can_be_saved(tmp_path):
    result = cm.simulate(box_of_spheres(20), 0.01)
    result.save(tmp_path / "run.h5")
    assert cm.load(tmp_path / "run.h5").same_as(result)


def test_other_integrators_are_rejected():
    with pytest.raises(cm.ModelError, match=r"'grains': .* pairs exceed the limit of 300 for integrator 'dopri5'"):
        cm.simulate(box_of_spheres(20), 0.01, integrator="dopri5")


def test_verlet_without_contacts_is_rejected():
    system = cm.System(dim=3)
    add_sphere(system, "ball", (0.0, 0.0, 0.0))
    with pytest.raises(cm.ModelError, match="periodic directions or integrator 'verlet' needs contacts, got none"):
        cm.simulate(system, 0.01, integrator="verlet")


def test_contacts_and_small_groups_run_together_with_a_large_group():
    """Spheres in a box; above it one sphere on a single contact and two on a small group."""
    system = box_of_spheres(20)
    shelf = cm.Plane(system.ground, at=(0.0, 0.0, 1.0))
    above = [add_sphere(system, f"above {k}", (0.1 * k, 0.0, 1.0 + RADIUS + 1e-4)) for k in range(3)]
    law = cm.laws.KelvinVoigt(1e4, damping=5.0)
    system.add(cm.Contact(shelf, above[0], law, name="own"))
    system.add_contacts(above[1:], [shelf], law, name="pair")
    result = cm.simulate(system, 0.1, max_step=5e-5)
    for shape in above:
        assert result[shape.body].z[-1] == pytest.approx(1.0 + RADIUS - MASS * GRAVITY / 1e4, abs=1e-6)
    assert result["own"].normal_force[-1] == pytest.approx(MASS * GRAVITY, rel=1e-2)
    assert result["pair"].normal_force[-1] == pytest.approx(2.0 * MASS * GRAVITY, rel=1e-2)
    assert result["pair"].contacts[-1] == 2


def test_verlet_runs_single_contacts():
    """A box that falls flat on a plane moves as with located contacts; the plane is the first shape."""
    ends = []
    for integrator in ("dopri5", "verlet"):
        system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
        body = system.add(cm.Body("box", 0.1, (2e-5, 2e-5, 3e-5), (0.0, 0.0, 0.012)))
        law = cm.laws.KelvinVoigt(1e5, damping=20.0)
        system.add(cm.Contact(cm.Plane(system.ground), cm.Box(body, (0.02, 0.02, 0.01)), law))
        step = 1e-5 if integrator == "verlet" else None
        ends.append(cm.simulate(system, 0.05, integrator=integrator, max_step=step).sample([0.025, 0.05])["box"].z)
    assert ends[1] == pytest.approx(ends[0], abs=3e-6)


def test_fixed_shapes_may_be_in_the_same_list_as_moving_ones():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    shape = add_sphere(system, "ball", (0.0, 0.0, RADIUS + 1e-4))
    block = cm.Box(system.ground, (1.0, 1.0, 0.1), at=(0.0, 0.0, -0.1))
    add_group(system, [block, shape], law=cm.laws.KelvinVoigt(1e4, damping=5.0))
    result = cm.simulate(system, 0.1, max_step=5e-5)
    assert result["ball"].z[-1] == pytest.approx(RADIUS - MASS * GRAVITY / 1e4, abs=1e-6)


def test_options_of_other_integrators_give_a_warning():
    with pytest.warns(cm.CaromWarning, match="rtol has no effect in a run with integrator 'verlet'"):
        cm.simulate(box_of_spheres(20), 0.001, rtol=1e-4)


def test_massless_bodies_are_rejected():
    system = box_of_spheres(20)
    system.add(cm.Body("nothing", 0.0, (0.0, 0.0, 0.0)))
    with pytest.raises(cm.ModelError, match="mass of body 'nothing' must be positive, as no joint holds it, got 0 kg"):
        cm.simulate(system, 0.01)


def test_groups_without_a_law_are_rejected():
    system = cm.System(dim=3)
    spheres = [add_sphere(system, f"b{k}", (0.1 * k, 0.0, 0.0)) for k in range(2)]
    system.groups.append(ContactGroup(spheres, impact=cm.ImpactLaw(0.5), name="rigid"))
    with pytest.raises(cm.ModelError, match="ContactGroup 'rigid': no contact law; set law="):
        cm.simulate(system, 0.01)


def test_infinite_shapes_among_moving_ones_are_rejected():
    system = cm.System(dim=3)
    plate = system.add(cm.Body("plate", 1.0, (1.0, 1.0, 1.0)))
    add_group(system, [add_sphere(system, "ball", (0.0, 0.0, 1.0)), cm.Plane(plate)])
    with pytest.raises(cm.ModelError, match="Plane on 'plate' is infinite; move it"):
        cm.simulate(system, 0.01)


def test_statics_rejects_groups():
    with pytest.raises(cm.ModelError, match="exceeds the limit of 300; use simulate"):
        cm.statics(box_of_spheres(20))
