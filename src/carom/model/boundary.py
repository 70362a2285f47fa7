"""Boundaries of a system with many bodies: inlets, where bodies appear, and outlets, where they leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import is_list, non_negative, positive, short_repr, unit_vector, vector
from carom.errors import ModelError
from carom.geometry.element import Element
from carom.model.body import Body, Ground
from carom.typing import BodyLike, PointLike, VectorLike


class Boundary(Element):
    """Inlet or outlet of a system; only runs of many bodies support it, "verlet" or non-smooth."""

    family = "boundaries"
    posed = False
    signals: tuple[str, ...] = ("count", "mass")
    units: tuple[str, ...] = ("1", "kg")

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"{type(self).__name__} {self.name!r}" if self.name else type(self).__name__


class Inlet(Boundary):
    """Inlet: each of ``bodies`` waits at its position, and appears there at its time with its velocity.

    A waiting body does not move, has no weight and touches nothing. The times are ``times`` [s], one per body, or
    follow from ``rate`` [1/s]: body k appears at ``start`` + k/``rate`` [s]. Several bodies may have the same position.
    A body whose place is occupied at its time, so that one of its shapes would overlap another shape of a group, waits
    until the place is free; this is checked every 100 steps, and whenever another body is due. The bodies are free: no
    joint or force element acts on them. Their kinetic energy is part of the applied work.

    Signals: number of bodies that have appeared since the start (``count``) and their ``mass`` [kg].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    >>> start = cm.packing.lattice(30, radius=0.01, gap=0.002, origin=(0.0, 0.0, 0.5))
    >>> grains = cm.packing.spheres(system, start, density=2500.0)
    >>> group = system.add_contacts(grains, [cm.Plane(system.ground)], cm.laws.Flores(1e6, 0.5))
    >>> feed = system.add(cm.Inlet([grain.body for grain in grains], rate=1000.0, name="feed"))
    >>> result = cm.simulate(system, t_end=0.02, output=0.01)
    >>> result["feed"].count
    array([ 1., 11., 21.])
    """

    def __init__(
        self,
        bodies: Iterable[BodyLike],
        times: Sequence[float] | np.ndarray | None = None,
        rate: float | None = None,
        start: float = 0.0,
        name: str | None = None,
    ):
        super().__init__(name)
        self.bodies = _bodies(self.label, bodies)
        self.rate = None if rate is None else positive(self.label, "rate", rate)
        self.start = non_negative(self.label, "start", start)
        self.times = self._times(times)
        self.parameters = self.times

    def _times(self, times: Any) -> tuple[float, ...]:
        """Return the times of the bodies [s]."""
        if (times is None) == (self.rate is None):
            got = "none" if times is None else "both"
            raise ModelError(f"{self.label}: needs either times= or rate=, got {got}; set one of them")
        if self.rate is not None:
            return tuple(self.start + k / self.rate for k in range(len(self.bodies)))
        if self.start != 0.0:
            raise ModelError(f"{self.label}: start must be 0 with times=, got {self.start:g} s; add it to the times")
        values = vector(self.label, "times", times, len(self.bodies))
        for k, value in enumerate(values):
            non_negative(self.label, f"times[{k}]", value)
        return values

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments from the attributes, since an iterator of bodies can be read only once."""
        if self.rate is None:
            return {"bodies": self.bodies, "times": self.times}
        return {"bodies": self.bodies, "rate": self.rate} | ({"start": self.start} if self.start else {})

    @property
    def connection(self) -> str:
        """Number of bodies, for tables."""
        return f"{len(self.bodies)} bodies"

    def check_addition(self, system: Any) -> None:
        """Raise if a body is not in the system or belongs to another inlet."""
        known = {id(body) for body in system.bodies}
        used = {
            id(body): inlet for inlet in system.boundaries if isinstance(inlet, Inlet) for body in inlet.bodies
        }  # fmt: skip
        for body in self.bodies:
            if id(body) not in known:
                raise ModelError(
                    f"{self.label}: body {body.name!r} is not in system {system.name!r}; add the body first"
                )
            if id(body) in used:
                raise ModelError(
                    f"{self.label}: body {body.name!r} belongs to {used[id(body)].label} already; list it in one inlet"
                )


class Outlet(Boundary):
    """Outlet: a free body leaves when its centre of mass is in the region; it then rests there and touches nothing.

    The region is the half-space beyond the plane through ``at`` [m], to which ``normal`` points, or the
    ``box=(lower, upper)`` between two corners [m]. The centres are checked every ``interval`` [s], by default every 100
    steps of length ``max_step``, and at the times of inlets. The energy of a body that leaves is taken from the applied
    work; the result shows it at rest where it left.

    Signals: number of bodies that have left since the start (``count``) and their ``mass`` [kg].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> discs = [cm.Sphere(system.add(cm.Body(f"d{k}", 1.0, 0.1, (k, 1.0))), radius=0.1) for k in range(3)]
    >>> group = system.add_contacts(discs, law=cm.laws.Hertz(1e6))
    >>> drain = system.add(cm.Outlet(at=(0.0, 0.0), normal=(0.0, -1.0), interval=0.01, name="drain"))
    >>> result = cm.simulate(system, t_end=0.5, output=0.25)  # the fall takes 0.45 s
    >>> result["drain"].count
    array([0., 0., 3.])
    """

    def __init__(
        self,
        at: PointLike | None = None,
        normal: VectorLike | None = None,
        box: Sequence[PointLike] | np.ndarray | None = None,
        interval: float | None = None,
        name: str | None = None,
    ):
        super().__init__(name)
        self.interval = None if interval is None else positive(self.label, "interval", interval)
        if (box is None) == (at is None and normal is None) or (at is None) != (normal is None):
            raise ModelError(f"{self.label}: needs either at= and normal=, or box=(lower, upper); set one of the two")
        self.lower, self.upper = ((), ()) if box is None else self._corners(box)
        self.at = () if at is None else vector(self.label, "at", at)
        if at is not None:
            self._check_size("at", self.at)
        self.normal = () if at is None else unit_vector(self.label, "normal", normal, len(self.at))
        self.parameters = (*self.at, *self.normal, *self.lower, *self.upper)

    def _check_size(self, what: str, point: tuple[float, ...]) -> None:
        """Raise unless a point has two or three coordinates."""
        if len(point) not in (2, 3):
            raise ModelError(f"{self.label}: {what} must be 2 or 3 numbers, got {len(point)}")

    def _corners(self, box: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the two corners of a box."""
        if isinstance(box, (str, bytes)) or not is_list(box) or len(list(box)) != 2:
            raise ModelError(f"{self.label}: box must be two corners (lower, upper), got {short_repr(box)}")
        lower, upper = (vector(self.label, f"box[{k}]", corner) for k, corner in enumerate(box))
        self._check_size("box[0]", lower)
        upper = vector(self.label, "box[1]", upper, len(lower))
        if any(low >= high for low, high in zip(lower, upper, strict=True)):
            raise ModelError(
                f"{self.label}: box must have a lower corner below the upper one in all coordinates, got {lower} and "
                f"{upper}"
            )
        return lower, upper

    @property
    def connection(self) -> str:
        """Kind of the region, for tables."""
        return "box" if self.lower else "half-space"

    def check_addition(self, system: Any) -> None:
        """Raise if its region does not have the dimension of the system."""
        size = len(self.lower or self.at)
        if size != system.dim:
            what = "box" if self.lower else "at"
            raise ModelError(
                f"{self.label}: {what} must have {system.dim} coordinates in system {system.name!r} with "
                f"dim={system.dim}, got {size}"
            )

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Return True for each of ``points`` [m] (n × dim) that lies in the region.

        Examples
        --------
        >>> import numpy as np
        >>> cm.Outlet(at=(0.0, 1.0), normal=(0.0, -1.0)).contains(np.array([[5.0, 0.5], [5.0, 1.5]]))
        array([ True, False])
        """
        if self.lower:
            return np.asarray(np.all((points >= self.lower) & (points <= self.upper), axis=1))
        return np.asarray((points - self.at) @ np.array(self.normal) > 0.0)


def _bodies(owner: str, bodies: Any) -> tuple[Body, ...]:
    """Return a tuple of different bodies; raise for other values."""
    if isinstance(bodies, (str, bytes)) or not is_list(bodies):
        raise ModelError(f"{owner}: bodies must be a list of bodies, got {short_repr(bodies)}")
    checked: list[Body] = []
    known: set[int] = set()
    for body in bodies:
        if not isinstance(body, Body) or isinstance(body, Ground):
            raise ModelError(f"{owner}: bodies must contain bodies that move, got {short_repr(body)}")
        if id(body) in known:
            raise ModelError(f"{owner}: body {body.name!r} is listed twice; list every body once")
        known.add(id(body))
        checked.append(body)
    if not checked:
        raise ModelError(f"{owner}: bodies must contain at least one body, got none")
    return tuple(checked)
