"""Periodic directions: pairs across the boundary move as pairs inside the domain."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from carom.solve.many_body.verlet_engine import VerletEngine
from solve.many_body.systems import GRAVITY, MASS, RADIUS, add_group, add_sphere

PERIOD, STEP = 0.2, 5e-5
BOUNDS = {"x": (-0.1, 0.1), "y": (-0.1, 0.1), "z": (-0.1, 0.1)}


def collision(kind: str, offset, periodic=None) -> cm.System:
    """Return two bodies that collide off-centre at ``offset``."""
    system = cm.System(dim=3, periodic=periodic)
    law, friction = cm.laws.HuntCrossley(1e6, 0.8), cm.friction.Coulomb(0.3)
    shapes = []
    for name, place, velocity in (
        ("a", (-0.01113, 0.001, 0.0), (0.5, 0.1, 0.2)),
        ("b", (0.011, 0.0, 0.002), (0.0, 0.0, 0.0)),
    ):
        body = cm.Body(name, MASS, (1e-6, 2e-6, 2.5e-6), np.add(place, offset), velocity=velocity)
        system.add(body)
        shape = cm.Sphere(body, RADIUS) if kind == "sphere" else cm.Box(body, (0.8 * RADIUS,) * 3)
        shapes.append(shape if kind != "mixed" or name == "a" else cm.Sphere(body, RADIUS, (0.0, 0.001, 0.0)))
    add_group(system, shapes, law=law, friction=friction)
    return system


@pytest.mark.parametrize("kind", ["sphere", "box", "mixed"])
@pytest.mark.parametrize("corner", [(0.1, 0.0, 0.0), (0.1, 0.1, -0.1), (-0.3, 0.5, 0.1)])
def test_bodies_collide_across_the_boundary_as_in_the_middle(kind, corner):
    """The bodies start on both sides of the boundary, also several periods away from the domain."""
    inside = cm.simulate(collision(kind, (0.0, 0.0, 0.0)), 0.02, max_step=STEP, output=1e-3)
    across = cm.simulate(collision(kind, corner, BOUNDS), 0.02, max_step=STEP, output=1e-3)
    assert inside["grains"].contacts.max() > 0.0
    for name in "ab":
        assert across[name].position - corner == pytest.approx(inside[name].position, abs=1e-11)
        assert across[name].velocity == pytest.approx(inside[name].velocity, abs=1e-8)
        assert across[name].omega == pytest.approx(inside[name].omega, abs=1e-6)
    assert across["grains"].contacts == pytest.approx(inside["grains"].contacts)
    momentum = MASS * (across["a"].velocity + across["b"].velocity)
    assert momentum == pytest.approx(np.broadcast_to(momentum[0], momentum.shape), abs=1e-12)


def test_a_body_collides_again_after_a_period():
    """A sphere that moves along x hits the other one from the other side; its position is not wrapped."""
    system = cm.System(dim=3, periodic={"x": (0.0, PERIOD)})
    spheres = [add_sphere(system, "a", (0.06, 0.0, 0.0), (-1.0, 0.0, 0.0)), add_sphere(system, "b", (0.1, 0.0, 0.0))]
    add_group(system, spheres, law=cm.laws.Hertz(1e6))
    result = cm.simulate(system, 0.5, max_step=1e-5, output=0.005)
    a, b = result["a"], result["b"]
    # The gap from a to the image of b on its left is 0.14 m; both masses are equal, so velocities are exchanged.
    assert a.vx[-1] + b.vx[-1] == pytest.approx(-1.0, abs=1e-9)
    assert np.all(np.diff(a.x + b.x) < 0.0)
    assert (a.x + b.x)[-1] == pytest.approx(0.16 - 0.5, abs=1e-9)
    assert b.vx[40] == pytest.approx(-1.0, abs=1e-5)
    assert a.x[40] == pytest.approx(0.1 - PERIOD + 2.0 * RADIUS, abs=1e-3)
    assert result.energy.drift < 1e-5


def chute(shift: float = 0.0, count: int = 100) -> cm.System:
    """Return spheres on a slope that is periodic along x and y, moved along x by ``shift`` [m]."""
    system = cm.System(
        dim=3, gravity=(3.0, 0.4, -GRAVITY), name="chute", periodic={"x": (0.0, 0.125), "y": (0.0, 0.125)}
    )
    centres = np.random.default_rng(3).uniform(-0.1 * RADIUS, 0.1 * RADIUS, (count, 3))
    centres += [(0.025 * (k % 5 + 0.5), 0.025 * (k // 5 % 5 + 0.5), 0.012 + 0.022 * (k // 25)) for k in range(count)]
    spheres = [add_sphere(system, f"b{k}", np.add(centre, (shift, 0.0, 0.0))) for k, centre in enumerate(centres)]
    law, friction = cm.laws.Flores(1e5, 0.5), cm.friction.ElastoPlastic(0.4, 1e5)
    system.add_contacts(spheres, [cm.Plane(system.ground)], law, friction, name="grains")
    return system


def test_a_shifted_copy_has_the_same_contacts():
    """The system is invariant to shifts; the time is short, as the motion is chaotic."""
    one, other = (cm.simulate(chute(shift), 0.08, max_step=STEP, output=0.01) for shift in (0.0, 0.0625))
    assert one["grains"].contacts[-1] > 40.0
    assert np.array_equal(one["grains"].contacts, other["grains"].contacts)
    for k in range(0, 100, 7):
        difference = other[f"b{k}"].position - one[f"b{k}"].position
        assert difference == pytest.approx(np.tile((0.0625, 0.0, 0.0), (9, 1)), abs=1e-7)


def test_a_periodic_chute_conserves_energy_and_lateral_momentum():
    """Without friction on the floor only gravity changes the momentum along the slope."""
    system = chute()
    law = cm.laws.Flores(1e5, 0.5)
    spheres = system.groups[0].shapes
    smooth = cm.System(dim=3, gravity=system.gravity, periodic=system.periodic)
    copies = [add_sphere(smooth, s.body.name, s.body.position) for s in spheres]
    smooth.add_contacts(copies, law=law, friction=cm.friction.Coulomb(0.4), name="grains")
    smooth.add_contacts(copies, [cm.Plane(smooth.ground)], law, self_contact=False, name="floor")
    result = cm.simulate(smooth, 0.3, max_step=STEP, output=0.01)
    velocity = np.mean([result[body].velocity for body in smooth.bodies], axis=0)
    assert velocity[:, 0] == pytest.approx(3.0 * result.t, abs=1e-9)
    assert velocity[:, 1] == pytest.approx(0.4 * result.t, abs=1e-9)
    assert max(result[body].x.max() for body in smooth.bodies) > 0.125
    assert result.energy.drift < 2e-3


def test_the_search_finds_all_pairs_across_the_boundaries():
    generator = np.random.default_rng(5)
    system = cm.System(dim=3, periodic={"x": (0.0, 0.1), "z": (0.2, 0.3)})
    points = generator.uniform((0.0, 0.0, 0.2), (0.1, 0.1, 0.3), (150, 3))
    add_group(system, [add_sphere(system, f"b{k}", point, radius=r) for k, (point, r) in enumerate(
        zip(points, generator.uniform(0.002, 0.01, 150), strict=True))])  # fmt: skip
    with VerletEngine(ManyBodyData(system), 1) as engine:
        pairs = {(int(a), int(b)) for a, b, _ in engine.search.candidates().tolist()}
        assert len(pairs) == len(engine.search.candidates())
        data, skin = engine.model.pair_data[1:], engine.model.skin
    difference = data["r"][:, None] - data["r"][None]
    for axis in (0, 2):
        difference[..., axis] -= 0.1 * np.round(difference[..., axis] / 0.1)
    gap = np.linalg.norm(difference, axis=2) - data["bounding_radius"][:, None] - data["bounding_radius"][None]
    close = np.argwhere(np.triu(gap < skin, 1)) + 1
    assert pairs == {(int(a), int(b)) for a, b in close}


def test_planar_discs_are_periodic():
    system = cm.System(periodic={"x": (0.0, PERIOD)})
    bodies = [
        system.add(cm.Body(n, 1.0, 1e-4, (x, 0.0), velocity=(v, 0.0)))
        for n, x, v in (("a", 0.02, -1.0), ("b", 0.18, 0.0))
    ]
    system.add(cm.Contact(cm.Sphere(bodies[0], RADIUS), cm.Sphere(bodies[1], RADIUS), law=cm.laws.Hertz(1e7)))
    result = cm.simulate(system, 0.05, output=0.01)
    assert result.settings["integrator"] == "verlet"
    assert result["b"].vx[-1] == pytest.approx(-1.0, abs=1e-3)


def sheared(plate_first: bool = False) -> cm.System:
    """Return spheres between the floor and a plate that is driven along x."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), periodic={"x": (0.0, 0.125), "y": (0.0, 0.125)})
    shapes = [add_sphere(system, f"b{k}", (0.025 * (k % 5 + 0.5), 0.025 * (k // 5 + 0.5), RADIUS)) for k in range(25)]
    plate = system.add(cm.Body("plate", 0.5, 1e-3, (0.05, 0.05, 2.0 * RADIUS)))
    system.add(cm.Planar(system.ground, plate, normal=(0.0, 1.0, 0.0)))
    system.add(cm.Driver(plate.marker((0.0, 0.0, 0.0)), cm.ConstantSpeed(0.5), "x"))
    system.add(cm.RotationalSpringDamper(system.ground, plate, 1e3, damping=1.0, axis=(0.0, 1.0, 0.0)))
    top = cm.Plane(plate, at=(0.0, 0.0, 0.0), normal=(0.0, 0.0, -1.0))
    law, friction = cm.laws.Flores(1e5, 0.5), cm.friction.Coulomb(0.3)
    add_group(system, shapes, [cm.Plane(system.ground)], law, friction)
    if plate_first:
        add_group(system, [top], shapes, law, friction, "top")
    else:
        system.groups.append(cm.ContactGroup(shapes, [top], law, friction, name="top", self_contact=False))
    return system


@pytest.mark.parametrize("plate_first", [False, True])
def test_a_plate_of_a_mechanism_touches_each_sphere_once(plate_first):
    result = cm.simulate(sheared(plate_first), 0.05, max_step=STEP, output=0.01)
    assert 0.0 < result["top"].contacts.max() <= 25.0
    assert result["b0"].vx[-1] > 0.01


def test_results_do_not_depend_on_the_number_of_threads():
    ends = []
    for threads in (1, 2):
        with VerletEngine(ManyBodyData(chute()), threads) as engine:
            engine.evaluate(STEP)
            assert engine.advance(0.1, STEP)
            ends.append([array.tobytes() for array in (*engine.model.body_values, engine.model.images)])
    assert ends[0] == ends[1]


def test_a_resumed_run_has_the_same_bits(tmp_path, monkeypatch):
    whole = cm.simulate(chute(), 0.2, max_step=STEP, output=0.01)
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.7:
            raise KeyboardInterrupt

    cm.simulate(chute(), 0.2, max_step=STEP, output=0.01, progress=stop, stream=tmp_path / "run.h5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = cm.resume(tmp_path / "run.h5")
    assert max(whole[f"b{k}"].x.max() for k in range(100)) > 0.125
    assert np.array_equal(resumed.q, whole.q)
    assert np.array_equal(resumed.signals, whole.signals)


def test_inlets_and_outlets_are_in_the_domain():
    """A body that appears beyond the bounds waits for one inside; it leaves where its image is in the outlet."""
    system = cm.System(dim=3, periodic={"x": (0.0, PERIOD)})
    spheres = [add_sphere(system, "a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), add_sphere(system, "b", (PERIOD, 0.0, 0.0))]
    add_group(system, spheres, law=cm.laws.Hertz(1e6))
    system.add(cm.Inlet([spheres[1].body], times=[0.0], name="feed"))
    system.add(cm.Outlet(box=((0.1, -1.0, -1.0), (0.15, 1.0, 1.0)), interval=1e-3, name="out"))
    result = cm.simulate(system, 0.2, max_step=STEP, output=0.01)
    assert result["feed"].count[:2].tolist() == [0.0, 0.0]
    assert result["feed"].count[4] == 1.0
    assert result["out"].count[-1] == 1.0
    assert result["b"].x[-1] == PERIOD


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"integrator": "dopri5"}, r"System 'system': integrator 'dopri5' does not support periodic directions, got x"),
        (
            {"method": "nonsmooth", "step": 1e-3, "scheme": "theta"},
            r"method 'nonsmooth', where scheme='theta' needs single contacts, does not support periodic directions",
        ),
    ],
)
def test_other_methods_refuse_periodic_directions(options, message):
    system = cm.System(periodic={"x": (0.0, 1.0)})
    bodies = [system.add(cm.Body(name, 1.0, 1e-4, (x, 0.0))) for name, x in (("a", 0.0), ("b", 0.5))]
    law, impact = cm.laws.Hertz(1e6), cm.ImpactLaw(0.5)
    system.add(cm.Contact(*(cm.Sphere(body, RADIUS) for body in bodies), law=law, impact=impact))
    with pytest.raises(cm.ModelError, match=message):
        cm.simulate(system, 0.01, **options)


def test_short_periods_are_rejected():
    system = cm.System(dim=3, periodic={"y": (0.0, 3.9 * RADIUS)})
    add_group(system, [add_sphere(system, "a", (0.0, 0.0, 0.0)), add_sphere(system, "b", (0.1, 0.0, 0.0))])
    with pytest.raises(cm.ModelError, match=r"the period along y must be at least 0.045 m, twice .* got 0.039 m"):
        cm.simulate(system, 0.01)


@pytest.mark.parametrize(
    ("wall", "message"),
    [
        (lambda ground: cm.Plane(ground, normal=(1.0, 0.0, 1.0)), r"must be a plane parallel to the periodic direction "
         r"x, got the component 0.707 of its normal"),
        (lambda ground: cm.Box(ground, (1.0, 1.0, 1.0)), r"of the ground must be a plane parallel .*, got a Box; use"),
    ],
)  # fmt: skip
def test_walls_across_a_periodic_direction_are_rejected(wall, message):
    system = cm.System(dim=3, periodic={"x": (0.0, PERIOD)})
    add_group(system, [add_sphere(system, "a", (0.0, 0.0, 5.0))], [wall(system.ground)])
    with pytest.raises(cm.ModelError, match=message):
        cm.simulate(system, 0.01)


def test_finite_shapes_of_a_mechanism_are_rejected():
    system = cm.System(dim=3, periodic={"x": (0.0, PERIOD)})
    add_group(system, [add_sphere(system, "a", (0.0, 0.0, 5.0)), add_sphere(system, "b", (0.0, 0.0, 0.0))])
    system.add(cm.Prismatic(system.ground, system["b"], axis=(1.0, 0.0, 0.0)))
    with pytest.raises(cm.ModelError, match=r"of body 'b', on which a joint or force acts, must be a plane parallel"):
        cm.simulate(system, 0.01)


def test_model_files_keep_periodic_directions():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), periodic={"y": (-0.1, 0.1), "x": (0.0, 0.25)})
    system.add(cm.Body("ball", 1.0, (0.1, 0.1, 0.1)))
    assert cm.System.from_yaml(system.to_yaml()).periodic == {"x": (0.0, 0.25), "y": (-0.1, 0.1)}


@pytest.mark.parametrize(
    ("periodic", "message"),
    [
        ({"z": (0.0, 1.0)}, "direction of periodic must be"),
        ({"x": (1.0, 0.0)}, r"periodic\['x'\] must be \(low, high\) with low < high, got \(1, 0\)"),
        ({"x": (0.0, 1.0, 2.0)}, "periodic"),
        ([0.0, 1.0], "periodic must be a mapping"),
    ],
)
def test_wrong_periodic_directions_are_refused(periodic, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.System(periodic=periodic)
