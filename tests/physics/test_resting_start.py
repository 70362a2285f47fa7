"""A body that is put on its floor settles there: a contact that begins at rest is damped as its law would settle it."""

import math
import warnings

import numpy as np
import pytest

import carom as cm

G, MASS, RADIUS, STIFFNESS = 9.81, 0.17, 0.0286, 1e6
SAG = (MASS * G / STIFFNESS) ** (1.0 / 1.5)


def stack(law: object, dim: int = 2, height: int = 1, sunk: float = 0.0) -> cm.System:
    """Balls on each other, at rest; the lowest is ``sunk`` into the floor."""
    system = cm.System(dim=dim, gravity=(0.0,) * (dim - 1) + (-G,))
    below: cm.Plane | cm.Sphere = cm.Plane(system.ground)
    for k in range(height):
        body = cm.Body(f"ball {k}", MASS, 5.56e-5, (0.0,) * (dim - 1) + (RADIUS * (2 * k + 1) - sunk,))
        ball = cm.Sphere(system.add(body), RADIUS)
        system.add(cm.Contact(ball, below, law=law, name=f"touch {k}"))
        below = ball
    return system


LAWS = [
    cm.laws.ExactRestitution(STIFFNESS, 0.5), cm.laws.Flores(STIFFNESS, 0.9), cm.laws.HuntCrossley(STIFFNESS, 0.7),
    cm.laws.LankaraniNikravesh(STIFFNESS, 0.8), cm.laws.Gonthier(STIFFNESS, 0.6), cm.laws.HuGuo(STIFFNESS, 0.7),
]  # fmt: skip


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_ball_put_on_its_floor_settles_to_its_weight(law, dim: int):
    result = cm.simulate(stack(law, dim), 1.0)
    late = result["touch 0"].normal_force[result.t > 0.8]
    assert late == pytest.approx(MASS * G, rel=1e-6)
    assert result.impacts[0].approach_speed == 0.0
    assert result.energy.drift < 1e-8


def test_the_oscillation_decays_as_the_damping_of_the_settling_speed():
    """Near rest δ̈ + (g A/v) δ̇ + (n g/δ_s)(δ − δ_s) = 0 with v = √(g δ_s): it decays by e^(−A √(g/δ_s) t/2)."""
    restitution = 0.95
    law = cm.laws.HuntCrossley(STIFFNESS, restitution)
    rate = 0.5 * 1.5 * (1.0 - restitution) * math.sqrt(G / SAG)
    result = cm.simulate(stack(law), 8.0 / rate)
    force = result["touch 0"].normal_force
    tops = 1 + np.flatnonzero((force[1:-1] > force[:-2]) & (force[1:-1] >= force[2:]))
    swing = np.log(force[tops] / (MASS * G) - 1.0)
    small = (swing < -2.0) & (swing > -6.0)
    assert -np.polyfit(result.t[tops][small], swing[small], 1)[0] == pytest.approx(rate, rel=0.02)


def test_every_ball_of_a_stack_settles():
    result = cm.simulate(stack(LAWS[0], height=3), 0.5)
    for k in range(3):
        assert result[f"touch {k}"].normal_force[-1] == pytest.approx((3 - k) * MASS * G, rel=1e-6)


@pytest.mark.parametrize("options", [{"integrator": "bdf"}, {"onset": "none"}], ids=["bdf", "onset none"])
def test_it_settles_in_every_run(options: dict):
    result = cm.simulate(stack(LAWS[0]), 0.2, **options)
    assert result["touch 0"].normal_force[-1] == pytest.approx(MASS * G, rel=1e-5)


def test_a_start_in_overlap_settles_too():
    with pytest.warns(cm.CaromWarning, match="shapes overlap by"):
        result = cm.simulate(stack(LAWS[0], sunk=2.0 * SAG), 0.5)
    assert result["touch 0"].normal_force[-1] == pytest.approx(MASS * G, rel=1e-6)


@pytest.mark.parametrize("sunk", [0.0, 2.0 * SAG])
def test_a_group_settles(sunk: float):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    balls = [system.add(cm.Body(f"ball {k}", MASS, 5.56e-5, (0.1 * k, 0.0, RADIUS - sunk))) for k in range(26)]
    floor = [cm.Plane(system.ground)]
    system.add_contacts([cm.Sphere(ball, RADIUS) for ball in balls], floor, law=LAWS[0], name="heap")
    if sunk:
        with pytest.warns(cm.CaromWarning, match="26 pairs of shapes overlap"):
            result = cm.simulate(system, 0.3, integrator="verlet")
    else:
        result = cm.simulate(system, 0.3, integrator="verlet")
    late = result["heap"].normal_force[result.t > 0.24]
    assert late == pytest.approx(26 * MASS * G, rel=1e-5)


def test_a_start_that_is_nearly_balanced_is_offered_the_balance():
    system = stack(LAWS[0], sunk=1.1 * SAG)
    with pytest.warns(cm.CaromWarning, match=r"start from balance with system\.set_state"):
        cm.simulate(system, 1e-3)
    with pytest.warns(cm.CaromWarning, match="separate the bodies"):
        cm.simulate(stack(LAWS[0], sunk=100.0 * SAG), 1e-3)


def test_the_offered_balance_starts_without_a_warning():
    system = stack(LAWS[0], sunk=1.1 * SAG)
    system.set_state(cm.statics(system))
    with warnings.catch_warnings():
        warnings.simplefilter("error", cm.CaromWarning)
        result = cm.simulate(system, 0.1)
    assert result["touch 0"].normal_force == pytest.approx(MASS * G, rel=1e-8)
