"""Wear of one contact over a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.laws.wear.profile import WearProfile


@dataclass(frozen=True, eq=False)
class WearRecord:
    """Wear of the two surfaces of a contact over a run; m times, n sectors.

    Parameters
    ----------
    name
        name of the contact.
    t
        (m,) times of the updates of the geometry, the start and the end of the run [s].
    first, second
        (m, n) depths of the first surface (the bearing) and the second (the journal) at these times [m].
    volumes
        (m, 2) volumes that both have lost [m³].
    density
        density of the material [kg/m³].
    radii
        radii of both surfaces [m]; empty for contacts of curves.
    cycle_factor
        number of cycles for which each simulated one stands.
    """

    name: str
    t: np.ndarray
    first: np.ndarray
    second: np.ndarray
    volumes: np.ndarray
    density: float
    radii: tuple[float, ...]
    cycle_factor: float

    @property
    def angles(self) -> np.ndarray:
        """Directions of the sectors, from the x axis of the body [rad]."""
        n = self.first.shape[1]
        return np.asarray(2.0 * np.pi * np.arange(n) / n)

    @property
    def volume(self) -> float:
        """Volume that both surfaces have lost at the end, with that of a profile at the start [m³]."""
        return float(self.volumes[-1].sum())

    @property
    def mass(self) -> float:
        """Mass of the material that the run has removed [kg]."""
        return float(self.density * (self.volumes[-1] - self.volumes[0]).sum())

    @property
    def max_depth(self) -> float:
        """Largest depth at the end [m]."""
        return float(max(self.first[-1].max(), self.second[-1].max()))

    @property
    def profile(self) -> WearProfile:
        """Worn profile at the end, with which another run can start."""
        return WearProfile(self.first[-1].tolist(), self.second[-1].tolist())

    def __repr__(self) -> str:
        return f"<WearRecord {self.name!r}: {self.volume:.3g} m³, at most {self.max_depth:.3g} m deep>"
