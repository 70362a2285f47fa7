"""Studies: the same model run many times, to compare, to sweep, to identify parameters and to see what matters."""

from carom.study.compare import Comparison, compare
from carom.study.design import Log, Normal, Uniform
from carom.study.executors import executor
from carom.study.section import AtImpacts, Crossing, Section, Strobe, bifurcation, poincare
from carom.study.subject import subject
from carom.study.sweep import sweep
from carom.study.table import Sweep

__all__ = [
    "AtImpacts",
    "Comparison",
    "Crossing",
    "Log",
    "Normal",
    "Section",
    "Strobe",
    "Sweep",
    "Uniform",
    "bifurcation",
    "compare",
    "executor",
    "poincare",
    "subject",
    "sweep",
]
