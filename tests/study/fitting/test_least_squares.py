"""Fits to synthetic data with known parameters."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError

SPHERES = {"stiffness": 5.5e9, "restitution": 0.7}
LAW = cm.laws.HuntCrossley(**SPHERES)
BOUNDS = {"touch.law.stiffness": (1e8, 1e11), "touch.law.restitution": (0.5, 0.1, 1.0)}


@pytest.fixture(scope="module")
def exact():
    """Return force and velocity of two spheres without noise."""
    case = cm.gallery.two_spheres(LAW)
    t = np.linspace(0.0, case.options["t_end"], 120)
    result = case.run(rtol=1e-10, atol=1e-13, output=t[1:]).sample(t)
    return {"t": t, "touch.normal_force": result["touch"].normal_force, "left.vx": result["left"].vx}


def noisy(exact, seed=0, fraction=0.01):
    random = np.random.default_rng(seed)
    return {
        name: values if name == "t" else values + fraction * np.abs(values).max() * random.normal(size=len(values))
        for name, values in exact.items()
    }  # fmt: skip


def fit(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        return cm.fit(*arguments, **options)


def test_exact_data_give_the_true_parameters(exact):
    found = fit("two_spheres", exact, BOUNDS, law=LAW)
    assert found["touch.law.stiffness"] == pytest.approx(SPHERES["stiffness"], rel=1e-6)
    assert found["touch.law.restitution"] == pytest.approx(SPHERES["restitution"], rel=1e-6)


def test_exact_jacobian_needs_few_runs(exact):
    """Central differences took 57 runs for the same estimates."""
    found = fit("two_spheres", noisy(exact), BOUNDS, law=LAW)
    assert found.runs <= 12
    assert found["touch.law.restitution"] == pytest.approx(0.703590911, rel=1e-6)


def test_exact_jacobian_is_that_of_differences(exact):
    prediction = fit("two_spheres", noisy(exact), BOUNDS, law=LAW).solver.prediction
    point = np.array([0.55, 0.6])
    jacobian, base = prediction.jacobian(point), prediction.predict(point)
    assert prediction.is_differentiable
    for k in range(2):
        column = prediction.difference(point, base, k)
        assert np.abs(jacobian[:, k] - column).max() < 2e-5 * np.abs(column).max()


def test_intervals_noise_and_all_outputs(exact):
    data = noisy(exact)
    found = fit("two_spheres", data, BOUNDS, law=LAW)
    for name in SPHERES:
        assert SPHERES[name] in found.estimate(f"touch.law.{name}")
    low, high = found.interval("touch.law.restitution")
    assert 1e-3 < high - low < 2e-2
    assert found.sigma["touch.normal_force"] == pytest.approx(0.01 * exact["touch.normal_force"].max(), rel=0.2)
    assert found.sigma["left.vx"] == pytest.approx(0.01 * 0.15, rel=0.2)
    error = found.estimate("touch.law.stiffness").error
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(error)
    assert found.covariance[0, 1] == pytest.approx(
        found.correlation[0, 1] * error * found.estimate("touch.law.restitution").error
    )
    assert found.residuals["left.vx"] == pytest.approx(
        found.result.sample(data["t"])["left"].vx - data["left.vx"], abs=1e-6
    )
    assert found.table["value"] == list(found.values.values())
    assert "touch.law.stiffness" in str(found)
    assert "95 % interval" in str(found)
    assert isinstance(found.to_dataframe(), pd.DataFrame)
    assert len(found.plot().axes) == 4


def test_profile_likelihood_agrees_for_nearly_linear_residuals(exact):
    found = fit("two_spheres", noisy(exact), {"touch.law.restitution": (0.5, 0.9)}, law=LAW, covariance="classic")
    low, high = found.interval("touch.law.restitution")
    profile = found.profile("touch.law.restitution")
    assert profile == pytest.approx((low, high), abs=0.05 * (high - low))


def test_specified_noise_determines_the_intervals(exact):
    sizes = {}
    for sigma in ("1%", "2%"):
        found = fit("two_spheres", noisy(exact), {"touch.law.restitution": (0.5, 0.9)}, law=LAW, sigma=sigma)
        sizes[sigma] = found.estimate("touch.law.restitution").error
    assert sizes["2%"] == pytest.approx(2.0 * sizes["1%"], rel=1e-3)
    with pytest.warns(CaromWarning, match="times the specified noise"):
        cm.fit("two_spheres", noisy(exact), {"touch.law.restitution": (0.5, 0.9)}, law=LAW, sigma="0.1%")


def test_outliers_affect_least_squares_but_not_a_robust_loss(exact):
    data = noisy({name: exact[name] for name in ("t", "touch.normal_force")})
    data["touch.normal_force"][::11] *= 2.0
    with pytest.warns(CaromWarning, match="residuals of touch.normal_force .* use loss='huber'"):
        biased = cm.fit("two_spheres", data, BOUNDS, law=LAW)
    robust = fit("two_spheres", data, BOUNDS, law=LAW, loss="cauchy")
    truth = SPHERES["stiffness"]
    assert truth in robust.estimate("touch.law.stiffness")
    assert SPHERES["restitution"] in robust.estimate("touch.law.restitution")
    assert abs(robust["touch.law.stiffness"] - truth) < 0.3 * abs(biased["touch.law.stiffness"] - truth)


def test_intervals_of_unidentifiable_parameters_are_the_bounds():
    """A free vibration depends only on k/m, so that stiffness and mass can rise together."""

    def spring(stiffness=500.0, mass=1.0):
        system = cm.System(gravity=(0.0, 0.0))
        body = system.add(cm.Body("body", mass, 1.0, position=(1.1, 0.0)))
        system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
        system.add(cm.SpringDamper(system.ground, body, stiffness, free_length=1.0))
        return system, {"t_end": 1.0}

    t = np.linspace(0.0, 1.0, 80)
    x = 1.0 + 0.1 * np.cos(np.sqrt(1000.0 / 2.0) * t)
    data = {"t": t, "body.x": x + 1e-4 * np.random.default_rng(0).normal(size=80)}
    with pytest.warns(CaromWarning, match="stiffness and mass cannot be identified separately"):
        found = cm.fit(spring, data, {"stiffness": (100.0, 10000.0), "mass": (0.2, 20.0)}, scan=8, starts=1)
    assert found.interval("stiffness") == (100.0, 10000.0)
    assert found.interval("mass") == (0.2, 20.0)
    assert found.correlation[0, 1] == pytest.approx(1.0)
    assert found["stiffness"] / found["mass"] == pytest.approx(500.0, rel=1e-3)


def test_gaps_are_ignored(exact):
    data = noisy(exact, seed=1)
    data["left.vx"] = np.where(np.arange(120) % 3 == 0, np.nan, data["left.vx"])
    found = fit("two_spheres", data, BOUNDS, law=LAW)
    assert found.freedom == 120 + 80 - 2
    assert SPHERES["restitution"] in found.estimate("touch.law.restitution")


def ball(restitution=0.6, height=0.5, stiffness=1e6, extra=1.0):
    """Return a ball that falls onto a plane; ``extra`` has no effect."""
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("ball", mass=0.2, inertia=1e-4, position=(0.0, height + 0.1)))
    law = cm.laws.Flores(stiffness=stiffness, restitution=restitution)
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), law=law, name="touch"))
    return system, {"t_end": 1.2}


def test_multistart_solves_a_bouncing_motion_with_many_minima():
    """Impact times shift with the parameters, so that the sum of squares has many minima."""
    t = np.linspace(0.0, 1.2, 100)
    result = cm.simulate(ball(0.8, 0.35)[0], 1.2, rtol=1e-10).sample(t)
    random = np.random.default_rng(3)
    data = {"t": t, "ball.y": result["ball"].y + 2e-3 * random.normal(size=100),
            "ball.vy": result["ball"].vy + 0.03 * random.normal(size=100)}  # fmt: skip
    found = fit(ball, data, {"restitution": (0.2, 0.95), "height": (0.1, 1.0)})
    assert 0.8 in found.estimate("restitution")
    assert 0.35 in found.estimate("height")
    # Velocity samples next to an impact are not compared.
    unused = np.isnan(found.residuals["ball.vy"])
    assert 3 <= np.sum(unused) <= 12
    first = found.result.impacts[0].t_start
    assert np.all(unused[np.abs(t - first) < 0.9 * (t[1] - t[0])])
    assert not np.any(np.isnan(found.residuals["ball.y"]))


def test_restitution_from_times_and_speeds_of_impacts():
    result = cm.simulate(ball(0.7, 0.5)[0], 1.2, rtol=1e-10)
    impacts = result.impacts[:3]
    times = [impact.t_start for impact in impacts]
    found = fit(ball, times, {"restitution": (0.3, 0.95)})
    assert found["restitution"] == pytest.approx(0.7, abs=1e-6)
    data = {"impacts": {"t_start": times, "separation_speed": [np.nan, *(i.separation_speed for i in impacts[1:])]}}
    found = fit(ball, data, {"restitution": (0.3, 0.95), "height": (0.2, 1.0)})
    assert found["restitution"] == pytest.approx(0.7, abs=1e-6)
    assert found["height"] == pytest.approx(0.5, abs=1e-6)


def worn_bearing(clearance, restitution):
    """Return a rod that falls in a bearing with clearance."""
    system = cm.System(gravity=(0.0, -9.81), name="worn bearing")
    rod = system.add(cm.Body("rod", 1.0, 0.02, position=(0.25, 0.0)))
    law = cm.laws.Flores(stiffness=1e9, restitution=restitution)
    sizes = {"bearing_radius": 0.01, "journal_radius": 0.01 - clearance}
    system.add(cm.RevoluteClearance(system.ground, rod, at=(0.0, 0.0), law=law, name="pin", **sizes))
    return system, {"t_end": 0.04}


def test_clearance_and_restitution_of_a_joint():
    t = np.linspace(0.0, 0.04, 100)
    result = cm.simulate(worn_bearing(5e-4, 0.5)[0], 0.04, rtol=1e-10).sample(t)
    random = np.random.default_rng(0)
    data = {"t": t, **{f"rod.{name}": getattr(result["rod"], name) + 2e-6 * random.normal(size=100) for name in "xy"}}
    found = fit(worn_bearing, data, {"clearance": (1e-4, 1e-3), "restitution": (0.2, 0.9)})
    assert 5e-4 in found.estimate("clearance")
    assert 0.5 in found.estimate("restitution")
    assert found.estimate("clearance").error < 2e-6


def test_failed_runs_do_not_stop_a_fit(exact):
    def spheres(restitution):
        if restitution < 0.55:
            raise ModelError("too soft")
        return cm.gallery.two_spheres(cm.laws.HuntCrossley(SPHERES["stiffness"], restitution))

    found = fit(spheres, exact, {"restitution": (0.2, 0.95)}, scan=8)
    assert found["restitution"] == pytest.approx(0.7, abs=1e-6)
    assert found.failed > 0
    with pytest.raises(ModelError, match="no run of spheres within the bounds succeeds; last error: too soft"):
        fit(spheres, exact, {"restitution": (0.1, 0.5)})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"restitution": (0.3, 0.95), "extra": (0.0, 1.0)}, "extra: the data do not depend"),
        ({"restitution": (0.3, 0.65)}, "restitution: estimate is at its upper bound"),
    ],
)
def test_identifiability_is_reported(parameters, message):
    t = np.linspace(0.0, 0.5, 60)
    result = cm.simulate(ball(0.7, 0.5)[0], 0.5, rtol=1e-10).sample(t)
    data = {"t": t, "ball.y": result["ball"].y + 1e-3 * np.random.default_rng(0).normal(size=60)}
    with pytest.warns(CaromWarning, match=message):
        found = cm.fit(ball, data, parameters)
    assert any(message in warning for warning in found.warnings)


def test_correlated_residuals_are_reported(exact):
    wrong = {**exact, "touch.normal_force": exact["touch.normal_force"] + 20.0 * np.sin(4e4 * exact["t"])}
    with pytest.warns(CaromWarning, match=r"neighbouring residuals of touch\.normal_force are correlated"):
        cm.fit("two_spheres", wrong, {"touch.law.restitution": (0.5, 0.9)}, law=LAW)


@pytest.mark.parametrize(
    ("data", "parameters", "options", "message"),
    [
        ({"t": [0, 1e-5, 2e-5], "left.vq": [1, 2, 3]}, {"restitution": (0, 1)}, {}, "vq.*columns="),
        ({"t": [0, 1e-5, 2e-5], "F": [1, 2, 3]}, {"restitution": (0, 1)}, {}, "'F' is not a series"),
        ({"t": [0, 1e-5, 2e-5], "left.vx": [1, 2, 3]}, {"restitutoin": (0, 1)}, {}, "did you mean restitution"),
        ({"t": [0, 1e-5], "left.vx": [1, np.nan]}, {"restitution": (0, 1)}, {}, "got 1 values for 1 parameters"),
        ({"t": [0, 1e-5], "left.vx": [1, 2]}, {"restitution": (0, 1)}, {"t_end": 1.0}, "omit t_end"),
        ({"t": [0, 1e-5], "left.vx": [1, 2]}, {"restitution": (0, 1)}, {"loss": "l2"}, "loss must be one of"),
        ({"t": [0, 1e-5], "left.vx": [1, 2]}, {"restitution": (0, 1)}, {"sigma": {"right.vx": 1}}, "sigma must name"),
        (
            {"t": [0, 1e-5], "left.vx": [1, 2]},
            {"restitution": (0, 1)},
            {"restitution": 0.3},
            "both specified and fitted",
        ),
    ],
)
def test_invalid_arguments_are_named(data, parameters, options, message):
    with pytest.raises(ModelError, match=message):
        cm.fit("two_spheres", data, parameters, **options)


def test_a_nonsmooth_case_is_fitted_with_event_driven_runs():
    """Time stepping resolves impact times to one step only, so that the fit uses event-driven runs."""
    fall = np.sqrt(2.0 / 9.81)
    times = fall * np.array([1.0, 1.0 + 2 * 0.75, 1.0 + 2 * 0.75 + 2 * 0.75**2])
    found = fit("bouncing_ball", times.tolist(), {"restitution": (0.5, 0.9)})
    assert found["restitution"] == pytest.approx(0.75, abs=1e-7)
    assert found.result.settings["scheme"] == "event-driven"


@pytest.mark.slow
def test_intervals_have_their_nominal_coverage():
    """Fit K, n, e and μ with 1 % noise: of 20 intervals of 95 %, fewer than 16 are right with 0.3 % probability."""
    path = Path(__file__).resolve().parents[3] / "benchmarks" / "fit.py"
    spec = importlib.util.spec_from_file_location("fit_benchmark", path)
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    held = benchmark.coverage(20)
    assert min(held.values()) >= 16, held
