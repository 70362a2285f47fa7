"""A result in a notebook: the frame with its animation starts, without a network."""

import pytest

pytestmark = pytest.mark.slow


def test_the_animation_of_a_result_starts_in_its_frame(page, crank, tmp_path):
    from playwright.sync_api import expect

    path = tmp_path / "cell.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{crank._repr_html_()}', encoding="utf-8")
    page.goto(path.as_uri())
    frame = page.locator("iframe").element_handle().content_frame()
    # The page forbids eval, and a condition in JavaScript would be one: locators ask for its state.
    expect(frame.locator("html")).to_have_attribute("data-ready", "yes", timeout=30_000)
    assert frame.locator("#no-stage").is_hidden()
    frame.locator("#play").click()
    expect(frame.locator("#scrub")).not_to_have_value("0", timeout=30_000)
    assert [url for url in page.asked if not url.startswith(("file:", "about:", "data:"))] == []
