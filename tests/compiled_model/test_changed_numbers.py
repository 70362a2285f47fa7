"""Numbers written into tables are those that the construction of the tables stores."""

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.changed_numbers import ChangedNumbers, NotInPlace
from carom.compiled_model.mutable_state import is_same_model, numbers_at
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError


def hinged(mass=1.0, at=(0.0, 0.0), speed=1.0, gravity=-9.81, inertia=0.1):
    """A bar on a hinge that presses a ball against a wall."""
    system = cm.System(gravity=(0.0, gravity))
    bar = system.add(cm.Body("bar", mass, inertia, position=(0.5, 0.0), angular_velocity=speed))
    ball = system.add(cm.Body("ball", 0.2, position=(2.0, 0.0)))
    system.add(cm.Revolute(system.ground, bar, at=at, name="hinge"))
    law = cm.laws.HuntCrossley(stiffness=1e6, restitution=0.8)
    system.add(cm.Contact(cm.Sphere(bar, 0.1), cm.Sphere(ball, 0.1), law=law, name="touch"))
    return system


def written(system, **values):
    """The tables of a system with values of parameters written into them."""
    data = SystemData(system)
    changes = ChangedNumbers(data, list(values))
    for (name, index), number in zip(changes.slots, changes.numbers(list(values.values())), strict=True):
        numbers_at(data, name)[index] = number
    return data


@pytest.mark.parametrize(
    ("path", "argument", "value", "number"),
    [("bar.mass", "mass", 1.7, 1.7), ("bar.inertia", "inertia", 0.2, 0.2), ("hinge.at.x", "at", (0.1, 0.0), 0.1),
     ("bar.angular_velocity", "speed", 2.5, 2.5), ("gravity.y", "gravity", -1.6, -1.6)],
)  # fmt: skip
def test_written_numbers_are_built_ones(path, argument, value, number):
    assert not is_same_model(SystemData(hinged()), SystemData(hinged(**{argument: value})))
    assert is_same_model(written(hinged(), **{path: number}), SystemData(hinged(**{argument: value})))


def test_mass_and_gravity_change_the_weight_together():
    data = written(hinged(), **{"bar.mass": 2.0, "gravity.y": -3.0})
    np.testing.assert_array_equal(data["gravity_force"][:3], [0.0, -6.0, 0.0])
    np.testing.assert_array_equal(data["gravity_force"][3:], [0.0, 0.2 * -3.0, 0.0])


def test_a_law_of_several_contacts_changes_in_all_of_them():
    system = hinged()
    ball = system.bodies[1]
    law = system["touch"].law
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground, (3.0, 0.0), (-1.0, 0.0)), law=law, name="wall"))
    data = written(system, **{"touch.law.stiffness": 3e6})
    stiffnesses = [data["params"][offset] for offset in data["contacts"]["law_params"].tolist()]
    assert stiffnesses == [3e6, 3e6]


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [("bar.mass", 0.0, "masses"), ("bar.inertia", 1e-9, "small"), ("hinge.at.x", 50.0, "inertia")],
)
def test_another_solver_is_not_written(path, value, reason):
    with pytest.raises(NotInPlace, match=reason):
        ChangedNumbers(SystemData(hinged()), [path]).numbers([value])


@pytest.mark.parametrize(("path", "value"), [("touch.law.restitution", 1.2), ("bar.mass", -1.0), ("gravity.y", np.nan)])
def test_values_out_of_range_raise(path, value):
    with pytest.raises(ModelError):
        ChangedNumbers(SystemData(hinged()), [path]).numbers([value])


def test_other_paths_are_not_written():
    with pytest.raises(NotInPlace, match="not a number of a body or element"):
        ChangedNumbers(SystemData(hinged()), ["run.t_end"])
