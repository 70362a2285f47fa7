"""Contacts of spheres that are updated together."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.kernels import jit
from carom.kernels.interpreted import address_of_argument
from carom.solve.many_body.island_solution import (
    divide_rows,
    extrapolate_velocities,
    start_sweeps,
    store_impulses,
    sweep,
    sweep_rows,
)
from carom.solve.many_body.rigid_problem import RigidProblem
from carom.solve.many_body.rigid_records import ISLAND, RIGID
from carom.solve.many_body.sphere_batches import LANES, MIN_LANES
from carom.solve.options import Nonsmooth
from carom.solve.run import RunRequest
from solve.many_body.rigid_systems import rigid_box_of_spheres


@pytest.fixture(scope="module")
def engine():
    """Return an engine after a step in which many spheres were in contact, and its largest island."""
    problem = RigidProblem(RunRequest(rigid_box_of_spheres(60, cm.ImpactLaw(0.3, 0.3)), 0.15, Nonsmooth(step=1e-3)))
    engine = problem.engine
    engine.start(1e-3)
    engine.plan(0.0, 0.15, 1e-3)
    engine.finish_segment()
    return engine


def largest_island(engine) -> int:
    islands = engine.arrays["islands"][: int(engine.rigid.n_islands)]
    return int(np.argmax(islands["end_row"] - islands["first_row"]))


@jit
def sweep_three_times(address, index, in_batches):
    """Sweep over an island after its start; return the numbers of the last sweep and the number of runs of rows."""
    rigid = RIGID(address)
    island = ISLAND(rigid.islands, index)
    start_sweeps(rigid, island)
    n_runs = divide_rows(rigid, island)
    largest = norm = along = 0.0
    for k in range(3):
        beta = 0.4 * k
        extrapolate_velocities(rigid, island, beta)
        if in_batches:
            largest, norm, along = sweep(rigid, n_runs, beta)
        else:
            largest, norm, along = sweep_rows(rigid, island.first_row, island.end_row, beta)
    if in_batches:
        store_impulses(rigid, n_runs)
    return largest, norm, along, n_runs


def sweeps_of(engine, in_batches: bool) -> list[np.ndarray]:
    """Return velocities, impulses and numbers of the last of three sweeps from a disturbed state."""
    velocities, impulses = engine.arrays["velocities"], engine.arrays["impulses"]
    saved = velocities.copy(), impulses.copy()
    rng = np.random.default_rng(3)
    velocities["v"][1:] += rng.normal(0.0, 1e-2, velocities["v"][1:].shape)
    impulses["P"] *= rng.uniform(0.5, 1.5, (len(impulses), 1))
    numbers = sweep_three_times(address_of_argument(engine.rigid), largest_island(engine), in_batches)
    result = [velocities["v"][1:].copy(), velocities["omega"][1:].copy(), impulses["P"].copy(), np.array(numbers[:3])]
    velocities[:], impulses[:] = saved
    return result


def test_batches_give_the_bits_of_contacts_one_by_one(engine):
    together, one_by_one = (sweeps_of(engine, in_batches) for in_batches in (True, False))
    for a, b in zip(together[:3], one_by_one[:3], strict=True):
        assert np.array_equal(a, b)
    assert together[3] == pytest.approx(one_by_one[3], rel=1e-12)


def test_rows_of_an_island_are_divided_completely(engine):
    index = largest_island(engine)
    *_, n_runs = sweep_three_times(address_of_argument(engine.rigid), index, True)
    runs = engine.arrays["row_runs"][:n_runs]
    row = engine.arrays["islands"][index]
    assert runs["first_row"].tolist() == [row["first_row"], *runs["end_row"][:-1].tolist()]
    assert runs["end_row"][-1] == row["end_row"]
    batches = runs[runs["batch"] >= 0]
    assert batches["batch"].tolist() == list(range(len(batches)))
    assert len(batches) > 3
    colours = engine.arrays["contacts"]["colour"][engine.arrays["row_data"]["contact"]]
    rows = engine.arrays["rows"]
    for run in batches:
        lanes = slice(run["first_row"], run["end_row"])
        assert MIN_LANES <= lanes.stop - lanes.start <= LANES
        assert len(set(colours[lanes])) == 1
        bodies = np.concatenate([rows["body_a"][lanes], rows["body_b"][lanes]])
        assert len(set(bodies[bodies > 0])) == np.count_nonzero(bodies)
