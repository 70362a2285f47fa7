"""A browser without a window: Debian's Chromium, or the one that playwright brings. None: the tests are skipped."""

import shutil

import pytest

import carom as cm

ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser test has run")
    with api.sync_playwright() as playwright:
        own = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        try:
            found = playwright.chromium.launch(executable_path=own, args=ARGUMENTS)
        except api.Error as error:
            pytest.skip(f"no browser can be started, no browser test has run (apt-get install chromium): {error}")
        yield found
        found.close()


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
