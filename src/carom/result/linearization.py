"""Small motion about an equilibrium: modes, frequencies, damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Linearization:
    """ξ̈ + C ξ̇ + K ξ = 0 in the free coordinates ξ, with unit mass; q − q₀ = modes-basis · ξ.

    ``frequencies`` [Hz] are those of the undamped motion, lowest first (zero: free or unstable, see ``stable``);
    column k of ``modes`` is the change of all bodies' (x, y, angle) in the k-th of them, largest entry 1; in space of
    (x, y, z) and of the small rotation about each of the principal axes of inertia.
    ``eigenvalues`` [1/s] are those of the damped motion, ``damping_ratios`` belong to them.
    """

    bodies: tuple[str, ...]
    stiffness: np.ndarray
    damping: np.ndarray
    basis: np.ndarray
    frequencies: np.ndarray
    modes: np.ndarray
    eigenvalues: np.ndarray

    @property
    def angular_frequencies(self) -> np.ndarray:
        """[rad/s]"""
        return 2.0 * np.pi * self.frequencies

    @property
    def damping_ratios(self) -> np.ndarray:
        size = np.abs(self.eigenvalues)
        return np.divide(-self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0.0)

    @property
    def stable(self) -> bool:
        """Whether no small motion grows."""
        scale = max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-12)
        return bool(self.eigenvalues.real.max(initial=0.0) <= 1e-6 * scale)

    def mode(self, k: int) -> dict[str, tuple[float, ...]]:
        """Change of (x, y, angle) of every body in mode ``k``; in space six numbers a body, see above."""
        shape = self.modes[:, k].reshape(len(self.bodies), -1)
        return {name: tuple(float(part) for part in parts) for name, parts in zip(self.bodies, shape, strict=True)}

    def summary(self) -> str:
        count = len(self.frequencies)
        state = "stable" if self.stable else "unstable"
        lines = [f"{count} degree{'' if count == 1 else 's'} of freedom, {state}"]
        lines += [f"  mode {k + 1}: {f:.6g} Hz" for k, f in enumerate(self.frequencies)]
        return "\n".join(lines)
