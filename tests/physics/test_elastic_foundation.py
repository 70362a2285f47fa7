"""Elastic foundation: closed forms of force and patch, energy, and pressure maps."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm
from carom.errors import ModelError

pytestmark = [
    pytest.mark.filterwarnings("ignore:Contact 'pad'. shapes overlap"),
    pytest.mark.filterwarnings("ignore:.*radius of gyration"),
]
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
    (1, 5, 7), (1, 7, 3),
]  # fmt: skip
BLOCK = np.array([0.02, 0.03, 0.01])
"""Half sides of the block [m]."""


def layer(element_size: float | None, **others: float) -> cm.laws.ElasticFoundation:
    return cm.laws.ElasticFoundation(modulus=5e6, thickness=0.003, element_size=element_size, **others)


def block(on: cm.Body, sides: np.ndarray = BLOCK) -> cm.Mesh:
    return cm.Mesh(on, vertices=sides * CORNERS, faces=FACES)


def body(height: float, **state) -> cm.Body:
    return cm.Body("body", 0.1, (1e-5, 2e-5, 3e-5), (0.0, 0.0, height), **state)


def ground() -> cm.Body:
    return cm.System(dim=3).ground


def test_the_modulus_of_a_confined_layer():
    law = layer(None, poisson_ratio=0.4)
    assert law.stiffness == pytest.approx(0.6 * 5e6 / (1.4 * 0.2 * 0.003), rel=1e-12)
    assert law.pressure([-1e-4, 1e-4]).tolist() == pytest.approx([0.0, 1e-4 * law.stiffness])
    assert layer(None).stiffness == pytest.approx(5e6 / 0.003)


def test_a_flat_punch():
    """F = E A δ/h, p = E δ/h everywhere, at the centre of the face."""
    depth = 1e-4
    system = cm.System(dim=3)
    punch = system.add(body(BLOCK[2] - depth))
    system.add(cm.Contact(block(punch), cm.Plane(system.ground), law=layer(0.01), name="pad"))
    pad = cm.simulate(system, t_end=1e-9)["pad"]
    area, pressure = 4.0 * BLOCK[0] * BLOCK[1], 5e6 * depth / 0.003
    assert pad.contact_area[0] == pytest.approx(area, rel=1e-12)
    assert pad.max_pressure[0] == pytest.approx(pressure, rel=1e-9)
    assert pad.normal_force[0] == pytest.approx(area * pressure, rel=1e-9)
    assert [pad.x[0], pad.y[0], pad.nz[0]] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)


def force_of_ball(shape: str, radius: float, depth: float, size: float) -> float:
    """Force of the lowest part of a ball that is pressed into a layer."""
    system = cm.System(dim=3)
    if shape == "sphere":
        ball = system.add(body(radius - depth))
        surface = cm.Surface(ball, cm.surfaces.Sphere(radius))
    else:
        ball = system.add(body(-depth))
        down = Rotation.from_euler("x", 180.0, degrees=True)
        paraboloid = cm.surfaces.Paraboloid(-radius, -radius, (0.004, 0.004))
        surface = cm.Surface(ball, paraboloid, orientation=down)
    system.add(cm.Contact(cm.Plane(system.ground), surface, law=layer(size), name="pad"))
    return float(cm.simulate(system, t_end=1e-9)["pad"].normal_force[0])


def test_a_sphere_on_a_layer():
    """F = π K R δ²."""
    radius, depth = 0.02, 2e-4
    exact = math.pi * layer(None).stiffness * radius * depth**2
    assert force_of_ball("sphere", radius, depth, 3e-4) == pytest.approx(exact, rel=1e-2)


def test_the_force_converges_with_the_elements():
    """∫ K (δ − r²/2R) dA over a paraboloid; the error falls with the elements."""
    radius, depth = 0.02, 2e-4
    r = np.sqrt(np.linspace(0.0, 2.0 * radius * depth, 2001))
    rings = 2.0 * math.pi * r * np.sqrt(1.0 + (r / radius) ** 2) * (depth - 0.5 * r**2 / radius)
    exact = layer(None).stiffness * np.trapezoid(rings, r)
    errors = [abs(force_of_ball("paraboloid", radius, depth, size) / exact - 1.0) for size in (8e-4, 2e-4, 5e-5)]
    assert errors[0] < 0.05
    assert errors[2] < 5e-4
    assert errors[2] < errors[0]


def test_a_journal_in_a_bushing():
    """∫ K (e cos φ − c) cos φ R L dφ, for a clearance c and an eccentricity e that are small beside R."""
    radius, clearance, eccentricity, length = 0.01, 2e-5, 4e-5, 0.02
    system = cm.System(dim=3)
    journal = system.add(body(-eccentricity))
    across = Rotation.from_euler("y", 90.0, degrees=True)
    shape = cm.Surface(journal, cm.surfaces.Cylinder(radius, 0.5 * length), orientation=across)
    bushing = cm.Cylinder(
        system.ground, axis=(1.0, 0.0, 0.0), radius=radius + clearance, half_length=length, inside=True
    )
    system.add(cm.Contact(shape, bushing, law=layer(2e-4), name="pad"))
    pad = cm.simulate(system, t_end=1e-9)["pad"]
    edge = math.acos(clearance / eccentricity)
    integral = eccentricity * (edge + math.sin(edge) * math.cos(edge)) - 2.0 * clearance * math.sin(edge)
    assert pad.normal_force[0] == pytest.approx(layer(None).stiffness * radius * length * integral, rel=5e-3)
    assert pad.contact_area[0] == pytest.approx(2.0 * edge * radius * length, rel=1e-2)
    assert pad.nz[0] == pytest.approx(1.0, abs=1e-9)


def test_a_mesh_on_a_mesh_is_a_mesh_on_a_plane():
    depth = 1e-4
    system = cm.System(dim=3)
    punch, base = system.add(body(BLOCK[2] - depth)), np.array([0.1, 0.1, 0.01])
    table = cm.Mesh(system.ground, vertices=base * CORNERS - (0.0, 0.0, base[2]), faces=FACES)
    system.add(cm.Contact(block(punch), table, law=layer(0.01), name="pad"))
    pad = cm.simulate(system, t_end=1e-9)["pad"]
    assert pad.normal_force[0] == pytest.approx(5e6 / 0.003 * depth * 4.0 * BLOCK[0] * BLOCK[1], rel=1e-9)


def dropped(damping: float, friction: cm.friction.Coulomb | None) -> cm.System:
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    turn = Rotation.from_euler("xyz", [20.0, 30.0, 10.0], degrees=True)
    falling = system.add(body(0.05, orientation=turn, velocity=(0.3, 0.0, 0.0)))
    law = layer(0.01, damping=damping)
    system.add(cm.Contact(block(falling), cm.Plane(system.ground), law=law, friction=friction, name="pad"))
    return system


def test_a_tumbling_block_keeps_its_energy():
    """Forces and moments of all elements are those of one potential, ½ K ∫u² dA, whatever the elements."""
    result = cm.simulate(dropped(0.0, None), t_end=0.15)
    assert result.outcome.ok
    assert abs(result.energy.drift) < 1e-6
    assert result["body"].z.min() < 0.03


def test_a_damped_block_comes_to_rest_on_its_face():
    result = cm.simulate(dropped(5.0, cm.friction.Coulomb(0.3)), t_end=0.5)
    assert result.outcome.ok
    assert abs(result.energy.drift) < 1e-6
    sink = 0.1 * 9.81 / (5e6 / 0.003 * 4.0 * BLOCK[0] * BLOCK[1])
    assert result["body"].z[-1] == pytest.approx(BLOCK[2] - sink, abs=1e-6)
    assert abs(result["body"].velocity[-1]).max() < 0.02


def test_the_map_adds_up_to_the_force():
    system = dropped(0.0, None)
    result = cm.simulate(system, t_end=0.15)
    pad, contact = result["pad"], system.contacts[0]
    hardest = int(np.argmax(pad.normal_force))
    pressures = cm.pressure_map(contact, result, float(result.t[hardest]))
    assert np.linalg.norm(pressures.force) == pytest.approx(pad.normal_force[hardest], rel=1e-6)
    assert pressures.max_pressure == pytest.approx(pad.max_pressure[hardest], rel=1e-6)
    assert pressures.contact_area == pytest.approx(pad.contact_area[hardest], rel=1e-9)
    assert pressures.centre == pytest.approx([pad.x[hardest], pad.y[hardest], pad.z[hardest]], abs=1e-8)
    assert pressures.plot().get_xlabel() == "along the patch [mm]"


def test_what_does_not_fit_is_refused():
    ball = body(0.1)
    with pytest.raises(ModelError, match="needs a Mesh or a Surface"):
        cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(ground()), law=layer(None), name="pad")
    system = cm.System(dim=3)
    with pytest.raises(ModelError, match="build a Contact with it"):
        system.add_contacts([cm.Sphere(system.add(ball), 0.1)], [cm.Plane(system.ground)], law=layer(None))
    with pytest.raises(ModelError, match="poisson_ratio must lie in"):
        layer(None, poisson_ratio=0.5)
    contact = cm.Contact(block(ball), cm.Plane(ground()), law=layer(None), name="pad")
    with pytest.raises(ModelError, match="cannot replace a law of the pressure"):
        contact.law = cm.laws.Hertz(stiffness=1e8)
    with pytest.raises(ModelError, match="element_size = 1e-06 m makes"):
        cm.Contact(block(ball), cm.Plane(ground()), law=layer(1e-6))
