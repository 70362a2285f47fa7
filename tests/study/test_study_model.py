"""Models of studies, and the values they accept."""

import pickle

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.study_model import as_study_model

BALL = """
carom: 1
parameters: {height: 0.5, stiffness: 1.0e6}
gravity: [0, -9.81]
bodies:
  ball: {mass: 0.2, inertia: 1.0e-4, position: [0, =height + 0.1]}
contacts:
  touch:
    shape_a: {type: Sphere, body: ball, radius: 0.1}
    shape_b: {type: Plane, body: ground, normal: [0, 1]}
    law: {type: Flores, stiffness: =stiffness, restitution: 0.6}
run: {t_end: 0.5}
"""


def ball(height=0.5, restitution=0.6):
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("ball", mass=0.2, inertia=1e-4, position=(0.0, height + 0.1)))
    law = cm.laws.Flores(stiffness=1e6, restitution=restitution)
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground, normal=(0.0, 1.0)), law=law, name="touch"))
    return system, {"t_end": 0.5}


@pytest.fixture
def models(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text(BALL)
    return {"function": as_study_model(ball), "file": as_study_model(path), "system": as_study_model(ball()[0])}


@pytest.mark.parametrize("kind", ["function", "file", "system"])
def test_every_kind_of_model_gives_the_same_run_and_pickles(models, kind):
    model = models[kind]
    values = {"touch.law.restitution": 0.4, "rtol": 1e-9, "t_end": 0.45}
    result = model.run(values)
    expected = models["function"].run({"restitution": 0.4, "rtol": 1e-9, "t_end": 0.45})
    assert result.q.tobytes() == expected.q.tobytes()
    assert np.allclose(result.impacts[0].approach_speed, np.sqrt(2 * 9.81 * 0.5), rtol=1e-8)
    assert pickle.loads(pickle.dumps(model)).run(values).q.tobytes() == result.q.tobytes()


def test_a_law_of_a_model_can_be_replaced(models):
    result = models["system"].run({"touch.law": cm.laws.Hertz(stiffness=1e6), "t_end": 0.5})
    assert result.impacts[0].restitution == pytest.approx(1.0, abs=1e-6)


def test_a_gallery_case_is_identified_by_name_and_by_function():
    assert as_study_model("two_spheres") == as_study_model(cm.gallery.two_spheres)
    assert "restitution" in as_study_model("two_spheres").parameters


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"restitutoin": 0.4}, "did you mean restitution"),
        ({"touch.law.stifness": 1.0}, "stiffness"),
        ({"tuch.law.stiffness": 1.0}, "touch"),
        ({"touch.law.stiffness": -1.0}, "positive"),
        ({"ball.mass.x": 1.0}, "has no entry"),
    ],
)
def test_invalid_values_are_named(models, values, text):
    with pytest.raises(ModelError, match=text):
        models["function"].run(values)


def test_an_unknown_case_raises_with_a_suggestion():
    with pytest.raises(ModelError, match="did you mean two_spheres"):
        as_study_model("two_sphere")
