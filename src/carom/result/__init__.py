"""What came out of a run: plain data that knows no model and no solver."""

from carom.result.energy import Energy
from carom.result.info import BodyInfo, ElementInfo
from carom.result.lookup import UnknownName
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.result.series import BodySeries, ElementSeries

__all__ = [
    "BodyInfo",
    "BodySeries",
    "ElementInfo",
    "ElementSeries",
    "Energy",
    "Outcome",
    "Result",
    "UnknownName",
]
