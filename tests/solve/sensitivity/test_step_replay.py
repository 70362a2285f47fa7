"""Neighbouring runs repeat the steps of a recorded run: to the same bits with the same parameters."""

import numpy as np
import pytest

import carom as cm
from carom.solve.run import RunRequest
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.recorded_run import NotNeighbouring


def record(case, t_end: float, **options):
    chosen = cm.Nonsmooth(**options) if "scheme" in options else cm.Compliant(**options)
    return recorded_run(RunRequest(case.system, t_end, chosen))


@pytest.mark.parametrize("name", ["slider_crank_block", "pendulum_wall", "two_spheres", "slider_crank"])
def test_replay_without_change(name):
    """The same bits up to the first event after a contact, which a replay locates once more; then to rounding."""
    case = getattr(cm.gallery, name)()
    run = record(case, case.options["t_end"])
    again = run.neighbour(case.system)
    first = int(np.argmax(np.diff(run.t) == 0.0)) or len(run.t)
    assert np.array_equal(again.nodes[:first], run.nodes[:first], equal_nan=True)
    assert np.allclose(again.t, run.t, rtol=1e-14)
    for part in run.motion_columns:
        size = np.abs(run.nodes[:, part]).max()
        assert np.allclose(again.nodes[:, part], run.nodes[:, part], rtol=0.0, atol=1e-9 * size)
    assert again.log.shape == run.log.shape


def test_event_driven_replay_without_change():
    case = cm.gallery.bouncing_ball(height=1.0)
    run = record(case, 1.5, scheme="event-driven")
    again = run.neighbour(case.system)
    assert len(run.log) > 1
    assert np.allclose(again.t, run.t, rtol=0.0, atol=1e-14)
    assert np.allclose(again.nodes, run.nodes, rtol=0.0, atol=1e-12)


def test_replayed_events_are_where_the_other_run_has_them():
    """A replay with other parameters and a run of its own agree to their tolerance."""
    case = cm.gallery.slider_crank_block()
    other = cm.gallery.slider_crank_block(restitution=0.7 * (1 + 1e-4))
    run = record(case, 0.08, rtol=1e-10, atol=1e-12)
    replayed, own = run.neighbour(other.system), record(other, 0.08, rtol=1e-10, atol=1e-12)
    assert replayed.impacts[0].t_end == pytest.approx(own.impacts[0].t_end, rel=1e-9)
    assert replayed.impacts[1].separation_speed == pytest.approx(own.impacts[1].separation_speed, rel=1e-8)
    assert replayed.t[-1] == run.t[-1] == 0.08


def test_other_events_are_reported_with_their_time():
    run = record(cm.gallery.bouncing_ball(height=1.0), 0.5, scheme="midpoint", step=1e-3)
    with pytest.raises(NotNeighbouring, match=r"t = 0\.4"):
        run.neighbour(cm.gallery.bouncing_ball(height=0.9).system)
