"""Nodes of a driven run that wait for their evaluation are those of a run that evaluates each at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.kernels import RUN, kernel
from carom.solve.many_body import node_buffer
from carom.solve.many_body.node_buffer import NODE_BUFFER, NodeBuffer, store_node
from solve.many_body.rigid_systems import rigid_box_of_spheres
from solve.many_body.systems import box_of_spheres


@kernel(RUN, NODE_BUFFER)
def store_one(buffer):
    """Store a node; return 1 if its numbers are finite."""
    return 1 if store_node(buffer) else 0


RUNS: dict[str, tuple[Any, float, dict[str, Any]]] = {
    "compliant": (lambda: box_of_spheres(12), 5e-4, {"integrator": "verlet", "max_step": 5e-5}),
    "non-smooth": (
        lambda: rigid_box_of_spheres(12, cm.ImpactLaw(0.5, 0.3)), 2e-3, {"method": "nonsmooth", "step": 1e-3}
    ),
}  # fmt: skip


def arrays_of(result: cm.Result) -> list[np.ndarray]:
    return [result.t, result.q, result.v, result.a, result.signals, result.energy.kinetic, result.energy.elastic,
            result.energy.potential, result.energy.dissipated, result.energy.friction]  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_nodes_that_wait_have_the_bits_of_nodes_evaluated_at_once(name, monkeypatch):
    make, dt, options = RUNS[name]
    sim = cm.Simulation(make(), **options)
    for _ in range(150):  # with contacts, and several neighbour lists
        sim.advance(dt)
    _, method, output = sim.parts
    assert len(method.waiting.times) > 1
    found = sim.result
    assert not method.waiting.times
    assert output.n_nodes == 151
    assert method.engine.rebuilds > 1
    assert found.signals[:, 0].max() > 0.0
    monkeypatch.setattr(node_buffer, "MAX_NUMBERS", 0)  # no node waits
    at_once = cm.Simulation(make(), **options)
    for _ in range(150):
        at_once.advance(dt)
        assert not at_once.parts[1].waiting.times
    for waited, expected in zip(arrays_of(found), arrays_of(at_once.result), strict=True):
        np.testing.assert_array_equal(waited, expected)
    assert found.stats["contacts"] == at_once.result.stats["contacts"]
    assert found.stats["steps"] == at_once.result.stats["steps"]


@pytest.mark.parametrize("name", RUNS)
def test_full_buffer_is_evaluated(name, monkeypatch):
    make, dt, options = RUNS[name]
    monkeypatch.setattr(node_buffer, "MAX_NODES", 16)
    sim = cm.Simulation(make(), **options)
    for _ in range(40):
        sim.advance(dt)
        assert len(sim.parts[1].waiting.times) < 16
    assert len(sim.result.t) == 41


@pytest.mark.parametrize("name", RUNS)
def test_run_whose_numbers_become_infinite_ends(name):
    make, dt, options = RUNS[name]
    sim = cm.Simulation(make(), **options)
    sim.advance(dt)
    sim.advance(dt)
    engine = sim.parts[1].engine
    bodies = engine.model.motion_data if name == "compliant" else engine.arrays["bodies"]
    bodies["v"][1] = np.nan
    with pytest.raises(cm.ModelError, match="finite"):
        sim.advance(dt)
    assert len(sim.result.t) == 3


def test_buffer_stores_copies_unless_checked_numbers_are_not_finite():
    bodies, pairs = np.array([1.0, 2.0]), np.array([3, 4, 5])
    buffer = NodeBuffer()
    assert buffer.connect({"bodies": bodies, "pairs": pairs}, n_checked=1)
    assert store_one.call(buffer.record) == 1
    bodies[0], pairs[2] = 7.0, 8
    assert store_one.call(buffer.record) == 1
    bodies[1] = np.inf
    assert store_one.call(buffer.record) == 0
    taken = buffer.take()
    np.testing.assert_array_equal(taken["bodies"], [[1.0, 2.0], [7.0, 2.0]])
    np.testing.assert_array_equal(taken["pairs"], [[3, 4, 5], [3, 4, 8]])
    assert int(buffer.record.n_rows) == 0
