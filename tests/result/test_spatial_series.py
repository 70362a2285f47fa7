"""Spatial bodies in results: names, interpolation, files and export."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import carom as cm

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def pendulum() -> cm.System:
    """Return a run of an asymmetric body on a spherical joint and a free body."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="bell")
    tensor = [[0.03, -0.002, 0.001], [-0.002, 0.04, 0.005], [0.001, 0.005, 0.025]]
    bell = cm.Body("bell", 1.0, tensor, position=(0.3, 0.1, 0.2), orientation=Rotation.from_rotvec([0.4, 1.0, -0.3]))
    bell.angular_velocity = (1.0, -2.0, 3.0)
    bell.velocity = bell.rotation @ np.cross(bell.angular_velocity, bell.to_local(np.add(bell.position, bell.position)))
    system.add(bell)
    system.add(cm.Body("stone", 2.0, (0.1, 0.2, 0.25), velocity=(1, 2, 3), angular_velocity=(0.2, 3.0, 0.1)))
    system.add(cm.Spherical(system.ground, bell, at=(0.0, 0.0, 0.0), name="hook"))
    return system


@pytest.fixture(scope="module")
def result() -> cm.Result:
    return cm.simulate(pendulum(), 1.0, **TIGHT)


def turning(body, other) -> float:
    """Return the largest angle between two orientations [rad]."""
    return max((Rotation.from_matrix(a.T @ b)).magnitude() for a, b in zip(body.rotation, other.rotation, strict=True))


def test_sampled_motion_equals_a_run_with_output_at_these_times(result):
    times = np.sort(np.random.default_rng(3).uniform(0.0, 1.0, 40))
    exact = cm.simulate(pendulum(), 1.0, output=times, **TIGHT).sample(times)
    sample = cm.simulate(pendulum(), 1.0, integrator="dop853", **TIGHT).sample(times)
    for name in ("bell", "stone"):
        assert turning(sample[name], exact[name]) < 1e-11
        np.testing.assert_allclose(np.linalg.norm(sample[name].orientation, axis=1), 1.0, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(sample[name].position, exact[name].position, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(sample[name].velocity, exact[name].velocity, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(sample[name].omega, exact[name].omega, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(sample[name].alpha, exact[name].alpha, rtol=0.0, atol=1e-6)
    same = result.sample(result.t)
    np.testing.assert_array_equal(same.q, result.q)
    np.testing.assert_array_equal(same.a, result.a)


def test_sampled_angular_velocities_are_derivatives_of_orientations(result):
    """Check ω against the rotation vector of R(t − h)ᵀ R(t + h) divided by 2 h, and α against ω̇."""
    times, h = np.sort(np.random.default_rng(5).uniform(0.01, 0.99, 30)), 1e-6
    before, now, after = (result.sample(times + shift)["bell"] for shift in (-h, 0.0, h))
    turned = Rotation.from_matrix(before.rotation.transpose(0, 2, 1) @ after.rotation).as_rotvec()
    np.testing.assert_allclose(turned / (2.0 * h), now.omega, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose((after.omega - before.omega) / (2.0 * h), now.alpha, rtol=0.0, atol=1e-4)


def test_time_steps_are_sampled_with_linear_velocities():
    system = pendulum()
    stepped = cm.simulate(system, 0.5, method="nonsmooth", step=1e-3, output=5e-2)
    exact = cm.simulate(system, 0.5, **TIGHT)
    assert not stepped.smooth
    nodes = stepped["bell"]
    assert turning(nodes, exact.sample(stepped.t)["bell"]) < 5e-5
    middle = stepped.sample(0.5 * (stepped.t[1:] + stepped.t[:-1]))
    assert turning(middle["bell"], exact.sample(middle.t)["bell"]) < 2e-4
    np.testing.assert_allclose(np.linalg.norm(middle["bell"].orientation, axis=1), 1.0, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(middle["bell"].velocity, 0.5 * (nodes.velocity[1:] + nodes.velocity[:-1]), atol=1e-12)


def test_series_have_the_names_of_their_columns(result):
    body = result["bell"]
    np.testing.assert_array_equal(body.q, np.column_stack([body.x, body.y, body.z, body.q0, body.q1, body.q2, body.q3]))
    np.testing.assert_array_equal(body.v, np.column_stack([body.vx, body.vy, body.vz, body.wx, body.wy, body.wz]))
    np.testing.assert_array_equal(body.alpha, np.column_stack([body.alpha_x, body.alpha_y, body.alpha_z]))
    assert body.angular_velocity is not None
    np.testing.assert_array_equal(body.angular_velocity, body.omega)
    np.testing.assert_array_equal(body.angular_acceleration, body.alpha)
    assert set(body.units) == {name for names in body.vectors.values() for name in names}
    with pytest.raises(AttributeError, match=r"Body 'bell' has no series 'angle'; choose from x, y, z, q0"):
        _ = body.angle
    assert repr(body).startswith("<body 'bell', ")
    copied = pickle.loads(pickle.dumps(body))
    np.testing.assert_array_equal(copied.wx, body.wx)


def test_body_fixed_points(result):
    """The joint stays at the origin; the velocity of a point is the derivative of its path."""
    body, system = result["bell"], pendulum()
    hook = system["bell"].to_local((0.0, 0.0, 0.0))
    np.testing.assert_allclose(body.point(*hook), 0.0, atol=1e-12)
    np.testing.assert_allclose(body.point_velocity(*hook), 0.0, atol=1e-11)
    h, times = 1e-6, np.linspace(0.1, 0.9, 9)
    after, before = result.sample(times + h)["bell"], result.sample(times - h)["bell"]
    path = (after.point(0.3, 0.2, 0.1) - before.point(0.3, 0.2, 0.1)) / (2.0 * h)
    np.testing.assert_allclose(result.sample(times)["bell"].point_velocity(0.3, 0.2, 0.1), path, rtol=0.0, atol=1e-7)


def test_spatial_state_is_restored_from_a_result(result):
    whole = cm.simulate(pendulum(), 1.6, output=[1.6], **TIGHT)
    system = pendulum()
    assert system.set_state(result) is system
    assert system["bell"].orientation == pytest.approx(tuple(result["bell"].orientation[-1]))
    rest = cm.simulate(system, 0.6, **TIGHT)
    for name in ("bell", "stone"):
        np.testing.assert_allclose(rest[name].rotation[-1], whole[name].rotation[-1], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(rest[name].v[-1], whole[name].v[-1], rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(rest[name].position[-1], whole[name].position[-1], rtol=0.0, atol=1e-8)
    system.set_state(result, 0.3)
    np.testing.assert_allclose(system["stone"].position, [0.3, 0.6, 0.9 - 0.5 * 9.81 * 0.09], atol=1e-9)


def test_spatial_result_round_trip_is_bit_identical(result, tmp_path: Path):
    result.save(tmp_path / "bell.h5")
    again = cm.load(tmp_path / "bell.h5")
    assert again.same_as(result)
    assert again.dim == 3
    np.testing.assert_array_equal(again["bell"].rotation, result["bell"].rotation)


def test_exported_tables_have_all_columns(result):
    frame = result.to_dataframe()
    for column in ("bell.x", "bell.z", "bell.q0", "bell.q3", "bell.wz", "bell.alpha_y", "stone.vz", "hook.fz"):
        assert column in frame.columns
    body = result["bell"]
    np.testing.assert_array_equal(frame["bell.q2"].to_numpy(), body.q2)
    np.testing.assert_array_equal(frame["bell.alpha_z"].to_numpy(), body.alpha_z)
    dataset = result.to_xarray()
    np.testing.assert_array_equal(dataset["wy"].sel(body="bell").to_numpy(), body.wy)
    assert dataset["wy"].attrs["units"] == "rad/s"
    assert "bell" in result.summary()
