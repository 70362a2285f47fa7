"""Base class of normal laws, and the records that their kernels read and write."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.kernels import FLOAT, INT, NORMAL, jit, record
from carom.laws.base import NO_BODIES, Law, finite_floats
from carom.laws.kernel_evaluation import KernelEvaluator

LAW_INPUT = record(
    delta=FLOAT,  # indentation [m]
    delta_dot=FLOAT,  # rate of indentation [m/s]
    v_in=FLOAT,  # approach speed at the start of this contact [m/s]; 0 while unknown: the force is then elastic
    delta_turn=FLOAT,  # indentation at the last turning point [m]
    is_unloading=INT,  # 1 on the unloading curve from delta_turn
    stores_energy=INT,  # 1 when stored_energy is requested
    needs_derivatives=INT,  # 1 when stiffness and damping are requested
)
LAW_OUTPUT = record(
    force=FLOAT,  # normal force [N]; it may be tensile: the caller limits it or locates its zero
    elastic_force=FLOAT,  # elastic part dU/dδ of the force [N]
    stored_energy=FLOAT,  # elastic energy U [J]
    force_sign=FLOAT,  # smooth number with the sign of the force that does not vanish with the indentation [-]
    stiffness=FLOAT,  # ∂F/∂δ [N/m]
    damping=FLOAT,  # ∂F/∂δ̇ [N s/m]
)

RESTITUTION_TOLERANCE = 0.1
"""Deviation of the returned restitution from the prescribed one up to which a law counts as valid [-]."""


@jit
def clear_input(law_input):
    """Set all fields of a law input to zero."""
    law_input.delta = 0.0
    law_input.delta_dot = 0.0
    law_input.v_in = 0.0
    law_input.delta_turn = 0.0
    law_input.is_unloading = 0
    law_input.stores_energy = 0
    law_input.needs_derivatives = 0


@dataclass(frozen=True)
class FreeImpact:
    """Unconstrained impact of one mass: m δ̈ = −F from δ = 0 with the approach speed."""

    peak_force: float
    """[N]"""
    max_indentation: float
    """[m]"""
    duration: float
    """Time from the onset of contact to the end of the force [s]."""
    restitution: float
    """Ratio of separation speed to approach speed [-]."""


class NormalLaw(Law):
    """Law of the normal force as a function of the indentation and its rate."""

    has_unloading_curve: bool = False
    """True if unloading follows another curve than loading: the solver then locates the turning points."""
    tension: bool = False
    """True if the force may be tensile."""
    needs_approach_speed: bool = False
    """True if the damping is scaled by the approach speed."""
    is_distributed: bool = False
    """True if the law gives a pressure, which the contact integrates over the overlap."""

    def release(self, deepest: float) -> float:
        """Return the indentation [m] at which contact ends after unloading from ``deepest`` [m]."""
        return 0.0

    @property
    def validity(self) -> tuple[float, float] | None:
        """Range of restitution in which an impact returns the prescribed value to 0.1; None without such a value."""
        return None

    def force(
        self, indentation: Any, rate: Any = 0.0, approach_speed: Any = None, *, deepest: float | None = None
    ) -> Any:
        """Return the normal force [N] for an indentation [m] and its rate [m/s], numbers or arrays.

        The force is zero without contact, and not tensile unless the law allows it. ``approach_speed`` [m/s] is
        required if it scales the damping and the rate is not zero. With ``deepest`` [m] the force is that of unloading
        from this indentation.
        """
        owner = type(self).__name__
        delta, delta_dot = finite_floats(owner, "indentation", indentation), finite_floats(owner, "rate", rate)
        if approach_speed is None:
            if self.needs_approach_speed and delta_dot.any():
                raise ModelError(f"{owner}: the damping depends on the approach speed; set approach_speed [m/s]")
            v_in = np.zeros(())
        else:
            v_in = finite_floats(owner, "approach_speed", approach_speed)
            if (v_in <= 0.0).any():
                raise ModelError(f"{owner}: approach_speed must be positive, got {v_in.min():g}")
        delta, delta_dot, v_in = np.broadcast_arrays(delta, delta_dot, v_in)
        force = self._evaluate(delta, delta_dot, v_in, deepest)["force"]
        force = np.where(delta > 0.0, force if self.tension else np.maximum(force, 0.0), 0.0)
        return float(force) if force.ndim == 0 else force

    def stored_energy(self, indentation: Any, *, deepest: float | None = None) -> Any:
        """Return the elastic energy [J] that the contact returns when it unloads from this indentation [m]."""
        delta = finite_floats(type(self).__name__, "indentation", indentation)
        zero = np.zeros_like(delta)
        energy = np.where(delta > 0.0, self._evaluate(delta, zero, zero, deepest)["stored_energy"], 0.0)
        return float(energy) if energy.ndim == 0 else energy

    def hysteresis_factor(self, approach_speed: float) -> float:
        """Return χ of F = K δⁿ + χ δⁿ δ̇ [N s/m^(n+1)]; zero for laws without such a term."""
        positive(type(self).__name__, "approach_speed", approach_speed)
        return 0.0

    def returned_restitution(self, approach_speed: float | None = None, mass: float | None = None) -> float:
        """Return the restitution of an unconstrained impact; some laws need the mass [kg] and the speed [m/s]."""
        if approach_speed is None or mass is None:
            raise ModelError(
                f"{type(self).__name__}: the returned restitution depends on approach_speed [m/s] and mass [kg]; "
                "set both"
            )
        return self.impact(mass, approach_speed).restitution

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        from carom.laws.normal.free_impact import free_impact

        return free_impact(self, *self._checked(mass, approach_speed)).summary

    def plot(self, approach_speed: float = 1.0, mass: float = 1.0, ax: Any = None) -> Any:
        """Plot the force over the indentation in an unconstrained impact; return the matplotlib axes."""
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

    def evaluator(self) -> KernelEvaluator:
        """Return the kernel for calls from Python."""
        return KernelEvaluator(NORMAL, self.compiled(f"law {self.name!r}", NO_BODIES), self.parameters)

    def _checked(self, mass: Any, approach_speed: Any) -> tuple[float, float]:
        """Return the mass [kg] and the approach speed [m/s] of an impact; raise unless both are positive."""
        owner = type(self).__name__
        return positive(owner, "mass", mass), positive(owner, "approach_speed", approach_speed)

    def _evaluate(
        self, delta: np.ndarray, delta_dot: np.ndarray, v_in: np.ndarray, delta_turn: float | None
    ) -> np.ndarray:
        """Return the outputs of the kernel, a table in the shape of ``delta``."""
        inputs = LAW_INPUT.zeros(delta.size)
        inputs["delta"], inputs["delta_dot"], inputs["v_in"] = delta.ravel(), delta_dot.ravel(), v_in.ravel()
        inputs["stores_energy"] = 1
        if delta_turn is not None:
            inputs["delta_turn"] = positive(type(self).__name__, "deepest", delta_turn)
            inputs["is_unloading"] = inputs["delta"] <= inputs["delta_turn"]  # beyond it, the contact loads again
        return self.evaluator()(inputs, LAW_OUTPUT.zeros(delta.size)).reshape(delta.shape)


def check_restitution(owner: str, value: Any) -> float:
    """Return a coefficient of restitution; raise `ModelError` unless it lies in [0, 1]."""
    result = finite_float(owner, "restitution", value)
    if not 0.0 <= result <= 1.0:
        raise ModelError(f"{owner}: restitution must lie in [0, 1], got {result:g}")
    return result


def elastic_time(exponent: float) -> float:
    """Return the time to the turning point in units of δ_max/v for F = K δⁿ [-]: ∫₀¹ dx/√(1 − xⁿ⁺¹)."""
    inverse = 1.0 / (exponent + 1.0)
    return math.sqrt(math.pi) * math.gamma(1.0 + inverse) / math.gamma(0.5 + inverse)
