"""Ready-made cases: ``case = gallery.pendulum()``, ``result = case.run()``, ``case.check(result)``."""

from __future__ import annotations

import warnings
from typing import Any

from carom.gallery import registry
from carom.gallery.case import Case, CheckFailed, CheckResult
from carom.gallery.registry import *
from carom.gallery.registry import CASES

__all__ = ["CASES", "Case", "CheckFailed", "CheckResult"]
__all__ += registry.__all__


def __getattr__(name: str) -> Any:
    if name == "Finding":
        warnings.warn("carom.gallery.Finding is deprecated; use CheckResult", DeprecationWarning, stacklevel=2)
        return CheckResult
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
