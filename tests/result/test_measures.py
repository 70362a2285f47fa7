"""Measures of results with many bodies, against theory."""

import math

import numpy as np
import pytest

import carom as cm

G = 9.81


def falling(heights, mass=2.0, x=None):
    """Result of bodies that fall from rest."""
    system = cm.System(gravity=(0.0, -G))
    places = zip(range(len(heights)) if x is None else x, heights, strict=True)
    for k, (a, b) in enumerate(places):
        system.add(cm.Body(f"stone {k}", mass=mass, position=(float(a), b), angular_velocity=3.0, inertia=0.5))
    return cm.simulate(system, 1.0, output=0.01)


def test_mass_flow_counts_each_body_when_it_passes():
    result = falling([0.5, 1.0, 4.0, 100.0])
    flow = cm.measures.mass_flow(result, at=(0.0, 0.0), normal=(0.0, -1.0))
    times = [math.sqrt(2.0 * height / G) for height in (0.5, 1.0, 4.0)]
    expected = 2.0 * sum(result.t > time for time in times)
    assert np.max(np.abs(flow.mass - expected)) == 0.0
    assert flow.mean() == pytest.approx(6.0 if times[-1] < 1.0 else 4.0)
    assert np.sum(flow.rate * np.diff(flow.t)) == pytest.approx(flow.mass[-1])
    assert flow.mean(0.0, 0.2) == 0.0


def test_mass_flow_has_a_sign_a_window_and_bodies():
    result = falling([0.5, 1.0], x=[0.0, 3.0])
    assert cm.measures.mass_flow(result, (0.0, 0.0), (0.0, 1.0)).mass[-1] == -4.0
    assert cm.measures.mass_flow(result, (0.0, 0.0), (0.0, 1.0), radius=2.0).mass[-1] == -2.0
    assert cm.measures.mass_flow(result, (0.0, 0.0), (0.0, 1.0), bodies=["stone 1"]).mass[-1] == -2.0


def test_kinetic_energy_of_groups_sums_to_the_ledger():
    result = falling([0.5, 1.0, 4.0])
    parts = [cm.measures.kinetic_energy(result, [f"stone {k}"]) for k in range(3)]
    assert np.sum(parts, axis=0) == pytest.approx(result.energy.kinetic, rel=1e-12)
    assert parts[0] == pytest.approx(0.5 * 2.0 * (G * result.t) ** 2 + 0.5 * 0.5 * 9.0, rel=1e-9)


def resting_bed():
    """Balls that rest on a floor under gravity, in columns that do not touch."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G), name="bed")
    packing = cm.packing.lattice(400, radius=0.01, gap=0.002, box=((0, 0, 0), (0.45, 0.45, 0.03)))
    grains = cm.packing.spheres(system, packing, density=2500.0)
    floor = cm.Plane(system.ground)
    system.add_contacts(grains, [floor], cm.laws.Flores(1e6, 0.2), cm.friction.Coulomb(0.3), name="bed")
    result = cm.simulate(system, 0.3, output=0.1)
    return system, grains, floor, result


@pytest.fixture(scope="module")
def bed():
    return resting_bed()


def test_the_ground_carries_the_weight(bed):
    system, _, _, result = bed
    weight = G * sum(body.mass for body in system.bodies)
    part = result["contacts on ground"]
    assert part.fz[-1] == pytest.approx(-weight, rel=1e-3)
    assert part.fz[-1] == pytest.approx(-result["bed"].normal_force[-1], rel=1e-12)
    # The moment about the origin is that of the weight in its centre.
    x, y = np.mean([body.position[:2] for body in system.bodies], axis=0)
    assert part.tx[-1] == pytest.approx(-y * weight, rel=1e-3)
    assert part.ty[-1] == pytest.approx(x * weight, rel=1e-3)
    assert cm.measures.contact_force(result)[-1][2] == pytest.approx(-part.fz[-1], rel=1e-9)


@pytest.mark.parametrize("tray_first", [False, True])
def test_a_part_of_a_mechanism_feels_the_weight_on_it(tray_first):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G), name="scale")
    tray = system.add(cm.Body("tray", 1.0, (0.1, 0.1, 0.1), position=(0.2, 0.2, -0.1)))
    system.add(cm.Weld(system.ground, tray, at=(0.0, 0.0, 0.0), name="clamp"))
    packing = cm.packing.lattice(400, radius=0.01, gap=0.002, box=((0, 0, 0), (0.45, 0.45, 0.03)))
    grains = cm.packing.spheres(system, packing, density=2500.0)
    top = [cm.Plane(tray, at=(0.0, 0.0, 0.1), normal=(0.0, 0.0, 1.0))]
    shapes, others = (top, grains) if tray_first else (grains, top)
    system.add_contacts(shapes, others, cm.laws.Flores(1e6, 0.2), name="bed", self_contact=False)
    result = cm.simulate(system, 0.3, output=0.1)
    weight = G * sum(grain.body.mass for grain in grains)
    part = result["contacts on tray"]
    assert part.fz[-1] == pytest.approx(-weight, rel=1e-3)
    x, y = np.mean(packing.positions[:, :2], axis=0) - 0.2  # about the centre of mass of the tray
    assert part.tx[-1] == pytest.approx(-y * weight, rel=1e-3, abs=1e-3 * weight * 0.01)
    assert part.ty[-1] == pytest.approx(x * weight, rel=1e-3, abs=1e-3 * weight * 0.01)
    assert "contacts on ground" not in result


def test_a_bed_in_one_layer_has_one_contact_per_ball(bed):
    *_, result = bed
    assert result["bed"].coordination[-1] == 1.0
    assert result["bed"].contacts[-1] == 400.0


def test_the_pressure_on_a_floor_is_weight_per_area(bed):
    system, _, floor, result = bed
    edges = [0.0, 0.1, 0.2, 0.3, 0.46]
    profile = cm.measures.pressure_profile(result, system["bed"], floor, edges, axis=(1.0, 0.0, 0.0), width=0.45)
    weight = G * sum(body.mass for body in system.bodies)
    assert profile.shape == (1, 4)
    assert np.sum(profile * np.diff(edges) * 0.45) == pytest.approx(weight, rel=1e-3)


def sliding_balls(friction=0.3, threads=None, t_end=0.05):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G), name="slide")
    packing = cm.packing.lattice(400, radius=0.01, gap=0.002, box=((0, 0, 0), (0.45, 0.45, 0.03)))
    # A large inertia keeps the balls from rolling.
    grains = []
    for k, place in enumerate(packing.positions):
        body = cm.Body(f"ball {k}", 0.01, (1e-3,) * 3, position=place, velocity=(1.0, 0.0, 0.0))
        grains.append(cm.Sphere(system.add(body), 0.01))
    law = cm.laws.Flores(1e6, 0.2)
    system.add_contacts(grains, [cm.Plane(system.ground)], law, cm.friction.Coulomb(friction), name="floor")
    return cm.simulate(system, t_end, output=t_end / 5)


def test_sliding_work_is_normal_force_times_path():
    result = sliding_balls()
    n, mass = 400, 0.01
    path = result["ball 0"].x[-1] - result["ball 0"].x[0]
    expected = n * mass * G * path
    # The balls bounce a little at first, so the normal force is the weight in the mean only.
    assert result["floor"].sliding_work[-1] == pytest.approx(expected, rel=0.02)
    assert result["floor"].friction_work[-1] == pytest.approx(0.3 * result["floor"].sliding_work[-1], rel=1e-2)
    assert result["floor"].friction_work == pytest.approx(result.energy.friction, rel=1e-9, abs=1e-12)
    assert cm.measures.wear_volume(result, "floor", 1e-14)[-1] == 1e-14 * result["floor"].sliding_work[-1]


def test_friction_work_of_groups_sums_to_the_ledger():
    case = cm.gallery.box_of_spheres(balls=200)
    result = cm.simulate(case.system, 0.2, output=0.1)
    work = result["grains"].friction_work + result["floor"].friction_work
    assert work == pytest.approx(result.energy.friction, rel=1e-9, abs=1e-15)
    assert np.all(result["walls"].friction_work == 0.0)
    grains = result["grains"]
    assert grains.coordination == pytest.approx(2.0 * grains.contacts / 200)


def test_wrong_arguments_are_named():
    result = falling([1.0])
    with pytest.raises(KeyError, match="unknown name 'stone 7'"):
        cm.measures.kinetic_energy(result, ["stone 7"])
    with pytest.raises(cm.ModelError, match="bodies must be a list of bodies, names or shapes, got 'stone 0'"):
        cm.measures.kinetic_energy(result, "stone 0")
    with pytest.raises(cm.ModelError, match="normal must be 2 numbers"):
        cm.measures.mass_flow(result, (0.0, 0.0), (0.0, 1.0, 0.0))
    with pytest.raises(cm.ModelError, match=r"0 ≤ start < end ≤ 1 s, got 0.5 and 0.5 s"):
        cm.measures.mass_flow(result, (0.0, 0.0), (0.0, 1.0)).mean(0.5, 0.5)
