import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

import carom as cm
from carom.errors import ModelError
from carom.plot import plot_mechanism, plot_overview
from carom.plot.mechanism import PlanarDrawing
from carom.plot.style import COLOURS
from carom.scene.mechanism_layout import SampledPoses, mechanism_geometry
from carom.solve.drawing_builder import drawing_data


def geometry(system, poses, trace=()):
    return mechanism_geometry([body.name for body in system.bodies], drawing_data(system), poses, trace)


def in_full(axes, colour):
    """Ends of the first line of that colour that is not faint, from left to right."""
    lines = [line for line in axes.lines if to_rgba(line.get_color()) == to_rgba(colour) and line.get_alpha() == 1]
    return np.array(sorted(lines[0].get_xydata().tolist()))


def test_bodies_reach_from_joint_to_joint(slider_crank):
    system, result = slider_crank
    axes = plot_mechanism(system, result, pose=0.01, ghosts=[]).get_axes()[0]
    here = result.sample(0.01)
    pin = here["crank"].point(0.0765, 0.0)[0]
    assert pin[0] > 0.0  # so that the crank starts left of it
    assert np.allclose(in_full(axes, COLOURS[0]), [(0.0, 0.0), pin], atol=1e-12)
    assert np.allclose(in_full(axes, COLOURS[1]), [pin, here["slider"].position[0]], atol=1e-12)


def test_a_ghost_is_drawn_for_each_of_its_times(slider_crank):
    system, result = slider_crank
    axes = Figure().subplots()
    PlanarDrawing(system, result).draw(axes, 0.0, ghosts=[0.01, 0.02, 0.03])
    faint = [line for line in axes.lines if to_rgba(line.get_color()) == to_rgba(COLOURS[0]) and line.get_alpha() < 1]
    tips = sorted(np.hypot(*line.get_xydata().T).max() for line in faint)
    assert tips == pytest.approx([0.153] * 3, abs=1e-12)


def test_a_traced_point_draws_its_path(slider_crank):
    system, result = slider_crank
    axes = plot_mechanism(system, result, trace=[system["crank"].point(0.0765, 0.0)]).get_axes()[0]
    path = max((line.get_xydata() for line in axes.lines), key=len)
    assert np.allclose(np.hypot(*path.T), 0.153, atol=1e-9)  # a circle about the bearing
    assert np.ptp(np.unwrap(np.arctan2(path[:, 1], path[:, 0]))) > 2.0 * math.pi


def test_the_drawing_has_equal_scales_and_labels_with_units(slider_crank):
    system, result = slider_crank
    axes = plot_mechanism(system, result).get_axes()[0]
    assert axes.get_aspect() == 1.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert left < -0.153
    assert right > 0.459
    assert low < -0.15
    assert high > 0.15


def test_a_traced_marker_belongs_to_the_outline(slider_crank):
    system, result = slider_crank
    poses = SampledPoses(result)
    assert len(geometry(system, poses).outlines["rod"]) == 2
    assert (0.0, 0.1) in geometry(system, poses, [system["rod"].point(0.0, 0.1)]).outlines["rod"]


def test_a_guide_is_as_long_as_the_displacement():
    system = cm.System(name="slot")
    arm = system.add(cm.Body("arm", 1.0, 1.0, angular_velocity=1.0))
    block = system.add(cm.Body("block", 0.1, 0.1, position=(0.5, 0.0), velocity=(0.4, 0.5), angular_velocity=1.0))
    system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
    slide = system.add(cm.Prismatic(arm, block, axis=(1.0, 0.0)))
    result = cm.simulate(system, t_end=1.0)
    ends = geometry(system, SampledPoses(result)).outlines["arm"]
    # The displacement of the block is counted from where it starts, 0.5 m from the bearing.
    assert max(x for x, _ in ends) == pytest.approx(0.5 + result[slide].displacement.max(), abs=1e-9)
    assert len(plot_mechanism(system, result).get_axes()[0].patches) > 2


def test_every_kind_of_joint_and_force_can_be_drawn():
    system = cm.System(gravity=(0.0, -9.81), name="one of each")
    ground = system.ground
    wheel = system.add(cm.Body("wheel", 1.0, 0.02, position=(0.0, 0.2), velocity=(1.0, 0.0), angular_velocity=-5.0))
    system.add(cm.RackPinion(ground, wheel, 0.2, axis=(1.0, 0.0)))
    system.add(cm.PointOnLine(ground, wheel, axis=(1.0, 0.0), at=(0.0, 0.2)))
    bead = system.add(cm.Body("bead", 0.2, 0.001, position=(3.0, 1.2)))
    system.add(cm.PointOnCurve(ground, bead, [(2.8, 1.5), (3.0, 1.2), (3.3, 0.9), (3.6, 1.1)]))
    hung = system.add(cm.Body("hung", 0.5, 0.01, position=(1.0, 0.0)))
    system.add(cm.Distance(ground.point(1.0, 1.0), hung))
    tail = system.add(cm.Body("tail", 0.5, 0.01, position=(1.0, -0.3)))
    system.add(cm.Weld(hung, tail))
    other = system.add(cm.Body("other", 0.5, 0.01, position=(2.0, 0.0)))
    system.add(cm.SpringDamper(hung, other, 40.0))
    system.add(cm.Ligament(ground.point(2.0, 1.0), other, 500.0))
    system.add(cm.Bushing(tail, other, (10.0, 10.0, 1.0)))
    system.add(cm.Torque(wheel, 0.1))
    result = cm.simulate(system, t_end=0.2)
    figure = plot_mechanism(system, result)
    figure.draw_without_rendering()
    axes = figure.get_axes()[0]
    wheel_rim = [line.get_xydata() for line in axes.lines if len(line.get_xydata()) == 100]
    assert np.allclose(np.hypot(*(wheel_rim[-1] - (0.0, 0.2)).T), 0.2)


def test_a_result_of_another_system_is_rejected(slider_crank, throw):
    system, _ = slider_crank
    with pytest.raises(ModelError, match="'throw' does not belong to this system, it has no body 'crank'"):
        plot_mechanism(system, throw)


@pytest.mark.parametrize(("height", "columns"), [(0.2, 3), (3.0, 1)])
def test_an_overview_has_a_wide_drawing_above_and_a_high_one_beside_its_series(height, columns):
    system = cm.System(name="flight")
    ball = system.add(cm.Body("ball", 1.0, 1.0, velocity=(1.0, height)))
    result = cm.simulate(system, t_end=1.0)
    figure = plot_overview(system, result, "ball.x", "ball.vy", trace=[ball])
    figure.draw_without_rendering()
    drawing, *panels = figure.get_axes()
    assert [axes.get_ylabel() for axes in (drawing, *panels)][:3] == ["y [m]", "position x [m]", "velocity y [m/s]"]
    assert panels[-1].get_ylabel().startswith("energy error [")
    corners = [axes.get_window_extent() for axes in panels]
    assert len({round(corner.x0) for corner in corners}) == columns
    assert len({round(corner.y0) for corner in corners}) == 3 // columns
    space = drawing.get_window_extent()
    assert space.y0 > corners[0].y1 if columns == 3 else space.x1 < corners[0].x0


def test_overview_and_drawing_are_written_to_their_path(slider_crank, tmp_path):
    system, result = slider_crank
    plot_mechanism(system, result, path=tmp_path / "mechanism.png")
    plot_overview(system, result, "slider.x", path=tmp_path / "overview.png")
    for name in ("mechanism.png", "overview.png"):
        assert (tmp_path / name).read_bytes()[:4] == b"\x89PNG"
