"""Controls for the parameters of cases and model files, and conversion of the values that the page sends."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

from carom.argument_checks import boolean, finite_float, short_repr
from carom.cli.key_values import parse_value
from carom.errors import ModelError
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
    "edges": ("contact", "ignore"),
    "onset": ("event", "reject", "interpolate", "none"),
}
"""Choices of parameters with these names."""

RANGES = {"restitution": (0.01, 1.0), "friction": (0.0, 1.0), "tangential_restitution": (0.0, 1.0)}
"""Slider ranges of parameters with these names."""
RANGE_FACTOR = 5.0
"""Ratio of the ends of a slider to its initial value [-]."""
MAX_STEPS = 400
"""Largest number of steps of a slider."""
MAX_LABEL_LENGTH = 200
"""Largest number of characters in the label of a run."""
NUMERIC_OPTIONS = ("t_end", "step", "max_step", "rtol", "atol")
"""Options of a run with a numeric value."""


def parameter_controls(name: str) -> list[dict[str, Any]]:
    """Return controls for the parameters of a case of the gallery."""
    arguments = inspect.signature(CASES[name]).parameters
    return [control_for(key, item.default, str(item.annotation)) for key, item in arguments.items()]


def control_for(key: str, value: Any, annotation: str = "") -> dict[str, Any]:
    """Return the control of a parameter: a menu, a switch, a slider, a list of numbers or a text field."""
    if isinstance(value, bool):
        return {"name": key, "kind": "flag", "value": value}
    if isinstance(value, str) and key in CHOICES:
        return {"name": key, "kind": "choice", "value": value, "choices": list(CHOICES[key])}
    if isinstance(value, int):
        return {
            "name": key,
            "kind": "integer",
            "value": value,
            **round_range(max(value // 5, 1), max(5 * value, 10), 1.0),
        }
    if isinstance(value, float):
        return {"name": key, "kind": "number", "value": value, **slider_bounds(key, value)}
    if value is None and annotation == "float | None":
        return {"name": key, "kind": "number", "value": ""}
    if isinstance(value, tuple):
        return {"name": key, "kind": "text", "value": ", ".join(map(str, value))}
    return {"name": key, "kind": "text", "value": "" if value is None else str(value)}


def slider_bounds(key: str, value: float) -> dict[str, float]:
    """Return the ends and the step of a slider."""
    if key in RANGES and RANGES[key][0] <= value <= RANGES[key][1]:
        return round_range(*RANGES[key])
    if value == 0.0:
        return round_range(-1.0, 1.0)
    if not 1e-300 < abs(value) < 1e300:  # A slider cannot compute with such numbers.
        return {}
    return round_range(*sorted((value / RANGE_FACTOR, value * RANGE_FACTOR)))


def round_range(low: float, high: float, min_step: float = 0.0) -> dict[str, float]:
    """Return ends outside ``low`` and ``high``, in multiples of a round step (1, 2 or 5 times a power of ten)."""
    power = 10.0 ** math.floor(math.log10((high - low) / MAX_STEPS))
    step = max(
        next(factor * power for factor in (1, 2, 5, 10) if factor * power * MAX_STEPS >= 0.999 * (high - low)), min_step
    )
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return {"low": float(f"{first * step:.12g}"), "high": float(f"{last * step:.12g}"), "step": float(f"{step:.12g}")}


def convert_values(source: str, model: Path | None, values: dict[str, Any]) -> dict[str, Any]:
    """Convert the ``values`` of a form, texts and numbers, to the types of the parameters of ``source``."""
    kinds = dict.fromkeys(NUMERIC_OPTIONS, "number")
    if model is not None:
        kinds |= dict.fromkeys(parameter_names(model), "number")
    else:
        kinds |= {control["name"]: control["kind"] for control in parameter_controls(source)}
    return {key: _convert_value(source, key, item, kinds.get(key, "text")) for key, item in values.items()}


def _convert_value(source: str, key: str, item: Any, kind: str) -> Any:
    if kind not in ("number", "integer"):
        if isinstance(item, str):
            text = item.strip()
            item = parse_value(text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text)
        return boolean(source, key, item) if kind == "flag" else item
    if isinstance(item, str):
        item = parse_value(item.strip().replace(",", "."))  # A decimal comma is accepted.
    result = finite_float(source, key, item)
    if kind == "number":
        return result
    if not result.is_integer():
        raise ModelError(f"{source}: {key} must be an integer, got {short_repr(item)}")
    return int(result)


def run_label(title: str, values: dict[str, Any]) -> str:
    """Return the title of a run with the values that were changed."""
    changed = ", ".join(f"{key.replace('_', ' ')} = {item}" for key, item in values.items() if key != "t_end")
    label = f"{title} ({changed})" if changed else title
    return label if len(label) <= MAX_LABEL_LENGTH else f"{label[:MAX_LABEL_LENGTH]}…"


def option_controls(case: Case) -> list[dict[str, Any]]:
    """Return controls for the options of a run."""
    controls = [control_for("t_end", float(case.options["t_end"]))]
    if case.options.get("method", "compliant") == "compliant":
        names = [name for name in INTEGRATORS if name != "rk4"]
        controls.append({"name": "integrator", "kind": "choice", "value": "", "choices": ["", *names]})
        tolerances = ["", "1e-4", "1e-6", "1e-8", "1e-10"]
        controls.append({"name": "rtol", "kind": "choice", "value": "", "choices": tolerances})
    else:
        controls.append({"name": "step", "kind": "number", "value": str(case.options.get("step", ""))})
    return controls
