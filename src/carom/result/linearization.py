"""Linearised motion about an equilibrium: modes, frequencies and damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.short_form import ShortRepr


@dataclass(frozen=True, repr=False)
class Linearization(ShortRepr):
    """Linearised equations of motion ξ̈ + C ξ̇ + K ξ = 0 in the free coordinates ξ, with unit mass; q − q₀ = B ξ.

    Parameters
    ----------
    bodies : names of the bodies.
    stiffness, damping : K [1/s²] and C [1/s].
    basis : B; its columns span the motions that the joints allow.
    frequencies : natural frequencies of the undamped motion [Hz], lowest first; zero for a free or unstable motion, see
        `stable`.
    modes : column k is the change of (x, y, angle) of all bodies in mode k, scaled to the largest entry 1; in 3D of
        (x, y, z) and of the small rotations about the principal axes of inertia.
    eigenvalues : eigenvalues of the damped motion [1/s].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> spring = system.add(cm.SpringDamper(system.ground, rod, stiffness=100.0, free_length=0.5))
    >>> cm.linearize(system).bodies
    ('rod',)
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
        """Natural frequencies of the undamped motion [rad/s]."""
        return 2.0 * np.pi * self.frequencies

    @property
    def damping_ratios(self) -> np.ndarray:
        """Damping ratio of each eigenvalue [-]."""
        size = np.abs(self.eigenvalues)
        return np.divide(-self.eigenvalues.real, size, out=np.zeros_like(size), where=size > 0.0)

    @property
    def stable(self) -> bool:
        """True if no small motion grows."""
        scale = max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-12)
        return bool(self.eigenvalues.real.max(initial=0.0) <= 1e-6 * scale)

    def mode(self, k: int) -> dict[str, tuple[float, ...]]:
        """Return the change of (x, y, angle) of each body in mode ``k``; in 3D six numbers per body, see ``modes``."""
        shape = self.modes[:, k].reshape(len(self.bodies), -1)
        return {name: tuple(float(part) for part in parts) for name, parts in zip(self.bodies, shape, strict=True)}

    def summary(self) -> str:
        """Return the number of degrees of freedom, stability and frequencies as text."""
        count = len(self.frequencies)
        state = "stable" if self.stable else "unstable"
        lines = [f"{count} degree{'' if count == 1 else 's'} of freedom, {state}"]
        lines += [f"  mode {k + 1}: {f:.6g} Hz" for k, f in enumerate(self.frequencies)]
        return "\n".join(lines)
