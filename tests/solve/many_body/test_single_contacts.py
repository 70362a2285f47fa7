"""Signals and contact log of single contacts and clearance joints in runs with the engine of many bodies."""

import numpy as np
import pytest
from tests.solve.many_body.systems import GRAVITY, INERTIA, MASS, RADIUS, add_group, add_sphere

import carom as cm
from carom.solve import checkpointing
from carom.solve.many_body import stop_to_stop
from carom.solve.many_body.records import LOG_CAPACITY

LAW = cm.laws.HuntCrossley(1e6, 0.8)


def dropped_ball(dim: int, ground_first: bool = True) -> cm.System:
    """Return a ball that falls onto a floor while it slides."""
    system = cm.System(dim=dim, gravity=(0.0,) * (dim - 1) + (-9.81,))
    inertia = 1e-3 if dim == 2 else (1e-3,) * 3
    sideways = (0.5,) if dim == 2 else (0.5, 0.2)
    position = (0.0,) * (dim - 1) + (0.3,)
    ball = system.add(cm.Body("ball", 1.0, inertia, position=position, velocity=(*sideways, 0.0)))
    shapes = [cm.Plane(system.ground, normal=(0.0,) * (dim - 1) + (1.0,)), cm.Sphere(ball, 0.05)]
    shapes = shapes if ground_first else shapes[::-1]
    system.add(cm.Contact(*shapes, law=LAW, friction=cm.friction.Coulomb(0.05), name="touch"))
    return system


def pendulum(grouped: bool) -> cm.System:
    """Return a pendulum in a bearing with clearance, with a group of distant discs beside it."""
    system = cm.System(gravity=(0.0, -9.81))
    rod = system.add(cm.Body("rod", 0.5, 0.01, position=(0.2, 0.0)))
    joint = cm.RevoluteClearance(
        system.ground, rod, at=(0.0, 0.0), journal_radius=9.5e-3, bearing_radius=10e-3,
        law=cm.laws.HuntCrossley(1e8, 0.7), name="bearing",
    )  # fmt: skip
    system.add(joint)
    if grouped:
        discs = [
            cm.Sphere(system.add(cm.Body(f"disc {k}", MASS, INERTIA, position=(5.0 + 0.1 * k, 0.0))), RADIUS)
            for k in range(3)
        ]
        add_group(system, discs)
    return system


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("ground_first", [True, False])
def test_signals_and_log_are_those_of_located_contacts(dim, ground_first):
    options = {"output": 0.01}
    exact = cm.simulate(dropped_ball(dim, ground_first), 0.4, **options)
    errors = []
    for step in (2e-4, 1e-4):
        found = cm.simulate(dropped_ball(dim, ground_first), 0.4, integrator="verlet", max_step=step, **options)
        assert exact.elements[0] == found.elements[0]
        errors.append(
            {
                name: np.abs(getattr(found["touch"], name) - getattr(exact["touch"], name)).max()
                for name in exact.elements[0].signals
            }
        )
        (one,), (other,) = exact.impacts, found.impacts
        assert (other.contact, other.finished, other.compressions, other.persistent) == ("touch", True, 1, False)
        assert other.t_start == pytest.approx(one.t_start, abs=step**2 * 30)
        assert other.t_end == pytest.approx(one.t_end, abs=0.1 * step)
        for name, tolerance in (
            ("approach_speed", 1e-3), ("separation_speed", 2e-3), ("peak_force", 2e-3), ("max_indentation", 1e-3),
            ("energy_lost", 5e-3), ("friction_loss", 0.02),
        ):  # fmt: skip
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=tolerance), name
    scales = {"normal_force": 700.0, "sliding_velocity": 2.0, "sliding_speed": 2.0}
    scales |= dict.fromkeys(("friction_force", "fx", "fy", "fz"), 35.0)
    for name, error in errors[1].items():
        assert error < 0.01 * scales.get(name, 1.0), name
        assert error <= 0.7 * errors[0][name] + 1e-6, f"{name} does not converge"


def test_a_clearance_joint_beside_a_group_moves_as_alone():
    exact = cm.simulate(pendulum(False), 0.05, output=5e-4)
    found = cm.simulate(pendulum(True), 0.05, output=5e-4, max_step=1e-6)
    assert found["bearing"].eccentricity.max() > 5e-4
    for name in ("eccentricity", "ex", "ey", "indentation"):
        np.testing.assert_allclose(getattr(found["bearing"], name), getattr(exact["bearing"], name), atol=1e-6)
    assert [impact.contact for impact in found.impacts] == [impact.contact for impact in exact.impacts]
    for one, other in zip(exact.impacts, found.impacts, strict=True):
        assert other.t_start == pytest.approx(one.t_start, abs=2e-5)
        assert other.finished == one.finished
    mode = found["bearing"].contact_mode
    np.testing.assert_array_equal(mode > 0.0, found["bearing"].indentation > 0.0)
    assert found["grains"].contacts.max() == 0


def test_a_box_has_the_sums_of_its_corners():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    box = system.add(cm.Body("box", 2.0, (0.01,) * 3, position=(0.0, 0.0, 0.0501)))
    system.add(cm.Contact(cm.Box(box, (0.05,) * 3), cm.Plane(system.ground), law=LAW, name="stand"))
    add_group(system, [add_sphere(system, f"ball {k}", (1.0 + 0.1 * k, 0.0, 0.1)) for k in range(2)])
    result = cm.simulate(system, 0.5, output=0.05, max_step=2e-4)
    assert result["stand"].touching[-1] == 4
    assert result["stand"].normal_force[-1] == pytest.approx(2.0 * GRAVITY, rel=1e-2)
    assert result["stand"].fz[-1] == pytest.approx(result["stand"].normal_force[-1])
    corners = [result[f"stand {k}"].normal_force[-1] for k in range(1, 9)]
    assert sum(corners) == pytest.approx(result["stand"].normal_force[-1], rel=1e-12)
    assert {impact.contact for impact in result.impacts} == {
        f"stand {k}" for k in range(1, 9) if result[f"stand {k}"].normal_force.max() > 0.0
    }
    assert not result.impacts[-1].finished


def test_contacts_of_small_groups_have_signals_besides_those_of_the_group():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    balls = [add_sphere(system, f"ball {k}", (0.0, 0.0, RADIUS * (1 + 2 * k))) for k in range(3)]
    system.add_contacts(balls, [cm.Plane(system.ground)], law=LAW, name="pile")
    result = cm.simulate(system, 0.2, integrator="verlet", output=0.01)
    singles = [element.name for element in result.elements if element.name.startswith("pile ")]
    assert len(singles) == 6
    total = sum(result[name].normal_force for name in singles)
    np.testing.assert_allclose(result["pile"].normal_force, total, rtol=1e-12)
    deepest = np.max([result[name].indentation for name in singles], axis=0)
    np.testing.assert_allclose(result["pile"].largest_indentation, np.maximum(deepest, 0.0), rtol=1e-9, atol=1e-15)


def bouncing(e: float = 1.0) -> cm.System:
    """Return a ball between two walls that it hits one after the other."""
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, 1e-3, velocity=(3.0, 0.0)))
    sphere = cm.Sphere(ball, 0.05)
    law = cm.laws.Hertz(1e8)
    system.add(cm.Contact(sphere, cm.Plane(system.ground, (-0.06, 0.0), (1.0, 0.0)), law=law, name="left"))
    system.add(cm.Contact(sphere, cm.Plane(system.ground, (0.06, 0.0), (-1.0, 0.0)), law=law, name="right"))
    return system


def test_many_impacts_in_one_segment_are_all_logged():
    result = cm.simulate(bouncing(), 1.0, integrator="verlet", max_step=2e-5, output=1.0)
    finished = [impact for impact in result.impacts if impact.finished]
    names = [impact.contact for impact in finished]
    assert len(names) > 4 * LOG_CAPACITY
    assert names == [("right", "left")[k % 2] for k in range(len(names))]
    speeds = [impact.approach_speed for impact in finished]
    np.testing.assert_allclose(speeds, 3.0, rtol=1e-4)
    np.testing.assert_allclose([impact.restitution for impact in finished], 1.0, rtol=1e-3)


def test_a_resumed_run_has_the_same_log(tmp_path, monkeypatch):
    options = {"integrator": "verlet", "max_step": 2e-5, "output": 0.01}
    whole = cm.simulate(bouncing(), 0.3, **options)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)  # a checkpoint at each node
    monkeypatch.setattr(stop_to_stop, "CHUNK_SECONDS", -1.0)

    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    part = cm.simulate(bouncing(), 0.3, stream=tmp_path / "run.h5", progress=stop, **options)
    assert part.outcome is cm.Outcome.INTERRUPTED
    assert 0 < len(part.impacts) < len(whole.impacts)
    resumed = cm.resume(tmp_path / "run.h5")
    assert resumed.impacts == whole.impacts
    assert resumed["left"].indentation.tobytes() == whole["left"].indentation.tobytes()


def test_a_body_that_leaves_ends_its_contact():
    system = cm.System(gravity=(0.0, -9.81))
    disc = system.add(cm.Body("disc", 1.0, 1e-3, position=(0.0, 0.05), velocity=(1.0, 0.0)))
    system.add(cm.Contact(cm.Sphere(disc, 0.05), cm.Plane(system.ground), law=LAW, name="rest"))
    system.add(cm.Outlet(at=(0.1, 0.0), normal=(1.0, 0.0), interval=1e-3, name="end"))
    result = cm.simulate(system, 0.3, integrator="verlet", output=0.01)
    assert result["end"].count[-1] == 1
    assert result.impacts[-1].finished
    assert result.impacts[-1].t_end == pytest.approx(0.1, abs=2e-3)
    assert result["rest"].normal_force[-1] == 0.0


def test_a_contact_across_a_periodic_boundary_is_that_in_the_middle():
    def collision(shift: float) -> cm.Result:
        system = cm.System(dim=3, periodic={"x": (0.0, 0.3)})
        shapes = [
            cm.Sphere(system.add(cm.Body(name, 1.0, (1e-3,) * 3, (x % 0.3, y, 0.0), velocity=(v, 0.0, 0.0))), 0.04)
            for name, x, y, v in (("a", 0.1 + shift, 0.0, 1.0), ("b", 0.2 + shift, 0.01, 0.0))
        ]
        system.add(cm.Contact(*shapes, law=LAW, friction=cm.friction.Coulomb(0.2), name="touch"))
        return cm.simulate(system, 0.05, output=1e-3, integrator="verlet")

    inside, across = collision(0.0), collision(0.18)
    assert inside["touch"].normal_force.max() > 100.0
    for name in ("indentation", "indentation_rate", "fx", "fy", "sliding_speed", "nx"):
        scale = np.abs(getattr(inside["touch"], name)).max()
        np.testing.assert_allclose(getattr(across["touch"], name), getattr(inside["touch"], name), atol=1e-9 * scale)
