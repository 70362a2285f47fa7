"""Numbers in other units are noticed, right ones are not."""

import pytest

import carom as cm
from carom.gallery import CASES
from carom.model.unit_checks import slips
from quick import each


def model(mass=0.2, inertia=1e-4, radius=0.025, height=0.5, gravity=9.81, angle=0.0):
    """A steel ball of 50 mm over a floor, in other units where asked."""
    system = cm.System(gravity=(0.0, -gravity))
    ball = system.add(cm.Body("ball", mass=mass, inertia=inertia, position=(0.0, height), angle=angle))
    floor = cm.Plane(system.ground, normal=(0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, radius), floor, law=cm.laws.Hertz(stiffness=1e9)))
    return system


@each(
    "numbers, text",
    [
        ({"radius": 25.0, "height": 500.0}, "sphere.*not millimetres"),
        ({"mass": 1e6}, "kilograms"),
        ({"inertia": 1e4}, "kg m²"),
        ({"gravity": 9810.0}, "gravity of the Earth: 9.81"),
        ({"angle": 45.0}, "math.radians"),
    ],
)
def test_a_slip_is_named_with_what_is_right(numbers, text):
    assert len(slips(model(**numbers))) == 1
    with pytest.warns(cm.CaromWarning, match=text):
        cm.simulate(model(**numbers), t_end=1e-3)


def test_right_numbers_pass():
    assert slips(model()) == []
    assert slips(model(radius=0.5e-3, mass=4e-6, inertia=1e-12, height=0.01)) == []  # a bead of half a millimetre
    assert slips(model(radius=5.0, mass=4e6, inertia=4e7, height=50.0)) == []  # a boulder


@each("name", CASES)
def test_the_gallery_is_in_si(name):
    system = CASES[name](**({"points": 100} if name == "cup_and_marble" else {})).system
    assert not isinstance(system, cm.System) or slips(system) == []


@pytest.mark.parametrize("numbers", [{"height": 1e200}, {"radius": 1e200}, {"radius": 1e-200}])
def test_sizes_beyond_the_range_of_their_cube_are_no_trouble(numbers):
    assert isinstance(slips(model(**numbers)), list)
