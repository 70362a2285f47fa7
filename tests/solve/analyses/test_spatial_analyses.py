"""Analyses of spatial systems: assembly, statics, linearisation, mobility, reactions, drivers, and their results."""

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.solve.model_evaluator import ModelEvaluator

GRAVITY = 9.81


def gap(system: cm.System) -> float:
    mechanism = ModelEvaluator(system)
    return float(np.abs(mechanism.rows(0.0, mechanism.tables.y0)[0]).max())


def rough_chain(seed: int, joints: int = 4) -> cm.System:
    """Links of 1 m between markers, all about half a metre and up to a radian off."""
    rng = np.random.default_rng(seed)
    system = cm.System(dim=3)
    before = system.ground.marker((0.0, 0.0, 0.0))
    for k in range(joints):
        turned = (1.0, *rng.uniform(-0.5, 0.5, 3))
        place = np.array([k + 0.5, 0.0, 0.0]) + rng.uniform(-0.5, 0.5, 3)
        link = system.add(cm.Body(f"link {k}", 1.0, (0.01, 0.1, 0.1), position=place, orientation=turned))
        kind: Any = (cm.Revolute, cm.Universal, cm.Spherical, cm.Cylindrical)[k % 4]
        near = link.marker((-0.5, 0.0, 0.0), orientation=(1.0, 0.2, 0.1, -0.3) if kind is cm.Universal else None)
        system.add(kind(before, near))
        before = link.marker((0.5, 0.0, 0.0))
    return system


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_is_assembled_from_a_rough_start(seed: int):
    system = rough_chain(seed)
    assert gap(system) > 0.1
    system.assemble()
    assert gap(system) < 1e-12
    assert system.degrees_of_freedom == 24 - 5 - 4 - 3 - 4


def test_a_loop_is_assembled_and_keeps_what_it_is_told():
    """A four-bar loop of balls and hinges: the crank stays, the rest comes to it."""
    system = cm.System(dim=3)
    crank = system.add(cm.Body("crank", 1.0, 0.1, position=(0.0, 0.2, 0.0), orientation=(1.0, 0.0, 0.0, 0.0)))
    rod = system.add(cm.Body("rod", 1.0, (0.1, 0.02, 0.1), position=(0.7, 0.5, 0.2), orientation=(1.0, 0.2, 0.1, 0.1)))
    rocker = system.add(cm.Body("rocker", 1.0, 0.1, position=(1.1, 0.4, 0.1), orientation=(1.0, 0.1, 0.1, 0.2)))
    system.add(cm.Revolute(system.ground.marker((0, 0, 0)), crank.marker((0.0, -0.2, 0.0))))
    system.add(cm.Spherical(crank.point(0.0, 0.2, 0.0), rod.point(-0.6, 0.0, 0.0)))
    system.add(cm.Spherical(rod.point(0.6, 0.0, 0.0), rocker.point(0.0, 0.4, 0.0)))
    tilted = (math.cos(0.2), math.sin(0.2), 0.0, 0.0)
    system.add(
        cm.Revolute(
            system.ground.marker((1.0, 0.0, 0.1), orientation=tilted),
            rocker.marker((0.0, -0.4, 0.0), orientation=tilted),
        )
    )
    system.assemble(keep=[crank])
    assert gap(system) < 1e-12
    assert crank.position == (0.0, 0.2, 0.0)
    assert crank.orientation == (1.0, 0.0, 0.0, 0.0)
    assert system.degrees_of_freedom == 2  # the loop, and the spin of the rod


def test_a_driver_brings_a_hinge_to_its_angle_from_half_a_turn_away():
    system = cm.System(dim=3)
    wheel = system.add(cm.Body("wheel", 1.0, (0.1, 0.2, 0.3)))
    hinge = system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0, 0.0), axis=(0.6, 0.0, 0.8)))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(2.0, start=20.0), name="motor"))
    system.assemble()
    turned = 2.0 * math.atan2(math.hypot(*wheel.orientation[1:]), wheel.orientation[0])
    assert math.cos(turned) == pytest.approx(math.cos(20.0), abs=1e-12)
    result = cm.simulate(system, 1.0)
    np.testing.assert_allclose(result["motor"].angle, 20.0 + 2.0 * result.t, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("analysis", [cm.simulate, cm.kinematics], ids=["simulate", "kinematics"])
def test_a_driven_hinge_follows_a_motion_over_many_turns(analysis: Any):
    """f = 6 t² [rad]: 24 rad in two seconds, with the torque I α about the axis."""
    system = cm.System(dim=3)
    wheel = system.add(cm.Body("wheel", 1.0, (0.1, 0.2, 0.3), angular_velocity=(0.0, 0.0, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge"))
    system.add(cm.Driver(hinge, cm.PolynomialMotion([0.0, 0.0, 6.0]), name="motor"))
    result = analysis(system, 2.0)
    for name in ("hinge", "motor"):
        np.testing.assert_allclose(result[name].angle, 6.0 * result.t**2, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(result[name].angle_rate, 12.0 * result.t, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(result["motor"].effort, 0.3 * 12.0, rtol=1e-8)
    np.testing.assert_allclose(result["motor"].power, 0.3 * 12.0 * 12.0 * result.t, rtol=1e-8, atol=1e-8)
    assert result.energy.driver_work[-1] == pytest.approx(0.5 * 0.3 * 24.0**2, rel=1e-8)


def test_coordinates_of_a_marker_are_driven():
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 2.0, (0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0)))
    system.add(cm.Weld(system.ground, cart := system.add(cm.Body("cart", 1.0, (0.1, 0.1, 0.1)))))
    assert cart.dim == 3
    motions = {"x": cm.PolynomialMotion([1.0]), "y": cm.SineMotion(0.2, 1.0), "z": cm.PolynomialMotion([0.0, 0.0, 0.5])}
    for name, motion in motions.items():
        system.add(cm.Driver((ball, name), motion, name=name))
    result = cm.simulate(system, 1.0, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(result["ball"].y, 0.2 * np.sin(2.0 * math.pi * result.t), rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(result["z"].effort, 2.0 * 1.0, rtol=1e-8)


def test_the_orientation_of_a_body_cannot_be_driven():
    system = cm.System(dim=3)
    ball = system.add(cm.Body("ball", 2.0, (0.1, 0.1, 0.1)))
    with pytest.raises(cm.ModelError, match=r"must be 'x', 'y' or 'z' .drive an orientation through the angle"):
        cm.Driver(ball, cm.ConstantSpeed(1.0), "angle")


# ---- statics and reactions


def test_a_built_in_beam_bears_weight_and_moment():
    """Force and torque on the welded body at the weld: −m g, and −r × m g."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    beam = system.add(cm.Body("beam", 3.0, (0.1, 0.2, 0.3), position=(0.8, 0.5, 0.1), orientation=(0.6, 0.5, 0.4, 0.3)))
    system.add(cm.Weld(system.ground, beam, at=(0.0, 0.0, 0.0), name="wall"))
    system.add(cm.PointForce(beam.marker(beam.to_local((1.0, 1.0, 0.0))), (0.0, 20.0, 0.0)))
    wall = cm.statics(system)["wall"]
    force = -np.array([0.0, 20.0, -3.0 * GRAVITY])
    torque = -np.cross((0.8, 0.5, 0.1), (0.0, 0.0, -3.0 * GRAVITY)) - np.cross((1.0, 1.0, 0.0), (0.0, 20.0, 0.0))
    found = [getattr(wall, name)[0] for name in ("fx", "fy", "fz", "tx", "ty", "tz")]
    np.testing.assert_allclose(found, [*force, *torque], rtol=0.0, atol=1e-9)


def test_a_lamp_on_three_cords_hangs_in_balance():
    """Against scipy's minimum of the potential energy; the tensions carry the weight."""
    from scipy.optimize import minimize

    hooks = np.array([(0.0, 0.0, 2.0), (2.0, 0.2, 2.2), (0.7, 1.8, 1.9)])
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    lamp = system.add(cm.Body("lamp", 4.0, (0.05, 0.05, 0.05), position=(0.8, 0.6, 1.0)))
    cords = [
        system.add(cm.SpringDamper(system.ground.point(*hook), lamp, 200.0, free_length=1.0, name=f"cord {k}"))
        for k, hook in enumerate(hooks)
    ]
    assert len(cords) == 3
    result = cm.statics(system)

    def energy(p: np.ndarray) -> float:
        stretch = np.linalg.norm(p - hooks, axis=1) - 1.0
        return float(100.0 * np.sum(stretch**2) + 4.0 * GRAVITY * p[2])

    expected = minimize(energy, (0.8, 0.6, 1.0), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13}).x
    np.testing.assert_allclose(result["lamp"].position[0], expected, rtol=0.0, atol=1e-6)


def test_a_pendulum_of_two_rods_finds_its_rest_from_afar():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 1.0, (0.1, 0.1, 0.01), position=(0.5, 0.0, 0.0)))
    lower = system.add(cm.Body("lower", 1.0, (0.1, 0.1, 0.01), position=(1.0, 0.5, 0.0)))
    system.add(cm.Universal(system.ground, upper, (0, 0, 0), (0, 1, 0), (0, 0, 1)))
    system.add(cm.Spherical(upper, lower, at=(1.0, 0.0, 0.0)))
    result = cm.statics(system)
    np.testing.assert_allclose(result["upper"].position[0], (0.0, 0.0, -0.5), rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(result["lower"].position[0], (0.0, 0.0, -1.5), rtol=0.0, atol=1e-8)


# ---- linearisation


def test_small_swings_of_a_physical_pendulum_on_a_ball_joint():
    """ω² = m g r/(I + m r²) about either horizontal axis, nothing about the vertical one."""
    mass, arm, inertia = 2.0, 0.6, np.array([0.3, 0.2, 0.1])
    turned = cm.Body("turn", 1.0, orientation=(0.8, 0.1, -0.3, 0.2)).rotation  # body axes askew to the principal ones
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    tensor = turned.T @ np.diag(inertia) @ turned
    bob = system.add(cm.Body("bob", mass, tensor, position=(0.0, 0.0, -arm), orientation=turned))
    system.add(cm.Spherical(system.ground, bob, at=(0.0, 0.0, 0.0)))
    small = cm.linearize(system)
    expected = np.sqrt(mass * GRAVITY * arm / (inertia[:2] + mass * arm**2))
    np.testing.assert_allclose(small.angular_frequencies, [0.0, *sorted(expected)], rtol=1e-8, atol=1e-5)
    assert small.stable
    assert len(small.mode(1)["bob"]) == 6


def test_a_body_in_a_bushing_swings_in_six_modes():
    """ω = √(k/m) along and √(k/I) about each axis, damping ratios c/(2 √(k m))."""
    mass, inertia = 2.0, np.array([0.3, 0.2, 0.4])
    stiffness, damping = np.array([200.0, 300.0, 500.0, 6.0, 9.0, 5.0]), np.array([2.0, 1.0, 3.0, 0.1, 0.2, 0.05])
    system = cm.System(dim=3)
    block = system.add(cm.Body("block", mass, inertia, position=(0.3, 0.1, -0.2)))
    system.add(cm.Bushing(system.ground, block, stiffness, damping, name="mount"))
    masses = np.array([mass] * 3 + list(inertia))
    small = cm.linearize(system)
    np.testing.assert_allclose(small.angular_frequencies, np.sort(np.sqrt(stiffness / masses)), rtol=1e-8)
    ratios = damping / (2.0 * np.sqrt(stiffness * masses))
    np.testing.assert_allclose(np.sort(small.damping_ratios[small.eigenvalues.imag > 0.0]), np.sort(ratios), rtol=1e-6)


# ---- results


def test_a_wound_spring_keeps_the_books_over_many_turns():
    """A torsion spring is wound by six turns and comes back; looked at often or only at the end."""
    system = cm.System(dim=3)
    wheel = system.add(cm.Body("wheel", 1.0, (0.1, 0.1, 0.2), angular_velocity=(0.0, 0.0, 40.0)))
    hinge = system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge"))
    system.add(cm.RotationalSpringDamper(stiffness=0.2, joint=hinge, name="spring"))
    for options in ({}, {"output": [2.3]}):
        result = cm.simulate(system, 2.3, rtol=1e-10, atol=1e-11, **options)
        expected = 40.0 * np.sin(result.t)  # ω = √(k/I) = 1
        np.testing.assert_allclose(result["spring"].angle, expected, rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(result["hinge"].angle, expected, rtol=0.0, atol=1e-7)
        assert np.ptp(result.energy.total) < 1e-6 * 160.0


def test_a_spatial_result_can_be_shown_and_kept(tmp_path: Any):
    import matplotlib as mpl

    mpl.use("Agg")
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="swing")
    bob = system.add(cm.Body("bob", 1.0, (0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="pivot"))
    system.add(cm.Torque(bob, lambda t, s: -0.2 * s.bob.wy, axis=(0.0, 1.0, 0.0), name="brake"))
    result = cm.simulate(system, 0.5)
    assert "bob" in result.summary()
    assert len(result.plot().axes) == 5  # x, y, z, energy and its error
    for what in ("bob", "bob.omega", "bob.orientation", "pivot", "pivot.force", "brake.ty"):
        result.plot(what)
    frame, dataset = result.to_dataframe(), result.to_xarray()
    np.testing.assert_array_equal(frame["pivot.fz"], result["pivot"].fz)
    np.testing.assert_array_equal(dataset["wy"].sel(body="bob"), result["bob"].wy)
    result.save(tmp_path / "swing.h5")
    assert cm.load(tmp_path / "swing.h5").same_as(result)
    applied = result.energy.applied_work[-1]
    assert applied < 0.0
    assert result.energy.drift < 1e-6
    # The same motion goes on from where the run ended.
    assert system.set_state(result)["bob"].position == pytest.approx(tuple(result["bob"].position[-1]), abs=1e-12)
    assert gap(system) < 1e-9
