"""Non-smooth runs with many bodies, against theory and against time stepping with exact solvers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.model.contact_group import ContactGroup
from solve.many_body.rigid_systems import (
    add_rigid_group,
    rigid_box_of_spheres,
    run,
    spatial_system,
    sphere_on_floor,
    struck_pendulum,
)
from solve.many_body.systems import GRAVITY, INERTIA, MASS, RADIUS, add_sphere, box_walls
from solve.many_body.test_physics import in_global_axes


def largest_difference(one: cm.Result, two: cm.Result) -> tuple[float, float]:
    """Return the largest differences of coordinates and velocities."""
    return float(np.abs(one.q - two.q).max()), float(np.abs(one.v - two.v).max())


def test_sliding_sphere_starts_to_roll_at_five_sevenths_of_its_speed():
    result = run(sphere_on_floor((1.0, 0.3, 0.0), impact=cm.ImpactLaw(friction=0.2)), 0.5, output=0.05)
    mu_g = 0.2 * GRAVITY
    speed = math.hypot(1.0, 0.3)
    t_roll = 2.0 / 7.0 * speed / mu_g
    distance = speed * t_roll - 0.5 * mu_g * t_roll**2 + 5.0 / 7.0 * speed * (0.5 - t_roll)
    ball = result["ball"]
    assert ball.velocity[-1, :2] == pytest.approx(np.array([5.0, 1.5]) / 7.0, rel=1e-6)
    assert math.hypot(*ball.position[-1, :2]) == pytest.approx(distance, rel=1e-3)
    assert result.energy.friction[-1] == pytest.approx(MASS * speed**2 / 7.0, rel=1e-6)
    assert result.energy.drift < 1e-12


def test_coulomb_sliding_distance_of_a_box():
    system = spatial_system()
    box = system.add(cm.Body("box", 1.0, (0.054, 0.054, 0.107), (0.0, 0.0, 0.04), velocity=(1.0, 0.0, 0.0)))
    add_rigid_group(
        system, [cm.Box(box, (0.4, 0.4, 0.04))], [cm.Plane(system.ground)], impact=cm.ImpactLaw(friction=0.3)
    )
    result = run(system, 0.5)
    assert result["box"].x[-1] == pytest.approx(1.0 / (2.0 * 0.3 * GRAVITY), rel=1e-5)
    assert result.stats["projection_energy"] < 1e-9
    assert abs(result["box"].vx[-1]) < 1e-6


def test_rolling_resistance_stops_a_rolling_sphere():
    lever, speed = 2e-4, 0.2
    rolling = cm.friction.Rolling(lever)
    system = sphere_on_floor((speed, 0.0, 0.0), (0.0, speed / RADIUS, 0.0), impact=cm.ImpactLaw(friction=0.5),
                             rolling=rolling)  # fmt: skip
    deceleration = 5.0 / 7.0 * GRAVITY * lever / RADIUS
    result = run(system, 1.2 * speed / deceleration, output=0.02)
    assert result["ball"].x[-1] == pytest.approx(speed**2 / (2.0 * deceleration), rel=5e-3)
    assert result["ball"].x[-1] == pytest.approx(result["ball"].x[-4], abs=1e-9)


def test_spinning_resistance_stops_a_spinning_sphere():
    spin, lever = 50.0, 2e-4
    system = sphere_on_floor((0.0, 0.0, 0.0), (0.0, 0.0, spin), impact=cm.ImpactLaw(friction=0.5),
                             rolling=cm.friction.Rolling(0.0, spinning=lever))  # fmt: skip
    time = 0.5 * spin * INERTIA / (MASS * GRAVITY * lever)
    assert run(system, time)["ball"].omega[-1, 2] == pytest.approx(0.5 * spin, rel=2e-2)


def test_momentum_and_angular_momentum_are_conserved():
    rng = np.random.default_rng(5)
    system = cm.System(dim=3)
    places = 2.1 * RADIUS * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    centre = places.mean(axis=0)
    spheres = [
        add_sphere(
            system, f"b{k}", p, tuple(20.0 * (centre - p) + rng.normal(0.0, 0.1, 3)), tuple(rng.normal(0.0, 30.0, 3))
        )
        for k, p in enumerate(places)
    ]
    add_rigid_group(system, spheres, impact=cm.ImpactLaw(0.5, 0.4), rolling=cm.friction.Rolling(1e-4, spinning=1e-4))
    result = run(system, 0.02, step=1e-4, output=2e-4, projection=False)
    assert result["grains"].contacts.max() > 5
    linear, angular = np.zeros((len(result.t), 3)), np.zeros((len(result.t), 3))
    for body in system.bodies:
        series = result[body]
        linear += MASS * series.velocity
        angular += np.cross(series.position, MASS * series.velocity)
        angular += INERTIA * in_global_axes(series.orientation, series.omega)
    size = MASS * np.abs(result["b0"].velocity).max() * len(spheres)
    assert np.abs(linear - linear[0]).max() < 1e-13 * size
    # The contact point is common to both bodies, and r_M lies on the line of the linear momentum.
    assert np.abs(angular - angular[0]).max() < 1e-12 * size


def test_box_corner_agrees_with_exact_solvers():
    def system(large: bool) -> cm.System:
        result = spatial_system()
        ball = add_sphere(result, "ball", (0.02, 0.015, 0.03), (-1.0, -0.7, 0.0), (5.0, 3.0, 2.0))
        add_rigid_group(result, [ball], box_walls(result, 0.1), impact=cm.ImpactLaw(0.5, 0.3), large=large)
        return result

    results = [run(system(large), 0.06, step=1e-4, output=2e-3, tolerance=1e-12) for large in (True, False)]
    dq, dv = largest_difference(*results)
    assert dq < 1e-5
    assert dv < 1e-5 * np.abs(results[1].v).max()


def test_tumbling_box_agrees_with_exact_solvers():
    """It lands on several corners at once, with the curvature of their paths."""

    def system(large: bool) -> cm.System:
        result = spatial_system()
        box = result.add(
            cm.Body("box", 1.0, (0.0054, 0.0104, 0.0134), (0.0, 0.0, 0.2), velocity=(0.5, 0.2, 0.0),
                    angular_velocity=(3.0, 5.0, 1.0))
        )  # fmt: skip
        add_rigid_group(
            result, [cm.Box(box, (0.1, 0.07, 0.04))], [cm.Plane(result.ground)], impact=cm.ImpactLaw(0.4, 0.3),
            large=large,
        )  # fmt: skip
        return result

    one, two = (run(system(large), 0.5, output=0.05, tolerance=1e-12) for large in (True, False))
    dq, dv = largest_difference(one, two)
    assert dq < 1e-5
    assert dv < 1e-4 * np.abs(two.v).max()


def test_overlapping_discs_move_apart_as_with_exact_solvers():
    """Discs that a strike presses together move apart, and those whose gaps this closes with them."""

    def system(large: bool) -> cm.System:
        result = cm.System(gravity=(0.0, 0.0))
        discs = [
            cm.Sphere(result.add(cm.Body(f"d{k}", 0.1, 5e-6, (x, 1e-3 * k), velocity=(vx, 0.0))), RADIUS)
            for k, (x, vx) in enumerate([(0.0, 0.5), (0.018, 0.0), (0.0381, 0.0), (0.0582, 0.0)])
        ]
        add_rigid_group(result, discs, impact=cm.ImpactLaw(0.0, 0.3), large=large)
        return result

    with pytest.warns(cm.CaromWarning, match="overlap"):
        one, two = (run(system(large), 5e-3, output=1e-3, tolerance=1e-13) for large in (True, False))
    dq, dv = largest_difference(one, two)
    assert one["d2"].x[1] - 0.0381 > 5e-4
    assert dq < 1e-11
    assert dv < 1e-10


def test_projection_adds_no_kinetic_energy_to_a_box():
    """A box that lands on a corner without restitution turns by 2 mrad: its angular velocity turns with it."""
    result = spatial_system()
    rng = np.random.default_rng(2)
    box = result.add(
        cm.Body("box", 1.0, (0.0054, 0.0104, 0.0134), (0.0, 0.0, 0.2), velocity=tuple(rng.normal(0.0, 0.5, 3)),
                angular_velocity=tuple(rng.normal(0.0, 5.0, 3)))
    )  # fmt: skip
    add_rigid_group(result, [cm.Box(box, (0.1, 0.07, 0.04))], [cm.Plane(result.ground)],
                    impact=cm.ImpactLaw(0.0, 0.3))  # fmt: skip
    assert run(result, 0.5, output=0.01).energy.drift < 3e-6


def test_omitted_curvature_of_a_network_is_of_first_order():
    """Three discs slide in a bowl, in contact with each other: five contacts, whose curvature terms are omitted."""

    def system(large: bool) -> cm.System:
        result = cm.System(gravity=(0.0, -GRAVITY))
        radius, path = 0.05, 0.95
        angles = -1.0 + 2.0 * math.asin(radius / path) * np.arange(3)
        discs = [
            cm.Sphere(result.add(cm.Body(f"d{k}", 0.1, 1e-4, (path * math.sin(a), -path * math.cos(a)))), radius)
            for k, a in enumerate(angles)
        ]
        bowl = cm.Sphere(result.ground, path + radius, inside=True)
        add_rigid_group(result, discs, [bowl], impact=cm.ImpactLaw(0.0, 0.0), large=large)
        return result

    differences = []
    for step in (4e-3, 2e-3):
        one, two = (run(system(large), 0.4, step, tolerance=1e-12) for large in (True, False))
        assert one["grains"].contacts[-1] == 5
        differences.append(largest_difference(one, two)[0])
    assert differences[0] < 5e-4
    assert differences[0] / differences[1] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
def test_slow_contacts_of_a_pile_have_restitution(restitution):
    """The upper sphere of a tetrahedron falls on the others, slower than forces change velocities in a step.

    There are more contacts than bodies. The lines of centres have the angle α with the vertical, cos²α = 2/3. Without
    friction the lower spheres move apart with the speed w, m w = P sin α, and the upper one has the velocity v,
    m (v + V + g h) = 3 P cos α. Newton's law, v cos α + w sin α = ε V cos α, gives w = √2 ((1 + ε) V + g h)/7.
    """

    def system(large: bool) -> cm.System:
        result = spatial_system()
        side = 2.0 * RADIUS
        places = [(0.0, 0.0), (side, 0.0), (0.5 * side, 0.5 * math.sqrt(3.0) * side)]
        spheres = [add_sphere(result, f"b{k}", (x, y, RADIUS)) for k, (x, y) in enumerate(places)]
        top = (0.5 * side, side * math.sqrt(3.0) / 6.0, RADIUS + math.sqrt(2.0 / 3.0) * side)
        spheres.append(add_sphere(result, "top", top, (0.0, 0.0, -0.3 * GRAVITY * 1e-3)))
        impact = cm.ImpactLaw(restitution, 0.0)
        add_rigid_group(result, spheres, [cm.Plane(result.ground)], impact=impact, large=large)
        return result

    one, two = (run(system(large), 1e-3, tolerance=1e-12) for large in (True, False))
    assert one["grains"].contacts[-1] > 4
    assert one.v[-1] == pytest.approx(two.v[-1], abs=1e-12)
    gh = GRAVITY * 1e-3
    speed = 0.3 * gh
    outwards = math.sqrt(2.0) / 7.0 * ((1.0 + restitution) * speed + gh)
    assert one["top"].vz[-1] == pytest.approx((6.0 * restitution - 1.0) / 7.0 * speed - gh / 7.0, abs=1e-3 * gh)
    for k in range(3):
        assert math.hypot(*one[f"b{k}"].velocity[-1, :2]) == pytest.approx(outwards, rel=1e-3)


def test_sweeps_over_a_column_need_few_iterations():
    """Forces pass from the floor to the top: plain sweeps need 0.4 n² per digit, extrapolated ones less than n."""
    n = 60
    system = spatial_system()
    spheres = [add_sphere(system, f"b{k}", (0.0, 0.0, (2 * k + 1) * RADIUS)) for k in range(n)]
    add_rigid_group(system, spheres, [cm.Plane(system.ground)], impact=cm.ImpactLaw(0.0, 0.3))
    result = run(system, 1e-3)
    assert result.stats["residual"] < 1e-6
    assert result.stats["max_iterations"] < 600
    assert result["contacts on ground"].fz[-1] == pytest.approx(-n * MASS * GRAVITY, rel=1e-3)
    with pytest.warns(UserWarning, match="increase max_sweeps"):
        assert run(system, 1e-3, max_sweeps=20).stats["max_iterations"] == 20


def test_three_spheres_carry_a_fourth_one():
    """Normal forces on the floor are the weight; those of the upper sphere follow from the tetrahedron."""
    system = spatial_system()
    side = 2.0 * RADIUS
    corners = [(0.0, 0.0), (side, 0.0), (0.5 * side, 0.5 * math.sqrt(3.0) * side)]
    height = math.sqrt(2.0 / 3.0) * side
    spheres = [add_sphere(system, f"b{k}", (x, y, RADIUS)) for k, (x, y) in enumerate(corners)]
    spheres.append(add_sphere(system, "top", (0.5 * side, side * math.sqrt(3.0) / 6.0, RADIUS + height)))
    impact = cm.ImpactLaw(friction=0.8)
    rolling = cm.friction.Rolling(2e-3, spinning=1e-3)
    system.groups.extend([
        cm.ContactGroup(spheres, impact=impact, name="spheres", rolling=rolling),
        cm.ContactGroup(spheres[:3], [cm.Plane(system.ground)], impact=impact, name="floor", rolling=rolling),
    ])  # fmt: skip
    result = run(system, 0.3)
    assert np.abs(result.v[-1]).max() < 1e-6
    assert result["floor"].normal_force[-1] == pytest.approx(4.0 * MASS * GRAVITY, rel=1e-5)
    assert result.stats["residual"] < 1e-5
    assert result.stats["max_penetration"] < 1e-5 * RADIUS


def test_floor_carries_the_weight_of_a_settled_box_of_spheres():
    system = rigid_box_of_spheres(120, cm.ImpactLaw(0.2, 0.3), cm.friction.Rolling(1e-3, spinning=1e-3))
    (group,) = system.groups
    walls = group.others
    system.groups[:] = [
        cm.ContactGroup(group.shapes, walls[1:], impact=cm.ImpactLaw(0.2, 0.0), name="walls"),
        cm.ContactGroup(group.shapes, walls[:1], impact=group.impact, name="floor", self_contact=False),
    ]
    result = run(system, 1.5, output=0.05)
    floor = result["floor"].normal_force[-5:].mean()
    assert floor == pytest.approx(120 * MASS * GRAVITY, rel=1e-2)
    assert result.energy.drift < 1e-10
    assert result.stats["penetration"] < 1e-4 * RADIUS


def test_discs_strike_a_jointed_pendulum_as_with_exact_solvers():
    one, two = (run(struck_pendulum(large=large), 0.2, output=0.02) for large in (True, False))
    dq, dv = largest_difference(one, two)
    assert dq < 1e-7
    assert dv < 1e-6
    assert np.abs(one.energy.columns() - two.energy.columns()).max() < 1e-7
    assert one["hinge"].fx == pytest.approx(two["hinge"].fx, abs=1e-3)
    assert abs(one["lower"].vx).max() > 0.5


def test_driver_pushes_spheres():
    system = spatial_system()
    pusher = system.add(cm.Body("pusher", 1.0, (1e-2,) * 3, (-0.05, 0.0, RADIUS)))
    joint = system.add(cm.Prismatic(system.ground, pusher, at=(-0.05, 0.0, RADIUS), axis=(1.0, 0.0, 0.0), name="guide"))
    system.add(cm.Driver(joint, cm.ConstantSpeed(0.1), name="drive"))
    spheres = [add_sphere(system, f"b{k}", (2.0 * RADIUS * k, 0.0, RADIUS)) for k in range(3)]
    add_rigid_group(
        system, spheres, [cm.Plane(system.ground), cm.Sphere(pusher, 0.02)], impact=cm.ImpactLaw(friction=0.0)
    )
    result = run(system, 0.5)
    for name in ("pusher", "b0", "b1", "b2"):
        assert result[name].vx[-1] == pytest.approx(0.1, rel=1e-5)
    gained = 0.5 * 3.0 * MASS * 0.1**2
    assert result.energy.driver_work[-1] - result.energy.dissipated[-1] == pytest.approx(gained, rel=1e-3)


def test_planar_discs_stay_in_a_pile():
    system = cm.System(gravity=(0.0, -GRAVITY))
    side = 2.0 * RADIUS
    places = [(0.0, RADIUS), (side, RADIUS), (0.5 * side, RADIUS + 0.5 * math.sqrt(3.0) * side)]
    discs = [cm.Sphere(system.add(cm.Body(f"d{k}", 0.1, 5e-6, place)), RADIUS) for k, place in enumerate(places)]
    impact, rolling = cm.ImpactLaw(friction=0.9), cm.friction.Rolling(2e-3)
    system.groups.extend([
        cm.ContactGroup(discs, impact=impact, name="discs", rolling=rolling),
        cm.ContactGroup(discs[:2], [cm.Plane(system.ground, (0.0, 0.0), (0.0, 1.0))], impact=impact, name="floor",
                        rolling=rolling),
    ])  # fmt: skip
    result = run(system, 0.3)
    assert np.abs(result.q[-1] - result.q[0]).max() < 1e-6
    assert result["floor"].normal_force[-1] == pytest.approx(0.3 * GRAVITY, rel=1e-5)


def test_sleeping_bodies_wake_up():
    def system() -> cm.System:
        result = spatial_system()
        lower = add_sphere(result, "lower", (0.0, 0.0, RADIUS))
        upper = add_sphere(result, "upper", (0.3 * RADIUS, 0.0, 1.0))
        add_rigid_group(result, [lower, upper], [cm.Plane(result.ground)], impact=cm.ImpactLaw(0.0, 0.3))
        return result

    t_end = 0.5
    awake, asleep = (run(system(), t_end, output=0.01, sleeping=sleeping) for sleeping in (False, True))
    assert largest_difference(awake, asleep) == pytest.approx((0.0, 0.0), abs=1e-9)
    before = run(system(), 0.3)
    assert before.stats["sleeping_bodies"] == 1
    assert before["grains"].normal_force[-1] == pytest.approx(MASS * GRAVITY, rel=1e-6)
    assert run(system(), 0.3, sleeping=False).stats["sleeping_bodies"] == 0
    assert abs(asleep["lower"].vx).max() > 0.05


@pytest.mark.parametrize("make", [lambda: rigid_box_of_spheres(40, cm.ImpactLaw(0.3, 0.3)),
                                  lambda: struck_pendulum(large=True)], ids=["box", "pendulum"])  # fmt: skip
def test_resumed_run_is_identical(make, tmp_path, monkeypatch):
    from carom.solve.many_body import rigid

    full = run(make(), 0.2, output=0.02)
    path = tmp_path / "run.h5"
    original = rigid.RigidStepper.advance_to_stop

    def interrupt(self) -> None:
        original(self)
        if self.time > 0.09:
            raise KeyboardInterrupt

    monkeypatch.setattr(rigid.RigidStepper, "advance_to_stop", interrupt)
    monkeypatch.setattr("carom.solve.checkpointing.CHUNK_SECONDS", 0.0)
    assert not run(make(), 0.2, output=0.02, stream=path).outcome.ok
    monkeypatch.undo()
    resumed = cm.resume(path, system=make())
    assert resumed.t.tolist() == full.t.tolist()
    for one, two in ((resumed.q, full.q), (resumed.v, full.v), (resumed.signals, full.signals)):
        assert np.array_equal(one, two)
    assert np.array_equal(resumed.energy.columns(), full.energy.columns())


def test_solution_satisfies_complementarity_and_friction_cone():
    """The impulses of the last step fulfil the contact laws to the stated residual, evaluated here anew."""
    from carom.solve.many_body.rigid_problem import RigidProblem
    from carom.solve.options import Nonsmooth
    from carom.solve.run import RunRequest

    options = Nonsmooth(step=1e-3, projection=False)  # the projection stores its own directions in the rows
    problem = RigidProblem(RunRequest(rigid_box_of_spheres(60, cm.ImpactLaw(0.3, 0.3)), 0.12, options))
    engine = problem.engine
    engine.start(1e-3)
    engine.plan(0.0, 0.12, 1e-3)
    engine.finish_segment()
    count = int(engine.rigid.n_active)
    assert count > 20
    rows, u = engine.arrays["rows"][:count], engine.arrays["velocities"]
    P, a, b = engine.arrays["impulses"]["P"][:count], rows["body_a"], rows["body_b"]
    xi = u["v"][a] + np.cross(u["omega"][a], rows["a"]) - u["v"][b] - np.cross(u["omega"][b], rows["b"]) + rows["bias"]
    P_N, xi_N = np.sum(P * rows["n"], axis=1), np.sum(xi * rows["n"], axis=1)
    P_T, xi_T = P - P_N[:, None] * rows["n"], xi - xi_N[:, None] * rows["n"]
    scale = engine.arrays["islands"]["scale"][: int(engine.rigid.n_islands)].max()
    residual = max(1e-6, float(engine.counts.max_residual))
    assert P_N.min() >= -1e-14 * P_N.max()
    assert np.abs(np.minimum(xi_N, P_N * rows["G_N"])).max() < 10.0 * residual * scale
    assert (np.linalg.norm(P_T, axis=1) <= 0.3 * P_N + 1e-14 * P_N.max()).all()
    sticking = np.linalg.norm(P_T, axis=1) < 0.29 * P_N
    assert np.linalg.norm(xi_T[sticking], axis=1).max() < 10.0 * residual * scale


def test_thousand_spheres_settle():
    result = run(rigid_box_of_spheres(1000, cm.ImpactLaw(0.2, 0.3), cm.friction.Rolling(5e-4, spinning=5e-4)), 0.3,
                 output=0.05)  # fmt: skip
    assert result.outcome.ok
    assert result.energy.drift < 1e-10
    assert result.energy.kinetic[-1] < 0.2 * result.energy.kinetic.max()
    assert result.stats["mean_residual"] < 2e-3
    assert result.stats["max_penetration"] < 0.3 * RADIUS
    assert result["ball 0"].z.min() > 0.7 * RADIUS


def test_exact_solver_is_used_on_request_and_states_its_limit():
    one, two = (run(struck_pendulum(large=True), 0.02, solver=solver) for solver in ("lemke", None))
    assert "solvers" in one.stats
    assert "solvers" not in two.stats
    with pytest.raises(cm.ModelError, match=r"solver='lemke' needs single contacts.*limit of 5000"):
        run(rigid_box_of_spheres(200, cm.ImpactLaw()), 0.01, solver="lemke")
    with pytest.raises(cm.ModelError, match="Poisson's impact law"):
        run(rigid_box_of_spheres(200, cm.ImpactLaw(law="poisson")), 0.01)


def test_sleep_dissipates_the_kinetic_energy():
    speed = 1e-4
    result = run(sphere_on_floor((speed, 0.0, 0.0), impact=cm.ImpactLaw()), 0.15)
    assert result.stats["sleeping_bodies"] == 1
    assert result["ball"].vx[-1] == 0.0
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * MASS * speed**2, rel=1e-9)


def test_contact_forces_on_parts_balance_the_weight():
    """A plate that a driver holds carries spheres beside its middle."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    plate = system.add(cm.Body("plate", 2.0, (1.0, 1.0, 1.0)))
    guide = system.add(cm.Prismatic(system.ground, plate, axis=(0.0, 0.0, 1.0), name="guide"))
    system.add(cm.Driver(guide, cm.ConstantSpeed(0.0), name="jack"))
    places = [(0.03 * (k % 5) + 0.1, 0.03 * (k // 5), RADIUS) for k in range(25)]
    spheres = [add_sphere(system, f"s{k}", place) for k, place in enumerate(places)]
    system.groups.append(ContactGroup(spheres, [cm.Plane(plate)], impact=cm.ImpactLaw(0.0, 0.3), name="grains"))
    result = cm.simulate(system, 0.1, method="nonsmooth", step=1e-3, output=0.05)
    weight = 25 * MASS * GRAVITY
    x, y, _ = np.mean(places, axis=0)
    on_plate = result["contacts on plate"]
    assert on_plate.fz[-1] == pytest.approx(-weight, rel=1e-6)
    assert on_plate.tx[-1] == pytest.approx(-weight * y, rel=1e-6)
    assert on_plate.ty[-1] == pytest.approx(weight * x, rel=1e-6)
    assert abs(result["jack"].effort[-1]) == pytest.approx(2.0 * GRAVITY + weight, rel=1e-6)
