"""Runs that the tests share."""

import pytest

import carom as cm


@pytest.fixture(scope="session")
def crank():
    """Return the run of a slider-crank that hits a block twice in 0.08 s."""
    return cm.gallery.slider_crank_block().run()


@pytest.fixture(scope="session")
def pile():
    """Return the run of three spheres that fall on a floor in 3D."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="pile")
    floor = cm.Plane(system.ground)
    law = cm.laws.Flores(stiffness=1e6, restitution=0.5)
    for k in range(3):
        ball = system.add(cm.Body(f"ball {k}", 0.1, (1e-4,) * 3, position=(0.3 * k, 0.0, 0.11 + 0.1 * k)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law=law, name=f"touch {k}"))
    return cm.simulate(system, t_end=0.3)
