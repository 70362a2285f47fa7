"""A result in a notebook: the frame with its animation starts, without a network."""

import pytest

pytestmark = pytest.mark.slow


def test_the_animation_of_a_result_starts_in_its_frame(page, crank, tmp_path):
    path = tmp_path / "cell.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body>{crank._repr_html_()}', encoding="utf-8")
    page.goto(path.as_uri())
    frame = page.locator("iframe").element_handle().content_frame()
    frame.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    assert frame.locator("#no-stage").is_hidden()
    frame.locator("#play").click()
    frame.wait_for_function("Number(document.getElementById('scrub').value) > 0")
    assert [url for url in page.asked if not url.startswith(("file:", "about:", "data:"))] == []
