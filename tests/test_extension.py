"""A new element of each kind is one class or function and one line in a registry; then all of carom knows it."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app
from carom.forces.registry import FORCES
from carom.gallery import CASES
from carom.gallery.case import Case, CaseFigures, CheckResult
from carom.geometry.pairs.registry import PAIRS
from carom.geometry.pairs.sphere_plane import SPHERE_PLANE
from carom.joints.registry import JOINTS
from carom.laws.friction.coulomb import Coulomb
from carom.laws.friction.registry import FRICTIONS
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.registry import LAWS
from carom.solve.contact_problem.lemke import lemke
from carom.solve.contact_problem.registry import SOLVERS
from carom.solve.runge_kutta.butcher_tableau import Tableau, lower
from carom.solve.runge_kutta.registry import TABLEAUS

GRAVITY = 9.81


def falling_sphere(law="hertz", friction=None, speed=0.0, **parameters) -> cm.System:
    """Sphere of 1 kg and radius 0.1 m, 0.1 m above a plane."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    ball = system.add(cm.Body("ball", 1.0, 4e-3, position=(0.0, 0.2), velocity=(speed, 0.0)))
    chosen = cm.laws.law(law, **parameters)
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law=chosen, friction=friction, name="floor"))
    return system


class CarvalhoMartins(Hysteretic):
    """A = 3 (1 − c)(11 − c)/(2 (1 + 9c))."""

    name = "carvalho_martins"
    formula = "F = K δⁿ [1 + 3 (1 − c)(11 − c)/(2 (1 + 9c)) · δ̇/v⁻]"
    reference = "A.S. Carvalho, J.M. Martins, Mechanism and Machine Theory 139 (2019) 174–194"

    def factor(self, restitution: float) -> float:
        c = restitution
        return 1.5 * (1.0 - c) * (11.0 - c) / (1.0 + 9.0 * c)


def test_normal_law(monkeypatch):
    monkeypatch.setitem(LAWS, CarvalhoMartins.name, CarvalhoMartins)
    system = falling_sphere("carvalho_martins", stiffness=1e9, restitution=0.5)
    copy = cm.System.from_yaml(system.to_yaml())
    impact = cm.simulate(copy, 0.2).impacts[0]
    assert impact.restitution == pytest.approx(0.5, abs=0.02)


class DryFriction(Coulomb):
    """Coulomb friction under another name."""

    name = "dry"


def test_friction_law(monkeypatch):
    monkeypatch.setitem(FRICTIONS, DryFriction.name, DryFriction)
    friction = cm.friction.law("dry", coefficient=0.1, regularisation=1e-4)
    system = falling_sphere("hertz", friction, 5.0, stiffness=1e9)
    copy = cm.System.from_yaml(system.to_yaml())
    result = cm.simulate(copy, 0.2)
    v_in = math.sqrt(2.0 * GRAVITY * 0.1)
    # It slides through the impact, so the horizontal impulse is the friction coefficient times the normal one.
    assert result[copy.bodies[0]].vx[-1] == pytest.approx(5.0 - 0.1 * 2.0 * v_in, rel=1e-3)


class Rod(cm.Distance):
    """Rod under another name."""


def test_joint(monkeypatch):
    monkeypatch.setitem(JOINTS, "Rod", Rod)
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", 1.0, 1.0, position=(1e-3, -1.0)))
    system.add(Rod(system.ground, bob, length=math.hypot(1e-3, 1.0), name="rod"))
    copy = cm.System.from_yaml(system.to_yaml())
    assert isinstance(copy.joints[0], Rod)
    quarter = 0.5 * math.pi / math.sqrt(GRAVITY)
    assert cm.simulate(copy, quarter)[copy.bodies[0]].x[-1] == pytest.approx(0.0, abs=1e-8)


class ConstantTorque(cm.Torque):
    """Torque under another name."""


def test_force(monkeypatch):
    monkeypatch.setitem(FORCES, "ConstantTorque", ConstantTorque)
    system = cm.System(gravity=(0.0, 0.0))
    wheel = system.add(cm.Body("wheel", 1.0, 0.5))
    system.add(ConstantTorque(wheel, 2.0, name="motor"))
    copy = cm.System.from_yaml(system.to_yaml())
    assert isinstance(copy.forces[0], ConstantTorque)
    assert cm.simulate(copy, 1.0)[copy.bodies[0]].angular_velocity[-1] == pytest.approx(4.0, rel=1e-12)


class Marble(cm.Sphere):
    """Sphere of a kind of its own."""

    kind: ClassVar[str] = "Marble"


def test_pair(monkeypatch):
    body, ground = cm.Body("ball", 1.0, 1.0, position=(0.0, 0.5)), cm.System().ground
    with pytest.raises(cm.ModelError, match="no pair"):
        cm.closest(Marble(body, 0.1), cm.Plane(ground))
    monkeypatch.setitem(PAIRS, ("Marble", "Plane"), SPHERE_PLANE)
    assert cm.closest(Marble(body, 0.1), cm.Plane(ground)).gap == pytest.approx(0.4, abs=1e-15)


def test_runge_kutta_method(monkeypatch):
    """Heun's method has order 2: half the step leaves a quarter of the error."""
    heun = Tableau("heun", 2, 2, np.array([0.0, 1.0]), lower([[], [1.0]], 2), np.array([0.5, 0.5]))
    monkeypatch.setitem(TABLEAUS, heun.name, heun)
    errors = []
    for step in (0.01, 0.005):
        system = cm.System(gravity=(0.0, 0.0))
        mass = system.add(cm.Body("mass", 1.0, 1.0, position=(1.5, 0.0)))
        system.add(cm.SpringDamper(system.ground, mass, stiffness=4.0, free_length=0.5))
        x = cm.simulate(system, 1.0, integrator="heun", max_step=step)[mass].x[-1]
        errors.append(abs(x - 0.5 - math.cos(2.0)))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_contact_solver(monkeypatch):
    monkeypatch.setitem(SOLVERS, "pivoting", lemke)
    system = cm.System(gravity=(0.0, -GRAVITY))
    ball = system.add(cm.Body("ball", 1.0, 4e-3, position=(0.0, 0.1)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(restitution=0.0)))
    result = cm.simulate(system, 0.01, method="nonsmooth", step=1e-3, solver="pivoting")
    assert result[ball].vy[-1] == pytest.approx(0.0, abs=1e-12)


def drop() -> Case:
    """A sphere that falls.

    It falls 0.1 m.
    """
    return Case(
        drop,
        system=falling_sphere("hertz", stiffness=1e9),
        options={"t_end": 0.2},
        check_results=lambda result: [
            CheckResult("time of contact [s]", abs(result.impacts[0].t_start - math.sqrt(0.2 / GRAVITY)), 1e-9)
        ],
        figure_settings=CaseFigures((), ()),
        reference="free fall",
    )


def test_gallery_case(monkeypatch):
    monkeypatch.setitem(CASES, "drop", drop)
    listing = CliRunner().invoke(app, ["list"])
    assert "A sphere that falls" in listing.output
    case = cm.gallery.CASES["drop"]()
    case.check(case.run())
