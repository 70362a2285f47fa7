"""Measures of results with many bodies: mass flow, energies of groups of bodies, forces, pressures and wear.

Forces and torques of contacts on the ground and on the bodies of a mechanism are elements of the result, "contacts on
ground"; the signals of a contact group contain the coordination number and the work of friction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import is_list, non_negative, positive, short_repr, unit_vector, vector
from carom.errors import ModelError
from carom.geometry.shapes.plane import Plane
from carom.geometry.shapes.sphere import SphericalShape
from carom.model.contact_group import ContactGroup
from carom.result.name_lookup import name_of, unknown_name
from carom.result.plain_data import FloatArray
from carom.result.result import Result
from carom.short_form import ShortRepr
from carom.typing import PointLike, VectorLike

__all__ = [
    "MassFlow",
    "contact_force",
    "kinetic_energy",
    "mass_flow",
    "pressure_profile",
    "wear_volume",
]

Bodies = Iterable[Any] | None
"""Bodies, their names, or shapes on them; None for all bodies of a result."""


@dataclass(frozen=True, eq=False, repr=False)
class MassFlow(ShortRepr):
    """Mass that passes a plane, counted positive along its normal.

    Parameters
    ----------
    t
        (n,) times of the nodes [s].
    mass
        (n,) net mass that has passed since the first node [kg].
    rate
        (n − 1,) mean mass flow between two nodes [kg/s]; zero between two nodes at the same time.

    Examples
    --------
    >>> import carom as cm
    >>> flow = cm.measures.MassFlow([0.0, 0.5], [0.0, 2.0])
    >>> flow.rate, flow.mean()
    (array([4.]), 4.0)
    """

    t: np.ndarray
    mass: np.ndarray

    @property
    def rate(self) -> FloatArray:
        """Mean mass flow between two nodes [kg/s]."""
        duration = np.diff(self.t)
        return np.divide(np.diff(self.mass), duration, out=np.zeros(len(duration)), where=duration > 0.0)

    def mean(self, start: float | None = None, end: float | None = None) -> float:
        """Return the mean mass flow from ``start`` to ``end`` [kg/s], by default over the run [s]."""
        low, high = (np.interp(x, self.t, self.mass) for x in self._range(start, end))
        first, last = self._range(start, end)
        return float((high - low) / (last - first))

    def _range(self, start: float | None, end: float | None) -> tuple[float, float]:
        first = float(self.t[0]) if start is None else start
        last = float(self.t[-1]) if end is None else end
        if not self.t[0] <= first < last <= self.t[-1]:
            raise ModelError(
                f"MassFlow: times must obey {self.t[0]:g} ≤ start < end ≤ {self.t[-1]:g} s, got {first:g} and "
                f"{last:g} s"
            )
        return first, last


def mass_flow(
    result: Result, at: PointLike, normal: VectorLike, radius: float | None = None, bodies: Bodies = None
) -> MassFlow:
    """Return the mass of ``bodies`` that passes the plane through ``at`` [m] along ``normal``.

    A body passes the plane when its centre of mass does. With a ``radius`` [m] only the circular window about ``at``
    counts. Motion between two nodes is taken as straight, so a body must not pass the window twice between two nodes.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> stone = system.add(cm.Body("stone", mass=2.0, position=(0.0, 1.0)))
    >>> fall = cm.simulate(system, t_end=1.0)
    >>> float(cm.measures.mass_flow(fall, at=(0.0, 0.0), normal=(0.0, -1.0)).mass[-1])
    2.0
    """
    owner = "measures.mass_flow"
    dim, index = result.dim, _indices(owner, result, bodies)
    point, direction = np.array(vector(owner, "at", at, dim)), np.array(unit_vector(owner, "normal", normal, dim))
    window = np.inf if radius is None else positive(owner, "radius", radius)
    masses = _masses(result)[index]
    passed = np.zeros(len(result.t))
    before = _positions(result, 0, index) - point
    for k in range(1, len(result.t)):
        after = _positions(result, k, index) - point
        height, height_after = before @ direction, after @ direction
        crossing = np.flatnonzero((height < 0.0) != (height_after < 0.0))
        if len(crossing):
            h, h_after = height[crossing], height_after[crossing]
            part = h / (h - h_after)
            place = before[crossing] + part[:, None] * (after[crossing] - before[crossing])
            inside = np.linalg.norm(place, axis=1) <= window
            passed[k] = np.sum(np.where(h < 0.0, 1.0, -1.0)[inside] * masses[crossing][inside])
        before = after
    return MassFlow(result.t, np.cumsum(passed))


def kinetic_energy(result: Result, bodies: Bodies = None) -> FloatArray:
    """Return the kinetic energy of ``bodies`` at the nodes [J], of translation and rotation.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> stone = system.add(cm.Body("stone", mass=2.0))
    >>> fall = cm.simulate(system, t_end=1.0, output=0.5)
    >>> round(float(cm.measures.kinetic_energy(fall, ["stone"])[-1]), 6)  # ½ m (g t)²
    96.2361
    """
    index, n_nodes = _indices("measures.kinetic_energy", result, bodies), len(result.t)
    masses = _masses(result)[index]
    inertia = [result.bodies[k].inertia for k in index]
    energy = np.zeros(n_nodes)
    tensors = np.array(inertia).reshape(len(index), 3, 3) if result.dim == 3 else np.array(inertia)
    for k in range(n_nodes):
        v = result.v[k].reshape(len(result.bodies), -1)[index]
        translation = masses @ np.sum(v[:, : result.dim] ** 2, axis=1)
        if result.dim == 3:
            rotation = np.einsum("ni,nij,nj->", v[:, 3:], tensors, v[:, 3:])
        else:
            rotation = tensors @ v[:, 2] ** 2
        energy[k] = 0.5 * (translation + rotation)
    return energy


def contact_force(result: Result, bodies: Bodies = None) -> FloatArray:
    """Return the sum of the contact forces on free ``bodies`` at the nodes [N], shape (n, dim): Σ m (a − g).

    It is exact for bodies without joints and force elements. Forces on the ground and on bodies of a mechanism are
    recorded in runs of many bodies: ``result["contacts on ground"].fz``.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> bool(abs(cm.measures.contact_force(result)[0]).max() < 1e-9)  # it falls freely at first
    True
    """
    owner = "measures.contact_force"
    index = _indices(owner, result, bodies)
    if result.sketch is None:
        raise ModelError(f"{owner}: Result {result.name!r} has no drawing data, so its gravity is unknown")
    gravity, masses = np.array(result.sketch.gravity), _masses(result)[index]
    forces = np.zeros((len(result.t), result.dim))
    for k in range(len(result.t)):
        acceleration = result.a[k].reshape(len(result.bodies), -1)[index, : result.dim]
        forces[k] = masses @ (acceleration - gravity)
    return forces


def wear_volume(result: Result, group: Any, coefficient: float) -> FloatArray:
    """Return the volume worn off by a contact group [m³] by Archard's law, V = k ∫ F_N |v_t| dt, at the nodes.

    ``coefficient`` is the specific wear rate k [m³/(N m)], of steel about 1e-15 to 1e-13. Divide by the worn area for
    the mean depth. The group must have friction, and the run many bodies (integrator "verlet").

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.box_of_spheres(balls=64)
    >>> result = cm.simulate(case.system, t_end=0.1, output=0.05)
    >>> bool(cm.measures.wear_volume(result, "floor", 1e-14)[-1] > 0.0)
    True
    """
    owner = "measures.wear_volume"
    series = result[group]
    if "sliding_work" not in series.info.signals:
        raise ModelError(
            f"{owner}: {series.info.name!r} has no signal 'sliding_work'; use a contact group of a run with many bodies"
        )
    return np.asarray(non_negative(owner, "coefficient", coefficient) * series.sliding_work)


def pressure_profile(
    result: Result,
    group: ContactGroup,
    wall: Plane,
    edges: ArrayLike,
    axis: VectorLike,
    width: float,
    times: ArrayLike | None = None,
) -> FloatArray:
    """Return the mean pressure of spheres on a plane wall [Pa] in bins along ``axis``, shape (times, bins).

    ``edges`` [m] are the limits of the bins, measured along ``axis`` from the origin; ``width`` [m] is the width of the
    wall across it, in 2D the thickness. ``group`` contains the spheres and the ``wall``, which is on the ground. The
    forces are those of the group's law for the overlaps at ``times`` [s] (default: the last node), without damping:
    those of a bed at rest. The force on the whole wall with damping is the signal ``normal_force`` of a group with this
    wall only.

    Examples
    --------
    >>> import carom as cm
    >>> case = cm.gallery.box_of_spheres(balls=64)
    >>> result = cm.simulate(case.system, t_end=0.1, output=0.05)
    >>> walls = case.system["walls"]
    >>> edges = [0.0, 0.05, 0.1]
    >>> cm.measures.pressure_profile(result, walls, walls.others[0], edges, axis=(0, 0, 1), width=0.075).shape
    (1, 2)
    """
    owner = "measures.pressure_profile"
    limits, across = np.array(vector(owner, "edges", edges)), positive(owner, "width", width)
    if len(limits) < 2 or np.any(np.diff(limits) <= 0.0):
        raise ModelError(f"{owner}: edges must be two or more increasing numbers [m], got {short_repr(edges)}")
    if not isinstance(group, ContactGroup) or wall not in group.others or not isinstance(wall, Plane):
        raise ModelError(f"{owner}: wall must be a Plane among the others of the contact group, got {short_repr(wall)}")
    if group.law is None or not getattr(wall.body, "fixed", False):
        raise ModelError(f"{owner}: {group.label} must have a law, and its wall must be on the ground")
    direction = np.array(unit_vector(owner, "axis", axis, result.dim))
    spheres = [s for s in group.shapes if isinstance(s, SphericalShape) and s.is_centred_sphere]
    index = _indices(owner, result, spheres)
    radii = np.array([shape.radius for shape in spheres])
    at, normal = np.array(wall.at[: result.dim]), np.array(wall.normal[: result.dim])
    sample = result.sample(result.t[-1] if times is None else times)
    profile = np.zeros((len(sample.t), len(limits) - 1))
    for k in range(len(sample.t)):
        position = _positions(sample, k, index)
        overlap = radii - (position - at) @ normal
        touching = np.flatnonzero(overlap > 0.0)
        if not len(touching):
            continue
        force = np.atleast_1d(group.law.force(overlap[touching]))
        profile[k], _ = np.histogram(position[touching] @ direction, bins=limits, weights=force)
    return profile / (np.diff(limits) * across)


def _masses(result: Result) -> FloatArray:
    """Return the masses of all bodies [kg]."""
    return np.array([body.mass for body in result.bodies])


def _positions(result: Result, node: int, index: FloatArray) -> FloatArray:
    """Return the centres of mass of bodies at a node [m]."""
    return result.q[node].reshape(len(result.bodies), -1)[index, : result.dim]


def _indices(owner: str, result: Result, bodies: Bodies) -> Any:
    """Return the indices of bodies in the result."""
    if bodies is None:
        return np.arange(len(result.bodies))
    if isinstance(bodies, str) or not is_list(bodies):
        raise ModelError(f"{owner}: bodies must be a list of bodies, names or shapes, got {short_repr(bodies)}")
    known = {body.name: k for k, body in enumerate(result.bodies)}
    indices = []
    for item in bodies:
        name = name_of(getattr(item, "body", item))
        if name not in known:
            raise unknown_name(result.name, name, known)
        indices.append(known[name])
    if not indices:
        raise ModelError(f"{owner}: bodies must contain at least one body, got none")
    return np.array(indices)
