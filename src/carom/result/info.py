"""What the columns of a result mean: which body, which element, which signal, which unit."""

from dataclasses import dataclass

# What a series says about itself; a signal of the same name could never be reached as an attribute.
_TAKEN = ("info", "kind", "name", "names", "t", "units", "values")

MOTION = ("value", "rate", "acceleration")
"""Signals of a generalised coordinate and its derivatives, by which it is interpolated as the motion of a body."""


@dataclass(frozen=True)
class BodyInfo:
    """One body of the run.

    Parameters
    ----------
    name : the body's name, unique in the result.
    mass : mass [kg].
    inertia : moment of inertia about the centre of mass [kg m²]; a number in the plane, a tuple in space.
    """

    name: str
    mass: float
    inertia: float | tuple[float, ...]

    def __post_init__(self) -> None:
        inertia = self.inertia
        plain = tuple(float(value) for value in inertia) if isinstance(inertia, tuple) else float(inertia)
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "inertia", plain)


@dataclass(frozen=True)
class ElementInfo:
    """One joint, driver, force or contact of the run, and where its signals stand.

    Parameters
    ----------
    name : the element's name, unique in the result.
    kind : what it is, e.g. "Revolute".
    family : "joint", "driver", "force", "contact" or "coordinate".
    members : names of the bodies it acts on.
    signals : names of its columns, e.g. ("angle", "angle_rate", "fx", "fy", "torque").
    units : the unit of each signal, e.g. ("rad", "rad/s", "N", "N", "N m").
    columns : (start, stop) of its columns in `Result.signals`.
    """

    name: str
    kind: str
    family: str
    members: tuple[str, ...]
    signals: tuple[str, ...]
    units: tuple[str, ...]
    columns: tuple[int, int]

    def __post_init__(self) -> None:
        start, stop = (int(column) for column in self.columns)
        object.__setattr__(self, "columns", (start, stop))
        for field in ("members", "signals", "units"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        if not (start >= 0 and stop - start == len(self.signals) == len(self.units)):
            raise ValueError(
                f"Element '{self.name}': {len(self.signals)} signals need as many units and columns, "
                f"got {len(self.units)} units and columns {self.columns}"
            )
        if len(set(self.signals)) < len(self.signals):
            raise ValueError(f"Element '{self.name}': signals must have different names, got {self.signals}")
        for signal in self.signals:
            if signal in _TAKEN:
                raise ValueError(f"Element '{self.name}': a signal cannot be called '{signal}', the series uses it")
