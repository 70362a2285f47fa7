"""A report in a browser: it draws, plays, scrubs, and asks nobody for anything."""

import io

import numpy as np
import pytest
from matplotlib.image import imread

pytestmark = pytest.mark.slow

READY = "html[data-ready=yes]"


def picture(page, place="#stage"):
    """Return the pixels there, (height, width, 3) from 0 to 1."""
    page.wait_for_timeout(150)
    return imread(io.BytesIO(page.locator(place).screenshot()))[:, :, :3]


def opened(page, result, path, **options):
    result.report(path, **options)
    page.goto(path.as_uri())
    page.wait_for_selector(READY, timeout=20_000)
    return page


def scrub(page, share):
    page.evaluate(
        "v => { const s = document.getElementById('scrub'); s.value = v; s.dispatchEvent(new Event('input')); }",
        1000.0 * share,
    )


def shown_time(page):
    return float(page.locator("#time").inner_text().split()[0])


def test_it_opens_without_a_network(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html")
    assert page.asked == [(tmp_path / "run.html").as_uri()]
    assert page.title() == "slider-crank and block"
    assert page.locator("#no-stage").is_hidden()


def test_scrubbing_moves_the_animation_and_the_plots(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html", panels=("block.x",))
    first, plots = picture(page), picture(page, ".panel canvas >> nth=0")
    scrub(page, 0.5)
    assert shown_time(page) == pytest.approx(0.04, abs=1e-6)
    assert np.abs(picture(page) - first).max() > 0.2
    assert np.abs(picture(page, ".panel canvas >> nth=0") - plots).max() > 0.2
    value = page.locator(".panel .legend output").first.inner_text()
    assert float(value.replace("−", "-")) == pytest.approx(crank.sample([0.04])["block"].x[0], rel=1e-3)


def test_play_runs_on_and_pause_stops(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html")
    page.click("#play")
    page.wait_for_timeout(600)
    page.click("#play")
    paused = shown_time(page)
    assert 0.0 < paused < 0.08
    page.wait_for_timeout(200)
    assert shown_time(page) == paused


def test_a_click_on_an_impact_goes_there_and_shows_its_force(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html")
    page.locator("tr[data-time]").first.click()
    assert shown_time(page) == pytest.approx(crank.impacts[0].t_start, abs=1e-5)
    page.keyboard.press("ArrowRight")
    red = picture(page)
    assert np.count_nonzero((red[..., 0] > 0.7) & (red[..., 1] < 0.35)) > 100
    page.uncheck("#forces")
    page.uncheck("#points")
    plain = picture(page)
    assert np.count_nonzero((plain[..., 0] > 0.7) & (plain[..., 1] < 0.25) & (plain[..., 2] < 0.25)) == 0


def test_the_wheel_zooms_and_fit_goes_back(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html")
    whole = picture(page)
    page.locator("#stage").hover()
    page.mouse.wheel(0, -600)
    assert np.abs(picture(page) - whole).max() > 0.2
    page.click("#fit")
    assert np.abs(picture(page) - whole).max() < 0.05


def test_dragging_in_a_plot_zooms_all_of_them_and_a_double_click_goes_back(page, crank, tmp_path):
    opened(page, crank, tmp_path / "run.html", panels=("block.x",))
    canvas = page.locator(".panel canvas").first
    box, other = canvas.bounding_box(), ".panel canvas >> nth=1"
    whole = picture(page, other)
    page.mouse.move(box["x"] + 150, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 250, box["y"] + 60, steps=4)
    page.mouse.up()
    page.mouse.move(5, 5)
    assert np.abs(picture(page, other) - whole).max() > 0.2
    canvas.dblclick()
    page.mouse.move(5, 5)
    scrub(page, 0.0)
    assert np.abs(picture(page, other) - whole).max() < 0.05


def test_day_and_night(browser, crank, tmp_path):
    crank.report(tmp_path / "run.html")
    shades = {}
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto((tmp_path / "run.html").as_uri())
        page.wait_for_selector(READY)
        shades[scheme] = picture(page).mean()
        if scheme == "light":
            page.click("#theme")
            assert picture(page).mean() < 0.4
        page.close()
    assert shades["light"] > 0.8
    assert shades["dark"] < 0.3


def test_balls_in_space_are_drawn_and_the_camera_turns(page, balls, tmp_path):
    opened(page, balls, tmp_path / "run.html")
    first = picture(page)
    coloured = np.ptp(first, axis=2) > 0.3
    assert np.count_nonzero(coloured) > 1000
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 230, steps=3)
    page.mouse.up()
    assert np.abs(picture(page) - first).max() > 0.2
