"""Representation of a result in a notebook: main facts, and animation and plots in a frame that needs no network."""

from __future__ import annotations

from html import escape

from carom.report import html_sections
from carom.report.curve_panels import panel_data
from carom.report.html_page import fill_page
from carom.result.result import Result
from carom.scene.html_table import table
from carom.scene.scene_builder import describe

FRAMES = 240
"""Largest number of frames of the animation, so that a notebook stays small."""
HEIGHT = 520
"""Height of the frame [pixels]."""
STYLE = """
header, footer, .hint { display: none; }
main { padding: 0 2px; }
#stage { max-height: 360px; }
"""
"""Additional style of the page in the frame."""


def result_html(result: Result) -> str:
    """Return main facts, the interactive animation and plots of a result as HTML."""
    scene = describe(result, frames=max(min(FRAMES, len(result.t)), 2))
    page = fill_page(result, scene, panel_data(result, ()), title=result.name, style=STYLE)
    return (
        f"<b>{escape(result.name)}</b>{table(('', ''), html_sections.main_facts(result).items())}"
        f'<iframe sandbox="allow-scripts" title="{escape(result.name)}" srcdoc="{escape(page)}" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
    )
