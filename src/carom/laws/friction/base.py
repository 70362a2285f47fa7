"""What every friction law has, and what its kernel is given and gives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from carom.errors import ModelError, positive
from carom.kernels import Kernel, call_friction, floats, jit, offset
from carom.kernels.user import UserKernel
from carom.laws.base import NO_BODIES, Law, numbers

# What comes out: the force on body a [N] and the rate of the law's own state [m/s], each along the two tangents. The
# sliding velocity of a relative to b, and the state z [m], are given along the same tangents; in the plane the second
# components are zero.
OUT = 4
FORCE, STATE_RATE = 0, 2


@jit
def oppose(magnitude, speed, velocity, out):
    """A force of this magnitude against the sliding; none at rest, and no state."""
    share = 0.0
    if speed > 0.0:
        share = -magnitude / speed
    out[0] = share * velocity[0]
    out[1] = share * velocity[1]
    out[2] = 0.0
    out[3] = 0.0


@jit
def _evaluate(address, par, loads, velocities, states, outs, count):
    for k in range(count):
        call_friction(
            address,
            floats(par),
            floats(loads)[k],
            offset(floats(velocities), 2 * k),
            offset(floats(states), 2 * k),
            offset(floats(outs), 4 * k),
        )


class FrictionLaw(Law):
    """How sliding becomes a tangential force: −N μ(|v|) v/|v| in steady sliding."""

    states: ClassVar[bool] = False
    """Whether the law has a state z of its own, which the solver integrates."""

    mu: float
    """The coefficient of laws that have one only; ``coefficient`` is the curve."""

    def keywords(self) -> dict[str, Any]:
        return {key: self.mu if key == "coefficient" else getattr(self, key) for key in self.arguments}

    @property
    def top_speed(self) -> float:
        """Up to which a figure shows the whole law [m/s]."""
        raise NotImplementedError

    def coefficient(self, speed: Any) -> Any:
        """Coefficient of friction in steady sliding at ``speed`` [m/s], a number or an array."""
        value = np.abs(numbers(type(self).__name__, "speed", speed))
        result = self._steady(value)
        return float(result) if result.ndim == 0 else result

    def force(self, normal_force: Any, velocity: Any, state: Any = None) -> Any:
        """Friction force [N] on the body that slides with ``velocity`` [m/s], under ``normal_force`` [N].

        The velocity is a number, or an array whose last axis holds two components; the force has its shape. Laws with
        a state z [m] give the force of steady sliding unless ``state``, like the velocity, is given.
        """
        owner = type(self).__name__
        load, v = numbers(owner, "normal_force", normal_force), numbers(owner, "velocity", velocity)
        if (load < 0.0).any():
            raise ModelError(f"{owner}: normal_force must be positive or zero, got {load.min():g}")
        if v.ndim > 0 and v.shape[-1] != 2:
            raise ModelError(f"{owner}: velocity must be a number or end in 2 components, got shape {v.shape}")
        pairs = v if v.ndim else np.array([float(v), 0.0])
        if state is None and self.states:
            speed = np.linalg.norm(pairs, axis=-1, keepdims=True)
            slope = np.divide(self._steady(speed), speed, out=np.zeros_like(speed), where=speed > 0.0)
            result = -load[..., None] * slope * pairs
        else:
            z = np.zeros_like(v) if state is None else numbers(owner, "state", state)
            if z.shape != v.shape:
                raise ModelError(f"{owner}: state must have the shape of velocity, {v.shape}, got {z.shape}")
            result = self.outputs(load, pairs, z if v.ndim else np.array([float(z), 0.0]))[..., FORCE : FORCE + 2]
        return result if v.ndim else float(result[0])

    def outputs(self, normal_force: Any, velocity: Any, state: Any = (0.0, 0.0)) -> np.ndarray:
        """Force and rate of the state, four numbers, from the kernel itself; vectors along the last axis."""
        kernel: Kernel | UserKernel = self.compiled(f"friction {self.name!r}", NO_BODIES)
        v, z = np.broadcast_arrays(np.asarray(velocity, float), np.asarray(state, float))
        v, z = np.ascontiguousarray(v), np.ascontiguousarray(z)
        load = np.array(np.broadcast_to(normal_force, v.shape[:-1]), float)
        par, out = np.array([*self.parameters, 0.0]), np.zeros((*v.shape[:-1], OUT))
        arrays = (par, load, v, z, out)
        _evaluate(kernel.address, *(array.ctypes.data for array in arrays), load.size)
        if isinstance(kernel, UserKernel) and kernel.error is not None:
            error = kernel.error
            kernel.forget()
            raise error
        return out

    def plot(self, ax: Any = None) -> Any:
        """Coefficient of friction over sliding speed; returns the matplotlib axes."""
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
        """μ at speeds ≥ 0, by default what the kernel makes of a unit load."""
        return 0.0 - self.outputs(1.0, np.stack([speed, np.zeros_like(speed)], axis=-1))[..., FORCE]


def static_and_dynamic(owner: str, static: Any, dynamic: Any) -> tuple[float, float]:
    """The two coefficients, the static one not below the dynamic one."""
    first, second = positive(owner, "static", static), positive(owner, "dynamic", dynamic)
    if second > first:
        raise ModelError(f"{owner}: static must not be below dynamic ({second:g}), got {first:g}")
    return first, second
