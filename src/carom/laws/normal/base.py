"""What every normal law has, and what its kernel is given and gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError, number, positive
from carom.laws.base import NO_BODIES, Law, numbers
from carom.laws.normal.kernel_evaluation import KernelEvaluator

# The state: indentation δ [m], its rate δ̇ [m/s], approach speed at the start of this contact (0 when unknown: the force
# is then elastic), indentation at the last turning point, whether it is unloading from there, whether STORED is wanted.
STATE = 6
INDENTATION, RATE, APPROACH, DEEPEST, UNLOADING, OBSERVING = range(STATE)

# What comes out: the raw normal force [N] (it may pull: the caller clamps, or locates its zero), its elastic part dU/dδ
# [N], the stored energy U [J], and a smooth number with the force's sign that does not vanish because δ does.
OUT = 4
FORCE, ELASTIC_FORCE, STORED, PRESSING = range(OUT)

CLOSE = 0.1
"""How far the restitution that comes back may be from the prescribed one."""


@dataclass(frozen=True)
class FreeImpact:
    """An unconstrained impact of one mass: m δ̈ = −F from δ = 0 at the approach speed."""

    peak_force: float
    """[N]"""
    max_indentation: float
    """[m]"""
    duration: float
    """From the first touch until no force acts any more [s]."""
    restitution: float
    """Separation speed over approach speed."""


class NormalLaw(Law):
    """How an indentation becomes a normal force."""

    unloads: bool = False
    """Whether restitution follows another curve than compression: the solver then locates the turning points."""
    tension: bool = False
    """Whether the force may pull."""
    needs_approach: bool = False
    """Whether the damping is scaled by the approach speed."""

    def release(self, deepest: float) -> float:
        """Indentation at which contact ends after unloading from ``deepest`` [m]."""
        return 0.0

    @property
    def validity(self) -> tuple[float, float] | None:
        """Range of restitution within which an impact returns what was prescribed, to 0.1; None where none is."""
        return None

    def force(
        self, indentation: Any, rate: Any = 0.0, approach_speed: Any = None, *, deepest: float | None = None
    ) -> Any:
        """Normal force [N] at indentation [m] and rate [m/s], numbers or arrays: zero out of contact, never pulling
        unless the law allows it.

        ``approach_speed`` [m/s] is needed where the damping is scaled by it and the rate is not zero. With ``deepest``
        the force is that of unloading from there.
        """
        owner = type(self).__name__
        delta, speed = numbers(owner, "indentation", indentation), numbers(owner, "rate", rate)
        if approach_speed is None:
            if self.needs_approach and speed.any():
                raise ModelError(f"{owner}: the damping depends on the approach speed; give approach_speed")
            approach = np.zeros(())
        else:
            approach = numbers(owner, "approach_speed", approach_speed)
            if (approach <= 0.0).any():
                raise ModelError(f"{owner}: approach_speed must be positive, got {approach.min():g}")
        delta, speed, approach = np.broadcast_arrays(delta, speed, approach)
        force = self._outputs(delta, speed, approach, deepest)[..., FORCE]
        force = np.where(delta > 0.0, force if self.tension else np.maximum(force, 0.0), 0.0)
        return float(force) if force.ndim == 0 else force

    def stored_energy(self, indentation: Any, *, deepest: float | None = None) -> Any:
        """Elastic energy [J] that the contact would give back from this indentation [m]."""
        delta = numbers(type(self).__name__, "indentation", indentation)
        zero = np.zeros_like(delta)
        energy = np.where(delta > 0.0, self._outputs(delta, zero, zero, deepest)[..., STORED], 0.0)
        return float(energy) if energy.ndim == 0 else energy

    def hysteresis_factor(self, approach_speed: float) -> float:
        """χ of F = K δⁿ + χ δⁿ δ̇ [N s/m^(n+1)]; zero for laws without such a term."""
        positive(type(self).__name__, "approach_speed", approach_speed)
        return 0.0

    def returned_restitution(self, approach_speed: float | None = None, mass: float | None = None) -> float:
        """Restitution that an unconstrained impact really returns; some laws need the mass [kg] and the speed [m/s]."""
        if approach_speed is None or mass is None:
            raise ModelError(
                f"{type(self).__name__}: the restitution that comes back depends on approach_speed and mass; give both"
            )
        return self.impact(mass, approach_speed).restitution

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """The unconstrained impact of an effective mass [kg] at an approach speed [m/s]."""
        from carom.laws.normal.free_impact import free_impact

        return free_impact(self, *self._checked(mass, approach_speed)).summary

    def plot(self, approach_speed: float = 1.0, mass: float = 1.0, ax: Any = None) -> Any:
        """Force over indentation in an unconstrained impact; returns the matplotlib axes."""
        from matplotlib.figure import Figure

        from carom.laws.normal.free_impact import free_impact

        loop = free_impact(self, *self._checked(mass, approach_speed))
        if ax is None:
            ax = Figure(layout="constrained").add_subplot()
        ax.plot(loop.indentation, loop.force, label=f"{self.name} (restitution {loop.summary.restitution:.3g})")
        ax.set_xlabel("indentation [m]")
        ax.set_ylabel("normal force [N]")
        ax.legend()
        return ax

    def probe(self) -> KernelEvaluator:
        """The kernel, to be called from Python."""
        return KernelEvaluator(self.compiled(f"law {self.name!r}", NO_BODIES), self.parameters)

    def _checked(self, mass: Any, approach_speed: Any) -> tuple[float, float]:
        owner = type(self).__name__
        return positive(owner, "mass", mass), positive(owner, "approach_speed", approach_speed)

    def _outputs(self, delta: np.ndarray, rate: np.ndarray, approach: np.ndarray, deepest: float | None) -> np.ndarray:
        states = np.zeros((delta.size, STATE))
        states[:, INDENTATION] = delta.ravel()
        states[:, RATE] = rate.ravel()
        states[:, APPROACH] = approach.ravel()
        states[:, OBSERVING] = 1.0
        if deepest is not None:
            states[:, DEEPEST] = positive(type(self).__name__, "deepest", deepest)
            states[:, UNLOADING] = states[:, INDENTATION] <= states[:, DEEPEST]  # deeper, it loads again
        return self.probe()(states, np.zeros((delta.size, OUT))).reshape(*delta.shape, OUT)


def restitution_of(owner: str, value: Any) -> float:
    """``value`` as a coefficient of restitution."""
    result = number(owner, "restitution", value)
    if not 0.0 <= result <= 1.0:
        raise ModelError(f"{owner}: restitution must lie in [0, 1], got {result:g}")
    return result


def elastic_time(exponent: float) -> float:
    """Time to the turning point over δ_max/v for F = K δⁿ: ∫₀¹ dx/√(1 − xⁿ⁺¹)."""
    share = 1.0 / (exponent + 1.0)
    return math.sqrt(math.pi) * math.gamma(1.0 + share) / math.gamma(0.5 + share)
