"""Report of a run as one HTML file: animation, plots, impacts, energy, model. It needs neither network nor server.

``carom.report(result, "run.html")`` is `write_report`.
"""

import sys
from types import ModuleType
from typing import Any

from carom.report.html_page import report_page, write_report

__all__ = ["report_page", "write_report"]


class _Callable(ModuleType):
    """Module that can be called: ``carom.report(...)`` is `write_report`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return write_report(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
