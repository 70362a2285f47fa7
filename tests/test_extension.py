"""A new element of each kind is one class or function and one line in a registry; then all of carom knows it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app
from carom.forces.registry import FORCES
from carom.gallery.case import Case, CaseFigures, CheckResult
from carom.gallery.registry import CASES
from carom.geometry.pairs.base import PairKernel, dot, pair_kernel, rotate, to_global
from carom.geometry.pairs.registry import PAIRS
from carom.geometry.pairs.sphere_common import store_sphere_contact
from carom.geometry.shapes.base import Shape
from carom.geometry.shapes.registry import SHAPES
from carom.geometry.shapes.sphere import SPHERE
from carom.geometry.surfaces.base import ParametricSurface, surface_kernel
from carom.geometry.surfaces.gradient_normal import store_gradient_normal, store_point
from carom.geometry.surfaces.registry import SURFACES
from carom.io.registry import FORMATS
from carom.joints.registry import JOINTS
from carom.kernels import record
from carom.laws.friction.coulomb import Coulomb
from carom.laws.friction.registry import FRICTIONS
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.registry import LAWS
from carom.scene.scene_builder import describe
from carom.solve.contact_problem.lemke import lemke
from carom.solve.contact_problem.registry import SOLVERS
from carom.solve.runge_kutta.butcher_tableau import Tableau, lower
from carom.solve.runge_kutta.registry import TABLEAUS
from carom.solve.timestepping.moreau_midpoint import midpoint
from carom.solve.timestepping.schemes import SCHEMES, Scheme
from carom.study.executors import Serial
from carom.study.measures import REDUCTIONS
from checkers import check_friction_derivatives_at_all_speeds, check_normal_derivatives_at_all_depths

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
    check_normal_derivatives_at_all_depths(CarvalhoMartins(stiffness=1e9, restitution=0.5))
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
    check_friction_derivatives_at_all_speeds(friction)
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


CEILING = record("height")
"""Height of a ceiling [m]."""
SPHERE_CEILING_PARAMS = record(sphere=SPHERE, ceiling=CEILING)


class Ceiling(Shape):
    """Horizontal plane at ``height`` [m] with the solid above it."""

    kind: ClassVar[str] = "Ceiling"

    def __init__(self, body: Any, height: float):
        super().__init__(body)
        self.height = height
        self.parameters = (height,)

    def outline(self, n: int = 64) -> np.ndarray:
        """Return points along the ceiling [m]."""
        return np.column_stack([np.linspace(1.0, -1.0, n), np.full(n, self.height)])


@pair_kernel(SPHERE_CEILING_PARAMS)
def sphere_ceiling(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a sphere (a) below a ceiling (b)."""
    sphere = params.sphere
    cx, cy, cz = to_global(pose_a, sphere.cx, sphere.cy, sphere.cz)
    px, py, pz = to_global(pose_b, 0.0, params.ceiling.height, 0.0)
    nx, ny, nz = rotate(pose_b, 0.0, -1.0, 0.0)
    height = dot(cx - px, cy - py, cz - pz, nx, ny, nz)
    store_sphere_contact(out, cx, cy, cz, sphere.radius, nx, ny, nz, height)


SPHERE_CEILING = PairKernel(sphere_ceiling, SPHERE_CEILING_PARAMS)


def test_pair(monkeypatch):
    body, ground = cm.Body("ball", 1.0, 1.0, position=(0.0, 0.5)), cm.System().ground
    with pytest.raises(cm.ModelError, match="no pair"):
        cm.closest(cm.Sphere(body, 0.1), Ceiling(ground, 1.0))
    monkeypatch.setitem(PAIRS, ("Sphere", "Ceiling"), SPHERE_CEILING)
    assert cm.closest(cm.Sphere(body, 0.1), Ceiling(ground, 1.0)).gap == pytest.approx(0.4, abs=1e-15)


def test_shape(monkeypatch):
    """A sphere thrown at 2 m/s hits a ceiling 0.1 m above it at the time of free flight, and the ceiling is drawn."""
    monkeypatch.setitem(SHAPES, "Ceiling", Ceiling)
    monkeypatch.setitem(PAIRS, ("Sphere", "Ceiling"), SPHERE_CEILING)
    system = cm.System(gravity=(0.0, -GRAVITY))
    ball = system.add(cm.Body("ball", 1.0, 4e-3, velocity=(0.0, 2.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), Ceiling(system.ground, 0.2), law=cm.laws.Hertz(1e9), name="top"))
    copy = cm.System.from_yaml(system.to_yaml())
    result = cm.simulate(copy, 0.1)
    assert result.impacts[0].t_start == pytest.approx((2.0 - math.sqrt(4.0 - 0.2 * GRAVITY)) / GRAVITY, abs=1e-9)
    assert [shape.kind for shape in result.sketch.shapes] == ["Sphere", "Ceiling"]
    assert len(describe(result, frames=3).parts) > 0


RIDGE = record("curvature")
"""Curvature of a ridge across it [1/m]."""


@surface_kernel(RIDGE)
def ridge(params, u, v, out):
    """Evaluate the ridge z = −curvature u²/2."""
    k = params.curvature
    store_point(out, (u, v, -0.5 * k * u * u), (1.0, 0.0, -k * u), (0.0, 1.0, 0.0))
    store_gradient_normal(1.0, out, (k * u, 0.0, 1.0), (k, 0.0, 0.0), (0.0, 0.0, 0.0))


class Ridge(ParametricSurface):
    """Parabolic ridge along y with ``radius`` [m] at its top, 2 m by 2 m."""

    kernel = ridge
    u_range = v_range = (-1.0, 1.0)

    def __init__(self, radius: float):
        self.radius = radius
        self.parameters = (1.0 / radius,)


def test_parametric_surface(monkeypatch):
    """The centre of a sphere on the top of a ridge is one radius above it, beside the top closer to the tangent."""
    monkeypatch.setitem(SURFACES, "Ridge", Ridge)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    ball = system.add(cm.Body("ball", 1.0, (4e-3,) * 3, position=(0.0, 0.3, 0.2)))
    skin = cm.Surface(system.ground, Ridge(radius=0.5))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), skin, law=cm.laws.Hertz(1e9), name="ridge"))
    copy = cm.System.from_yaml(system.to_yaml())
    result = cm.simulate(copy, 0.2)
    assert result.impacts[0].t_start == pytest.approx(math.sqrt(0.2 / GRAVITY), abs=1e-9)
    assert result["ball"].x[-1] == pytest.approx(0.0, abs=1e-9)
    assert Ridge(0.5).normal(0.3, 0.0) == pytest.approx(np.array([0.6, 0.0, 1.0]) / math.hypot(0.6, 1.0))


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


def test_time_stepping_scheme(monkeypatch):
    """The midpoint scheme without projection leaves the penetration of the last step before the impact."""
    monkeypatch.setitem(SCHEMES, "unprojected", Scheme(midpoint, projects_positions=False))
    heights = {}
    for scheme in ("midpoint", "unprojected"):
        system = cm.System(gravity=(0.0, -GRAVITY))
        ball = system.add(cm.Body("ball", 1.0, 4e-3, position=(0.0, 0.2)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(restitution=0.0)))
        result = cm.simulate(system, 0.3, method="nonsmooth", step=1e-3, scheme=scheme)
        assert result[ball].vy[-1] == pytest.approx(0.0, abs=1e-9)
        heights[scheme] = result[ball].y[-1]
    assert heights["midpoint"] == pytest.approx(0.1, abs=1e-6)
    assert -2e-3 < heights["unprojected"] - 0.1 < 0.0


def write_final_state(result: cm.Result, path: Any) -> None:
    """Write the last coordinates as text."""
    Path(path).write_text(" ".join(str(value) for value in result.q[-1]), encoding="utf-8")


def test_output_format(monkeypatch, tmp_path):
    monkeypatch.setitem(FORMATS, ".txt", write_final_state)
    command = ["run", "pendulum", "--t-end", "0.1", "--no-check-tolerance", "--format", "txt", "--out", str(tmp_path)]
    answer = CliRunner().invoke(app, command)
    assert answer.exit_code == 0, answer.output
    result = cm.load(tmp_path / "pendulum" / "result.h5")
    written = (tmp_path / "pendulum" / "result.txt").read_text(encoding="utf-8")
    assert [float(value) for value in written.split()] == result.q[-1].tolist()


def test_measure_and_executor_of_a_study(monkeypatch):
    """The median of the height is measured by an executor that runs the tasks backwards."""

    class Backwards(Serial):
        def map(self, function, tasks):
            yield from reversed([*super().map(function, tasks)])

    monkeypatch.setitem(REDUCTIONS, "median", lambda t, x: float(np.median(x)))
    table = cm.sweep("pendulum", {"t_end": [0.1, 0.2]}, ["bob.y.median"], executor=Backwards())
    expected = [float(np.median(cm.gallery.pendulum().run(t_end=t_end)["bob"].y)) for t_end in (0.1, 0.2)]
    assert table["bob.y.median"].tolist() == expected


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
