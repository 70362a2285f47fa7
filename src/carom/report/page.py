"""The page of a report."""

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
from carom.report import words
from carom.report.pack import json_in_page, scene_data
from carom.report.panels import panel_data
from carom.result.result import Result
from carom.view.describe import describe
from carom.view.scene import Scene
from carom.view.speeds import speed_choices

SCRIPTS = ("vectors.js", "camera.js", "stage.js", "plots.js", "report.js")
FLAT = "Drag to move the picture, wheel to zoom, double-click to fit."
SPATIAL = "Drag to turn the picture, shift-drag to move it, wheel to zoom, double-click to fit."
PLOTS = " In the plots: click to go to a time, drag to zoom in, double-click for the whole run."
ARROWS = " Arrows are contact forces on the first body, their length goes with the square root of the force."


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    system: Any = None,
    panels: Sequence[Any] = (),
    trace: Sequence[Any] = (),
    title: str | None = None,
    lead: str = "",
    check: tuple[bool, str] | None = None,
    warnings: Sequence[str] = (),
    frames: int | None = None,
) -> Path:
    """Write ``result`` as one HTML file to ``path``, whole or not at all.

    The file opens without a network: an animation in three dimensions, plots that share its time, the impacts, the
    energy ledger, the model and its settings. ``system`` adds the text of the model file; ``panels`` says which series
    are plotted (as `plot_result` takes them), ``trace`` whose paths are drawn. ``title`` and ``lead`` stand at the top,
    ``check`` is (passed, in words), ``warnings`` are listed. ``frames`` is how many the animation has at most.
    """
    page = report_page(
        result, system=system, panels=panels, trace=trace, title=title, lead=lead, check=check, warnings=warnings,
        frames=frames,
    )  # fmt: skip
    with atomic_write(path, ".html") as part:
        part.write_text(page, encoding="utf-8")
    return Path(path)


def report_page(
    result: Result,
    *,
    system: Any = None,
    panels: Sequence[Any] = (),
    trace: Sequence[Any] = (),
    title: str | None = None,
    lead: str = "",
    check: tuple[bool, str] | None = None,
    warnings: Sequence[str] = (),
    frames: int | None = None,
    curves: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """The text of the page that `write_report` writes; ``curves`` are panels of several runs, in place of its own."""
    scene = describe(result, None if result.sketch is not None else system, frames=frames, trace=trace)
    first, last = float(result.t[0]), float(result.t[-1])
    data = {
        "span": [first, last if last > first else first + 1.0],
        "digits": max(0, 4 - math.floor(math.log10(last - first))) if last > first else 3,
        "scene": scene_data(scene),
        "panels": panel_data(result, panels) if curves is None else curves,
    }
    return filled("template.html", {
        "title": escape(title or result.name),
        "style": own("report.css"),
        "head": words.head(result, lead, check) + words.notes(warnings),
        "shape": shape(scene),
        "speeds": speeds(last - first),
        "hint": (FLAT if result.dim == 2 else SPATIAL) + (ARROWS if scene.touches is not None else "") + PLOTS,
        "body": body(result, system),
        "foot": escape(words.versions()),
        "data": json_in_page(data),
        "script": "\n".join(own(name) for name in SCRIPTS),
    })  # fmt: skip


def body(result: Result, system: Any) -> str:
    """What stands below the animation."""
    pair = words.section("Settings", words.settings(result)) + words.section("Work", words.work(result))
    text = model_text(system)
    model = f"<details><summary>as a file</summary><pre>{escape(text)}</pre></details>\n" if text else ""
    return "".join((
        words.section("Impacts", words.impacts(result)),
        words.section("Energy ledger", words.ledger(result)),
        words.section("Bodies", words.bodies(result)),
        words.section("Joints, forces and contacts", words.elements(result)),
        words.section("Model", model),
        f'<div class="pair">{pair}</div>\n',
    ))  # fmt: skip


def model_text(system: Any) -> str:
    """The model as a file has it, where it can be written."""
    write = getattr(system, "to_yaml", None)
    return str(write()) if callable(write) else ""


def shape(scene: Scene) -> str:
    """Width over height of the animation: that of a planar system, within reason."""
    width, height = (scene.high - scene.low)[:2]
    return f"{min(max(width / height, 1.1), 2.6):.3f}" if scene.dim == 2 and height > 0.0 else "1.25"


def speeds(duration: float) -> str:
    """Choices of speed, the usual one chosen."""
    choices, usual = speed_choices(duration)
    return "".join(
        f'<option value="{factor!r}"{" selected" if factor == usual else ""}>{escape(words)}</option>'
        for words, factor in choices.items()
    )


def own(name: str) -> str:
    """A file of this package."""
    return files("carom.report").joinpath(name).read_text(encoding="utf-8")


def filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with its {{places}} filled, each once and none within another."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], own(template))
