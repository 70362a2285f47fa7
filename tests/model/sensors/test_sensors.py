"""Sensors read closed forms, and their noise and samples are the same in every run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.geometry.rotation import matrix_of
from quick import slow_but
from solve.many_body.systems import MASS, add_sphere, box_walls, lattice

G = 9.81
METHODS: dict[str, dict[str, Any]] = {
    "compliant": {},
    "implicit": {"integrator": "implicit"},
    "time stepping": {"method": "nonsmooth", "step": 1e-3},
    "event-driven": {"method": "nonsmooth", "scheme": "event-driven"},
}


def ball_above_floor(height: float = 0.3, restitution: float = 0.5) -> cm.System:
    """A ball of 2 kg above a floor, 0.1 m beside the origin."""
    system = cm.System(gravity=(0.0, -G), name="drop")
    ball = system.add(cm.Body("ball", 2.0, 0.01, position=(0.1, height), velocity=(0.4, 0.0), angular_velocity=1.0))
    law, impact = cm.laws.Flores(stiffness=1e7, restitution=restitution), cm.ImpactLaw(restitution, 0.3)
    friction = cm.friction.Coulomb(0.3)
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law=law, friction=friction, impact=impact, name="floor"))
    return system


# ---- accelerometer and gyroscope


def test_a_point_of_a_free_falling_rotor_has_the_centripetal_acceleration_only():
    system = cm.System(gravity=(0.5, -G))
    rotor = system.add(cm.Body("rotor", 1.0, 0.1, angle=0.4, angular_velocity=5.0, velocity=(1.0, 2.0)))
    system.add(cm.Accelerometer(rotor, name="centre"))
    system.add(cm.Accelerometer(cm.Marker(rotor, at=(0.3, 0.4), angle=0.7), name="rim"))
    system.add(cm.Gyroscope(rotor.point(0.3, 0.4), name="gyro"))
    result = cm.simulate(system, 0.5, output=0.05)
    for signal in ("ax", "ay"):
        np.testing.assert_allclose(getattr(result["centre"], signal), 0.0, atol=1e-12)
    # −ω² r in body axes, r = (0.3, 0.4), turned by −0.7 into the axes of the sensor
    c, s = math.cos(0.7), math.sin(0.7)
    np.testing.assert_allclose(result["rim"].ax, -25.0 * (c * 0.3 + s * 0.4), rtol=1e-12)
    np.testing.assert_allclose(result["rim"].ay, -25.0 * (c * 0.4 - s * 0.3), rtol=1e-12)
    np.testing.assert_allclose(result["gyro"].omega, 5.0, rtol=1e-14)


def test_a_body_at_rest_reads_gravity_upwards_in_its_axes():
    system = cm.System(gravity=(0.0, -G))
    plank = system.add(cm.Body("plank", 1.0, 0.1, position=(1.0, 1.0), angle=0.3))
    system.add(cm.Weld(system.ground, plank))
    system.add(cm.Accelerometer(plank.point(0.2, 0.1), name="on plank"))
    system.add(cm.Accelerometer(cm.Marker(system.ground, at=(3.0, 0.0), angle=-0.2), name="on ground"))
    result = cm.simulate(system, 0.1)
    for name, angle in (("on plank", 0.3), ("on ground", -0.2)):
        np.testing.assert_allclose(result[name].ax, G * math.sin(angle), rtol=1e-10)
        np.testing.assert_allclose(result[name].ay, G * math.cos(angle), rtol=1e-10)


def test_a_wheel_that_a_torque_speeds_up_has_tangential_and_centripetal_acceleration():
    system = cm.System()
    wheel = system.add(cm.Body("wheel", 1.0, 0.5))
    system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0)))
    system.add(cm.Torque(wheel, 2.0))
    system.add(cm.Accelerometer(wheel.point(0.2, 0.0), name="rim"))
    result = cm.simulate(system, 1.0, output=0.1)
    alpha = 2.0 / 0.5
    np.testing.assert_allclose(result["rim"].ay, alpha * 0.2, rtol=1e-9)
    np.testing.assert_allclose(result["rim"].ax, -((alpha * result.t) ** 2) * 0.2, atol=1e-9)


def test_the_gyroscope_of_a_free_symmetric_top_precesses():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    top = system.add(cm.Body("top", 1.0, (0.2, 0.2, 0.3), (0.0, 0.0, 0.0), angular_velocity=(1.0, 0.0, 6.0)))
    system.add(cm.Gyroscope(top, name="gyro"))
    turned = cm.Marker(top, at=(0.1, 0.2, 0.3), turning=(math.cos(0.5), 0.0, 0.0, math.sin(0.5)))
    system.add(cm.Gyroscope(turned, name="turned"))
    system.add(cm.Accelerometer(turned, name="imu"))
    result = cm.simulate(system, 1.0, output=1e-3, rtol=1e-11, atol=1e-12)
    rate = (0.3 - 0.2) / 0.2 * 6.0  # Euler: ω̇x = −Ω ωy, ω̇y = Ω ωx
    gyro, t = result["gyro"], result.t
    expected = np.column_stack([np.cos(rate * t), np.sin(rate * t), np.full_like(t, 6.0)])
    np.testing.assert_allclose(np.column_stack([gyro.wx, gyro.wy, gyro.wz]), expected, atol=1e-8)
    np.testing.assert_allclose(result["turned"].wx, np.cos(rate * t - 1.0), atol=1e-8)  # turned by 1 rad about z
    # second method: second differences of the path of the point, in the axes of the sensor
    path, dt = result["top"].point(0.1, 0.2, 0.3), t[1] - t[0]
    force = (path[2:] - 2.0 * path[1:-1] + path[:-2]) / dt**2 - np.array([0.0, 0.0, -G])
    axes = result["top"].rotation[1:-1] @ matrix_of(turned.turning)
    imu = np.column_stack([result["imu"].ax, result["imu"].ay, result["imu"].az])
    np.testing.assert_allclose(imu[1:-1], np.einsum("nij,ni->nj", axes, force), atol=3e-4)
    assert np.abs(imu).max() > 5.0


# ---- encoder, switch, plate


def test_an_encoder_counts_steps_of_its_resolution():
    system = cm.System(gravity=(0.0, -G))
    rod = system.add(cm.Body("rod", 1.0, 0.1, position=(0.5, 0.0)))
    pin = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="pin"))
    step = 2.0 * math.pi / 512
    system.add(cm.JointEncoder(pin, name="exact"))
    system.add(cm.JointEncoder(pin, resolution=step, name="encoder"))
    result = cm.simulate(system, 1.0, output=0.01)
    counts = result["encoder"].angle / step
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert len(set(np.round(counts))) > 50
    np.testing.assert_array_equal(result["exact"].angle, result["pin"].angle)
    error = np.abs(result["encoder"].angle - result["pin"].angle)
    assert 0.3 * step < error.max() <= 0.5 * step * (1.0 + 1e-12)


def test_an_encoder_of_a_joint_with_two_coordinates_reads_one_of_them():
    system = cm.System(dim=3)
    nut = system.add(cm.Body("nut", 1.0, 0.1, (0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.3), angular_velocity=(0, 0, 2.0)))
    guide = system.add(cm.Cylindrical(system.ground, nut, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    system.add(cm.JointEncoder(guide, coordinate="displacement", resolution=0.01, name="scale"))
    result = cm.simulate(system, 1.0, output=0.1)
    np.testing.assert_allclose(result["scale"].displacement, 0.03 * np.arange(11), atol=1e-9)
    assert result["scale"].units == {"displacement": "m"}
    with pytest.raises(cm.ModelError, match=r"unknown coordinate 'height'; choose from"):
        cm.JointEncoder(guide, coordinate="height")


def test_a_switch_is_closed_during_the_impact():
    system = ball_above_floor()
    system.add(cm.ContactSwitch(system["floor"], name="switch"))
    system.add(cm.ContactSwitch([system["floor"]], threshold=1e9, name="blunt"))
    result = cm.simulate(system, 0.3)
    impact, closed, t = result.impacts[0], result["switch"].closed, result.t
    inside = (t > impact.t_start + 1e-12) & (t < impact.t_end - 1e-12)
    outside = (t < impact.t_start - 1e-12) | (t > impact.t_end + 1e-12)
    assert inside.sum() > 5
    assert closed[inside].all()
    assert not closed[outside].any()
    assert not result["blunt"].closed.any()


@pytest.mark.parametrize("method", slow_but(("compliant", "time stepping", "event-driven"), METHODS))
def test_a_plate_carries_what_newtons_second_law_demands(method):
    system = ball_above_floor()
    plate = cm.Marker(system.ground, at=(0.05, 0.0), angle=0.3)
    system.add(cm.ForcePlate(plate, name="plate"))
    result = cm.simulate(system, 1.0, **METHODS[method])
    ball, plate_force = result["ball"], result["plate"]
    force = 2.0 * (ball.acceleration - np.array([0.0, -G]))
    arm = ball.position - np.array([0.05, 0.0])
    torque = 0.01 * ball.alpha + arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
    c, s = math.cos(0.3), math.sin(0.3)
    expected = np.column_stack([c * force[:, 0] + s * force[:, 1], c * force[:, 1] - s * force[:, 0], torque])
    assert np.abs(expected).max(axis=0).min() > (1.0 if method == "event-driven" else 20.0)
    at_end_of_step = slice(1 if method == "time stepping" else 0, None)
    np.testing.assert_allclose(
        plate_force.values[at_end_of_step], expected[at_end_of_step],
        atol=(1e-3 if method == "time stepping" else 1e-6) * np.abs(expected).max(),
    )  # fmt: skip


def test_a_plate_on_springs_feels_the_blocks_on_it_in_space():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -10.0))
    table = system.add(cm.Body("table", 5.0, 1.0, (0.0, 0.0, 0.0)))
    system.add(cm.Prismatic(system.ground, table, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    system.add(cm.SpringDamper(system.ground.point(0.0, 0.0, -1.0), table, stiffness=1e4, damping=500.0))
    law = cm.laws.KelvinVoigt(stiffness=1e5, damping=600.0)
    top = cm.Plane(table, at=(0.0, 0.0, 0.1))
    for k, (x, y) in enumerate([(0.3, 0.1), (-0.1, 0.2)]):
        block = system.add(cm.Body(f"block {k}", 2.0 + k, 0.1, (x, y, 0.2)))
        system.add(cm.Contact(cm.Sphere(block, 0.1), top, law=law, name=f"touch {k}"))
    system.add(cm.ForcePlate(table, name="plate"))
    system.add(cm.ForcePlate(table, [system["touch 0"]], name="half plate"))
    plate = cm.simulate(system, 3.0)["plate"]
    expected = [0.0, 0.0, 50.0, 0.1 * 20.0 + 0.2 * 30.0, -(0.3 * 20.0 - 0.1 * 30.0), 0.0]
    np.testing.assert_allclose(plate.values[-1], expected, atol=1e-4)
    assert -plate.ty[-1] / plate.fz[-1] == pytest.approx((0.3 * 2.0 - 0.1 * 3.0) / 5.0, rel=1e-4)


def grains_in_a_box() -> cm.System:
    """Balls in a box, in one group of contacts that is searched during the run, and one held ball."""
    places, side = lattice(40)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G), name="grains")
    balls = [add_sphere(system, f"ball {k}", place) for k, place in enumerate(places)]
    law = cm.laws.HuntCrossley(1e6, 0.7)
    system.add_contacts(balls, box_walls(system, side), law=law, impact=cm.ImpactLaw(0.0, 0.3), name="grains")
    system.add(cm.ForcePlate(system.ground, name="box"))
    system.add(cm.ContactSwitch(system["grains"], name="any"))
    return system


@pytest.mark.parametrize("options", slow_but(
    ({"integrator": "verlet"},), [{"integrator": "verlet"}, {"method": "nonsmooth", "step": 5e-4}]
))  # fmt: skip
def test_a_plate_under_many_bodies_carries_what_newtons_second_law_demands(options):
    system = grains_in_a_box()
    result = cm.simulate(system, 0.1, output=5e-4, **options)  # every step of time stepping: accelerations are means
    assert system.groups
    acceleration = sum(result[body].acceleration for body in system.bodies)
    force = MASS * (acceleration - len(system.bodies) * np.array([0.0, 0.0, -G]))
    plate = result["box"].values
    last = slice(1, None)
    np.testing.assert_allclose(plate[last, :3], force[last], atol=1e-6 * np.abs(force).max())
    assert plate[last, 2].max() > 0.1 * 40 * MASS * G
    assert result["any"].closed[-1] == 1.0
    with pytest.raises(cm.ModelError, match="has no forces of its contacts on one body; omit contacts"):
        cm.ForcePlate(system.ground, system["grains"])


# ---- noise and rate


def noisy(rate: float | None = None, seed: int = 7) -> cm.System:
    """The bouncing ball with noisy sensors, and a controller that reads one of them."""
    system = ball_above_floor()
    push = system.add(cm.Input("push", unit="N"))
    system.add(cm.PointForce(system["ball"], (push, 0.0)))
    system.add(cm.Accelerometer(system["ball"].point(0.05, 0.0), noise=(0.2, 0.1), rate=rate, seed=seed, name="imu"))
    system.add(cm.Gyroscope(system["ball"], noise=0.05, rate=rate, seed=seed, name="gyro"))
    system.add(cm.ContactSwitch(system["floor"], threshold=5.0, noise=1.0, rate=rate, seed=seed, name="switch"))
    return system


def with_feedback(rate: float | None) -> cm.System:
    """The system `noisy` with a controller that amplifies noise."""
    system = noisy(rate)
    feedback = cm.Controller(
        0.003, lambda t, y: -0.5 * y[0] + 0.1 * y[1] + y[3], inputs=["imu", system["gyro"], "switch.closed"],
        outputs=["push"], name="feedback",
    )  # fmt: skip
    system.add(feedback)
    return system


@pytest.mark.parametrize(
    ("method", "rate"),
    slow_but(
        [("compliant", None), ("compliant", 130.0), ("time stepping", 130.0), ("event-driven", 130.0)],
        [(method, rate) for method in METHODS for rate in (None, 130.0)],
    ),
)
def test_noise_has_the_same_bits_in_every_run(method, rate):
    times = (0.6 / 60 * np.arange(1, 61)).tolist()
    whole = cm.simulate(with_feedback(rate), 0.6, output=times, **METHODS[method])
    assert len(whole.impacts) > 0
    assert np.abs(whole["push"].value).max() > 0.1
    sim = cm.Simulation(with_feedback(rate), t_end=0.6, **METHODS[method])
    for k in range(60):
        sim.advance(0.01)
        if k == 30:
            state = sim.save_state()
            now = sim["imu"].ax
            assert now == sim["imu"].ax == sim.result["imu"].ax[-1]
    assert sim.result.same_as(whole)
    sim.restore(state)
    assert sim["imu"].ax == now
    for _ in range(31, 60):
        sim.advance(0.01)
    assert sim.result.same_as(whole)


def test_noise_is_white_and_has_its_deviation():
    system = cm.System(gravity=(0.0, -G))
    body = system.add(cm.Body("body", 1.0, 0.1))
    for seed, name in ((1, "a"), (2, "b")):
        system.add(cm.Accelerometer(body, noise=(0.5, 0.0), seed=seed, name=name))
    system.add(cm.Gyroscope(body, noise=0.02, seed=1, name="gyro"))
    n = 10_000
    result = cm.simulate(system, 1.0, output=1.0 / n)
    a, b, gyro = result["a"].ax / 0.5, result["b"].ax / 0.5, result["gyro"].omega / 0.02
    limit = 4.0 / math.sqrt(n)  # four standard deviations
    for noise in (a, b, gyro):
        assert abs(noise.mean()) < limit
        assert abs(np.var(noise) - 1.0) < limit * math.sqrt(2.0)
        assert abs(np.mean(noise**4) - 3.0) < limit * math.sqrt(96.0)
        for lag in (1, 2, 7):
            assert abs(np.mean(noise[lag:] * noise[:-lag])) < limit
    for one, other in ((a, b), (a, gyro), (b, gyro)):
        assert abs(np.mean(one * other)) < limit
    np.testing.assert_allclose(result["a"].ay, 0.0, atol=1e-12)


def test_samples_are_taken_at_exact_times_and_held():
    system = cm.System(gravity=(0.0, -G))
    rod = system.add(cm.Body("rod", 1.0, 0.1, position=(0.5, 0.0)))
    pin = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="pin"))
    system.add(cm.JointEncoder(pin, rate=30.0, name="encoder"))
    every = cm.simulate(system, 0.5)
    samples = np.arange(15) / 30.0
    assert np.isclose(every.t[:, None], samples, rtol=1e-14).any(axis=0).all()  # steps end there
    for result in (every, cm.simulate(system, 0.5, output=0.0101)):
        last = np.floor(result.t * 30.0 + 1e-9) / 30.0
        angle = np.array([every["pin"].angle[np.argmin(np.abs(every.t - t))] for t in last])
        np.testing.assert_allclose(result["encoder"].angle, angle, rtol=1e-8, atol=1e-12)


# ---- files, errors


def test_sensors_are_written_in_model_files():
    plain = ball_above_floor()
    plain.add(cm.Accelerometer(cm.Marker(plain["ball"], at=(0.05, 0.0), angle=0.2), noise=(0.2, 0.1), name="imu"))
    plain.add(cm.ContactSwitch([plain["floor"]], threshold=5.0, rate=200.0, name="switch"))
    plain.add(cm.ForcePlate(plain.ground, plain["floor"], name="plate"))
    again = cm.System.from_yaml(plain.to_yaml())
    assert again.to_yaml() == plain.to_yaml()
    assert [type(sensor).__name__ for sensor in again.sensors] == ["Accelerometer", "ContactSwitch", "ForcePlate"]
    assert cm.simulate(again, 0.3, output=0.01).same_as(cm.simulate(plain, 0.3, output=0.01))


def test_a_streamed_run_with_noise_has_the_bits_of_one_in_memory(tmp_path):
    system = ball_above_floor()
    system.add(cm.Accelerometer(system["ball"], noise=0.3, name="imu"))
    first = cm.simulate(system, 0.2, stream=tmp_path / "run.h5", output=0.01)
    longer = cm.resume(tmp_path / "run.h5", t_end=0.4)
    np.testing.assert_array_equal(first["imu"].ax, longer["imu"].ax[: len(first.t)])
    whole = cm.simulate(system, 0.4, output=0.01)
    np.testing.assert_array_equal(longer["imu"].ax, whole["imu"].ax)
    system.add(cm.Gyroscope(system["ball"], rate=100.0, name="gyro"))
    with pytest.raises(cm.ModelError, match="Gyroscope 'gyro' cannot be resumed from a file"):
        cm.simulate(system, 0.2, stream=tmp_path / "other.h5")


def test_states_of_systems_with_other_sensors_are_refused():
    sim = cm.Simulation(noisy())
    with pytest.raises(cm.ModelError, match="belongs to another model"):
        cm.Simulation(noisy(seed=8)).restore(sim.save_state())


def test_bad_sensors_are_refused():
    system, other = ball_above_floor(), ball_above_floor()
    ball, floor = system["ball"], system["floor"]
    stranger = cm.Revolute(other.ground, other["ball"], at=(0.0, 0.0))
    for make, message in (
        (lambda: cm.Accelerometer(3.0), "expected a Body, system.ground or a Marker"),
        (lambda: cm.Accelerometer(ball, noise=-1.0), "noise must be positive or zero"),
        (lambda: cm.Accelerometer(ball, noise=(1.0, 1.0, 1.0)), "noise must be a number or 2 numbers, of ax, ay"),
        (lambda: cm.Gyroscope(ball, rate=0.0), "rate must be positive"),
        (lambda: cm.Gyroscope(ball, seed=-1), "seed must"),
        (lambda: cm.JointEncoder(ball), "expected a joint with a free coordinate"),
        (lambda: cm.JointEncoder(cm.Weld(system.ground, ball)), "expected a joint with a free coordinate"),
        (lambda: cm.JointEncoder(stranger, resolution=0.0), "resolution must be positive"),
        (lambda: cm.ContactSwitch(ball), "expected contacts, got"),
        (lambda: cm.ContactSwitch([]), "needs at least one contact"),
        (lambda: cm.ContactSwitch(floor, threshold=-1.0), "threshold must be positive or zero"),
        (lambda: cm.ForcePlate(other["ball"], floor), "is not a contact of 'ball'"),
        (lambda: system.add(cm.JointEncoder(stranger)), "is not in system 'drop'"),
        (lambda: system.add(cm.ContactSwitch(other["floor"])), "is not in system 'drop'"),
        (lambda: system.add(cm.Accelerometer(other["ball"])), "is not in system 'drop'; add the body first"),
    ):
        with pytest.raises(cm.ModelError, match=message):
            make()
