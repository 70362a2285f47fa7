"""Pressure over the elements of a contact with an elastic foundation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.pairs.foundation import FoundationPairing, element_overlaps
from carom.geometry.pose import pose_of
from carom.geometry.rotation import matrix_of
from carom.laws.normal.elastic_foundation import ElasticFoundation
from carom.model.contact import Contact
from carom.short_form import ShortRepr
from carom.typing import BodyLike

if TYPE_CHECKING:
    from carom.result.result import Result


MAX_SPACING = 6.0
"""Distance of two elements over the root of the largest area, above which nothing is drawn between them [-]."""


@dataclass(frozen=True, eq=False, repr=False)
class PressureMap(ShortRepr):
    """Pressure of the elements of a contact, in global axes; the rate of compression is not in it.

    ``points`` (n × 3) [m] are the middles of all elements, ``normals`` (n × 3) the unit normals of the other shape
    there, ``areas`` [m²] and ``pressure`` [Pa] have n numbers; the pressure is 0 where nothing overlaps.
    """

    points: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    pressure: np.ndarray

    @property
    def contact_area(self) -> float:
        """Area under pressure [m²]."""
        return float(self.areas[self.pressure > 0.0].sum())

    @property
    def max_pressure(self) -> float:
        """Largest pressure [Pa]."""
        return float(self.pressure.max(initial=0.0))

    @property
    def force(self) -> np.ndarray:
        """Resultant on the shape with the elements [N]."""
        force: np.ndarray = (self.pressure * self.areas) @ self.normals
        return force

    @property
    def centre(self) -> np.ndarray:
        """Centre of pressure [m]; not a number without contact."""
        weights = self.pressure * self.areas
        with np.errstate(invalid="ignore", divide="ignore"):
            centre: np.ndarray = weights @ self.points / weights.sum()
        return centre

    def plot(self, ax: Any = None) -> Any:
        """Plot the pressure over the plane of the contact patch, with its centre; return the matplotlib axes."""
        from matplotlib.figure import Figure
        from matplotlib.tri import Triangulation

        if ax is None:
            ax = Figure(layout="constrained").add_subplot()
        pressed = self.pressure > 0.0
        if not pressed.any():
            ax.text(0.5, 0.5, "no contact", ha="center", va="center", transform=ax.transAxes)
            return ax
        across = self._plane()
        places = 1e3 * (self.points[pressed] - self.centre) @ across.T
        triangles = Triangulation(*places.T) if len(places) > 2 else None
        if triangles is None:
            colours = ax.scatter(*places.T, c=1e-6 * self.pressure[pressed], vmin=0.0)
        else:
            corners = places[triangles.triangles]
            longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
            triangles.set_mask(longest > MAX_SPACING * 1e3 * math.sqrt(self.areas[pressed].max()))
            colours = ax.tripcolor(triangles, 1e-6 * self.pressure[pressed], shading="gouraud", vmin=0.0)
        ax.plot(0.0, 0.0, "+", color="tab:red", markersize=12.0, label="centre of pressure")
        ax.figure.colorbar(colours, ax=ax, label="pressure [MPa]")
        ax.set_xlabel("along the patch [mm]")
        ax.set_ylabel("across the patch [mm]")
        ax.set_aspect("equal")
        ax.legend(loc="upper right")
        return ax

    def _plane(self) -> np.ndarray:
        """Return two unit vectors of the plane perpendicular to the resultant, the first along the patch."""
        force = self.force
        normal = force / np.linalg.norm(force) if np.linalg.norm(force) > 0.0 else np.array([0.0, 0.0, 1.0])
        weights = np.sqrt(self.pressure * self.areas)
        offsets = weights[:, None] * (self.points - self.centre)
        offsets -= np.outer(offsets @ normal, normal)
        along = np.linalg.svd(offsets[weights > 0.0], full_matrices=False)[2][0]
        along -= (along @ normal) * normal
        if np.linalg.norm(along) < 1e-6:
            along = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        along /= np.linalg.norm(along)
        along *= 1.0 if along[int(np.argmax(np.abs(along)))] > 0.0 else -1.0
        return np.array([along, np.cross(normal, along)])


def pressure_map(contact: Contact, result: Result | None = None, time: float | None = None) -> PressureMap:
    """Return the pressure of a contact with an elastic foundation.

    The bodies are in their current poses, or in those of a ``result`` at a ``time`` [s] (default: its end).

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, inertia=0.004, position=(0.0, 0.0, 0.0999))
    >>> layer = cm.laws.ElasticFoundation(modulus=5e6, thickness=0.003)
    >>> floor = cm.Plane(cm.System(dim=3).ground)
    >>> contact = cm.Contact(cm.Surface(ball, cm.surfaces.Sphere(0.1)), floor, law=layer)
    >>> pressures = cm.pressure_map(contact)
    >>> 1e5 < pressures.max_pressure < layer.pressure(1e-4)
    True
    """
    pairing, law = contact.pairing, contact.law
    if not (isinstance(pairing, FoundationPairing) and isinstance(law, ElasticFoundation)):
        raise ModelError(f"{contact.label}: only a contact with laws.ElasticFoundation has a map of its pressure")
    pose_a, pose_b = (_pose_at(shape.body, result, time) for shape in pairing.shapes)
    points, normals, gaps = element_overlaps(pairing, pose_a, pose_b)
    return PressureMap(points, normals, pairing.elements["area"].copy(), law.stiffness * np.maximum(-gaps, 0.0))


def _pose_at(body: BodyLike, result: Result | None, time: float | None) -> np.ndarray:
    """Return the pose of a body."""
    if result is None or body.name not in {info.name for info in result.bodies}:
        return pose_of(body)
    series = result[body.name] if time is None else result.sample([time])[body.name]
    return np.array([*series.position[-1], *matrix_of(series.orientation[-1]).ravel()])
