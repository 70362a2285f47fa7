"""Paths of parameters: owners, keys, and messages with the nearest names."""

import pytest

import carom as cm
from carom.errors import ModelError
from carom.model.parameter_path import parameter_path


def system():
    result = cm.System(gravity=(0.0, -9.81))
    result.add(cm.Body("ball", 1.0, position=(0.0, 1.0)))
    result.add(cm.Body("ball.large", 1.0, position=(0.0, 3.0)))
    law = cm.laws.Hertz(stiffness=1e6)
    result.add(cm.Contact(cm.Sphere(result["ball"], 0.1), cm.Plane(result.ground), law=law, name="floor"))
    return result


@pytest.mark.parametrize(
    ("path", "owner", "keys"),
    [("ball.velocity.y", "ball", ("velocity", "y")), ("bodies.ball.mass", "ball", ("mass",)),
     ("ball.large.mass", "ball.large", ("mass",)), ("contacts.floor.law.stiffness", "floor", ("law", "stiffness")),
     ("floor.shape_a.radius", "floor", ("shape_a", "radius"))],
)  # fmt: skip
def test_a_path_names_its_owner(path, owner, keys):
    model = system()
    place = parameter_path(model, path)
    assert place.owner is model[owner]
    assert place.keys == keys


def test_gravity_belongs_to_the_system():
    model = system()
    assert parameter_path(model, "gravity.1").owner is model


def test_other_sections_are_no_parameters_of_elements():
    assert parameter_path(system(), "run.t_end") is None


@pytest.mark.parametrize(
    ("path", "message"),
    [("bal.mass", "did you mean ball"), ("ball.mas", "Body 'ball' has no parameter 'mas'; did you mean mass"),
     ("floor.law.stifness", "did you mean stiffness"), ("ball.position.z", "choose from x, y")],
)  # fmt: skip
def test_an_unknown_name_raises_with_the_nearest_ones(path, message):
    with pytest.raises(ModelError, match=message):
        parameter_path(system(), path)
