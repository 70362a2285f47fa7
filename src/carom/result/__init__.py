"""Results of runs: plain data, independent of models and solvers."""

from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.result.name_lookup import UnknownName
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
