"""The live view of a simulation with a browser that looks at it."""

import time

import pytest

import carom as cm
from view.test_live_viewer import cart

pytestmark = pytest.mark.slow

pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


LONGEST_WAIT = 90.0
"""Time for the browser to answer on a busy machine [s]."""


def wait_until(page, condition):
    """Wait until ``condition()`` is true."""
    end = time.monotonic() + LONGEST_WAIT
    while not condition():
        assert time.monotonic() < end, "the page did not answer"
        page.wait_for_timeout(100)


def resting_time(page, sim):
    """Return the time of a paused simulation after its last step has ended."""
    while True:
        before = sim.time
        page.wait_for_timeout(1000)
        if sim.time == before:
            return before


def test_buttons_drive_the_simulation(page):
    sim = cm.Simulation(cart())
    viewer = cm.view.live(sim, port=0, open_browser=False)
    try:
        page.set_viewport_size({"width": 640, "height": 420})  # drawn without a graphics card
        page.goto(viewer.address)
        page.wait_for_selector("button:has-text('pause')", timeout=30_000)
        wait_until(page, lambda: sim.time > 0.0)
        page.locator("button:visible", has_text="pause").first.click()
        page.wait_for_selector("button:has-text('play')", timeout=30_000)
        assert viewer.playing is False
        before = resting_time(page, sim)
        page.locator("button:visible", has_text="step").first.click()
        wait_until(page, lambda: sim.time > before + 0.03)
        assert sim.time == pytest.approx(before + 1.0 / 30.0)
        box = page.locator("input[type=text]:visible:not([disabled])").last  # the number beside the slider
        box.fill("5")
        box.press("Enter")
        wait_until(page, lambda: sim["push"] == 5.0)
        page.locator("button:visible", has_text="reset").first.click()
        wait_until(page, lambda: sim.time == 0.0)
        assert sim.time == sim["push"] == 0.0
    finally:
        viewer.stop()
