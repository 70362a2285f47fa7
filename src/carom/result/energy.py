"""Energy balance of a run."""

from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from carom.result.plain_data import FloatArray, read_only

ROUNDING = 1e-9
"""Ratio to the reference energy below which a change of energy counts as rounding, as in a system at rest [-]."""


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies at the nodes of a run [J], arrays of shape (n,).

    The first three are energies of the system; the others are sums since the start of the run.

    Parameters
    ----------
    kinetic
        kinetic energy of all bodies.
    potential
        potential energy of gravity and springs; only its changes have a meaning.
    elastic
        elastic energy of contacts.
    dissipated
        energy dissipated by dampers and by damping in contacts, positive.
    friction
        energy dissipated by friction, positive.
    driver_work
        work of drivers; negative when a driver brakes.
    applied_work
        work of applied forces without a potential.
    reference
        scale of the energy, one number: weights times the size of the system, and spring stiffnesses times its
        square.
    t
        times of the nodes [s], for pictures; None outside a result.
    """

    kinetic: FloatArray
    potential: FloatArray
    elastic: FloatArray
    dissipated: FloatArray
    friction: FloatArray
    driver_work: FloatArray
    applied_work: FloatArray
    reference: float = 0.0
    t: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in self.names():
            object.__setattr__(self, name, read_only(getattr(self, name)))
        shapes = {name: getattr(self, name).shape for name in self.names()}
        if len(set(shapes.values())) > 1 or self.kinetic.ndim != 1:
            raise ValueError(f"Energy: all columns must have one shape (n,), got {shapes}")

    @classmethod
    @cache
    def names(cls) -> tuple[str, ...]:
        """Return the names of the columns in the order in which they are stored."""
        return tuple(field.name for field in fields(cls) if field.name not in ("reference", "t"))

    @classmethod
    def from_columns(cls, columns: FloatArray) -> "Energy":
        """Return the energies from a matrix (n, 7) [J] with columns in the order of `names()`."""
        return cls(*np.asarray(columns, dtype=np.float64).T)

    def columns(self) -> FloatArray:
        """Return the energies as a matrix (n, 7) [J] with columns in the order of `names()`."""
        return np.column_stack([getattr(self, name) for name in self.names()])

    def with_reference(self, reference: float) -> "Energy":
        """Return a copy with another reference energy [J]."""
        return self._with(reference=float(reference))

    def at_times(self, t: FloatArray) -> "Energy":
        """Return a copy with the times of the nodes [s]."""
        return self._with(t=t)

    def _with(self, **values: Any) -> "Energy":
        """Return a copy with other values beside the columns, which are checked already."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), **values)
        return other

    def _repr_html_(self) -> str:
        """Return a table and a picture for notebooks."""
        from carom.plot.notebook import energy_html

        return energy_html(self)

    def __repr__(self) -> str:
        return f"<Energy of {len(self.kinetic)} nodes: drift {self.drift:.2g} of {self.scale:.4g} J>"

    @property
    def total(self) -> FloatArray:
        """Mechanical energy: kinetic + potential + elastic [J]."""
        return self.kinetic + self.potential + self.elastic

    @property
    def balance(self) -> FloatArray:
        """Error of the energy balance since the first node [J]; zero in an exact run."""
        conserved = self.total + self.dissipated + self.friction - self.driver_work - self.applied_work
        return conserved - conserved[0]

    @property
    def scale(self) -> np.float64:
        """Largest energy exchanged in the run [J], the scale for the error of the energy balance.

        It is the peak of kinetic + elastic, plus the range of potential (its zero is arbitrary), plus the largest of
        dissipated, friction, driver_work and applied_work. It is at least 1e-9 of the ``reference`` and of the largest
        potential energy, so that the rounding of a system at rest is compared with its weight and stiffness. It is
        never zero.
        """
        rest = ROUNDING * np.maximum(self.reference, np.max(np.abs(self.potential)))
        exchanged = np.max(self.kinetic + self.elastic) + np.ptp(self.potential)
        transferred = np.max(np.abs([self.dissipated, self.friction, self.driver_work, self.applied_work]))
        # np.maximum propagates NaN; np.fmax would hide it.
        return np.float64(np.maximum(np.maximum(exchanged + transferred, rest), np.finfo(np.float64).tiny))

    @property
    def drift(self) -> np.float64:
        """Largest |balance| relative to `scale` [-], a measure of the error of the run."""
        return np.float64(np.max(np.abs(self.balance)) / self.scale)
