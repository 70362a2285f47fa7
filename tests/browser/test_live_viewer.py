"""The live view of a simulation with a browser that looks at it."""

import pytest

import carom as cm
from view.test_live_viewer import cart

pytestmark = pytest.mark.slow

pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


def test_buttons_drive_the_simulation(page):
    sim = cm.Simulation(cart())
    viewer = cm.view.live(sim, port=0, open_browser=False)
    try:
        page.set_viewport_size({"width": 640, "height": 420})  # drawn without a graphics card
        page.goto(viewer.address)
        page.wait_for_selector("button:has-text('pause')", timeout=30_000)
        for _ in range(100):
            page.wait_for_timeout(100)
            if sim.time > 0.0:
                break
        assert sim.time > 0.0
        page.locator("button:visible", has_text="pause").first.click()
        page.wait_for_selector("button:has-text('play')", timeout=30_000)
        assert viewer.playing is False
        page.wait_for_timeout(500)
        before = sim.time
        page.locator("button:visible", has_text="step").first.click()
        for _ in range(100):
            page.wait_for_timeout(100)
            if sim.time > before + 0.03:
                break
        assert sim.time == pytest.approx(before + 1.0 / 30.0)
        box = page.locator("input[type=text]:visible:not([disabled])").last  # the number beside the slider
        box.fill("5")
        box.press("Enter")
        for _ in range(100):
            page.wait_for_timeout(100)
            if sim["push"] == 5.0:
                break
        assert sim["push"] == 5.0
        page.locator("button:visible", has_text="reset").first.click()
        for _ in range(100):
            page.wait_for_timeout(100)
            if sim.time == 0.0:
                break
        assert sim.time == sim["push"] == 0.0
    finally:
        viewer.stop()
