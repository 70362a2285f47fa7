"""Results of non-smooth runs: files, samples, tables, impacts, output times, and runs that end early."""

from __future__ import annotations

import itertools
import math
import os
import signal
import threading

import numpy as np
import pytest

import carom as cm
from carom.solve import run_output
from carom.solve.timestepping import time_stepper
from solve.timestepping.scenes import GRAVITY, STEPPING, ball_above_floor, disc, rod_in_box, run, two_discs, world


@pytest.fixture(scope="module")
def bouncing():
    return run(ball_above_floor(0.8, 1.0, 0.1, velocity=(0.5, 0.0)), 2.0)


@pytest.fixture(scope="module")
def generalised():
    system = cm.GeneralizedSystem(
        q0=[1.0], u0=[0.0], mass=[[2.0]], force=[-2.0 * GRAVITY], gaps=lambda q: q[0], impact=cm.ImpactLaw(0.8),
        potential=lambda q: 2.0 * 9.81 * q[0], bodies={"ball": (lambda q: (0.0, q[0], 0.0), 2.0, 0.1)},
        coordinates=["height"], contacts=["floor"],
    )  # fmt: skip
    return run(system, 2.0)


# ---- files, tables, figures


@pytest.mark.parametrize("which", ["bouncing", "generalised"])
def test_file_keeps_everything(which, request, tmp_path):
    r = request.getfixturevalue(which)
    r.save(tmp_path / "run.h5")
    loaded = cm.load(tmp_path / "run.h5")
    assert loaded.same_as(r)
    assert not loaded.smooth
    assert loaded.impacts == r.impacts
    assert loaded.stats == r.stats
    assert loaded.settings == r.settings
    times = np.linspace(0.0, 2.0, 33)
    assert loaded.sample(times).same_as(r.sample(times))


@pytest.mark.parametrize("which", ["bouncing", "generalised"])
def test_table_has_a_column_for_each_signal(which, request):
    r = request.getfixturevalue(which)
    table = r.to_dataframe()
    assert len(table) == len(r.t)
    np.testing.assert_array_equal(table["floor.normal_force"], r["floor"].normal_force)
    np.testing.assert_array_equal(table["ball.y"], r["ball"].y)
    np.testing.assert_array_equal(table["energy.kinetic"], r.energy.kinetic)
    assert r.to_xarray().sizes["time"] == len(r.t)


@pytest.mark.parametrize("which", ["bouncing", "generalised"])
def test_figure_and_summary(which, request):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    r = request.getfixturevalue(which)
    pyplot.close(r.plot())
    assert "reached its end" in r.summary()
    assert f"{len(r.impacts)} impacts" in r.summary()


def test_settings_and_stats_are_recorded(bouncing):
    assert bouncing.settings["method"] == "nonsmooth"
    assert bouncing.settings["scheme"] == "midpoint"
    assert bouncing.settings["projection"] is True
    assert bouncing.settings["step"] == 1e-3
    assert bouncing.stats["steps"] == 2000
    assert bouncing.stats["contact_problems"] >= len(bouncing.impacts)
    assert sum(bouncing.stats["solvers"].values()) >= bouncing.stats["contact_problems"]
    assert bouncing.stats["fallbacks"] == bouncing.stats["inexact_solutions"] == 0


# ---- between the nodes


def test_velocities_are_linear_between_steps_and_positions_their_integral(bouncing):
    hit = int(np.searchsorted(bouncing.t, bouncing.impacts[0].t_start))
    for k in (10, hit):  # a step of the fall, and one with an impact
        quarter = bouncing.sample([bouncing.t[k - 1] + 0.25e-3])["ball"]
        v0, v1, y0 = bouncing["ball"].vy[k - 1], bouncing["ball"].vy[k], bouncing["ball"].y[k - 1]
        assert quarter.vy[0] == pytest.approx(0.75 * v0 + 0.25 * v1, abs=1e-9)
        assert quarter.y[0] == pytest.approx(y0 + 0.25e-3 * (v0 + 0.125 * (v1 - v0)), abs=1e-9)
        assert quarter.ay[0] == pytest.approx((v1 - v0) / 1e-3, rel=1e-9)


def test_nodes_are_sampled_as_they_are(bouncing):
    again = bouncing.sample(bouncing.t)
    np.testing.assert_array_equal(again.q, bouncing.q)
    np.testing.assert_array_equal(again.v, bouncing.v)
    np.testing.assert_array_equal(again.signals, bouncing.signals)


def test_generalised_result_shows_coordinates_and_bodies(generalised):
    np.testing.assert_array_equal(generalised["height"].value, generalised["ball"].y)
    np.testing.assert_allclose(generalised["height"].rate, generalised["ball"].vy, atol=1e-14)
    np.testing.assert_allclose(generalised["floor"].indentation, -generalised["height"].value, atol=1e-14)
    np.testing.assert_allclose(generalised.energy.kinetic, generalised["ball"].vy ** 2, rtol=1e-12, atol=1e-15)
    assert generalised.energy.drift < 1e-12


def test_generalised_ball_is_the_cartesian_ball(generalised, bouncing):
    np.testing.assert_allclose(generalised["ball"].y, bouncing["ball"].y - 0.1, atol=1e-12)
    for one, two in zip(generalised.impacts, bouncing.impacts, strict=True):
        assert one.t_start == pytest.approx(two.t_start, abs=1e-12)
        assert one.impulse == pytest.approx(2.0 * two.impulse, rel=1e-9)


# ---- impacts and ledger


@pytest.mark.parametrize("scheme", STEPPING)
@pytest.mark.parametrize(("restitution", "friction"), [(0.5, 0.0), (0.5, 0.2)])
def test_losses_of_impacts_add_up_to_the_ledger(scheme, restitution, friction):
    r = run(rod_in_box(restitution, GRAVITY, friction), 2.0, scheme=scheme)
    assert sum(i.energy_lost for i in r.impacts) == pytest.approx(r.energy.dissipated[-1], rel=1e-9)
    assert sum(i.friction_loss for i in r.impacts) == pytest.approx(r.energy.friction[-1], rel=1e-9, abs=1e-12)
    assert r.energy.drift < 1e-3


def test_impulse_is_the_change_of_momentum(bouncing):
    for impact in bouncing.impacts:
        change = impact.approach_speed + impact.separation_speed + GRAVITY * 1e-3
        assert impact.impulse == pytest.approx(change, rel=1e-9)
        assert impact.energy_lost == pytest.approx(
            impact.impulse * 0.5 * (impact.approach_speed - impact.separation_speed), rel=1e-9
        )
        assert impact.peak_force == pytest.approx(impact.impulse / 1e-3, rel=1e-12)
        assert impact.compressions == 1
        assert impact.duration == 0.0


def test_forces_of_the_nodes_are_impulses_over_the_steps(bouncing):
    """∫ F dt + m g t = m Δv, node by node."""
    pushed = np.cumsum(bouncing["floor"].normal_force[1:]) * 1e-3
    np.testing.assert_allclose(bouncing["ball"].vy[1:], pushed - GRAVITY * bouncing.t[1:], atol=1e-10)
    np.testing.assert_array_equal(bouncing["floor"].fy, bouncing["floor"].normal_force)


def test_modes_tell_impacts_from_lasting_contact():
    r = run(ball_above_floor(0.5, 0.2), 1.5)
    assert set(r["floor"].contact_mode) == {0.0, 1.0, 2.0}
    *impacts, rest = r.impacts
    assert rest.persistent
    assert not rest.finished
    assert rest.separation_speed == 0.0
    assert all(r["floor"].contact_mode[int(np.searchsorted(r.t, i.t_start))] == 1.0 for i in impacts[:4])
    assert set(r["floor"].contact_mode[r.t > rest.t_start + 0.1]) == {2.0}
    np.testing.assert_array_equal(r["floor"].normal_force[r["floor"].contact_mode == 0.0], 0.0)


def test_impacts_are_in_order_and_found_by_name(bouncing):
    starts = [impact.t_start for impact in bouncing.impacts]
    assert starts == sorted(starts)
    assert bouncing.impacts.of("floor") == bouncing.impacts
    assert str(bouncing.impacts).count("\n") == len(bouncing.impacts)


# ---- output and progress


def test_output_interval_does_not_lose_nodes():
    """Multiples that rounding puts beside the ends of the stretches."""
    rng = np.random.default_rng(5)
    system = ball_above_floor(0.5)
    for _ in range(50):
        t_end = rng.uniform(0.1, 2.0)
        interval = t_end / rng.uniform(3.0, 30.0)
        r = run(system, t_end, step=0.0137, output=interval)
        count = math.floor(t_end / interval * (1.0 + 1e-12))
        np.testing.assert_array_equal(r.t[: count + 1], interval * np.arange(count + 1))
        assert r.t[-1] == t_end


def test_output_list_is_met_exactly():
    times = [0.0, 0.123, 1.0 / 3.0, 0.7, math.pi / 4.0, 1.0]
    r = run(ball_above_floor(0.5), 1.0, step=0.01, output=times)
    np.testing.assert_array_equal(r.t, times)
    assert np.all(r.stats["steps"] >= 100)


def test_long_run_keeps_every_second_node(monkeypatch):
    monkeypatch.setattr(run_output, "MAX_NUMBERS", 4000)
    monkeypatch.setattr(time_stepper, "CHUNK_NUMBERS", 1000)
    whole = run(ball_above_floor(0.8), 1.0, output=1e-3)
    r = run(ball_above_floor(0.8), 1.0)
    stride = r.stats["stride"]
    assert stride > 1
    assert r.t[-1] == 1.0
    steps = np.diff(r.t) / 1e-3
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert steps.max() == pytest.approx(stride)
    assert np.mean(steps) > 0.9 * stride  # where it was thinned, a shorter one is left
    np.testing.assert_allclose(r["ball"].y, np.interp(r.t, whole.t, whole["ball"].y), atol=1e-6)
    assert [i.t_start for i in r.impacts] == pytest.approx([i.t_start for i in whole.impacts], abs=1e-6)


def test_progress_rises_to_one(monkeypatch):
    monkeypatch.setattr(time_stepper, "CHUNK_SECONDS", 1e-4)  # so that no machine is done before it reports
    fractions = []
    cm.simulate(ball_above_floor(1.0), 30.0, method="nonsmooth", step=1e-3, output=10.0, progress=fractions.append)
    assert len(fractions) > 2
    assert all(0.0 <= a <= b for a, b in itertools.pairwise(fractions))
    assert fractions[-1] == 1.0


# ---- runs that end early


def test_ctrl_c_keeps_what_there_is():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))

    def once_under_way(fraction: float) -> None:
        if 1e6 * fraction > 1.0 and not timer.is_alive() and not timer.finished.is_set():
            timer.start()

    system = ball_above_floor(1.0)
    r = cm.simulate(system, 1e6, method="nonsmooth", step=1e-3, output=1.0, progress=once_under_way)
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert r.outcome is cm.Outcome.INTERRUPTED
    assert 1.0 < r.t[-1] < 1e6
    assert "stopped by the user" in r.message
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], rtol=1e-6)


def test_error_of_a_users_force_is_raised_with_the_result():
    def pump(t):
        if t > 0.2:
            raise RuntimeError("pump broke")
        return (0.0, 0.0)

    system = ball_above_floor(0.5)
    system.add(cm.PointForce(system["ball"], pump, name="pump"))
    with pytest.raises(RuntimeError, match="pump broke") as caught:
        run(system, 1.0)
    r = caught.value.result
    assert r.t[-1] == pytest.approx(0.2, abs=2e-3)
    np.testing.assert_allclose(r["ball"].y, 1.1 - 0.5 * GRAVITY * r.t**2, atol=1e-12)


def test_gap_that_is_no_number_ends_the_run_and_names_the_contact():
    """q falls from 2 to 1 in √(2/g); √(q − 1) is no number beyond."""
    system = cm.GeneralizedSystem(
        q0=[1.5, 2.0], u0=[0.0, 0.0], mass=[[1.0, 0.0], [0.0, 1.0]], force=[-9.81, -9.81],
        gaps=[lambda q: q[0], lambda q: math.sqrt(q[1] - 1.0)], impact=cm.ImpactLaw(0.5), contacts=["floor", "root"],
    )  # fmt: skip
    r = run(system, 1.0)
    assert r.outcome is cm.Outcome.NOT_FINITE
    assert "at contact 'root'" in r.message
    assert r.t[-1] == pytest.approx(math.sqrt(2.0 / GRAVITY), abs=2e-3)
    assert np.isfinite(r["q1"].value).all()


def test_mass_matrix_that_becomes_singular_ends_the_run():
    system = cm.GeneralizedSystem(q0=[1.0], u0=[0.0], mass=lambda t: [[1.0 - 2.0 * t]], force=[-1.0])
    r = run(system, 1.0)
    assert r.outcome is cm.Outcome.SINGULAR
    assert "mass matrix" in r.message
    assert r.t[-1] == pytest.approx(0.5, abs=2e-3)


def test_run_goes_on_from_a_result():
    """`system.place` and a second run give the same as one long run, without projection to the bit of rounding."""
    long = run(two_discs(cm.ImpactLaw(0.5, 0.2)), 0.2, step=1e-3)
    system = two_discs(cm.ImpactLaw(0.5, 0.2))
    first = run(system, 0.1, step=1e-3)
    second = run(system.set_state(first), 0.1, step=1e-3)
    for name in "ab":
        assert second[name].x[-1] == pytest.approx(long[name].x[-1], abs=1e-12)
        assert second[name].omega[-1] == pytest.approx(long[name].omega[-1], abs=1e-10)


def test_system_is_not_changed():
    system = world()
    ball = disc(system, "ball", (0.0, 0.15), velocity=(1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(0.5, 0.2)))
    run(system, 0.5)
    assert ball.position == (0.0, 0.15)
    assert ball.velocity == (1.0, 0.0)
