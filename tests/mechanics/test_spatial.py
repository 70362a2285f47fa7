"""Spatial bodies in compiled code: orientations, principal axes, and free rotation by every way to integrate it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import carom as cm
from carom.compiled_model.body_kind import SPATIAL, principal_axes
from carom.mechanics import spatial_body, spatial_interpolation
from carom.solve.model_evaluator import ModelEvaluator
from checkers import three_spatial_bodies

TENSOR = np.array([[0.30, -0.02, 0.01], [-0.02, 0.40, 0.05], [0.01, 0.05, 0.25]])
OMEGA, TURNED = np.array([0.4, 2.5, -0.7]), Rotation.from_rotvec([0.5, -0.4, 1.1])

parts = st.floats(-3.0, 3.0)
vectors = st.tuples(parts, parts, parts)
small = st.sampled_from([0.0, 1e-9, 1e-4, 1e-3, 1.0])


def tumbler(inertia: Any = TENSOR, axes: Rotation | None = None) -> cm.System:
    """A free body in rotation, its tensor in its own axes, or the same body with its axes turned by ``axes``."""
    axes = Rotation.identity() if axes is None else axes
    system = cm.System(dim=3, name="tumbler")
    system.add(
        cm.Body(
            "stone", 1.3, axes.as_matrix().T @ np.asarray(inertia) @ axes.as_matrix(), position=(1.0, 2.0, 3.0),
            velocity=(0.1, -0.2, 0.3), orientation=TURNED * axes, angular_velocity=axes.inv().apply(OMEGA),
        )
    )  # fmt: skip
    return system


def momentum(result: cm.Result) -> np.ndarray:
    body = result["stone"]
    return np.einsum("nij,jk,nk->ni", body.rotation, TENSOR, body.omega)


# ---- quaternions


def interpreted(function: Any, *arguments: Any) -> np.ndarray:
    return np.array(function.py_func(*arguments))


@given(vector=vectors, size=small)
def test_the_exponential_is_the_rotation_of_its_vector(vector, size: float):
    theta = size * np.array(vector)
    w, x, y, z = interpreted(spatial_body.exponential, *theta)
    expected = Rotation.from_rotvec(theta)
    np.testing.assert_allclose([x, y, z, w], expected.as_quat() * np.sign(w * expected.as_quat()[3]), atol=1e-15)
    back = spatial_interpolation.rotation_between(1.0, 0.0, 0.0, 0.0, w, x, y, z)
    np.testing.assert_allclose(Rotation.from_rotvec(back).as_matrix(), expected.as_matrix(), atol=1e-14)


@given(vector=vectors, omega=vectors, size=st.sampled_from([0.0, 1e-9, 5e-3, 0.1]))
def test_rates_of_rotation_vectors_and_angular_velocities_are_inverse(vector, omega, size: float):
    theta = size * np.array(vector)
    rate = spatial_interpolation.rotation_vector_rate(*theta, *omega)
    np.testing.assert_allclose(spatial_interpolation.omega_from_rate(*theta, *rate), omega, rtol=0.0, atol=2e-9)
    h = 1e-5  # ω as the rotation vector of exp(−θ(t − h)) exp(θ(t + h)), by 2 h
    turns = [Rotation.from_rotvec(theta + s * np.array(rate)) for s in (-h, h)]
    np.testing.assert_allclose((turns[0].inv() * turns[1]).as_rotvec() / (2.0 * h), omega, rtol=0.0, atol=1e-7)


@given(st.integers(0, 10_000))
def test_principal_axes_give_the_tensor_back(seed: int):
    rng = np.random.default_rng(seed)
    axes = Rotation.random(rng=rng).as_matrix()
    values = rng.uniform(0.5, 1.0, 3) if seed % 3 else np.array([0.6, 0.6, 0.9])
    tensor = axes @ np.diag(values) @ axes.T
    found, columns = principal_axes(0.5 * (tensor + tensor.T))
    np.testing.assert_allclose(np.sort(found), np.sort(values), rtol=1e-13)
    np.testing.assert_allclose(columns @ np.diag(found) @ columns.T, tensor, rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(columns.T @ columns, np.eye(3), rtol=0.0, atol=1e-14)
    assert np.linalg.det(columns) > 0.0


def test_a_diagonal_tensor_keeps_its_axes():
    values, axes = principal_axes(np.diag([0.3, 0.2, 0.25]))
    assert values == [0.3, 0.2, 0.25]
    np.testing.assert_array_equal(axes, np.eye(3))


def test_a_start_is_read_and_written_back():
    system, bodies = three_spatial_bodies(np.random.default_rng(2))
    mechanism = ModelEvaluator(system)
    n, y = mechanism.n, mechanism.tables.y0
    for k, body in enumerate(bodies):
        before = (body.position, body.velocity, body.angular_velocity, body.rotation)
        body.position, body.orientation, body.angular_velocity = (0, 0, 0), (1, 0, 0, 0), (0, 0, 0)
        v = y[n + 6 * k : n + 6 * k + 6]
        SPATIAL.write_back(body, y[6 * k : 6 * k + 6], v, y[2 * n + 7 * k : 2 * n + 7 * k + 7])
        for found, expected in zip((body.position, body.velocity, body.angular_velocity, body.rotation), before,
                                   strict=True):  # fmt: skip
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-15)


# ---- free rotation

RUNS = {
    "dopri5": {"rtol": 1e-12, "atol": 1e-13},
    "dop853": {"rtol": 1e-12, "atol": 1e-13},
    "tsit5": {"rtol": 1e-12, "atol": 1e-13},
    "rk4": {"max_step": 2e-3},
    "adams": {"rtol": 1e-12, "atol": 1e-13},
    "bdf": {"rtol": 1e-12, "atol": 1e-13},
}


@pytest.mark.parametrize("integrator", RUNS)
def test_free_rotation_keeps_energy_and_angular_momentum(integrator: str):
    result = cm.simulate(tumbler(), 40.0, integrator=integrator, **RUNS[integrator])
    assert np.ptp(result.energy.kinetic) < 1e-9 * result.energy.kinetic[0]
    np.testing.assert_allclose(momentum(result), momentum(result)[[0]].repeat(len(result.t), 0), rtol=0.0, atol=1e-9)
    assert np.abs(np.linalg.norm(result["stone"].orientation, axis=1) - 1.0).max() < 1e-12
    straight = np.array([1.0, 2.0, 3.0]) + result.t[:, None] * [0.1, -0.2, 0.3]
    np.testing.assert_allclose(result["stone"].position, straight, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("constraints", ["baumgarte", "augmented"])
def test_quaternions_stay_units_where_nothing_is_projected(constraints: str):
    result = cm.simulate(tumbler(), 40.0, constraints=constraints, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(momentum(result), momentum(result)[[0]].repeat(len(result.t), 0), rtol=0.0, atol=1e-9)
    assert np.abs(np.linalg.norm(result["stone"].orientation, axis=1) - 1.0).max() < 1e-12


def test_free_rotation_is_that_of_eulers_equations():
    """The matrix and ω from Ṙ = R ω̃, I ω̇ = I ω × ω, integrated by SciPy without quaternions or principal axes."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        matrix, omega = y[:9].reshape(3, 3), y[9:]
        tilde = np.cross(np.eye(3), omega)  # ω̃: its columns are ω × e_k
        return np.concatenate([(matrix @ tilde).ravel(), np.linalg.solve(TENSOR, np.cross(TENSOR @ omega, omega))])

    times = np.linspace(0.0, 5.0, 26)
    start = np.concatenate([TURNED.as_matrix().ravel(), OMEGA])
    exact = solve_ivp(rates, (0.0, 5.0), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
    body = cm.simulate(tumbler(), 5.0, output=times, rtol=1e-11, atol=1e-12)["stone"]
    np.testing.assert_allclose(body.rotation.reshape(-1, 9), exact[:, :9], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(body.omega, exact[:, 9:], rtol=0.0, atol=1e-9)
    turned = Rotation.from_matrix(body.rotation).apply(body.omega.copy())
    np.testing.assert_allclose(body.global_omega, turned, rtol=0.0, atol=1e-14)
    alpha = np.linalg.solve(TENSOR, np.cross(exact[:, 9:] @ TENSOR, exact[:, 9:]).T).T
    np.testing.assert_allclose(body.alpha, alpha, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_the_axes_in_which_a_body_is_described_do_not_matter(method: str):
    """Given in any axes, the principal ones among them, the stone moves the same."""
    values, axes = np.linalg.eigh(TENSOR)
    axes[:, 0] *= np.linalg.det(axes)
    options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-13} if method == "compliant" else {"step": 1e-3}
    options["output"] = np.linspace(0.0, 3.0, 31)
    first = cm.simulate(tumbler(), 3.0, method=method, **options)["stone"]
    assert np.ptp(first.omega, axis=0).min() > 0.5
    for other in (Rotation.from_matrix(axes), Rotation.from_rotvec([2.0, 1.0, -0.5])):
        body = cm.simulate(tumbler(axes=other), 3.0, method=method, **options)["stone"]
        np.testing.assert_allclose(body.rotation @ other.as_matrix().T, first.rotation, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(body.omega @ other.as_matrix().T, first.omega, rtol=0.0, atol=1e-9)
    diagonal = cm.System(dim=3, name="tumbler")
    turn = Rotation.from_matrix(axes)
    diagonal.add(cm.Body("stone", 1.3, values, position=(1, 2, 3), velocity=(0.1, -0.2, 0.3), orientation=TURNED * turn,
                         angular_velocity=turn.inv().apply(OMEGA)))  # fmt: skip
    body = cm.simulate(diagonal, 3.0, method=method, **options)["stone"]
    np.testing.assert_allclose(body.rotation @ axes.T, first.rotation, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(("scheme", "order"), [("midpoint", 2), ("theta", 2), ("moreau", 1)])
def test_time_stepping_of_gyroscopic_motion_has_its_order(scheme: str, order: int):
    exact = cm.simulate(tumbler(), 2.0, rtol=1e-12, atol=1e-13)["stone"]
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        body = cm.simulate(tumbler(), 2.0, method="nonsmooth", scheme=scheme, step=step, output=[2.0])["stone"]
        assert np.abs(np.linalg.norm(body.orientation, axis=1) - 1.0).max() < 1e-12
        errors.append([np.abs(body.rotation[-1] - exact.rotation[-1]).max(), np.abs(body.v[-1] - exact.v[-1]).max()])
    assert np.max(errors[-1]) < (1e-4 if order == 2 else 5e-3)
    found = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(found, order, atol=0.25)


def test_event_driven_runs_of_gyroscopic_motion_agree_with_compliant_ones():
    exact = cm.simulate(tumbler(), 2.0, rtol=1e-12, atol=1e-13)["stone"]
    options: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-13}
    body = cm.simulate(tumbler(), 2.0, method="nonsmooth", scheme="event-driven", **options)["stone"]
    np.testing.assert_allclose(body.rotation[-1], exact.rotation[-1], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(body.omega[-1], exact.omega[-1], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(body.orientation, axis=1), 1.0, atol=1e-12)
