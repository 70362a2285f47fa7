"""Studies: repeated runs of a model for comparison, sweeps, parameter identification and sensitivity."""

from carom.study.compare import Comparison, compare
from carom.study.ensemble import EnsembleResult
from carom.study.executors import executor
from carom.study.gym_adapter import gym_env
from carom.study.poincare import AtImpacts, Crossing, Section, Strobe, bifurcation, poincare
from carom.study.sampling_design import LogUniform, Normal, Uniform
from carom.study.series_measure import SeriesMeasure
from carom.study.study_model import as_study_model
from carom.study.sweep import sweep
from carom.study.sweep_result import SweepResult

# Earlier names, which stay available.
Log = LogUniform
Sweep = SweepResult
subject = as_study_model

__all__ = [
    "AtImpacts",
    "Comparison",
    "Crossing",
    "EnsembleResult",
    "Log",
    "LogUniform",
    "Normal",
    "Section",
    "SeriesMeasure",
    "Strobe",
    "Sweep",
    "SweepResult",
    "Uniform",
    "as_study_model",
    "bifurcation",
    "compare",
    "executor",
    "gym_env",
    "poincare",
    "subject",
    "sweep",
]
