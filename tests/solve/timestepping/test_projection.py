"""Projection: overlaps are taken back, contacts that last stay closed, and no energy comes of it."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import carom as cm
from solve.timestepping.scenes import GRAVITY, ball_above_floor, column, deepest, disc, run, stack, weight, world


def rolling_in_a_drum(friction: float) -> cm.System:
    """A disc of 0.1 m, 1 rad from below in a drum of 1 m."""
    system = world()
    ball = disc(system, "ball", (0.9 * math.sin(1.0), -0.9 * math.cos(1.0)))
    drum = cm.Sphere(system.ground, 1.0, inside=True)
    system.add(cm.Contact(drum, cm.Sphere(ball, 0.1), impact=cm.ImpactLaw(0.0, friction), name="drum"))
    return system


# ---- overlap


@pytest.mark.parametrize("scheme", ["midpoint", "theta", "moreau"])
def test_overlap_at_the_start_is_reported_and_taken_back(scheme):
    system = ball_above_floor(0.0, -0.01)
    with pytest.warns(cm.CaromWarning, match=r"'floor': shapes overlap by 0\.01 m"):
        r = run(system, 0.1, scheme=scheme, projection=True)
    np.testing.assert_allclose(r["ball"].y[1:], 0.1, atol=1e-12)


def test_without_projection_an_overlap_stays():
    with pytest.warns(cm.CaromWarning, match="overlap"):
        r = run(ball_above_floor(0.0, -0.01), 0.1, projection=False)
    np.testing.assert_allclose(r["ball"].y, 0.09, atol=1e-12)


def test_overlap_of_rounding_is_not_reported():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cm.CaromWarning)
        r = run(ball_above_floor(0.0, -1e-10), 0.1)
    assert r["ball"].y[-1] == pytest.approx(0.1, abs=1e-12)


def test_only_what_is_closed_is_lifted():
    """A ball between two others in the air is left alone."""
    system = world()
    for k, height in enumerate((0.1, 0.5)):
        ball = disc(system, f"ball {k}", (k, height))
        floor = cm.Plane(system.ground)
        system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, impact=cm.ImpactLaw(), name=f"floor {k}"))
    r = run(system, 0.2)
    np.testing.assert_allclose(r["ball 1"].y, 0.5 - 0.5 * GRAVITY * r.t**2, atol=1e-13)
    np.testing.assert_allclose(r["ball 0"].y, 0.1, atol=1e-13)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_ball_ends_on_the_floor_and_not_in_it(restitution):
    r = run(ball_above_floor(restitution, 0.2), 6.0, output=0.01)
    assert 0.1 - 1e-12 < r["ball"].y[-1] < 0.1 + 0.5 * GRAVITY * 1e-3**2  # no further than gravity reaches in a step
    assert r["floor"].normal_force[-1] == pytest.approx(GRAVITY, rel=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_lasting_contact_on_a_curve_does_not_sink_in(friction):
    """100 000 steps of sliding or rolling (μ > tan 1/3) in a drum: no overlap, and the energy of a pendulum."""
    r = run(rolling_in_a_drum(friction), 100.0, output=0.1)
    assert deepest(r) < 1e-12
    assert np.hypot(r["ball"].x, r["ball"].y).min() > 0.9 - 1e-5
    height = r.energy.total + GRAVITY * 0.9
    assert height[-1] == pytest.approx(height[0], rel=1e-2)
    assert height.max() < height[0] * (1.0 + 1e-6)
    assert r.stats["projection_energy"] < 1e-4 * height[0]
    assert len(r.impacts) == 1


# ---- rest


@pytest.mark.parametrize("projection", [True, False])
@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 0.5), (0.5, 0.5), (0.0, 0.0)])
def test_stack_rests_from_the_start(restitution, friction, projection):
    """Contacts between bodies that carry each other stay closed, though both would fall without the floor."""
    system = stack(5, cm.ImpactLaw(restitution, friction))
    r = run(system, 4.0, projection=projection)
    for k, body in enumerate(system.bodies):
        above = GRAVITY * sum(other.mass for other in system.bodies[k:])
        force = r[f"block {k} left"].normal_force + r[f"block {k} right"].normal_force
        np.testing.assert_allclose(force[1:], above, rtol=1e-8)
        assert np.ptp(r[body].y) < 1e-10
        assert np.ptp(r[body].x) < 1e-10
    assert abs(r.energy.balance).max() < 1e-10


@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_dropped_stack_comes_to_rest(step):
    system = stack(3, cm.ImpactLaw(0.3, 0.4), drop=0.01)
    r = run(system, 3.0, step=step)
    floor = r["block 0 left"].normal_force + r["block 0 right"].normal_force
    np.testing.assert_allclose(floor[r.t > 2.5], weight(system), rtol=1e-6)
    for k, body in enumerate(system.bodies):
        assert r[body].y[-1] == pytest.approx(0.1 + 0.2 * k, abs=1e-5)
        assert abs(r[body].vy[-1]) < 1e-10
    assert np.diff(r.energy.total).max() < 1e-2 * np.ptp(r.energy.total)  # of the lift, which is reported


def test_column_of_discs_rests():
    system = column(12, cm.ImpactLaw(0.2, 0.5))
    r = run(system, 1.0)
    np.testing.assert_allclose(r["contact 0"].normal_force[1:], weight(system), rtol=1e-9)
    assert deepest(r) < 1e-12


def test_run_at_rest_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cm.CaromWarning)
        run(stack(4, cm.ImpactLaw(0.5, 0.5)), 3.0)


def test_contact_pressed_through_another_one_stays_closed():
    """A ladder that slips down a frictionless wall leaves it at 2/3 of its height.

    With half the length l: ω² = 3/2 g/l (sin θ0 − sin θ), and the wall's force is m g (9/4 sin θ − 3/2 sin θ0) cos θ.
    """
    half, start, step = 0.5, 1.3, 1e-3
    system = world()
    ladder = system.add(
        cm.Body("ladder", 1.0, half**2 / 3.0, position=(half * math.cos(start), half * math.sin(start)),
                angle=math.pi - start)
    )  # fmt: skip
    ends = {"floor": ((-half, 0.0), (0.0, 1.0)), "wall": ((half, 0.0), (1.0, 0.0))}
    for name, (at, normal) in ends.items():
        plane = cm.Plane(system.ground, normal=normal)
        system.add(cm.Contact(cm.Point(ladder, at), plane, impact=cm.ImpactLaw(), name=name))
    r = run(system, 0.8, step=step)
    slope = math.pi - r["ladder"].angle
    last = int(np.flatnonzero(r["wall"].normal_force > 0.0)[-1])
    assert math.sin(slope[last]) == pytest.approx(2.0 / 3.0 * math.sin(start), rel=3e-3)
    fall = 1.5 * GRAVITY / half * (math.sin(start) - np.sin(slope[:last]))
    np.testing.assert_allclose(r["ladder"].omega[:last] ** 2, fall, atol=2e-3 * fall.max())
    middle = 0.5 * (slope[1:] + slope[:-1])[2 : last - 1]
    force = GRAVITY * (2.25 * np.sin(middle) - 1.5 * math.sin(start)) * np.cos(middle)
    np.testing.assert_allclose(r["wall"].normal_force[3:last], force, atol=0.02)
    assert len(r.impacts) == 2


def test_lift_is_booked_and_reported():
    """A rough step leaves deep overlaps: what projection put in is in the stats, and not hidden in the ledger."""
    system = stack(5, cm.ImpactLaw(0.9), drop=0.01)
    with pytest.warns(cm.CaromWarning, match="projection put"):
        r = run(system, 2.0, step=2e-3)
    assert r.stats["projection_energy"] > 0.0
