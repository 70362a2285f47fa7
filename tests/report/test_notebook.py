"""A result in a notebook: main facts, and a frame with the animation that asks nothing from a network."""

import html
import re

import carom as cm


def test_a_result_is_its_facts_and_an_offline_animation():
    result = cm.gallery.falling_ball().run()
    text = result._repr_html_()
    assert "The run reached its end." in text
    frame = re.search(r'<iframe sandbox="allow-scripts"[^>]* srcdoc="([^"]*)"', text)
    page = html.unescape(frame[1])
    assert page.startswith("<!doctype html>")
    assert 'id="stage"' in page
    assert "default-src 'none'" in page
    assert re.findall(r'(?:src|href)="(?!data:)([^"]*)"', page) == []


def test_results_without_bodies_and_of_one_node_are_shown():
    swing = cm.gallery.slider_crank_clearance().run(t_end=0.001)
    assert "<iframe" in swing._repr_html_()
    assert "<iframe" in cm.gallery.pendulum().run(t_end=0.1).sample([0.05])._repr_html_()
