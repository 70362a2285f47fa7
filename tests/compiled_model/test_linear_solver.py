"""Which solver a model gets, and that the choice does not show in its motion."""

from __future__ import annotations

import math

import pytest
from scipy.special import ellipk

import carom as cm
from carom.mechanics import kkt_lu, kkt_schur, kkt_sparse
from carom.solve.model_evaluator import ModelEvaluator


def bob(inertia: float) -> cm.System:
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("bob", mass=1.0, inertia=inertia, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground, body, at=(0.0, 0.0)))
    return system


def chain(links: int) -> cm.System:
    system = cm.System()
    before = system.ground
    for k in range(links):
        body = system.add(cm.Body(f"link {k}", 1.0, 1.0 / 12.0, position=(k + 0.5, 0.0)))
        system.add(cm.Revolute(before, body, at=(float(k), 0.0)))
        before = body
    return system


@pytest.mark.parametrize(
    ("system", "solver"),
    [(bob(0.1), kkt_schur), (bob(0.0), kkt_lu), (bob(1e-9), kkt_lu), (chain(5), kkt_schur), (chain(50), kkt_sparse)],
    ids=["pendulum", "point mass", "slight inertia", "short chain", "long chain"],
)
def test_a_model_gets_the_solver_that_suits_it(system: cm.System, solver):
    assert ModelEvaluator(system).tables.model.factorise_kernel == solver.factorise.address


@pytest.mark.parametrize("inertia", [0.0, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3, 1e-2, 1.0])
def test_a_pendulum_of_any_inertia_has_its_own_period(inertia: float):
    """T = 4 K(1/√2) √((m L² + J)/(m g L)): after four of them the bob is back at rest, in about as many steps."""
    period = 4.0 * ellipk(0.5) * math.sqrt((1.0 + inertia) / 9.81)
    result = cm.simulate(bob(inertia), 4.0 * period)
    assert result["bob"].angle[-1] == pytest.approx(0.0, abs=1e-9)
    assert result["bob"].omega[-1] == pytest.approx(0.0, abs=1e-8)
    assert result.stats["steps"] < 1500
