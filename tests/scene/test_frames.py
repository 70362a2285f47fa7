"""Frames are equidistant in time and show every impact."""

import numpy as np
import pytest

from carom.geometry.rotation import matrix_of
from carom.scene.frames import FORCE_DECAY, MAX_FRAMES, MIN_FRAMES, body_poses, contact_frames, frame_times


def test_frames_are_equidistant_and_limited_in_number(crank):
    t = frame_times(crank)
    assert len(t) == MAX_FRAMES
    assert np.allclose(np.diff(t), 0.08 / (MAX_FRAMES - 1))
    assert len(frame_times(crank, 10)) == 10


def test_very_many_bodies_have_fewer_frames(crank):
    class ManyBodies:
        t, bodies = crank.t, range(100_000)

    assert len(frame_times(ManyBodies())) == MIN_FRAMES


def test_planar_poses_rotate_about_z(crank):
    sampled = crank.sample(frame_times(crank, 7))
    poses = body_poses(sampled).astype(float)
    tip = poses[:, 0, :3] + np.einsum("nij,j->ni", matrix_of(poses[:, 0, 3:]), np.array([0.0765, 0.0, 0.0]))
    assert np.allclose(tip[:, :2], sampled["crank"].point(0.0765, 0.0), atol=1e-6)


def test_the_peak_of_an_impact_between_frames_is_shown_in_the_next(crank):
    for frames in (600, 40):  # frames are 0.13 and 2 ms apart, an impact takes 65 µs
        t = frame_times(crank, frames)
        contacts = contact_frames(crank, t)
        force = np.linalg.norm(contacts.forces[:, 0], axis=1)
        for impact in crank.impacts:
            frame = int(np.searchsorted(t, impact.t_start + 0.3 * impact.duration))
            shown = force[frame : frame + 2].max()
            assert shown == pytest.approx(impact.peak_force, rel=1e-3)
        assert contacts.largest_force == pytest.approx(max(impact.peak_force for impact in crank.impacts), rel=1e-3)


def test_a_force_decays_at_its_contact_point(crank):
    contacts = contact_frames(crank, frame_times(crank))
    force = np.linalg.norm(contacts.forces[:, 0], axis=1)
    frame = int(np.argmax(force))
    assert force[frame + 1] == pytest.approx(FORCE_DECAY * force[frame], rel=1e-6)
    assert np.array_equal(contacts.points[frame + 1], contacts.points[frame])
    assert force[frame - 2] == 0.0
    assert force[frame + 40] == 0.0


def test_persistent_contacts_show_their_force_at_the_frame(pile):
    t = frame_times(pile, 50)
    contacts = contact_frames(pile, t)
    assert contacts.names == ("touch 0", "touch 1", "touch 2")
    expected = pile.sample(t)["touch 0"].fz
    k = len(t) - 1
    assert contacts.forces[k, 0, 2] >= expected[k] - 1e-6
    assert np.allclose(contacts.points[k, 0, :2], (0.0, 0.0), atol=1e-6)
