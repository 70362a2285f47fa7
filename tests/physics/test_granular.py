"""Granular matter against published behaviour: pressure in a silo, angle of repose."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm

RADIUS, GRAVITY, DENSITY, THICKNESS = 5e-3, 9.81, 2500.0, 0.01
FRICTION = 0.5


def add_discs(system: cm.System, rows: int, columns: int, left: float, pitch: float, seed: int) -> list[cm.Sphere]:
    """Add rows of discs whose radii differ by up to 10 %, not quite on a lattice."""
    random = np.random.default_rng(seed)
    discs = []
    for k in range(rows * columns):
        radius = RADIUS * random.uniform(0.9, 1.1)
        x = left + (k % columns + 0.5) * pitch + random.uniform(-0.05, 0.05) * RADIUS
        mass = DENSITY * math.pi * radius**2 * THICKNESS
        place = (x, 2.3 * RADIUS * (k // columns + 0.6))
        body = system.add(cm.Body(f"disc {k}", mass, 0.5 * mass * radius**2, position=place))
        discs.append(cm.Sphere(body, radius=radius))
    return discs


@pytest.mark.slow
def test_walls_carry_a_part_of_the_weight_in_a_silo_after_janssen():
    """When the floor of a silo of height H and width W is lowered, friction at the walls acts upward everywhere.

    The floor carries (1 − exp(−a))/a of the weight with a = 2 μ K H/W. The pressure ratio K is 0.3 to 0.6 for
    frictional grains (R. M. Nedderman, Statics and Kinematics of Granular Materials, Cambridge University Press 1992).
    """
    width = 20 * RADIUS
    system = cm.System(gravity=(0.0, -GRAVITY), name="silo")
    discs = add_discs(system, 40, 8, -0.5 * width, width / 8, seed=3)
    floor = system.add(cm.Body("floor", 1.0, 1.0))
    guide = system.add(cm.Prismatic(system.ground, floor, axis=(0.0, 1.0), name="guide"))
    system.add(cm.Driver(guide, cm.StepMotion(1.0, 0.0, 1.3, -3e-3), name="jack"))
    laws = {"law": cm.laws.HuntCrossley(3e5, 0.65), "friction": cm.friction.ElastoPlastic(FRICTION, stiffness=1e3)}
    walls = [cm.Plane(system.ground, at=(side * 0.5 * width, 0.0), normal=(-side, 0.0)) for side in (-1.0, 1.0)]
    system.add_contacts(discs, **laws, name="discs")
    system.add_contacts(discs, walls, **laws, name="walls", self_contact=False)
    system.add_contacts(discs, [cm.Plane(floor, normal=(0.0, 1.0))], **laws, name="base", self_contact=False)
    result = cm.simulate(system, 1.3, output=0.02)
    weight = GRAVITY * sum(shape.body.mass for shape in discs)
    carried = result["base"].normal_force / weight
    height = max(result[shape.body].y[-1] for shape in discs)
    assert carried[np.searchsorted(result.t, 0.98)] > 0.9  # filled from above, the floor carries nearly all of it
    last = float(carried[-4:].mean())
    pressure_ratios = np.linspace(0.1, 1.5, 1401)
    a = 2.0 * FRICTION * pressure_ratios * height / width
    pressure_ratio = pressure_ratios[np.abs((1.0 - np.exp(-a)) / a - last).argmin()]
    assert 0.3 < pressure_ratio < 0.6
    assert result["jack"].force[-1] == pytest.approx(GRAVITY + result["base"].normal_force[-1], rel=0.02)
    assert result.energy.drift < 1e-3


def slope_of_heap(lever: float) -> float:
    """Return the slope [°] of a column of discs after it has collapsed on a floor of the same friction."""
    system = cm.System(gravity=(0.0, -GRAVITY), name="heap")
    discs = add_discs(system, 20, 10, 0.0, 2.3 * RADIUS, seed=1)
    ground = system.ground
    others = [cm.Plane(ground, normal=(0.0, 1.0)), cm.Plane(ground, normal=(1.0, 0.0))]
    system.add_contacts(
        discs, others, law=cm.laws.HuntCrossley(3e5, 0.65), friction=cm.friction.ElastoPlastic(FRICTION, stiffness=1e3),
        rolling=cm.friction.Rolling(lever, spin=1.0) if lever > 0.0 else None, name="discs",
    )  # fmt: skip
    result = cm.simulate(system, 1.5, output=0.5)
    x, y = np.array([result[shape.body].position[-1] for shape in discs]).T
    is_heap = y > 2.5 * RADIUS  # discs that rolled away lie on the floor
    x, y = x[is_heap], y[is_heap]
    bins = np.floor(x / (4.0 * RADIUS))
    tops = [(x[bins == k][y[bins == k].argmax()], y[bins == k].max()) for k in np.unique(bins)]
    middle, top = np.array(tops).T
    return math.degrees(math.atan(-np.polyfit(middle, top, 1)[0]))


@pytest.mark.slow
def test_rolling_resistance_steepens_a_heap():
    """Round grains without rolling resistance rest below 20°, angular ones, with rolling resistance, at 20° to 35°
    (Y. C. Zhou et al., Powder Technology 125 (2002) 45–54)."""
    smooth, rough = slope_of_heap(0.0), slope_of_heap(0.2 * RADIUS)
    assert 3.0 < smooth < 20.0
    assert 17.0 < rough < 38.0
    assert rough > smooth + 5.0
