"""A result with known values, and runs that the tests share."""

import numpy as np
import pytest

import carom as cm
from known_results import thrown


@pytest.fixture
def make_thrown():
    return thrown


@pytest.fixture
def throw():
    """Return the throw at nine times."""
    return thrown(np.linspace(0.0, 1.0, 9))


@pytest.fixture(scope="module")
def slider_crank():
    """Return (system, result) of a slider-crank, 0.153 m and 0.306 m long, over more than one revolution."""
    system = cm.System(gravity=(0.0, -9.81), name="slider-crank")
    crank = system.add(cm.Body("crank", 0.038, 7.4e-5, position=(0.0765, 0.0), angular_velocity=150.0))
    rod = system.add(cm.Body("rod", 0.076, 5.9e-5, position=(0.306, 0.0)))
    slider = system.add(cm.Body("slider", 0.038, 1.8e-6, position=(0.459, 0.0)))
    system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Revolute(crank, rod, at=(0.153, 0.0)))
    system.add(cm.Revolute(rod, slider, at=(0.459, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    system.assemble(keep=[(crank, "angular_velocity")])
    return system, cm.simulate(system, t_end=0.07)


@pytest.fixture(scope="module")
def spheres():
    """Return runs of two equal spheres that collide at 0.3 m/s, elastic and damped, by name."""
    laws = {
        "Hertz": cm.laws.Hertz(stiffness=5.5e9),
        "Hunt–Crossley": cm.laws.HuntCrossley(stiffness=5.5e9, restitution=0.8),
    }
    runs = {}
    for name, law in laws.items():
        system = cm.System(name="two spheres")
        left = system.add(cm.Body("left", 0.092, 1.5e-5, position=(-0.021, 0.0), velocity=(0.15, 0.0)))
        right = system.add(cm.Body("right", 0.092, 1.5e-5, position=(0.021, 0.0), velocity=(-0.15, 0.0)))
        system.add(cm.Contact(cm.Sphere(left, 0.02), cm.Sphere(right, 0.02), law=law, name="touch"))
        runs[name] = cm.simulate(system, t_end=0.0075)
    return runs


@pytest.fixture(scope="module")
def bouncing():
    """Return (system, result) of a sphere that falls on a plane and bounces three times."""
    system = cm.System(gravity=(0.0, -9.81), name="bouncing ball")
    ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.3), velocity=(0.2, 0.0)))
    law = cm.laws.HuntCrossley(stiffness=1e8, restitution=0.8)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    return system, cm.simulate(system, t_end=1.0)
