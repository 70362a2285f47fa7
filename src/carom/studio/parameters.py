"""Parameters of cases and model files: their controls on the page, and the values that come from there."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

from carom.cli.values import value as typed_value
from carom.errors import ModelError, number, shown, truth
from carom.gallery import CASES
from carom.gallery.case import Case
from carom.io.model.model_reader import parameter_names
from carom.laws import LAWS
from carom.solve.compliant.registry import INTEGRATORS

CHOICES: dict[str, tuple[str, ...]] = {
    "law": tuple(LAWS),
    "joints": ("clearance", "ideal"),
    "crank": ("driven", "free"),
    "coordinates": ("generalized", "cartesian"),
    "surface": ("table", "analytic"),
    "interpolation": ("bicubic", "bilinear"),
    "profile": ("closed", "graph"),
    "edge": ("push", "face_only"),
    "onset": ("event", "reject", "interpolate", "none"),
}
"""Words that parameters of these names may be."""

SHARES = {"restitution": (0.01, 1.0), "friction": (0.0, 1.0), "tangential_restitution": (0.0, 1.0)}
"""Bounds of numbers of these names."""
SPREAD = 5.0
"""Ratio of the ends of a slider to its initial value."""
STEPS = 400
"""Steps of a slider at most."""
LONGEST_LABEL = 200
"""Characters of the label of a run."""
NUMBERS = ("t_end", "step", "max_step", "rtol", "atol")
"""Options of a run that are numbers."""


def parameters_of(name: str) -> list[dict[str, Any]]:
    """Return controls for the parameters of a case of the gallery."""
    given = inspect.signature(CASES[name]).parameters
    return [control_for(key, item.default, str(item.annotation)) for key, item in given.items()]


def control_for(key: str, value: Any, annotation: str = "") -> dict[str, Any]:
    """Return a menu, a switch, a slider, a list of numbers or a line of text."""
    if isinstance(value, bool):
        return {"name": key, "kind": "flag", "value": value}
    if isinstance(value, str) and key in CHOICES:
        return {"name": key, "kind": "choice", "value": value, "choices": list(CHOICES[key])}
    if isinstance(value, int):
        return {"name": key, "kind": "whole", "value": value, **ends(max(value // 5, 1), max(5 * value, 10), 1.0)}
    if isinstance(value, float):
        return {"name": key, "kind": "number", "value": value, **bounds(key, value)}
    if value is None and annotation == "float | None":
        return {"name": key, "kind": "number", "value": ""}
    if isinstance(value, tuple):
        return {"name": key, "kind": "text", "value": ", ".join(map(str, value))}
    return {"name": key, "kind": "text", "value": "" if value is None else str(value)}


def bounds(key: str, value: float) -> dict[str, float]:
    """Return the ends and the step of a slider."""
    if key in SHARES and SHARES[key][0] <= value <= SHARES[key][1]:
        return ends(*SHARES[key])
    if value == 0.0:
        return ends(-1.0, 1.0)
    if not 1e-300 < abs(value) < 1e300:  # beyond the numbers that a slider can compute with
        return {}
    return ends(*sorted((value / SPREAD, value * SPREAD)))


def ends(low: float, high: float, least: float = 0.0) -> dict[str, float]:
    """Return multiples of a round step (1, 2 or 5 times a power of ten) around ``low`` and ``high``."""
    power = 10.0 ** math.floor(math.log10((high - low) / STEPS))
    step = max(
        next(factor * power for factor in (1, 2, 5, 10) if factor * power * STEPS >= 0.999 * (high - low)), least
    )
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return {"low": float(f"{first * step:.12g}"), "high": float(f"{last * step:.12g}"), "step": float(f"{step:.12g}")}


def converted(source: str, model: Path | None, given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a form, texts and numbers, as those of the parameters of ``source``."""
    kinds = dict.fromkeys(NUMBERS, "number")
    if model is not None:
        kinds |= dict.fromkeys(parameter_names(model), "number")
    else:
        kinds |= {control["name"]: control["kind"] for control in parameters_of(source)}
    return {key: _converted(source, key, item, kinds.get(key, "text")) for key, item in given.items()}


def _converted(source: str, key: str, item: Any, kind: str) -> Any:
    if kind not in ("number", "whole"):
        if isinstance(item, str):
            text = item.strip()
            item = typed_value(text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text)
        return truth(source, key, item) if kind == "flag" else item
    if isinstance(item, str):
        item = typed_value(item.strip().replace(",", "."))  # a decimal comma
    result = number(source, key, item)
    if kind == "number":
        return result
    if not result.is_integer():
        raise ModelError(f"{source}: {key} must be a whole number, got {shown(item)}")
    return int(result)


def label_of(title: str, values: dict[str, Any]) -> str:
    """Return the title of a run with the values that were changed."""
    changed = ", ".join(f"{key.replace('_', ' ')} = {item}" for key, item in values.items() if key != "t_end")
    label = f"{title} ({changed})" if changed else title
    return label if len(label) <= LONGEST_LABEL else f"{label[:LONGEST_LABEL]}…"


def options_of(case: Case) -> list[dict[str, Any]]:
    """Return controls for the run."""
    controls = [control_for("t_end", float(case.options["t_end"]))]
    if case.options.get("method", "compliant") == "compliant":
        names = [name for name in INTEGRATORS if name != "rk4"]
        controls.append({"name": "integrator", "kind": "choice", "value": "", "choices": ["", *names]})
        tolerances = ["", "1e-4", "1e-6", "1e-8", "1e-10"]
        controls.append({"name": "rtol", "kind": "choice", "value": "", "choices": tolerances})
    else:
        controls.append({"name": "step", "kind": "number", "value": str(case.options.get("step", ""))})
    return controls
