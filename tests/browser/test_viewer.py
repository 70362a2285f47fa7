"""The viewer with a browser that looks at it."""

import pytest

from carom.view import show

pytestmark = pytest.mark.slow

pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


def test_a_client_sees_the_run_play(page, crank):
    viewer = show(crank, port=0, open_browser=False)
    try:
        page.set_viewport_size({"width": 640, "height": 420})  # drawn without a graphics card
        page.goto(viewer.address)
        page.wait_for_selector("text=contact forces", timeout=30_000)
        start = viewer.time
        for _ in range(40):
            page.wait_for_timeout(100)
            if viewer.time != start:
                break
        assert viewer.time != start
        assert len(viewer.server.get_clients()) == 1
        page.click("button:has-text('pause')")
        page.wait_for_selector("button:has-text('play')", timeout=30_000)
        assert viewer.playing is False
        own = viewer.address.rstrip("/")
        assert all(url.startswith((own, own.replace("http", "ws"), "data:", "blob:")) for url in page.asked)
    finally:
        viewer.stop()
