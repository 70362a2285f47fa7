"""The references of the benchmarks stand on their own: closed forms and conserved quantities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from compare import Problem, absolute, relative, turned
from problems import GRAVITY, Chain, FiveBoxes, LoadedCam, SliderCrankClearance, lattice, overlaps
from problems import TwoSpheres as P
from reference import chain, loaded_cam, slider_crank_clearance, two_spheres


def test_the_restitution_of_two_spheres_solves_its_equation():
    e = two_spheres.solve()["restitution"]
    a = P.damping * 2.0 * P.speed  # of F = K δⁿ(1 + a δ̇/v): a (1 + e) = ln[(1 + a)/(1 − a e)]
    assert a * (1.0 + e) == pytest.approx(math.log((1.0 + a) / (1.0 - a * e)), abs=1e-9)


def test_the_end_of_a_long_chain_falls_freely_at_first():
    found = chain.solve(100, 0.05)
    assert found["y"] == pytest.approx(-0.5 * GRAVITY * 0.05**2, rel=1e-9)


def test_a_chain_of_one_link_is_a_pendulum():
    from scipy.integrate import solve_ivp

    run = solve_ivp(lambda t, y: (y[1], -1.5 * GRAVITY * math.cos(y[0])), (0.0, 1.0), [0.0, 0.0], "DOP853", rtol=1e-12,
                    atol=1e-14)  # fmt: skip
    assert chain.solve(1, 1.0)["first"] == pytest.approx(run.y[0, -1], abs=1e-9)


def test_the_slider_stays_within_its_clearance_and_loses_energy_only_by_striking_and_rubbing():
    state = [0.0, 0.0, *SliderCrankClearance.speeds[:2]]
    before = slider_crank_clearance.impact([0.3, -0.1, 150.0, -20.0], 1)
    up = slider_crank_clearance.up([0.3, -0.1, 0.0, 0.0])
    approach = up @ [150.0, -20.0]
    assert up @ before[2:] == pytest.approx(-SliderCrankClearance.restitution * approach, rel=1e-12)  # Newton
    assert slider_crank_clearance.height(state) == 0.0


def test_the_loaded_cam_carries_spring_and_inertia():
    found = loaded_cam.solve()
    for k, t in enumerate(LoadedCam.times):
        lift = LoadedCam.eccentricity * math.cos(LoadedCam.speed * t)
        spring = LoadedCam.preload + LoadedCam.spring * (lift - LoadedCam.eccentricity)
        # Follower and disc move together but for the indentation, 7 µm, and its changes.
        assert found[f"force {k}"] == pytest.approx(spring - LoadedCam.mass * LoadedCam.speed**2 * lift, rel=1e-3)


def test_errors_are_the_largest_of_what_was_found():
    assert relative({"a": 1.1, "b": 2.0}, {"a": 1.0, "b": 2.0}) == pytest.approx(0.1)
    assert absolute({"a": 1.1, "b": -2.0}, {"a": 1.0, "b": -2.3}) == pytest.approx(0.3)
    assert turned({"angle": 9.0, "speed": 120.0}, {"angle": 9.01, "speed": 135.0}) == pytest.approx(0.1)


def test_overlaps_see_walls_and_neighbours():
    places, side = lattice(100)
    assert len(overlaps(places, side)) == 0
    places[0] = 0.009, 0.05, 0.0095
    assert sorted(overlaps(places[:1], side)) == pytest.approx([0.0005, 0.001])


def test_boxes_sink_in_and_creep():
    before = FiveBoxes.start()
    after = before - [0.0, 0.0, FiveBoxes.gap] * np.arange(1, 6)[:, np.newaxis]  # each rests on the one below
    assert FiveBoxes.settled(before, after) == pytest.approx({"penetration": 0.0, "creep": 0.0}, abs=1e-15)
    after[2:, 2] -= 3e-6
    after[4, :2] += 3e-7, 4e-7
    assert FiveBoxes.settled(before, after) == pytest.approx({"penetration": 3e-6, "creep": 5e-7}, rel=1e-6)


def test_every_chain_has_an_end():
    assert set(Chain.t_end) == set(Chain.links)
    assert Problem("chain", "", absolute, "", dict, "10").key == "chain_10"
