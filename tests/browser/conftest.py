"""Pages of a browser without a window, and runs to look at."""

import pytest

import carom as cm


@pytest.fixture
def page(browser):
    """A page that fails the test when anything was written to its console as an error, or asked from a network."""
    page = browser.new_page(viewport={"width": 940, "height": 640})
    page.errors, page.asked = [], []
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    yield page
    assert page.errors == []
    page.close()


@pytest.fixture(scope="session")
def crank():
    return cm.gallery.slider_crank_block().run()


@pytest.fixture(scope="session")
def balls():
    """A few balls in space that fall on a floor."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="balls")
    shapes = []
    for k in range(5):
        body = system.add(cm.Body(f"ball {k}", 0.1, (1e-4,) * 3, position=(0.25 * k, 0.0, 0.12 + 0.05 * k)))
        shapes.append(cm.Sphere(body, 0.1))
    law = cm.laws.Flores(stiffness=1e6, restitution=0.5)
    system.add_contacts(shapes, [cm.Plane(system.ground)], law=law, self_contact=False)
    return cm.simulate(system, t_end=0.3)
