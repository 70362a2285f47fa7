"""Pages of normal laws: hysteresis loop of an impact, and returned restitution."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from carom.errors import CaromWarning
from carom.laws import LAWS
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.free_impact import free_impact
from carom.plot.restitution import draw_restitution
from generators.page_figures import BLUE, FAINT, RED, keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Normal laws"
INTRO = (
    "Normal force as a function of the indentation δ and its rate δ̇; by name: `cm.laws.law(name, …)`. `cm.laws.advise` "
    "estimates the impact with each law. The force is never negative unless the law states it."
)
MASS, SPEED = 0.046, 0.3
"""Two steel balls of 20 mm that meet at ±0.15 m/s."""

VALUES: dict[str, Any] = {
    "stiffness": 5.5e9, "restitution": 0.85, "damping": 300.0, "depth": 1e-4, "modulus": 1.1e11, "length": 0.02,
    "clearance": 5e-5,
}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {
    "elastic_foundation": {"modulus": 1e7, "thickness": 0.01, "damping": 0.3},
    "linear": {"stiffness": 1e7},
    "cylinder_line": {"stiffness": 2e7},
    "kelvin_voigt": {"stiffness": 1e7, "damping": 300.0},
    "penalty_step": {"stiffness": 1e8, "damping": 500.0, "depth": 1e-4},
}


def names() -> list[str]:
    return list(LAWS)


def values_of(name: str) -> dict[str, Any]:
    """Arguments for an example of a law."""
    return OWN.get(name) or {key: VALUES[key] for key in LAWS[name].arguments if key in VALUES}


def make(name: str, folder: Path) -> Entry:
    kind = LAWS[name]
    values = values_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        law = kind(**values)
        impact = law.impact(MASS, SPEED)
        with sheet(8.0, 3.5) as figure:
            left, right = figure.subplots(1, 2)
            draw_loops(left, law)
            if {"stiffness", "restitution"} <= set(kind.arguments) and name not in OWN:
                draw_restitution(right, {name.replace("_", " "): kind})
            else:
                draw_speeds(right, law)
        keep(figure, folder / name)
    given = ", ".join(f"{key}={value!r}" for key, value in values.items())
    valid = (
        "No restitution is prescribed." if law.validity is None
        else "Returns what is prescribed, to 0.1, for restitutions from "
        f"{law.validity[0]:.2f} to {law.validity[1]:.2f}."
    )  # fmt: skip
    example = (
        f"import carom as cm\n\nlaw = cm.laws.{kind.__name__}({given})\n"
        f"law.force(1e-5, 0.1, approach_speed=0.3)                       # {law.force(1e-5, 0.1, SPEED):.4g} N\n"
        f"law.impact(mass={MASS}, approach_speed={SPEED}).peak_force         # {impact.peak_force:.4g} N\n"
        f"law.returned_restitution(approach_speed={SPEED}, mass={MASS})      # {impact.restitution:.4g}"
    )
    return Entry(name, kind.__name__, summary(own_docstring(kind)), page(
        kind.__name__,
        signature(f"cm.laws.{kind.__name__}", kind),
        markdown(own_docstring(kind)),
        f"| | |\n|---|---|\n| name | `\"{name}\"` |\n| formula | {escaped(law.formula)} |\n| validity | {valid} |\n"
        f"| reference | {escaped(law.reference)} |",
        picture(name, f"Force over indentation of {kind.__name__}, and the restitution it returns"),
        f"*Left: free impacts of {MASS * 1e3:g} g at three approach speeds, with the values below; the area is "
        f"the energy "
        "lost. Right: the returned restitution.*",
        block(example),
    ))  # fmt: skip


def draw_loops(axes: Axes, law: NormalLaw) -> None:
    for speed, colour in ((0.15, FAINT), (SPEED, BLUE), (0.45, RED)):
        loop = free_impact(law, MASS, speed)
        axes.plot(
            1e6 * np.asarray(loop.indentation), 1e-3 * np.asarray(loop.force), color=colour, label=f"{speed:g} m/s"
        )
    axes.set_xlabel("indentation [µm]")
    axes.set_ylabel("normal force [kN]")
    axes.legend()


def draw_speeds(axes: Axes, law: NormalLaw) -> None:
    speeds = np.geomspace(0.01, 10.0, 25)
    axes.semilogx(speeds, [law.impact(MASS, float(speed)).restitution for speed in speeds], color=BLUE)
    axes.set_ylim(0.0, 1.05)
    axes.set_xlabel("approach speed [m/s]")
    axes.set_ylabel("restitution returned [1]")


def escaped(text: str) -> str:
    """For a cell of a table."""
    return text.replace("|", "\\|")
