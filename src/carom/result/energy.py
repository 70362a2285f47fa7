"""The energy ledger: where the energy of a run is, and where it went."""

from dataclasses import dataclass, fields, replace

import numpy as np

from carom.result.arrays import FloatArray, read_only

UNMOVED = 1e-9
"""Ratio to the reference energy below which a change is rounding, as in a system at rest."""


@dataclass(frozen=True, eq=False)
class Energy:
    """Energy at every node of a run [J], arrays of shape (n,).

    The first three are what the system holds; the others have been adding up since the start of the run.

    Parameters
    ----------
    kinetic : of all bodies.
    potential : gravity and springs; only its changes have a meaning.
    elastic : stored in contacts.
    dissipated : taken out by dampers and by damping in contacts; grows as it is taken.
    friction : taken out by friction; grows as it is taken.
    driver_work : put in by drivers; negative when a driver brakes.
    applied_work : put in by applied forces that have no potential.
    reference : weights times the size of the system, and stiffness of springs times its square; one number.
    """

    kinetic: FloatArray
    potential: FloatArray
    elastic: FloatArray
    dissipated: FloatArray
    friction: FloatArray
    driver_work: FloatArray
    applied_work: FloatArray
    reference: float = 0.0

    def __post_init__(self) -> None:
        for name in self.names():
            object.__setattr__(self, name, read_only(getattr(self, name)))
        shapes = {name: getattr(self, name).shape for name in self.names()}
        if len(set(shapes.values())) > 1 or self.kinetic.ndim != 1:
            raise ValueError(f"Energy: all columns must have one shape (n,), got {shapes}")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the columns, in the order they are stored."""
        return tuple(field.name for field in fields(cls) if field.name != "reference")

    @classmethod
    def from_columns(cls, columns: FloatArray) -> "Energy":
        """The ledger from a matrix (n, 7) with columns in the order of `names()`."""
        return cls(*np.asarray(columns, dtype=np.float64).T)

    def columns(self) -> FloatArray:
        """The ledger as a matrix (n, 7), columns in the order of `names()` [J]."""
        return np.column_stack([getattr(self, name) for name in self.names()])

    def with_reference(self, reference: float) -> "Energy":
        """Return the same ledger with another reference energy [J]."""
        return replace(self, reference=float(reference))

    def __repr__(self) -> str:
        return f"<Energy of {len(self.kinetic)} nodes: drift {self.drift:.2g} of {self.scale:.4g} J>"

    @property
    def total(self) -> FloatArray:
        """Mechanical energy: kinetic + potential + elastic [J]."""
        return self.kinetic + self.potential + self.elastic

    @property
    def balance(self) -> FloatArray:
        """What the books cannot explain since the first node [J]; zero in an exact run."""
        books = self.total + self.dissipated + self.friction - self.driver_work - self.applied_work
        return books - books[0]

    @property
    def scale(self) -> np.float64:
        """The largest energy that moved [J]: what an error is fairly compared with.

        The peak of kinetic + elastic, plus the range of potential (its zero is arbitrary), plus the largest of what
        was dissipated, rubbed away, or put in. At least 1e-9 of the ``reference`` and of the largest potential energy,
        so that the rounding of a system at rest is compared with its weight and stiffness; never zero.
        """
        rest = UNMOVED * np.maximum(self.reference, np.max(np.abs(self.potential)))
        moved = np.max(self.kinetic + self.elastic) + np.ptp(self.potential)
        passed = np.max(np.abs([self.dissipated, self.friction, self.driver_work, self.applied_work]))
        # fmax would hide a not-a-number; maximum keeps it in sight.
        return np.float64(np.maximum(np.maximum(moved + passed, rest), np.finfo(np.float64).tiny))

    @property
    def drift(self) -> np.float64:
        """Largest |balance| relative to `scale` (dimensionless): the error of the run as its energy shows it."""
        return np.float64(np.max(np.abs(self.balance)) / self.scale)
