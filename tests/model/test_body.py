"""Bodies: what they are given is what they hold, and what cannot be a body is refused."""

import math

import numpy as np
import pytest

import carom as cm
from quick import each


def test_a_body_holds_its_start_as_plain_numbers():
    body = cm.Body(
        "crank", 2, 0.5, position=np.array([1, 2]), angle=0.3, velocity=[3.0, 4.0], angular_velocity=np.float32(5.0)
    )
    assert (body.name, body.mass, body.inertia) == ("crank", 2.0, 0.5)
    assert (body.position, body.angle) == ((1.0, 2.0), 0.3)
    assert (body.velocity, body.angular_velocity) == ((3.0, 4.0), 5.0)
    assert all(type(value) is float for value in (body.mass, *body.position, *body.velocity, body.angular_velocity))


def test_a_body_starts_at_rest_at_the_origin_unless_told():
    body = cm.Body("ball", 1.0)
    assert (body.inertia, body.position, body.angle) == (0.0, (0.0, 0.0), 0.0)
    assert (body.velocity, body.angular_velocity) == ((0.0, 0.0), 0.0)


def test_repr_tells_mass_and_place():
    body = cm.Body("crank", 2.0, 0.5, position=(1.0, -3.0), angle=0.25)
    assert repr(body) == "<Body 'crank' 2 kg at (1, -3), 0.25 rad>"
    assert repr(cm.System().ground) == "<ground>"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": -1.0}, r"Body 'crank': mass must be positive or zero, got -1"),
        ({"mass": math.nan}, r"Body 'crank': mass must be finite, got nan"),
        ({"mass": math.inf}, r"Body 'crank': mass must be finite, got inf"),
        ({"mass": "heavy"}, r"Body 'crank': mass must be a number, got 'heavy'"),
        ({"mass": None}, r"Body 'crank': mass must be a number, got None"),
        ({"inertia": -0.5}, r"Body 'crank': inertia must be positive or zero, got -0\.5"),
        ({"inertia": math.nan}, r"Body 'crank': inertia must be finite, got nan"),
        ({"position": (1.0,)}, r"Body 'crank': position must be 2 numbers, got 1"),
        ({"position": 4.0}, r"Body 'crank': position must be 2 numbers, got 4\.0"),
        ({"position": "ab"}, r"Body 'crank': position must be 2 numbers, got 'ab'"),
        ({"position": (0.0, math.nan)}, r"Body 'crank': position\[1\] must be finite, got nan"),
        ({"angle": math.inf}, r"Body 'crank': angle must be finite, got inf"),
        ({"velocity": (1.0, "fast")}, r"Body 'crank': velocity\[1\] must be a number, got 'fast'"),
        ({"velocity": (1.0, 2.0, 3.0, 4.0)}, r"Body 'crank': velocity must be 2 numbers, got 4"),
        ({"angular_velocity": math.nan}, r"Body 'crank': angular_velocity must be finite, got nan"),
        ({"angular_velocity": (1.0, 2.0)}, r"Body 'crank': angular_velocity must be a number, got \(1\.0, 2\.0\)"),
        ({"name": ""}, r"Body: name must be a non-empty string, got ''"),
        ({"name": 7}, r"Body: name must be a non-empty string, got 7"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_numbers_that_no_body_has_are_refused_by_name(changes: dict, message: str):
    with pytest.raises(cm.ModelError, match=message):
        cm.Body(**{"name": "crank", "mass": 1.0, "inertia": 1.0, **changes})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mass", -1.0, r"Body 'crank': mass must be positive or zero, got -1"),
        ("position", (0.0, math.nan), r"Body 'crank': position\[1\] must be finite, got nan"),
        ("position", (0.0, 0.0, 0.0), r"Body 'crank': position must be 2 numbers, got 3"),
        ("angular_velocity", math.inf, r"Body 'crank': angular_velocity must be finite, got inf"),
    ],
    ids=["mass", "nan position", "three numbers", "angular velocity"],
)
def test_numbers_changed_later_are_checked_before_a_run(key: str, value: object, message: str):
    def started(fraction: float) -> None:
        raise AssertionError("the run went on")

    def change_and_run() -> None:
        setattr(body, key, value)
        cm.simulate(system, 0.1, progress=started)

    system = cm.System()
    body = system.add(cm.Body("crank", 1.0, 1.0))
    with pytest.raises(cm.ModelError, match=message):
        change_and_run()


@each(
    "key, value",
    [
        ("mass", 1.0),
        ("position", (1.0, 0.0)),
        ("position", np.array([1.0, 0.0])),
        ("angle", 0.1),
        ("angular_velocity", 2.0),
        ("name", "earth"),
    ],
)
def test_the_ground_cannot_be_changed(key: str, value: object):
    ground = cm.System().ground
    with pytest.raises(cm.ModelError, match=f"ground: {key} cannot be changed"):
        setattr(ground, key, value)
    assert (ground.position, ground.angle) == ((0.0, 0.0), 0.0)
    assert (ground.velocity, ground.angular_velocity) == ((0.0, 0.0), 0.0)
