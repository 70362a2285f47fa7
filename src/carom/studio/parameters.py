"""What can be changed about a case or a model file, and with which control."""

from __future__ import annotations

import inspect
from typing import Any

from carom.gallery import CASES
from carom.gallery.case import Case
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
"""How far a slider goes below and above where it starts, as a factor."""


def parameters_of(name: str) -> list[dict[str, Any]]:
    """Controls for the parameters of a case of the gallery."""
    given = inspect.signature(CASES[name]).parameters
    return [control_for(key, parameter.default) for key, parameter in given.items()]


def control_for(key: str, value: Any) -> dict[str, Any]:
    """A menu, a switch, a slider or a line of text."""
    if isinstance(value, bool):
        return {"name": key, "kind": "flag", "value": value}
    if isinstance(value, str) and key in CHOICES:
        return {"name": key, "kind": "choice", "value": value, "choices": list(CHOICES[key])}
    if isinstance(value, int):
        return {"name": key, "kind": "whole", "value": value, "low": max(value // 5, 1), "high": max(5 * value, 10)}
    if isinstance(value, float):
        return {"name": key, "kind": "number", "value": value, **bounds(key, value)}
    return {"name": key, "kind": "text", "value": "" if value is None else str(value)}


def bounds(key: str, value: float) -> dict[str, float]:
    """Where a slider begins and ends."""
    if key in SHARES and SHARES[key][0] <= value <= SHARES[key][1]:
        return dict(zip(("low", "high"), SHARES[key], strict=True))
    if value == 0.0:
        return {"low": -1.0, "high": 1.0}
    ends = sorted((value / SPREAD, value * SPREAD))
    return {"low": ends[0], "high": ends[1]}


def options_of(case: Case) -> list[dict[str, Any]]:
    """Controls for the run."""
    controls = [{"name": "t_end", "kind": "number", "value": float(case.options["t_end"]), "low": 0.0,
                 "high": SPREAD * float(case.options["t_end"])}]  # fmt: skip
    if case.options.get("method", "compliant") == "compliant":
        names = [name for name in INTEGRATORS if name != "rk4"]
        controls.append({"name": "integrator", "kind": "choice", "value": "", "choices": ["", *names]})
        tolerances = ["", "1e-4", "1e-6", "1e-8", "1e-10"]
        controls.append({"name": "rtol", "kind": "choice", "value": "", "choices": tolerances})
    else:
        controls.append({"name": "step", "kind": "text", "value": str(case.options.get("step", ""))})
    return controls
