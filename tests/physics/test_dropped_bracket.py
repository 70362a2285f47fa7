"""An angle bracket, a mesh with a reentrant corner, dropped on the floor: it tumbles and comes to rest."""

import warnings

import numpy as np
import pytest

import carom as cm
from carom.geometry.rotation import matrix_of
from quick import slow_but

OUTLINE = [(0.0, 0.0), (0.05, 0.0), (0.05, 0.01), (0.01, 0.01), (0.01, 0.03), (0.0, 0.03)]
WIDTH = 0.04


def bracket() -> tuple[np.ndarray, np.ndarray]:
    n = len(OUTLINE)
    vertices = np.array([(x, y, z) for y in (0.0, WIDTH) for x, z in OUTLINE])
    ends = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [*ends, *((a + n, c + n, b + n) for a, b, c in ends)]
    for k in range(n):
        j = (k + 1) % n
        faces += [(k, k + n, j + n), (k, j + n, j)]
    return vertices, np.array(faces)


def dropped(floor: str) -> tuple[cm.System, cm.Body, cm.Contact]:
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    part = system.add(
        cm.Body.from_mesh(
            bracket(), density=7800.0, name="bracket", position=(0.0, 0.0, 0.08), orientation=(0.8, 0.3, 0.45, 0.2),
            angular_velocity=(3.0, 2.0, 1.0),
        )
    )  # fmt: skip
    slab = cm.Box(system.ground, (0.3, 0.3, 0.05), at=(0.0, 0.0, -0.05))
    ground = {
        "plane": lambda: cm.Plane(system.ground, at=(0, 0, 0), normal=(0, 0, 1)),
        "box": lambda: slab,
        "mesh": lambda: cm.Mesh(system.ground, slab.triangles()),
    }[floor]()
    contact = system.add(
        cm.Contact(
            part.shapes[0], ground, law=cm.laws.HuntCrossley(stiffness=5e8, restitution=0.7),
            friction=cm.friction.Coulomb(0.3), impact=cm.ImpactLaw(restitution=0.3, friction=0.3), name="floor",
        )
    )  # fmt: skip
    return system, part, contact


def test_its_mass_is_that_of_two_plates():
    part = cm.Body.from_mesh(bracket(), density=7800.0, name="bracket")
    areas = np.array([0.05 * 0.01, 0.01 * 0.02])
    centres = np.array([(0.025, 0.005), (0.005, 0.02)])
    assert part.mass == pytest.approx(7800.0 * WIDTH * areas.sum(), rel=1e-13)
    assert np.array(part.position)[[0, 2]] == pytest.approx(areas @ centres / areas.sum(), rel=1e-12)


FLOORS = ("plane", "box", "mesh")


@pytest.mark.parametrize("floor", slow_but(("plane", "mesh"), FLOORS))
def test_compliant_it_comes_to_rest_and_the_energy_balances(floor: str):
    """At rest on a face of 4 corners, with the indentation K Σ δ^1.5 = m g; no step gains energy."""
    system, part, contact = dropped(floor)
    result = cm.simulate(system, 0.6, rtol=1e-6, atol=1e-8)
    energy = result.energy
    assert energy.drift < 1e-7
    assert np.max(np.diff(energy.total)) < 1e-10 * energy.total[0]
    assert np.linalg.norm(result[part].velocity[-1]) < 1e-3
    assert result[contact].touching[-1] >= 3
    assert result[contact].normal_force[-1] == pytest.approx(part.mass * 9.81, rel=0.05)
    assert result[contact].indentation.max() < 3e-4  # the first impact, at 1 m/s
    assert result[contact].indentation[-1] < 1e-5


@pytest.mark.parametrize("floor", slow_but(("plane", "mesh"), FLOORS))
def test_rigid_it_comes_to_rest_on_a_face_and_does_not_sink(floor: str):
    system, part, contact = dropped(floor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)  # a few contact problems of a stiff step are approximate
        result = cm.simulate(system, 0.6, method=cm.Nonsmooth(step=2e-4))
    energy = result.energy
    assert energy.drift < 1e-7
    assert np.max(np.diff(energy.total)) < 1e-5 * energy.total[0]
    assert np.linalg.norm(result[part].velocity[-1]) < 1e-10
    assert np.linalg.norm(result[part].omega[-1]) < 1e-8
    assert result[contact].touching[-1] >= 3
    assert abs(result[contact].indentation[-1]) < 1e-6
    heights = result[part].z[-1] + (part.shapes[0].vertices @ matrix_of(result[part].orientation[-1]).T)[:, 2]
    assert heights.min() == pytest.approx(0.0, abs=1e-6)
