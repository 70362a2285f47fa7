"""Runs that start from statics: overlap in balance is meant and not warned of, any other is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.solve.compliant.problem import BALANCED, imbalance_of_contacts
from carom.solve.model_evaluator import ModelEvaluator

LAW = cm.laws.KelvinVoigt(1e5, damping=100.0)
warns_of_overlap = pytest.warns(cm.CaromWarning, match=r"Contact 'under ball': shapes overlap by")


def resting(dim: int) -> cm.System:
    """A ball and a weight beside it, each at rest on the floor."""
    up = (0.0, 1.0) if dim == 2 else (0.0, 0.0, 1.0)
    system = cm.System(dim=dim, gravity=tuple(-9.81 * np.array(up)), name="resting")
    floor = cm.Plane(system.ground)
    for name, x in (("ball", 0.0), ("weight", 1.0)):
        place = (x, 0.1) if dim == 2 else (x, 0.0, 0.1)
        body = system.add(cm.Body(name, 1.0, 4e-3, position=place))
        system.add(cm.Contact(cm.Sphere(body, 0.1), floor, LAW, name=f"under {name}"))
    return system.set_state(cm.statics(system))


def balanced(mechanism: ModelEvaluator, y: np.ndarray) -> set[str | None]:
    return {name for name, left in imbalance_of_contacts(mechanism, y).items() if left <= BALANCED}


def silent(system: cm.System, **options: Any) -> cm.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return cm.simulate(system, 0.01, **options)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_start_from_statics_stays_and_is_not_warned_of(dim: int):
    system = resting(dim)
    result = silent(system)
    depth = 9.81 / 1e5
    for name in ("ball", "weight"):
        np.testing.assert_allclose(result[name].velocity, 0.0, atol=1e-9)
    assert result.impacts[0].initial_indentation == pytest.approx(depth, rel=1e-9)


@pytest.mark.parametrize("dim", [2, 3])
def test_what_moves_from_where_it_could_rest_is_balanced_too(dim: int):
    """A ball pushed along the floor, or into it: the overlap is that of rest, only its speed is not."""
    system = resting(dim)
    system["ball"].velocity = (0.5,) + (0.0,) * (dim - 1)
    silent(system)
    system["ball"].velocity = (0.0,) * (dim - 1) + (-0.1,)
    silent(system)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("lower", [1e-6, -1e-6])
def test_an_overlap_that_is_not_in_balance_is_warned_of(dim: int, lower: float):
    system = resting(dim)
    position = list(system["ball"].position)
    position[-1] -= lower
    system["ball"].position = tuple(position)
    with warns_of_overlap as record:
        cm.simulate(system, 0.001)
    assert not any("'under weight'" in str(warning.message) for warning in record)


def test_only_the_contacts_of_a_body_in_balance_count():
    system = resting(3)
    mechanism = ModelEvaluator(system)
    assert balanced(mechanism, mechanism.tables.y0) == {"under ball", "under weight"}
    system["weight"].position = (1.0, 0.0, 0.05)
    mechanism = ModelEvaluator(system)
    y = mechanism.tables.y0.copy()
    assert balanced(mechanism, y) == {"under ball"}
    np.testing.assert_array_equal(y, mechanism.tables.y0)  # the state is left as it was


def test_contacts_apart_or_none_at_all():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, position=(0.0, 0.0, 1.0)))
    mechanism = ModelEvaluator(system)
    assert balanced(mechanism, mechanism.tables.y0) == set()
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), LAW, name="under ball"))
    mechanism = ModelEvaluator(system)
    assert balanced(mechanism, mechanism.tables.y0) == set()  # it is in free fall


def test_a_bush_with_play_starts_from_statics_without_a_word():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    pin = system.add(cm.Body("pin", 1.0, (1e-4, 4e-3, 4e-3), position=(0, 0, 0)))
    system.add(
        cm.CylindricalClearance(
            system.ground, pin, axis=(1, 0, 0), length=0.2, journal_radius=0.02, bearing_radius=0.0205, law=LAW
        )
    )
    system.set_state(cm.statics(system))
    silent(system)


def test_an_overlap_at_a_dead_centre_is_warned_of():
    """Joints hold the slider whatever pushes it along crank and rod: that is not the balance of a load."""
    system = cm.System(gravity=(0.0, -9.81))
    crank = system.add(cm.Body("crank", 0.5, 1e-3, (0.075, 0.0)))
    rod = system.add(cm.Body("rod", 1.0, 0.013, (0.35, 0.0)))
    slider = system.add(cm.Body("slider", 0.8, 1e-3, (0.55, 0.0)))
    system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Revolute(crank, rod, at=(0.15, 0.0)))
    system.add(cm.Revolute(rod, slider, at=(0.55, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    wall = cm.Plane(system.ground, (0.59, 0.0), (-1.0, 0.0))
    law = cm.laws.Linear(1e7)
    system.add(cm.Contact(cm.Sphere(slider, 0.02, (0.03, 0.0)), wall, law=law, name="buffer"))
    with pytest.warns(cm.CaromWarning, match="Contact 'buffer': shapes overlap by 0.01 m at t = 0"):
        cm.simulate(system, 1e-4)


def test_an_overlap_of_cams_on_bearings_is_warned_of():
    """Bearings hold the centres: only the rotation shows that forces are out of balance."""
    turn = np.linspace(0.0, 2.0 * np.pi, 41)[:-1]
    profile = np.column_stack([0.1 * np.cos(turn), 0.08 * np.sin(turn)])
    system = cm.System()
    cams = [system.add(cm.Body(f"cam {k}", 1.0, 1.0, (0.0, 0.15 * k), angle=0.2 + 0.2 * k)) for k in range(2)]
    for cam in cams:
        system.add(cm.Revolute(system.ground, cam, at=cam.position))
    one, other = (cm.Curve(cam, profile, closed=True) for cam in cams)
    system.add(cm.Contact(one, other, law=cm.laws.Linear(1e5), name="cams"))
    with pytest.warns(cm.CaromWarning, match="Contact 'cams': shapes overlap by 0.0129 m at t = 0"):
        cm.simulate(system, 1e-4)
