"""What a study runs, and how it takes values."""

import pickle

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.subject import subject

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
def subjects(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text(BALL)
    return {"function": subject(ball), "file": subject(path), "system": subject(ball()[0])}


@pytest.mark.parametrize("kind", ["function", "file", "system"])
def test_every_kind_of_subject_gives_the_same_run_and_pickles(subjects, kind):
    one = subjects[kind]
    values = {"touch.law.restitution": 0.4, "rtol": 1e-9, "t_end": 0.45}
    result = one.run(values)
    expected = subjects["function"].run({"restitution": 0.4, "rtol": 1e-9, "t_end": 0.45})
    assert result.q.tobytes() == expected.q.tobytes()
    assert np.allclose(result.impacts[0].approach_speed, np.sqrt(2 * 9.81 * 0.5), rtol=1e-8)
    assert pickle.loads(pickle.dumps(one)).run(values).q.tobytes() == result.q.tobytes()


def test_a_law_can_be_put_into_a_model(subjects):
    result = subjects["system"].run({"touch.law": cm.laws.Hertz(stiffness=1e6), "t_end": 0.5})
    assert result.impacts[0].restitution == pytest.approx(1.0, abs=1e-6)


def test_a_case_of_the_gallery_is_known_by_name_and_by_function():
    assert subject("two_spheres") == subject(cm.gallery.two_spheres)
    assert "restitution" in subject("two_spheres").parameters


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
def test_what_is_wrong_is_named(subjects, values, text):
    with pytest.raises(ModelError, match=text):
        subjects["function"].run(values)


def test_what_cannot_be_studied_is_refused():
    with pytest.raises(ModelError, match="did you mean two_spheres"):
        subject("two_sphere")
