"""A run as one HTML file: animation, plots, impacts, energy, model. It needs no network and no server.

``carom.report(result, "run.html")`` is `write_report`.
"""

import sys
from types import ModuleType
from typing import Any

from carom.report.page import report_page, write_report

__all__ = ["report_page", "write_report"]


class _Callable(ModuleType):
    """This module can be called, for it does one thing."""

    def __call__(self, *what: Any, **options: Any) -> Any:
        return write_report(*what, **options)


sys.modules[__name__].__class__ = _Callable
