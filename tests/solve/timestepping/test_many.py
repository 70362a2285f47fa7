"""Many closed contacts: room that grows, sweeps over the bodies, and joints between them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from solve.timestepping.scenes import GRAVITY, column, deepest, disc, run, stack, weight, world


def row(count: int, friction: float = 0.3, joints: bool = False) -> cm.System:
    """Discs side by side on the floor, sliding at 1 m/s; every second pair held apart by a massless bar."""
    system = world()
    floor, impact = cm.Plane(system.ground), cm.ImpactLaw(0.0, friction)
    for k in range(count):
        body = disc(system, f"disc {k}", (0.3 * k, 0.1), mass=1.0 + 0.01 * k, velocity=(1.0, 0.0))
        system.add(cm.Contact(cm.Sphere(body, 0.1), floor, impact=impact, name=f"contact {k}"))
        if joints and k % 2:
            system.add(cm.Distance(system.bodies[-2], body))
    return system


@pytest.mark.parametrize("joints", [False, True])
@pytest.mark.parametrize("solver", ["lemke", "alart-curnier", "pgs"])
@pytest.mark.parametrize("count", [17, 60])
def test_every_disc_of_a_row_slides_alone(count, solver, joints):
    """More contacts than there is room for at first, with the matrix between them or without it."""
    system = row(count, joints=joints)
    r = run(system, 0.02, solver=solver)
    for k, body in enumerate(system.bodies):
        assert r[f"contact {k}"].normal_force[-1] == pytest.approx(GRAVITY * body.mass, rel=1e-9)
        assert r[body].vx[-1] == pytest.approx(1.0 - 0.3 * GRAVITY * 0.02, abs=1e-10)
        assert r[body].omega[-1] == pytest.approx(-2.0 * 0.3 * GRAVITY * 0.02 / 0.1, abs=1e-9)
    assert r.stats["inexact_solutions"] == 0


def test_two_hundred_contacts_with_joints():
    system = row(200, joints=True)
    r = run(system, 3e-3)
    total = sum(r[contact].normal_force[-1] for contact in system.contacts)
    assert total == pytest.approx(weight(system), rel=1e-10)


@pytest.mark.parametrize("solver", ["lemke", "pgs"])
def test_a_thousand_discs(solver):
    system = row(1000)
    r = run(system, 0.02, solver=solver, output=0.01)
    total = sum(r[contact].normal_force[-1] for contact in system.contacts)
    assert total == pytest.approx(weight(system), rel=1e-10)
    assert r.stats["solvers"]["sweeps"] == r.stats["contact_problems"]
    assert r.stats["inexact_solutions"] == 0


@pytest.mark.parametrize("solver", ["lemke", "pgs"])
@pytest.mark.parametrize("count", [30, 60])
def test_high_column_carries_its_weight(count, solver):
    """Sweeps carry the weight through few contacts; where they do not, the others are asked."""
    system = column(count, cm.ImpactLaw(0.0, 0.5))
    r = run(system, 0.1, solver=solver)
    assert r.outcome.ok
    for k in (0, count // 2, count - 1):
        np.testing.assert_allclose(r[f"contact {k}"].normal_force[1:], GRAVITY * (count - k), rtol=1e-6)
    assert deepest(r) < 1e-9


@pytest.mark.parametrize("solver", ["lemke", "enumeration", "alart-curnier", "pgs"])
def test_solvers_agree_on_a_dropped_stack(solver):
    """Impulses of redundant feet may differ, the motion must not."""
    reference = run(stack(2, cm.ImpactLaw(0.2, 0.4), drop=0.02), 0.3)
    r = run(stack(2, cm.ImpactLaw(0.2, 0.4), drop=0.02), 0.3, solver=solver)
    for name in ("block 0", "block 1"):
        np.testing.assert_allclose(r[name].y, reference[name].y, atol=1e-7)
    assert next(iter(r.stats["solvers"])) == solver


@pytest.mark.slow
def test_bed_of_discs_settles():
    """64 discs fall into a box in rows of eight, offset, and rest there: forces on the floor are their weight."""
    system = world()
    walls = [cm.Plane(system.ground), cm.Plane(system.ground, (0.0, 0.0), (1.0, 0.0)),
             cm.Plane(system.ground, (1.85, 0.0), (-1.0, 0.0))]  # fmt: skip
    impact = cm.ImpactLaw(0.1, 0.4)
    skins = []
    for line in range(8):
        for k in range(8):
            body = disc(system, f"disc {line} {k}", (0.13 + 0.21 * k + 0.1 * (line % 2), 0.11 + 0.22 * line))
            skins.append(cm.Sphere(body, 0.1))
    for i, skin in enumerate(skins):
        for wall in walls:
            system.add(cm.Contact(skin, wall, impact=impact))
        for j in range(i):
            if math.dist(skin.body.position, skins[j].body.position) < 0.5:
                system.add(cm.Contact(skin, skins[j], impact=impact))
    r = run(system, 1.5, step=2e-3, output=0.05)
    assert r.outcome.ok
    floor = sum(r[c].fy[-1] for c in system.contacts if c.shapes[1] is walls[0])
    sides = sum(r[c].fy[-1] for c in system.contacts if c.shapes[1] in walls[1:])
    assert floor + sides == pytest.approx(weight(system), rel=2e-2)
    assert max(np.hypot(r[b].vx[-1], r[b].vy[-1]) for b in system.bodies) < 0.05
    assert deepest(r) < 5e-3
    assert r.energy.total[-1] < r.energy.total[0]
    assert np.diff(r.energy.total).max() < 1e-3 * r.energy.total[0]


@pytest.mark.parametrize("dim", [2, 3])
def test_too_many_pairs_for_an_exact_solver_are_refused_with_its_name(dim):
    """Without the exact solver the same system runs: groups have no limit."""
    system = cm.System(dim=dim)
    balls = [system.add(cm.Body(f"ball {k}", 1.0, 1.0, (float(k),) + (0.0,) * (dim - 1))) for k in range(102)]
    system.add_contacts([cm.Sphere(ball, 0.1) for ball in balls], impact=cm.ImpactLaw(0.5))
    with pytest.raises(cm.ModelError, match="solver='lemke' needs single contacts"):
        cm.simulate(system, 1e-3, method="nonsmooth", solver="lemke")
    assert cm.simulate(system, 1e-3, method="nonsmooth", step=1e-4).outcome.ok
