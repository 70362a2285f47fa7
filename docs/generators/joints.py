"""Pages of joints: a mechanism in motion, and the rows of Φ_q."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

import carom as cm
from carom.joints.registry import JOINTS
from carom.plot.mechanism import PlanarDrawing
from carom.plot.rendered_drawing import RenderedDrawing
from carom.solve.model_evaluator import ModelEvaluator
from generators.page_figures import BLUE, FAINT, INK, keep, picture, sheet
from generators.page_text import EXAMPLES, Entry, block, example, markdown, own_docstring, page, signature, summary

TITLE = "Joints and drivers"
INTRO = (
    "Ideal joints: equations Φ(q, t) = 0 between bodies. Each row removes a degree of freedom; its multiplier gives "
    "the reaction."
)
NAMES = {2: ("x", "y", "θ"), 3: ("x", "y", "z", "φ₁", "φ₂", "φ₃")}


def names() -> list[str]:
    return list(JOINTS)


def make(name: str, folder: Path) -> Entry:
    kind = JOINTS[name]
    facts = ["| | equations | free coordinates |", "|---|---|---|"]
    found = {}
    for place, where in (("joints", "in the plane"), ("spatial_joints", "in space")):
        if (EXAMPLES / place / f"{name}.py").exists():
            code, scope = example(f"{place}/{name}")
            found[place] = code, scope
            joint = scope["joint"]
            facts.append(f"| {where} | {joint.rows} | {', '.join(joint.coordinates) or '—'} |")
    code, scope = next(iter(found.values()))
    system, run = scope["system"], scope["result"]
    end = float(run.t[-1])
    with sheet(8.0, 3.6) as figure:
        drawing: Any = PlanarDrawing(system, run) if system.dim == 2 else RenderedDrawing(system, run)
        left = figure.add_subplot(1, 2, 1, projection=drawing.projection)
        drawing.draw(left, 0.0, [0.5 * end, end])
        draw_rows(figure.add_subplot(1, 2, 2), system, scope["joint"])
    keep(figure, folder / name)
    text = page(
        name,
        signature(f"cm.{name}", kind),
        markdown(own_docstring(kind)),
        "\n".join(facts),
        picture(name, f"A mechanism with {name}, and its rows"),
        "*Left: the mechanism below at its start, and later in grey. Right: the rows of Φ_q at the start.*",
        *(block(code) for code, _ in found.values()),
    )
    return Entry(name, name, summary(own_docstring(kind)), text)


def draw_rows(axes: Axes, system: cm.System, joint: Any) -> None:
    """The joint's rows of Φ_q as numbers."""
    mechanism = ModelEvaluator(system)
    whole = mechanism.jacobian(0.0, mechanism.tables.y0).toarray()
    first = 0
    for known in mechanism.tables.joints:
        if known is joint:
            break
        first += known.rows
    rows = whole[first : first + joint.rows]
    labels = [
        f"{body.name}\n{name}" if k == 0 else name for body in system.bodies for k, name in enumerate(NAMES[system.dim])
    ]
    top = max(np.abs(rows).max(), 1e-9)
    for (row, column), value in np.ndenumerate(rows):
        text = "0" if abs(value) < 1e-12 else f"{value:.3g}"
        axes.add_patch(
            Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, color=BLUE, alpha=0.08 + 0.4 * abs(value) / top)
        )
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=FAINT if text == "0" else INK)
    axes.set_xlim(-0.6, rows.shape[1] - 0.4)
    axes.set_ylim(rows.shape[0] - 0.4, -0.6)
    axes.set_aspect("equal")
    axes.set_xticks(range(len(labels)), labels)
    axes.set_yticks(range(len(rows)), [f"row {k + 1}" for k in range(len(rows))])
    axes.tick_params(length=0, labelcolor=INK)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title("Φ_q", color=BLUE)
