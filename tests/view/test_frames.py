"""Frames are even in time, and no impact falls between them."""

import numpy as np
import pytest

from carom.geometry.rotation import matrix_of
from carom.view.frames import AFTERGLOW, FEWEST, MOST, frame_times, poses_of, touches_of


def test_frames_are_even_and_not_too_many(crank):
    t = frame_times(crank)
    assert len(t) == MOST
    assert np.allclose(np.diff(t), 0.08 / (MOST - 1))
    assert len(frame_times(crank, 10)) == 10


def test_very_many_bodies_have_fewer_frames(crank):
    class Crowd:
        t, bodies = crank.t, range(100_000)

    assert len(frame_times(Crowd())) == FEWEST


def test_planar_poses_turn_about_z(crank):
    sampled = crank.sample(frame_times(crank, 7))
    poses = poses_of(sampled).astype(float)
    tip = poses[:, 0, :3] + np.einsum("nij,j->ni", matrix_of(poses[:, 0, 3:]), np.array([0.0765, 0.0, 0.0]))
    assert np.allclose(tip[:, :2], sampled["crank"].point(0.0765, 0.0), atol=1e-6)


def test_the_peak_of_an_impact_between_frames_is_shown_in_the_next(crank):
    for frames in (600, 40):  # frames are 0.13 and 2 ms apart, an impact takes 65 µs
        t = frame_times(crank, frames)
        touches = touches_of(crank, t)
        strength = np.linalg.norm(touches.forces[:, 0], axis=1)
        for impact in crank.impacts:
            frame = int(np.searchsorted(t, impact.t_start + 0.3 * impact.duration))
            shown = strength[frame : frame + 2].max()
            assert shown == pytest.approx(impact.peak_force, rel=1e-3)
        assert touches.largest == pytest.approx(max(impact.peak_force for impact in crank.impacts), rel=1e-3)


def test_a_force_fades_where_it_was(crank):
    touches = touches_of(crank, frame_times(crank))
    strength = np.linalg.norm(touches.forces[:, 0], axis=1)
    frame = int(np.argmax(strength))
    assert strength[frame + 1] == pytest.approx(AFTERGLOW * strength[frame], rel=1e-6)
    assert np.array_equal(touches.points[frame + 1], touches.points[frame])
    assert strength[frame - 2] == 0.0
    assert strength[frame + 40] == 0.0


def test_lasting_contacts_show_their_force_at_the_frame(pile):
    t = frame_times(pile, 50)
    touches = touches_of(pile, t)
    assert touches.names == ("touch 0", "touch 1", "touch 2")
    expected = pile.sample(t)["touch 0"].fz
    k = len(t) - 1
    assert touches.forces[k, 0, 2] >= expected[k] - 1e-6
    assert np.allclose(touches.points[k, 0, :2], (0.0, 0.0), atol=1e-6)
