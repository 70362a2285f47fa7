"""Linearised motion about an equilibrium: modes, frequencies and damping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from carom.errors import ModelError
from carom.short_form import ShortRepr


@dataclass(frozen=True, repr=False)
class Linearization(ShortRepr):
    """Linearised equations of motion ξ̈ + C ξ̇ + K ξ = G (u − u₀) in the free coordinates ξ, with unit mass.

    The coordinates are q = q₀ + B ξ.

    Parameters
    ----------
    bodies
        names of the bodies.
    stiffness, damping
        K [1/s²] and C [1/s].
    basis
        B; its columns span the motions that the joints allow.
    frequencies
        natural frequencies of the undamped motion [Hz], lowest first; zero for a free or unstable motion, see
        `stable`.
    modes
        column k is the change of (x, y, angle) of all bodies in mode k, scaled to the largest entry 1; in 3D of
        (x, y, z) and of the small rotations about the principal axes of inertia.
    eigenvalues
        eigenvalues of the damped motion [1/s].
    inputs
        names of the inputs u; u₀ are their initial values.
    input_matrix
        G, a column for each input.

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
    inputs: tuple[str, ...] = ()
    input_matrix: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

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

    def state_space(self, coordinates: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return A and B of ẋ = A x + B (u − u₀), where x are changes of ``coordinates``, then their rates.

        ``coordinates`` are as many as there are degrees of freedom, such as ["cart.x", "pole.angle"]: "x", "y" or
        "angle" of a body; in 3D "x", "y", "z", or "rx", "ry", "rz", small rotations about the principal axes.

        Examples
        --------
        >>> system = cm.System()
        >>> rod = system.add(cm.Body("rod", mass=2.0, position=(0.5, 0.0)))
        >>> rail = system.add(cm.Prismatic(system.ground, rod, axis=(1.0, 0.0)))
        >>> push = system.add(cm.Input("push"))
        >>> force = system.add(cm.PointForce(rod, (push, 0.0)))
        >>> A, B = cm.linearize(system).state_space(["rod.x"])
        >>> A.round(9).tolist(), B.round(9).tolist()
        ([[0.0, 1.0], [0.0, 0.0]], [[0.0], [0.5]])
        """
        to_chosen = np.array([self.basis[self._row(name)] for name in coordinates]).reshape(-1, self.basis.shape[1])
        f = self.basis.shape[1]
        if len(to_chosen) != f or np.linalg.matrix_rank(to_chosen) < f:
            raise ModelError(
                f"state_space: expected {f} independent coordinates, as there are {f} degrees of freedom, got "
                f"{', '.join(coordinates) or 'none'}"
            )
        back = np.linalg.inv(to_chosen)
        A = np.block([
            [np.zeros((f, f)), np.eye(f)],
            [-to_chosen @ self.stiffness @ back, -to_chosen @ self.damping @ back],
        ])  # fmt: skip
        return A, np.vstack([np.zeros((f, len(self.inputs))), to_chosen @ self.input_matrix])

    def _row(self, name: str) -> int:
        """Return the row of B of a coordinate such as "cart.x"."""
        body, _, coordinate = name.rpartition(".")
        width = len(self.basis) // max(len(self.bodies), 1)
        known = ("x", "y", "angle") if width == 3 else ("x", "y", "z", "rx", "ry", "rz")
        if body not in self.bodies or coordinate not in known:
            raise ModelError(
                f"state_space: unknown coordinate {name!r}; bodies are {', '.join(self.bodies)}, with "
                f"{', '.join(known)}"
            )
        return width * self.bodies.index(body) + known.index(coordinate)

    def summary(self) -> str:
        """Return the number of degrees of freedom, stability and frequencies as text."""
        count = len(self.frequencies)
        state = "stable" if self.stable else "unstable"
        lines = [f"{count} degree{'' if count == 1 else 's'} of freedom, {state}"]
        lines += [f"  mode {k + 1}: {f:.6g} Hz" for k, f in enumerate(self.frequencies)]
        return "\n".join(lines)
