"""JSON Schema of model files: readable files are valid, typing errors are not."""

import json

import pytest
import yaml

from carom.gallery import CASES
from carom.io.model.json_schema import schema, schema_text
from model_examples import planar_system, spatial_system

jsonschema = pytest.importorskip("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(schema())

GOOD = """\
carom: 1
dim: 2
parameters: {l: 0.2, half: =l/2}
bodies:
  crank: {mass: 1.0, inertia: =l, position: [=half, 0.0]}
joints:
  pin: {type: Revolute, a: ground, b: {body: crank, at: [0.0, 0.0]}}
  motor: {type: Driver, target: pin, motion: 'sin(t)'}
contacts:
  touch:
    shape_a: {type: Sphere, body: crank, radius: 0.1}
    shape_b: {type: Plane, body: ground}
    law: {type: Hertz, stiffness: 1.0}
    impact: {restitution: 0.5}
assemble: {keep: [[crank, angle]]}
run: {t_end: 0.1}
"""


def valid(text):
    return VALIDATOR.is_valid(yaml.safe_load(text))


def test_schema_is_valid():
    jsonschema.Draft202012Validator.check_schema(schema())
    assert json.loads(schema_text()) == schema()


@pytest.mark.parametrize("name", [name for name in CASES if name != "differential"])  # 320 alike contacts
def test_cases_are_valid(name):
    small = {"box_of_spheres": {"balls": 64}, "cup_and_marble": {"points": 108}}.get(name, {})
    case = CASES[name](**small)
    assert valid(case.system.to_yaml(run=case.options))


def test_all_types_are_valid():
    poses = [(0.1, 0.2, 0.3), (0.7, 1 / 3, -0.1), (-0.3, 0.4, 1.0), (1.1, -0.2, 0.0), (0.5, 1.4, -2.0)]
    assert valid(planar_system(poses).to_yaml())
    assert valid(spatial_system([(*pose, 1.0, 0.0, 0.1 * k, 0.2) for k, pose in enumerate(poses)]).to_yaml())


def test_handwritten_file_is_valid():
    assert valid(GOOD)


@pytest.mark.parametrize(("right", "wrong"), [
    ("carom: 1", "carom: 2"), ("bodies:", "bodys:"), ("mass:", "masss:"), ("mass: 1.0, ", ""), ("Revolute", "Revolut"),
    ("radius: 0.1", "radius: big"), ("radius: 0.1", "diameter: 0.1"), ("Hertz", "Herz"), ("type: Hertz, ", ""),
    ("restitution", "restitutio"), ("t_end", "tend"), ("dim: 2", "dim: 4"), ("a: ground", "c: ground"),
    ("keep", "hold"), ("stiffness: 1.0", "stiffness: [1.0]"), ("body: ground", "body: 3"),
])  # fmt: skip
def test_typing_errors_are_invalid(right, wrong):
    assert right in GOOD
    assert not valid(GOOD.replace(right, wrong, 1))
