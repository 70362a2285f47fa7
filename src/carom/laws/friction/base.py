"""Base class of friction laws, and the records that their kernels read and write.

Vectors have components along two tangents t and s of the contact; in 2D the components along s are zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.kernels import FLOAT, FRICTION, INT, jit, record
from carom.laws.base import NO_BODIES, Law, finite_floats
from carom.laws.kernel_evaluation import KernelEvaluator

FRICTION_INPUT = record(
    normal_force=FLOAT,  # [N]
    v_t=FLOAT,  # sliding velocity of body a relative to body b [m/s]
    v_s=FLOAT,
    z_t=FLOAT,  # friction state: deflection of the bristles [m]
    z_s=FLOAT,
    needs_derivatives=INT,  # 1 when the derivatives are requested
)
FRICTION_OUTPUT = record(
    force_t=FLOAT,  # friction force on body a [N]
    force_s=FLOAT,
    z_dot_t=FLOAT,  # rate of the friction state [m/s]
    z_dot_s=FLOAT,
    # of laws with a state that store elastic energy; others leave both as they are
    stored_energy=FLOAT,  # elastic energy of the friction state [J]
    stored_power=FLOAT,  # its rate; the rest of the power of the force is dissipated [W]
    # derivatives, on request; 2×2 matrices by rows: (t, s) of the force or rate, by (t, s) of the variable
    force_by_normal=(FLOAT, 2),  # ∂F/∂N [-]
    force_by_velocity=(FLOAT, 4),  # ∂F/∂v [N s/m]
    force_by_state=(FLOAT, 4),  # ∂F/∂z [N/m]
    rate_by_velocity=(FLOAT, 4),  # ∂ż/∂v [-]
    rate_by_state=(FLOAT, 4),  # ∂ż/∂z [1/s]
    rate_by_normal=(FLOAT, 2),  # ∂ż/∂N [m/(N s)]
)


@jit
def sliding_speed(law_input):
    """Return the magnitude of the sliding velocity [m/s]."""
    return math.sqrt(law_input.v_t * law_input.v_t + law_input.v_s * law_input.v_s)


@jit
def oppose(magnitude, speed, law_input, out):
    """Store a force of this magnitude [N] against the sliding velocity, zero at rest; the law has no state."""
    ratio = 0.0
    if speed > 0.0:
        ratio = -magnitude / speed
    out.force_t = ratio * law_input.v_t
    out.force_s = ratio * law_input.v_s
    out.z_dot_t = 0.0
    out.z_dot_s = 0.0


@jit
def store_matrix(matrix, tt, ts, st, ss):
    """Store a 2×2 matrix by rows."""
    matrix[0] = tt
    matrix[1] = ts
    matrix[2] = st
    matrix[3] = ss


@jit
def store_isotropic(matrix, along, across, e_t, e_s):
    """Store the matrix with the eigenvalue ``along`` for the unit vector e, and ``across`` normal to it."""
    difference = along - across
    mixed = difference * e_t * e_s
    store_matrix(matrix, across + difference * e_t * e_t, mixed, mixed, across + difference * e_s * e_s)


@jit
def direction(v_t, v_s, speed):
    """Return the unit vector of a velocity, zero at rest."""
    if speed > 0.0:
        return v_t / speed, v_s / speed
    return 0.0, 0.0


@jit
def clear_state_derivatives(out):
    """Store the derivatives of a law without a state by the state, and of its rate: zero."""
    for k in range(4):
        out.force_by_state[k] = 0.0
        out.rate_by_velocity[k] = 0.0
        out.rate_by_state[k] = 0.0
    for k in range(2):
        out.rate_by_normal[k] = 0.0


@jit
def oppose_derivatives(coefficient, slope, speed, law_input, out):
    """Store the derivatives of F = −N μ(|v|) v/|v| for ``coefficient`` μ [-] and ``slope`` dμ/d|v| [s/m].

    At rest, ∂F/∂v is the limit −N dμ/d|v| in all directions.
    """
    e_t, e_s = direction(law_input.v_t, law_input.v_s, speed)
    across = slope
    if speed > 0.0:
        across = coefficient / speed
    out.force_by_normal[0] = -coefficient * e_t
    out.force_by_normal[1] = -coefficient * e_s
    load = -law_input.normal_force
    store_isotropic(out.force_by_velocity, load * slope, load * across, e_t, e_s)
    clear_state_derivatives(out)


class FrictionLaw(Law):
    """Law of the friction force as a function of sliding: −N μ(|v|) v/|v| in steady sliding."""

    has_state: ClassVar[bool] = False
    """True if the law has a friction state z, which the solver integrates."""

    mu: float
    """Coefficient of laws with a single one [-]; ``coefficient`` is the curve."""

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments."""
        return {key: self.mu if key == "coefficient" else getattr(self, key) for key in self.arguments}

    @property
    def fixed_step_parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters in explicit steps of fixed length; a law may be smoother there."""
        return self.parameters

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        raise NotImplementedError

    def coefficient(self, speed: Any) -> Any:
        """Return the coefficient of friction in steady sliding at ``speed`` [m/s], a number or an array."""
        value = np.abs(finite_floats(type(self).__name__, "speed", speed))
        result = self._steady(value)
        return float(result) if result.ndim == 0 else result

    def force(self, normal_force: Any, velocity: Any, state: Any = None) -> Any:
        """Return the friction force [N] on a body that slides with ``velocity`` [m/s] under ``normal_force`` [N].

        The velocity is a number, or an array whose last axis has two components; the force has its shape. Laws with a
        friction state z [m] return the force of steady sliding unless ``state``, in the shape of the velocity, is set.
        """
        owner = type(self).__name__
        load, v = finite_floats(owner, "normal_force", normal_force), finite_floats(owner, "velocity", velocity)
        if (load < 0.0).any():
            raise ModelError(f"{owner}: normal_force must be positive or zero, got {load.min():g}")
        if v.ndim > 0 and v.shape[-1] != 2:
            raise ModelError(f"{owner}: velocity must be a number or have 2 components, got shape {v.shape}")
        vectors = v if v.ndim else np.array([float(v), 0.0])
        if state is None and self.has_state:
            speed = np.linalg.norm(vectors, axis=-1, keepdims=True)
            ratio = np.divide(self._steady(speed), speed, out=np.zeros_like(speed), where=speed > 0.0)
            result = -load[..., None] * ratio * vectors
        else:
            z = np.zeros_like(v) if state is None else finite_floats(owner, "state", state)
            if z.shape != v.shape:
                raise ModelError(f"{owner}: state must have the shape of velocity, {v.shape}, got {z.shape}")
            result = self.outputs(load, vectors, z if v.ndim else np.array([float(z), 0.0]))[..., :2]
        return result if v.ndim else float(result[0])

    def outputs(self, normal_force: Any, velocity: Any, state: Any = (0.0, 0.0)) -> np.ndarray:
        """Return force [N] and rate of the friction state [m/s] from the kernel, four numbers along the last axis."""
        table = self.evaluate(normal_force, velocity, state)
        return np.stack([table[name] for name in ("force_t", "force_s", "z_dot_t", "z_dot_s")], axis=-1)

    def fixed_step_coefficient(self, speed: float) -> float:
        """Return the coefficient of friction in steady sliding at ``speed`` [m/s] in explicit steps of fixed length."""
        table = self.evaluate(1.0, (speed, 0.0), parameters=self.fixed_step_parameters)
        return -float(table["force_t"])

    def tangential_stiffness(self, normal_force: float) -> float:
        """Return the stiffness [N/m] with which a contact at rest resists sliding; 0 without a friction state."""
        if not self.has_state:
            return 0.0
        deflection = 1e-12
        return -float(self.outputs(normal_force, (0.0, 0.0), (deflection, 0.0))[0]) / deflection

    def evaluate(
        self,
        normal_force: Any,
        velocity: Any,
        state: Any = (0.0, 0.0),
        *,
        derivatives: bool = False,
        parameters: Sequence[float] | None = None,
    ) -> np.ndarray:
        """Return all outputs of the kernel, a table of `FRICTION_OUTPUT`; derivatives are zero unless requested.

        ``parameters`` are those of the kernel, by default those of adaptive steps.
        """
        kernel = self.compiled(f"friction {self.name!r}", NO_BODIES)
        v, z = np.broadcast_arrays(np.asarray(velocity, float), np.asarray(state, float))
        inputs = np.zeros(v.shape[:-1], FRICTION_INPUT.dtype)
        inputs["normal_force"] = normal_force
        inputs["v_t"], inputs["v_s"] = v[..., 0], v[..., 1]
        inputs["z_t"], inputs["z_s"] = z[..., 0], z[..., 1]
        inputs["needs_derivatives"] = derivatives
        values = self.parameters if parameters is None else parameters
        outputs = np.zeros(inputs.shape, FRICTION_OUTPUT.dtype)
        KernelEvaluator(FRICTION, kernel, tuple(values))(inputs.reshape(-1), outputs.reshape(-1))
        return outputs

    def plot(self, ax: Any = None) -> Any:
        """Plot the coefficient of friction over the sliding speed; return the matplotlib axes."""
        from matplotlib.figure import Figure

        if ax is None:
            ax = Figure(layout="constrained").add_subplot()
        speeds = np.linspace(0.0, self.top_speed, 501)
        ax.plot(speeds, self.coefficient(speeds), label=self.name)
        ax.set_xlabel("sliding speed [m/s]")
        ax.set_ylabel("coefficient of friction")
        ax.legend()
        return ax

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        """Return μ at speeds ≥ 0, by default from the kernel with a unit normal force."""
        return 0.0 - self.outputs(1.0, np.stack([speed, np.zeros_like(speed)], axis=-1))[..., 0]


def check_coefficients(owner: str, static: Any, dynamic: Any) -> tuple[float, float]:
    """Return both coefficients of friction; raise `ModelError` if the static one is less than the dynamic one."""
    first, second = positive(owner, "static", static), positive(owner, "dynamic", dynamic)
    if second > first:
        raise ModelError(f"{owner}: static must not be less than dynamic ({second:g}), got {first:g}")
    return first, second
