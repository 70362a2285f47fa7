"""Pages of friction laws: force over sliding velocity, and over a reversing displacement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from carom.laws.friction.base import FrictionLaw
from carom.laws.friction.registry import FRICTIONS
from generators.laws import escaped
from generators.page_figures import BLUE, keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Friction laws"
INTRO = "Tangential force as a function of the sliding velocity and the normal force N; `cm.friction.law(name, …)`."
VALUES = {
    "coefficient": 0.2, "regularisation": 2e-3, "static": 0.3, "dynamic": 0.2, "stick_speed": 5e-3, "slip_speed": 0.05,
    "v0": 1e-2, "v1": 5e-2, "decay": 40.0, "stribeck_speed": 0.01, "stiffness": 1e4, "damping": 1.0, "viscous": 0.5,
}  # fmt: skip


def names() -> list[str]:
    return list(FRICTIONS)


def make(name: str, folder: Path) -> Entry:
    kind = FRICTIONS[name]
    values = {key: VALUES[key] for key in kind.arguments if key in VALUES}
    law = kind(**values)
    with sheet(8.0, 3.3) as figure:
        left, right = figure.subplots(1, 2)
        draw_speeds(left, law)
        draw_strokes(right, law)
    keep(figure, folder / name)
    given = ", ".join(f"{key}={value!r}" for key, value in values.items())
    example = (
        f"import carom as cm\n\nlaw = cm.friction.{kind.__name__}({given})\n"
        f"law.force(normal_force=10.0, velocity=0.02)                   # {law.force(10.0, 0.02):.4g} N\n"
        f"law.coefficient(0.02)                                         # {law.coefficient(0.02):.4g}"
    )
    state = (
        "a deflection z, which is integrated with the motion"
        if law.has_state
        else "none: a function of the sliding velocity"
    )
    return Entry(name, kind.__name__, summary(own_docstring(kind)), page(
        kind.__name__,
        signature(f"cm.friction.{kind.__name__}", kind),
        markdown(own_docstring(kind)),
        f"| | |\n|---|---|\n| name | `\"{name}\"` |\n| formula | {escaped(law.formula)} |\n| state | {state} |\n"
        f"| reference | {escaped(law.reference)} |",
        picture(name, f"Friction of {kind.__name__} over velocity and displacement"),
        "*Under a normal force of 1 N. Left: steady sliding. Right: a reversing displacement.*",
        block(example),
    ))  # fmt: skip


def draw_speeds(axes: Axes, law: FrictionLaw) -> None:
    top = law.top_speed
    speeds = np.linspace(-top, top, 801)
    axes.plot(1e3 * speeds, [law.force(1.0, float(speed)) for speed in speeds], color=BLUE)
    axes.set_xlabel("sliding velocity [mm/s]")
    axes.set_ylabel("friction force [N]")


def draw_strokes(axes: Axes, law: FrictionLaw, steps: int = 4000) -> None:
    """Draw the force over x = a sin ωt, one and a half periods, with the state moved along."""
    reach = 5.0 * law.coefficient(law.top_speed) / law.stiffness if law.has_state else 1e-3  # type: ignore[attr-defined]
    rate = law.top_speed / reach
    times = np.linspace(0.0, 3.0 * np.pi / rate, steps)
    x, v = reach * np.sin(rate * times), reach * rate * np.cos(rate * times)
    step, z, force = times[1], np.zeros(2), np.zeros(steps)
    for k in range(steps):
        out = law.outputs(1.0, np.array([v[k], 0.0]), z)
        force[k] = out[0]
        z = z + step * out[2:4]
    axes.plot(1e3 * x, force, color=BLUE)
    axes.set_xlabel("displacement [mm]")
    axes.set_ylabel("friction force [N]")
