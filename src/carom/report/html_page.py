"""HTML page of a report."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from carom.io.atomic_write import atomic_write
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.report import html_sections
from carom.report.curve_panels import panel_data
from carom.report.encoding import json_in_page, scene_data
from carom.result.result import Result
from carom.scene.playback_speed import speed_choices
from carom.scene.scene import Scene
from carom.scene.scene_builder import describe

SCRIPTS = ("vectors.js", "camera.js", "stage.js", "plots.js", "report.js")
PLANAR_HELP = "Drag to move the picture, use the wheel to zoom, double-click to fit."
SPATIAL_HELP = "Drag to rotate the picture, shift-drag to move it, use the wheel to zoom, double-click to fit."
PLOT_HELP = " In the plots: click to select a time, drag to zoom in, double-click to show the whole run."
ARROW_HELP = (
    " Arrows are contact forces on the first body; their length is proportional to the square root of the force."
)


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    system: System | GeneralizedSystem | None = None,
    panels: Sequence[Any] = (),
    trace: Sequence[Any] = (),
    title: str | None = None,
    lead: str = "",
    check: tuple[bool, str] | None = None,
    warnings: Sequence[str] = (),
    frames: int | None = None,
    sections: Mapping[str, str] | None = None,
) -> Path:
    """Write ``result`` atomically as one HTML file to ``path``.

    The file opens without a network. It contains an animation in 3D, plots with the same time axis, the impacts, the
    energy balance, the model and its settings. ``system`` adds the text of the model file; ``panels`` lists the series
    to plot (as in `plot_result`), ``trace`` the bodies or markers whose paths are drawn. ``title`` and the introduction
    ``lead`` are at the top, ``check`` is (passed, text), ``warnings`` are listed. ``frames`` is the largest number of
    frames of the animation. ``sections`` are further ones below the animation: HTML texts by title.

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> result = cm.gallery.falling_ball().run()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = cm.report.write_report(result, f"{folder}/run.html")
    ...
    >>> path.name
    'run.html'
    """
    page = report_page(
        result, system=system, panels=panels, trace=trace, title=title, lead=lead, check=check, warnings=warnings,
        frames=frames, sections=sections,
    )  # fmt: skip
    with atomic_write(path, ".html") as part:
        part.write_text(page, encoding="utf-8")
    return Path(path)


def report_page(
    result: Result,
    *,
    system: System | GeneralizedSystem | None = None,
    panels: Sequence[Any] = (),
    trace: Sequence[Any] = (),
    title: str | None = None,
    lead: str = "",
    check: tuple[bool, str] | None = None,
    warnings: Sequence[str] = (),
    frames: int | None = None,
    curves: Sequence[Mapping[str, Any]] | None = None,
    sections: Mapping[str, str] | None = None,
) -> str:
    """Return the page that `write_report` writes; ``curves`` replaces its panels, e.g. by those of several runs.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> page = cm.report.report_page(result, title="A falling ball")
    >>> "A falling ball" in page
    True
    """
    scene = describe(result, None if result.sketch is not None else system, frames=frames, trace=trace)
    return fill_page(
        result, scene, panel_data(result, panels) if curves is None else curves, title=title or result.name,
        head=html_sections.page_head(result, lead, check) + html_sections.notes(warnings),
        body=further_sections(sections) + page_body(result, system), foot=html_sections.versions(),
    )  # fmt: skip


def fill_page(
    result: Result, scene: Scene, curves: Sequence[Mapping[str, Any]], *, title: str, head: str = "", body: str = "",
    foot: str = "", style: str = "",
) -> str:  # fmt: skip
    """Return a page with the animation of ``scene`` and ``curves`` between the HTML texts ``head`` and ``body``."""
    first, last = float(result.t[0]), float(result.t[-1])
    data = {
        "span": [first, last if last > first else first + 1.0],
        "digits": max(0, 4 - math.floor(math.log10(last - first))) if last > first else 3,
        "scene": scene_data(scene),
        "panels": curves,
    }
    return fill_template("template.html", {
        "title": escape(title),
        "style": package_file("report.css") + style,
        "head": head,
        "shape": aspect_ratio(scene),
        "speeds": speed_options(last - first),
        "hint": (PLANAR_HELP if result.dim == 2 else SPATIAL_HELP)
        + (ARROW_HELP if scene.contacts is not None else "")
        + PLOT_HELP,
        "body": body,
        "foot": escape(foot),
        "data": json_in_page(data),
        "script": "\n".join(package_file(name) for name in SCRIPTS),
    })  # fmt: skip


def further_sections(sections: Mapping[str, str] | None) -> str:
    """Return further sections from their HTML texts by title."""
    return "".join(html_sections.section(title, content) for title, content in (sections or {}).items())


def page_body(result: Result, system: Any) -> str:
    """Return the sections below the animation."""
    section = html_sections.section
    pair = section("Settings", html_sections.settings(result)) + section("Statistics", html_sections.statistics(result))
    text = model_text(system)
    model = f"<details><summary>model file</summary><pre>{escape(text)}</pre></details>\n" if text else ""
    return "".join((
        section("Impacts", html_sections.impacts(result)),
        section("Energy balance", html_sections.energy_balance(result)),
        section("Bodies", html_sections.bodies(result)),
        section("Joints, forces and contacts", html_sections.elements(result)),
        section("Model", model),
        f'<div class="pair">{pair}</div>\n',
    ))  # fmt: skip


def model_text(system: Any) -> str:
    """Return the text of the model file; empty if the system cannot be written."""
    write = getattr(system, "to_yaml", None)
    return str(write()) if callable(write) else ""


def aspect_ratio(scene: Scene) -> str:
    """Return the ratio of width to height of the animation: limited in 2D, constant in 3D."""
    width, height = (scene.high - scene.low)[:2]
    return f"{min(max(width / height, 1.1), 2.6):.3f}" if scene.dim == 2 and height > 0.0 else "1.25"


def speed_options(duration: float) -> str:
    """Return the HTML options of the playback speed, with the default selected."""
    choices, default = speed_choices(duration)
    return "".join(
        f'<option value="{factor!r}"{" selected" if factor == default else ""}>{escape(label)}</option>'
        for label, factor in choices.items()
    )


def package_file(name: str) -> str:
    """Return the text of a file of this package."""
    return files("carom.report").joinpath(name).read_text(encoding="utf-8")


def fill_template(template: str, parts: Mapping[str, str]) -> str:
    """Return a template with its {{fields}} replaced by ``parts``; replaced text is not searched again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], package_file(template))
