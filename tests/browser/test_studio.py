"""Studio in a browser: sliders, runs, comparison, cancellation and model files."""

from __future__ import annotations

import pytest

import carom as cm
from carom.studio.server import Studio

pytestmark = pytest.mark.slow

ENDED = "#runs li:first-child:is([data-state=done], [data-state=failed], [data-state=cancelled])"


@pytest.fixture(scope="module")
def studio():
    serving = Studio(0).start()
    yield serving
    serving.stop()


@pytest.fixture
def opened(page, studio):
    page.goto(studio.address)
    page.locator("html[data-ready=yes]").wait_for(state="attached")
    return page


def started(page, number):
    """Press run and wait until the newest run has ended."""
    page.click("#run")
    page.locator("#runs li").nth(number - 1).wait_for()
    page.locator(ENDED).wait_for(timeout=120_000)
    return page.get_attribute("#runs li", "data-state")


def shown(page):
    """Return the page of the selected run when it is ready."""
    frame = page.frame_locator("#result")
    frame.locator("html[data-ready=yes]").wait_for(timeout=60_000)
    return frame


def test_two_laws_are_run_and_compared(opened):
    page = opened
    assert started(page, 1) == "done"
    frame = shown(page)
    assert frame.locator("h1").inner_text() == "Slider-crank that meets a free block twice"
    page.select_option("select[aria-label=law]", "flores")
    slider, box = "input[type=range][aria-label=restitution]", "input[aria-label='restitution, as a number']"
    page.fill(box, "0,5")  # A decimal comma is accepted.
    assert page.input_value(slider) == "0.5"
    page.focus(slider)
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    assert page.input_value(box) == "0.7"
    page.locator(slider).fill("0.505")
    assert page.input_value(box) == "0.505"
    page.fill(box, "0,505")
    assert started(page, 2) == "done"
    page.check("input[aria-label='select run 1']")
    page.check("input[aria-label='select run 2']")
    page.click("#compare")
    page.frame_locator("#result").locator("h1", has_text="Comparison").wait_for()
    legends = shown(page).locator(".legend").all_inner_texts()
    assert any("1:" in text for text in legends)
    assert any("2:" in text for text in legends)
    frame = shown(page)
    frame.locator("#play").click()
    before = frame.locator("#time").inner_text()
    for _ in range(100):  # A busy machine draws few frames.
        page.wait_for_timeout(100)
        if frame.locator("#time").inner_text() != before:
            break
    assert frame.locator("#time").inner_text() != before


def test_cancelled_run_keeps_its_result_so_far(opened):
    page = opened
    page.select_option("#source", "double_pendulum")
    page.locator("#about", has_text="pendulum").wait_for()
    page.click("summary")
    page.fill("input[aria-label='t_end, as a number']", "100000")
    page.click("#run")
    page.wait_for_selector("#runs li[data-state=running]", timeout=60_000)
    page.locator("#runs li progress[value]").wait_for(timeout=60_000)
    page.click("#run")
    page.wait_for_selector("#runs li[data-state=waiting]")
    page.reload()  # The runs are still listed and can be cancelled.
    page.wait_for_selector("#runs li:first-child[data-state=waiting]")
    page.locator("#runs li").nth(0).get_by_role("button", name="cancel").click()
    page.wait_for_selector("#runs li:first-child[data-state=cancelled]")
    page.wait_for_selector("#runs li:nth-child(2)[data-state=running]")
    page.locator("#runs li").nth(1).get_by_role("button", name="cancel").click()
    page.wait_for_selector("#runs li:nth-child(2)[data-state=cancelled]", timeout=60_000)
    page.frame_locator("#result").locator("h1", has_text="Double pendulum").wait_for()
    assert "stopped" in shown(page).locator("main").inner_text()


def test_model_file_is_opened_run_and_downloaded(opened, tmp_path):
    page = opened
    file = tmp_path / "мой pendulum.yaml"
    cm.gallery.pendulum().system.to_yaml(file, run={"t_end": 0.5})
    page.set_input_files("#file", str(file))
    page.locator("#source option[value='мой pendulum.yaml']").wait_for(state="attached")
    page.locator("#about", has_text="pendulum").wait_for()
    count = page.locator("#runs li").count()
    assert started(page, count + 1) == "done"
    with page.expect_download() as taken:
        page.locator("#runs li").first.get_by_role("link", name="model").click()
    assert taken.value.suggested_filename.startswith("мой pendulum_")
    taken.value.save_as(tmp_path / "home.yaml")
    assert cm.System.from_yaml(tmp_path / "home.yaml").bodies[0].name == cm.gallery.pendulum().system.bodies[0].name


def test_page_shows_the_errors_of_a_model_file(opened, tmp_path):
    page = opened
    file = tmp_path / "bad.yaml"
    file.write_text("carom: 1\nbodies:\n  bob:\n    mass: -1\n", encoding="utf-8")
    page.set_input_files("#file", str(file))
    page.wait_for_selector("#error:not([hidden])")
    assert page.inner_text("#error").startswith("bad.yaml:4: bodies.bob.mass")
    page.errors.clear()  # The browser also logs the rejected request.
