"""Parametric surfaces s(u, v) in their own axes; a `Surface` places one on a body.

A NURBS is a `BSpline` with weights.
"""

from carom.deprecation import warn_deprecated
from carom.geometry.surfaces import registry
from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.curvature import principal_curvatures
from carom.geometry.surfaces.registry import *
from carom.geometry.surfaces.registry import SURFACES

__all__ = ["SURFACES", "ParametricSurface", "principal_curvatures"]
__all__ += registry.__all__


def __getattr__(name: str) -> object:
    if name == "Function":
        warn_deprecated("carom.surfaces.Function", "carom.surfaces.FunctionSurface")
        return SURFACES["FunctionSurface"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
