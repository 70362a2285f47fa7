"""Slider with clearance: transverse positions and contacts of its corners, and its drawing."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba

import carom as cm
from carom.errors import ModelError
from carom.plot import plot_corners, plot_mechanism
from carom.plot.slider_corners import (
    CONFIGURATIONS,
    configuration,
    draw_configuration,
    guide_clearance,
    transverse_position,
)
from carom.plot.style import COLOURS, new_figure
from carom.result import ElementInfo
from carom.scene.guides import guide_sides

LENGTH, WIDTH, PLAY = 0.4, 0.2, 0.01


def dropped(tilt=0.0, axis=(1.0, 0.0), gravity=(0.0, -9.81)):
    """A slider that falls in its guide, on its lower side, and stays there."""
    system = cm.System(gravity=gravity, name="drop")
    slider = system.add(cm.Body("slider", 1.0, 0.01, position=(0.3, 0.1), angle=math.atan2(axis[1], axis[0]) + tilt))
    joint = cm.PrismaticClearance(
        system.ground, slider, axis=axis, length=LENGTH, width=WIDTH, clearance=PLAY, tilt=tilt,
        impact=cm.ImpactLaw(0.3), name="guide",
    )  # fmt: skip
    system.add(joint)
    return system, joint


@pytest.fixture(scope="module")
def fallen():
    system, joint = dropped()
    return system, joint, cm.simulate(system, 0.2, method="nonsmooth", step=1e-4)


@pytest.fixture(scope="module")
def tilted():
    system, joint = dropped(0.02)
    return system, joint, cm.simulate(system, 0.2, method="nonsmooth", step=1e-4)


@pytest.fixture(scope="module")
def general():
    """Return the tilted system in generalised coordinates: height and angle."""

    def gaps(q):
        s, c = 0.5 * LENGTH * math.sin(q[1]), 0.5 * WIDTH * (1.0 - math.cos(q[1])) + PLAY
        return (c - q[0] + s, c - q[0] - s, c + q[0] - s, c + q[0] + s)

    system = cm.GeneralizedSystem(
        [0.0, 0.02], [0.0, 0.0], [[1.0, 0.0], [0.0, 0.01]], [-9.81, 0.0], gaps, impact=cm.ImpactLaw(0.3),
        contacts=[f"guide {k}" for k in (1, 2, 3, 4)], name="drop",
    )  # fmt: skip
    return cm.simulate(system, 0.2, method="nonsmooth", step=1e-4)


# ---- positions across the guide


def test_all_corners_fall_alike_until_the_lower_side(fallen):
    _, joint, result = fallen
    t = result.t
    free = t < 0.9 * math.sqrt(2.0 * PLAY / 9.81)
    for corner in (1, 2, 3, 4):
        y = transverse_position(result, joint, corner, PLAY)
        assert y[free] == pytest.approx(-9.81 * t[free] ** 2 / 2.0 / PLAY, abs=1e-9)
        assert y[-1] == pytest.approx(-1.0, abs=1e-4)


def test_corner_positions_follow_the_pose_of_the_slider(tilted):
    _, joint, result = tilted
    b = 0.5 * WIDTH
    for corner, (x, y) in {1: (-0.2, b), 2: (0.2, b), 3: (-0.2, -b), 4: (0.2, -b)}.items():
        height = result["slider"].point(x, y)[:, 1] - 0.1
        assert transverse_position(result, joint, corner, PLAY) == pytest.approx((height - y) / PLAY, abs=1e-9)


def test_transverse_positions_refer_to_the_axis_of_the_guide():
    system, joint = dropped(axis=(0.0, 1.0), gravity=(9.81, 0.0))
    result = cm.simulate(system, 0.1, method="nonsmooth", step=1e-4)
    assert transverse_position(result, joint, 4, PLAY)[-1] == pytest.approx(
        -1.0, abs=0.05
    )  # to the right of upwards: along +x


def test_the_clearance_is_argument_joint_value_or_estimate(tilted, general):
    _, joint, result = tilted
    assert guide_clearance(result, joint) == PLAY
    assert guide_clearance(result, "guide") == pytest.approx(PLAY, rel=1e-6)  # it comes to lie along the guide
    assert guide_clearance(general, "guide") == pytest.approx(PLAY, rel=1e-6)
    assert guide_clearance(result, "guide", 0.02) == 0.02
    with pytest.raises(ModelError, match="plot: clearance must be positive, got -1"):
        guide_clearance(result, joint, -1.0)


# ---- what touches


def test_configuration_from_the_joint_equals_that_from_its_contacts(tilted, general):
    _, joint, result = tilted
    found = configuration(result, joint)
    assert np.array_equal(found, result["guide"].configuration)
    assert np.array_equal(configuration(general, "guide")[:400], found[:400])
    assert {0, 1} <= set(configuration(general, "guide"))
    assert configuration(result, joint)[-1] == 2


@pytest.mark.parametrize(
    ("closed", "kind"),
    [((), 0), ((3,), 1), ((1, 2), 2), ((3, 4), 2), ((1, 4), 3), ((2, 3), 3), ((1, 3), 3), ((1, 2, 3), 4)],
)
def test_every_set_of_corners_has_its_configuration(closed, kind, make_thrown):
    signals = [value for k in (1, 2, 3, 4) for value in ((1e-6, 1.0) if k in closed else (-1e-4, 0.0))]
    guides = tuple(
        ElementInfo(f"slot {k}", "Gap", "contact", (), ("indentation", "contact_mode"), ("m", "1"), (2 * k - 2, 2 * k))
        for k in (1, 2, 3, 4)
    )
    result = make_thrown([0.0, 1.0], signals=[signals, signals], elements=guides)
    assert np.array_equal(configuration(result, "slot", 1e-3), [kind, kind])


def test_bars_are_as_long_as_their_configuration(fallen):
    _, joint, result = fallen
    axes = new_figure(6.0, 3.0, None).subplots()
    draw_configuration(axes, result, joint, (0.0, 0.1))
    assert [label.get_text() for label in axes.get_yticklabels()] == list(CONFIGURATIONS)
    now = configuration(result, joint)
    for kind, name in enumerate(CONFIGURATIONS):
        bar = next(line for line in axes.lines if line.get_label() == name).get_ydata()
        assert np.array_equal(np.isfinite(bar), now == kind)
    shares = [float(text.get_text().rstrip(" %")) for text in axes.texts]
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    assert axes.get_xlim() == (0.0, 0.1)


# ---- the figure


def test_panels_are_arranged_like_the_corners_and_contact_has_another_colour(fallen):
    _, joint, result = fallen
    figure = plot_corners(result, joint)
    figure.draw_without_rendering()
    axes = figure.get_axes()
    assert [panel.get_title(loc="left") for panel in axes] == [f"corner {k}" for k in (1, 2, 3, 4)]
    boxes = [panel.get_window_extent() for panel in axes]
    assert boxes[0].x0 == pytest.approx(boxes[2].x0)
    assert boxes[0].x0 < boxes[1].x0
    assert boxes[0].y0 > boxes[2].y0
    for corner, panel in enumerate(axes, 1):
        lines = {line.get_label(): line for line in panel.lines}
        assert np.array_equal(lines["free flight"].get_ydata(), transverse_position(result, joint, corner, PLAY))
        assert to_rgba(lines["contact"].get_color()) == to_rgba(COLOURS[1])
        assert np.any(np.isfinite(lines["contact"].get_ydata())) == (corner > 2)
        assert {line.get_ydata()[0] for line in panel.lines if len(line.get_ydata()) == 2} == {-1.0, 1.0}
    assert (axes[0].get_ylabel(), axes[2].get_ylabel()) == ("(y − b)/c [1]", "(y + b)/c [1]")
    assert axes[3].get_xlabel() == "time [s]"


def test_a_result_in_generalised_coordinates_is_read_by_name(general, tmp_path):
    figure = plot_corners(general, "guide", span=(0.0, 0.1), title="own", path=tmp_path / "corners.png")
    assert figure.get_suptitle() == "own"
    assert figure.get_axes()[0].get_xlim() == (0.0, 0.1)
    assert (tmp_path / "corners.png").read_bytes()[:4] == b"\x89PNG"


def test_an_element_without_corners_is_rejected(fallen):
    _, _, result = fallen
    with pytest.raises(ModelError, match="'slider' in result 'drop' has no corners; choose a PrismaticClearance"):
        plot_corners(result, "slider")
    with pytest.raises(KeyError, match="slot 1"):
        plot_corners(result, "slot")


# ---- the slider in a drawing


def rims(axes, colour):
    """Closed lines of four corners in full colour."""
    same = [line for line in axes.lines if to_rgba(line.get_color()) == to_rgba(colour) and line.get_alpha() == 1.0]
    return [line.get_xydata()[:4] for line in same if len(line.get_xydata()) == 5]


def test_the_slider_is_a_block_to_scale_between_the_sides_of_its_guide(tilted):
    system, _, result = tilted
    axes = plot_mechanism(system, result, pose=0.0, ghosts=[0.1]).get_axes()[0]
    (rim,) = rims(axes, COLOURS[0])
    expected = [result["slider"].point(x, y)[0] for x, y in ((-0.2, 0.1), (0.2, 0.1), (0.2, -0.1), (-0.2, -0.1))]
    assert np.allclose(rim, expected, atol=1e-12)
    heights = sorted(line.get_ydata()[0] for line in axes.lines
                     if len(line.get_xydata()) == 2 and np.ptp(line.get_ydata()) < 1e-12)  # fmt: skip
    assert heights == pytest.approx([0.1 - 0.11, 0.1 + 0.11])
    sides = [line.get_xdata() for line in axes.lines if len(line.get_xydata()) == 2]
    assert all(min(x) < 0.1 and max(x) > 0.5 for x in sides)  # longer than the slider
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    assert left < 0.1
    assert right > 0.5
    assert low < -0.01
    assert high > 0.21


def test_a_guide_on_a_body_moves_with_it():
    system = cm.System(name="carriage")
    frame = system.add(cm.Body("frame", 5.0, 1.0, angle=0.5))
    slider = system.add(cm.Body("slider", 1.0, 0.01, angle=0.5))
    axis = (math.cos(0.5), math.sin(0.5))
    system.add(cm.Revolute(system.ground, frame, at=(0.0, 0.0)))
    system.add(cm.PrismaticClearance(frame, slider, axis=axis, length=LENGTH, width=WIDTH, clearance=PLAY,
                                     impact=cm.ImpactLaw(), name="guide"))  # fmt: skip
    result = cm.simulate(system, 0.01, method="nonsmooth", step=1e-4)
    axes = plot_mechanism(system, result, ghosts=[]).get_axes()[0]
    sides = [line.get_xydata() for line in axes.lines
             if len(line.get_xydata()) == 2 and to_rgba(line.get_color()) == to_rgba(COLOURS[0])]  # fmt: skip
    across_frame = [ends @ np.array([-math.sin(0.5), math.cos(0.5)]) for ends in sides]
    assert sorted(round(float(y), 9) for ends in across_frame for y in ends) == [-0.11, -0.11, 0.11, 0.11]
    assert len(rims(axes, COLOURS[1])) == 1


def test_the_sides_of_a_guide_have_the_inside_on_their_left():
    right, left = guide_sides(np.array([1.0, 2.0]), 0.0, 0.5, -1.0, 3.0)
    assert right.line == pytest.approx(np.array([(0.0, 1.5), (4.0, 1.5)]))
    assert left.line == pytest.approx(np.array([(4.0, 2.5), (0.0, 2.5)]))
