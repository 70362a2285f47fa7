"""Mechanisms whose motion is known in closed form, and what the tests measure of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import carom as cm
from carom.solve.model_evaluator import ModelEvaluator

GRAVITY = 9.81
Point = Sequence[float]


def rod(name: str, start: Point, end: Point, mass: float = 1.0) -> cm.Body:
    """A uniform rod from ``start`` to ``end``; its x-axis points along it."""
    length = math.dist(start, end)
    return cm.Body(
        name,
        mass=mass,
        inertia=mass * length**2 / 12.0,
        position=(0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1])),
        angle=math.atan2(end[1] - start[1], end[0] - start[0]),
    )


def pendulum(angle: float = 0.0, mass: float = 1.0, inertia: float = 0.0, gravity: float = GRAVITY) -> cm.System:
    """A bob 1 m from its pivot, ``angle`` from the horizontal."""
    system = cm.System(gravity=(0.0, -gravity), name="pendulum")
    place = (math.cos(angle), math.sin(angle))
    bob = system.add(cm.Body("bob", mass, inertia, position=place, angle=angle))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    return system


def chain(links: int, length: float = 1.0, angle: float = 0.0) -> cm.System:
    """Uniform rods of 1 kg, hung one on the next in a straight line, ``angle`` from the horizontal."""
    system = cm.System(gravity=(0.0, -GRAVITY), name="chain")
    along = np.array([math.cos(angle), math.sin(angle)]) * length
    before = system.ground
    for k in range(links):
        link = system.add(rod(f"link {k}", k * along, (k + 1) * along))
        system.add(cm.Revolute(before, link, at=k * along, name=f"pin {k}"))
        before = link
    return system


class FourBar:
    """Crank, coupler and rocker on the pivots (0, 0) and (base, 0): the branch with the coupler's end above."""

    def __init__(self, crank: float, coupler: float, rocker: float, base: float):
        self.crank, self.coupler, self.rocker, self.base = crank, coupler, rocker, base

    def pins(self, angle: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of the coupler, from the two circles that meet in its far end."""
        near = self.crank * np.array([np.cos(angle), np.sin(angle)])
        across = np.array([self.base + 0.0 * near[0], 0.0 * near[1]]) - near
        distance = np.hypot(*across)
        foot = (distance**2 + self.coupler**2 - self.rocker**2) / (2.0 * distance)
        height = np.sqrt(self.coupler**2 - foot**2)
        along = across / distance
        return near, near + foot * along + height * np.array([-along[1], along[0]])

    def angles(self, angle: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return the angles of coupler and rocker."""
        near, far = self.pins(angle)
        coupler = np.arctan2(far[1] - near[1], far[0] - near[0])
        return coupler, np.arctan2(far[1], far[0] - self.base)

    def system(self, angle: float, gravity: float = GRAVITY) -> cm.System:
        near, far = self.pins(angle)
        return four_bar((0.0, 0.0), near, far, (self.base, 0.0), gravity)


def four_bar(a: Point, b: Point, c: Point, d: Point, gravity: float = GRAVITY) -> cm.System:
    """Rods a–b, b–c and d–c of 1 kg each with pins at all four points."""
    system = cm.System(gravity=(0.0, -gravity), name="four-bar")
    crank = system.add(rod("crank", a, b))
    coupler = system.add(rod("coupler", b, c))
    rocker = system.add(rod("rocker", d, c))
    system.add(cm.Revolute(system.ground, crank, at=a, name="A"))
    system.add(cm.Revolute(crank, coupler, at=b, name="B"))
    system.add(cm.Revolute(coupler, rocker, at=c, name="C"))
    system.add(cm.Revolute(system.ground, rocker, at=d, name="D"))
    return system


def parallelogram(angle: float, bars: int = 3, gravity: float = GRAVITY) -> cm.System:
    """A coupler of 2 m carried by parallel bars of 1 m: every bar beyond the second is redundant."""
    system = cm.System(gravity=(0.0, -gravity), name="parallelogram")
    tip = np.array([math.cos(angle), math.sin(angle)])
    coupler = system.add(rod("coupler", tip, tip + np.array([2.0, 0.0])))
    for k, x in enumerate(np.linspace(0.0, 2.0, bars)):
        foot = np.array([x, 0.0])
        bar = system.add(rod(f"bar {k}", foot, foot + tip))
        system.add(cm.Revolute(system.ground, bar, at=foot, name=f"foot {k}"))
        system.add(cm.Revolute(bar, coupler, at=foot + tip, name=f"top {k}"))
    return system


def slider_crank(
    crank: float = 0.15, rod_length: float = 0.4, angle: float = 0.0, gravity: float = GRAVITY
) -> cm.System:
    """A crank on the origin moves a slider along the x-axis."""
    system = cm.System(gravity=(0.0, -gravity), name="slider-crank")
    pin = (crank * math.cos(angle), crank * math.sin(angle))
    end = (pin[0] + math.sqrt(rod_length**2 - pin[1] ** 2), 0.0)
    wheel = system.add(rod("crank", (0.0, 0.0), pin, mass=2.0))
    link = system.add(rod("rod", pin, end, mass=3.0))
    slider = system.add(cm.Body("slider", mass=5.0, inertia=0.01, position=end))
    system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0), name="bearing"))
    system.add(cm.Revolute(wheel, link, at=pin, name="crank pin"))
    system.add(cm.Revolute(link, slider, at=end, name="slider pin"))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0), name="guide"))
    return system


def states(result: cm.Result) -> np.ndarray:
    """(n, size) the nodes of a run as the compiled functions take them, without quadratures."""
    return np.ascontiguousarray(np.hstack([result.q, result.v, np.zeros((len(result.t), 3))]))


def violations(system: cm.System, result: cm.Result) -> tuple[float, float]:
    """Largest |Φ| and |Φ_q v − ν| over the nodes of a run."""
    mechanism = ModelEvaluator(system)
    n = mechanism.n
    position = speed = 0.0
    for t, y in zip(result.t, states(result), strict=True):
        phi, nu, _ = mechanism.rows(t, y)
        gap = mechanism.jacobian(t, y) @ y[n : 2 * n] - nu
        position, speed = max(position, np.abs(phi).max()), max(speed, np.abs(gap).max())
    return position, speed
