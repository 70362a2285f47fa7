"""Many discs of a planar scene are copies of one mesh, and nothing else is drawn for their bodies."""

import numpy as np
import pytest

import carom as cm
from carom.scene.planar_discs import MANY_DISCS
from carom.scene.scene import GROUND
from carom.scene.scene_builder import describe

RADIUS = 0.01


def box_of_discs(count: int) -> cm.System:
    """Return discs that fall in a box with a driven paddle."""
    system = cm.System(gravity=(0.0, -9.81), name="discs")
    discs = cm.packing.lattice(count, radius=RADIUS, gap=0.002, dim=2, origin=(0.02, 0.1))
    grains = cm.packing.spheres(system, discs, density=2500.0)
    paddle = system.add(cm.Body("paddle", 1.0, 0.01, position=(0.2, 0.04)))
    hinge = system.add(cm.Revolute(system.ground, paddle, at=(0.2, 0.04), name="hinge"))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(3.0)))
    blade = cm.Segment(paddle, start=(-0.03, 0.0), end=(0.03, 0.0), radius=0.005)
    system.add_contacts(grains, [cm.Plane(system.ground), blade], law=cm.laws.Hertz(1e5))
    return system


@pytest.fixture(scope="module")
def many():
    return cm.simulate(box_of_discs(MANY_DISCS + 1), 0.02, output=0.01)


def test_many_discs_are_spheres_of_the_scene(many):
    scene = describe(many)
    (group,) = scene.spheres
    assert len(group.bodies) == MANY_DISCS + 1
    assert np.allclose(group.radii, RADIUS)
    assert {part.body for part in scene.parts} == {GROUND, scene.bodies.index("paddle")}
    positions = scene.poses[:, group.bodies, :2]
    assert np.all(positions - RADIUS >= scene.low[:2])
    assert np.all(positions + RADIUS <= scene.high[:2])


def test_few_discs_are_parts_with_a_line(many):
    scene = describe(cm.simulate(box_of_discs(MANY_DISCS), 0.02, output=0.01))
    assert scene.spheres == []
    assert len({part.body for part in scene.parts}) == MANY_DISCS + 2


def test_a_paraview_file_has_discs_as_points_only(tmp_path):
    """Bodies whose discs are points have no symbol among the shapes, 40 of which would take 100 kB."""
    path = cm.simulate(box_of_discs(40), 0.02, output=0.01).to_vtk(tmp_path / "discs")
    for name in ("discs_shapes_0001.vtp", "discs_spheres_0001.vtp"):
        assert (path.parent / name).exists()
    assert (path.parent / "discs_shapes_0001.vtp").stat().st_size < 40_000  # the paddle


def test_the_report_of_many_discs_is_small(tmp_path):
    """Parts of 500 discs would take 6 MB, and full poses 12 MB."""
    cm.simulate(box_of_discs(500), 0.02, output=0.01).report(tmp_path / "discs.html")
    assert (tmp_path / "discs.html").stat().st_size < 4_000_000


def test_the_summary_counts_the_contacts_of_groups(many):
    groups = [element.name for element in many.elements if element.kind == "ContactGroup"]
    contacts = int(many[groups[0]].contacts[-1])
    assert f"contacts {contacts} in groups at the end\n" in many.summary()
