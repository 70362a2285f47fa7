"""Contacts that are easily passed by, or easily taken for something else."""

import itertools

import numpy as np
import pytest

import carom as cm


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "tsit5"])
def test_tooth_of_a_rotor_that_turns_in_no_time_meets_the_ball_in_its_way(integrator):
    system = cm.System()
    rotor = system.add(cm.Body("rotor", 1.0, 0.1, angle=1.0, angular_velocity=100.0))
    system.add(cm.Revolute(system.ground, rotor, at=(0.0, 0.0)))
    ball = system.add(cm.Body("ball", 0.1, 1e-4, position=(0.115, 0.0)))
    tooth = cm.Sphere(rotor, 0.01, at=(0.1, 0.0))
    system.add(cm.Contact(tooth, cm.Sphere(ball, 0.01), cm.laws.Flores(1e7, 0.6), name="hit"))
    result = cm.simulate(system, 1.0, integrator=integrator)
    # Centres 0.02 m apart: 0.1² + 0.115² − 2·0.1·0.115 cos θ = 0.02², from 1 rad on.
    angle = np.arccos((0.1**2 + 0.115**2 - 0.02**2) / (2.0 * 0.1 * 0.115))
    assert result.impacts[0].t_start == pytest.approx((2.0 * np.pi - 1.0 - angle) / 100.0, rel=1e-9)


def test_body_that_turns_as_it_comes_down_touches_where_its_edge_is_first():
    system = cm.System()
    body = system.add(cm.Body("body", 1.0, 0.01, position=(0.0, 0.3), velocity=(0.0, -0.01), angular_velocity=5.0))
    system.add(cm.Contact(cm.Sphere(body, 0.02, at=(0.1, 0.0)), cm.Plane(system.ground), cm.laws.Hertz(1e6)))
    t = cm.simulate(system, 25.0).impacts[0].t_start
    height = 0.3 - 0.01 * t + 0.1 * np.sin(5.0 * t) - 0.02
    assert abs(height) < 1e-12
    before = np.linspace(0.0, t, 100_000)[:-1]
    assert np.min(0.3 - 0.01 * before + 0.1 * np.sin(5.0 * before) - 0.02) > 0.0


def row_of_balls(count: int, radius: float, law, apart: float = 0.0) -> cm.System:
    system = cm.System()
    balls = [
        system.add(
            cm.Body(
                f"b{k}", 0.5, 1e-3, position=(2.0 * k * radius - apart * (k == 0), 0.0), velocity=(float(k == 0), 0.0)
            )
        )
        for k in range(count)
    ]
    for a, b in itertools.pairwise(balls):
        system.add(cm.Contact(cm.Sphere(a, radius), cm.Sphere(b, radius), law, name=f"{a.name}-{b.name}"))
    return system


@pytest.mark.parametrize("apart", [0.0, 0.01])
def test_balls_that_touch_pass_a_blow_on(apart):
    result = cm.simulate(row_of_balls(7, 0.05, cm.laws.Hertz(1e9), apart), 0.02)
    assert result.outcome.ok
    assert len(result.impacts) < 30
    assert all(impact.separation_speed >= 0.0 for impact in result.impacts)
    speeds = [result[f"b{k}"].vx[-1] for k in range(7)]
    assert sum(speeds) == pytest.approx(1.0, abs=1e-10)
    assert sum(v * v for v in speeds) == pytest.approx(1.0, abs=1e-8)
    assert speeds[-1] > 0.95


def test_rounding_of_the_gap_does_not_decide_how_a_contact_at_rest_behaves():
    law = cm.laws.LankaraniNikravesh(1e9, 0.8)
    ends = [
        [float(result[f"b{k}"].vx[-1]) for k in range(5)]
        for radius in (0.03, 0.05)
        for result in [cm.simulate(row_of_balls(5, radius, law, 0.01), 0.05)]
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def bouncing(law, friction=None, sideways: float = 0.0) -> cm.System:
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.2), velocity=(sideways, 0.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law, friction, name="floor"))
    return system


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_flight_after_the_end_of_a_force_is_not_part_of_the_contact(integrator):
    result = cm.simulate(bouncing(cm.laws.KelvinVoigt(1e6, damping=300.0)), 0.7, integrator=integrator)
    expected = cm.laws.KelvinVoigt(1e6, damping=300.0).returned_restitution(mass=1.0)
    assert result.impacts[0].restitution == pytest.approx(expected, rel=1e-2)
    assert all(0.0 <= impact.restitution < 1.0 for impact in result.impacts)
    assert result.energy.drift < 1e-9


def test_friction_never_drives_the_sliding_while_a_law_pulls():
    law = cm.laws.KelvinVoigt(1e6, damping=500.0, tension=True)
    result = cm.simulate(bouncing(law, cm.friction.Coulomb(0.3), sideways=1.0), 0.3)
    assert result["floor"].normal_force.min() < -100.0
    assert np.all(result["floor"].friction_force * result["floor"].sliding_velocity <= 0.0)
    assert np.all(np.diff(result.energy.friction) >= -1e-12)


@pytest.mark.parametrize("integrator", ["dopri5", "tsit5"])
def test_last_step_of_a_contact_is_as_exact_as_the_others(integrator):
    worst = 0.0
    for stiffness, height in itertools.product((1e6, 1e8, 1e10), (1e-3, 0.1, 5.0)):
        system = cm.System(gravity=(0.0, -9.81))
        ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.1 + height)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Hertz(stiffness)))
        result = cm.simulate(system, 8.0 * np.sqrt(2.0 * height / 9.81), integrator=integrator)
        worst = max(worst, *(abs(impact.restitution - 1.0) for impact in result.impacts if impact.finished))
    assert worst < 5e-10


def test_reloading_after_permanent_indentation_needs_no_tiny_steps():
    system = bouncing(cm.laws.PlasticUnloading(1e7, 0.5))
    result = cm.simulate(system, 0.6, integrator="dop853", rtol=1e-11)
    assert result.outcome.ok
    assert result.energy.drift < 1e-9


def test_error_of_a_law_does_not_stay_for_the_next_run():
    def brittle(indentation, rate):
        if indentation > 1e-4:
            raise ValueError("it broke")
        return 1e6 * indentation

    law = cm.laws.custom(brittle)
    with pytest.raises(ValueError, match="it broke") as caught:
        cm.simulate(bouncing(law), 0.3)
    assert len(caught.value.result.t) > 1
    assert cm.simulate(bouncing(law), 0.1).outcome.ok


def test_last_of_regular_output_times_is_the_end_itself():
    result = cm.simulate(bouncing(cm.laws.Hertz(1e7)), 0.9, output=0.3)
    np.testing.assert_array_equal(result.t, [0.0, 0.3, 0.6, 0.9])


def test_name_must_be_text():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0))
    with pytest.raises(cm.ModelError, match="name must be a non-empty string, got 3"):
        cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e7), name=3)


def test_fixed_steps_are_shortened_in_a_contact_whose_law_begins_late():
    def late(indentation, rate):
        return 1e8 * max(indentation - 1e-6, 0.0)

    result = cm.simulate(bouncing(cm.laws.custom(late)), 0.25, integrator="rk4", max_step=1e-3)
    assert result.impacts[0].restitution == pytest.approx(1.0, abs=1e-4)
