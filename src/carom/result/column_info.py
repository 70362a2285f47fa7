"""Description of the columns of a result: bodies, elements, signals and units."""

from dataclasses import dataclass

# Attributes of a series; a signal with such a name could not be read as an attribute.
_RESERVED = ("info", "kind", "name", "names", "t", "units", "values")

MOTION = ("value", "rate", "acceleration")
"""Signals of a generalised coordinate: value and derivatives; they are interpolated like the motion of a body."""


@dataclass(frozen=True)
class BodyInfo:
    """Body of a run.

    Parameters
    ----------
    name
        the body's name, unique in the result.
    mass
        mass [kg].
    inertia
        moment of inertia about the centre of mass [kg m²]; a number in 2D, a tuple in 3D.
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
    """Joint, driver, force, contact or boundary of a run, and the columns of its signals.

    Parameters
    ----------
    name
        the element's name, unique in the result.
    kind
        name of its class, e.g. "Revolute".
    family
        "joint", "driver", "force", "contact", "boundary", "coordinate", "sensor", "input" or "output".
    members
        names of the bodies it acts on.
    signals
        names of its columns, e.g. ("angle", "angle_rate", "fx", "fy", "torque").
    units
        unit of each signal, e.g. ("rad", "rad/s", "N", "N", "N m").
    columns
        (start, stop) of its columns in `Result.signals`.
    parts
        names of the contacts it consists of, e.g. ("touch 1", "touch 2"); none for most elements.
    """

    name: str
    kind: str
    family: str
    members: tuple[str, ...]
    signals: tuple[str, ...]
    units: tuple[str, ...]
    columns: tuple[int, int]
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        start, stop = (int(column) for column in self.columns)
        object.__setattr__(self, "columns", (start, stop))
        for field in ("members", "signals", "units", "parts"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        if not (start >= 0 and stop - start == len(self.signals) == len(self.units)):
            raise ValueError(
                f"Element '{self.name}': {len(self.signals)} signals require as many units and columns, "
                f"got {len(self.units)} units and columns {self.columns}"
            )
        if len(set(self.signals)) < len(self.signals):
            raise ValueError(f"Element '{self.name}': signals must have different names, got {self.signals}")
        for signal in self.signals:
            if signal in _RESERVED:
                raise ValueError(f"Element '{self.name}': '{signal}' is reserved and cannot be the name of a signal")
