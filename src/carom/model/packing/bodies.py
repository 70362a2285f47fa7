"""Bodies and shapes of a packing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from carom.argument_checks import is_list, positive, short_repr, vector
from carom.errors import ModelError
from carom.geometry.shapes.sphere import Sphere
from carom.model.body import Body
from carom.model.packing.packing import Packing
from carom.typing import VectorLike

if TYPE_CHECKING:
    from carom.model.system import System


def spheres(
    system: System,
    packing: Packing,
    *,
    density: float | None = None,
    mass: float | VectorLike | None = None,
    thickness: float = 1.0,
    velocity: VectorLike | None = None,
    name: str = "grain",
) -> list[Sphere]:
    """Add a body with a centred sphere for each sphere of a packing to the system; return the spheres.

    Set the ``density`` [kg/m³], or the ``mass`` of each body [kg], one number or one per sphere. The inertia is that of
    a solid sphere, 2/5 m r². In a planar system the bodies are discs of the given ``thickness`` [m] with the mass
    ρ π r² · thickness and the inertia ½ m r². The bodies are named "grain 0", "grain 1", … after ``name`` and start
    with ``velocity`` [m/s].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    >>> packing = cm.packing.random(box=((0, 0, 0), (0.1, 0.1, 0.3)), radius=5e-3, count=500, seed=1)
    >>> grains = cm.packing.spheres(system, packing, density=2500.0)
    >>> group = system.add_contacts(grains, [cm.Plane(system.ground)], cm.laws.Flores(1e6, 0.5), name="grains")
    >>> system, grains[0].body
    (<System 'system': 500 bodies, 1 groups>, <Body 'grain 0' 0.00130...>)
    """
    owner = "packing.spheres"
    if not isinstance(packing, Packing):
        raise ModelError(f"{owner}: packing must be a Packing such as packing.lattice(...), got {short_repr(packing)}")
    if packing.dim != system.dim:
        raise ModelError(
            f"{owner}: System {system.name!r} has dim={system.dim}, but the packing has {packing.dim} coordinates; use "
            f"a packing in {system.dim}D"
        )
    if not isinstance(name, str) or not name:
        raise ModelError(f"{owner}: name must be a non-empty string, got {short_repr(name)}")
    masses = _masses(owner, packing, density, mass, thickness)
    inertias = (0.4 if packing.dim == 3 else 0.5) * masses * packing.radii**2
    shapes = []
    for k, (position, radius, m, inertia) in enumerate(
        zip(packing.positions.tolist(), packing.radii.tolist(), masses.tolist(), inertias.tolist(), strict=True)
    ):
        body = system.add(Body(f"{name} {k}", m, inertia, position=position, velocity=velocity))
        shapes.append(Sphere(body, radius))
    return shapes


def _masses(
    owner: str, packing: Packing, density: float | None, mass: float | VectorLike | None, thickness: float
) -> np.ndarray:
    """Return the masses of the bodies [kg]."""
    if (density is None) == (mass is None):
        raise ModelError(
            f"{owner}: set either density or mass, got density={short_repr(density)}, mass={short_repr(mass)}"
        )
    thickness = positive(owner, "thickness", thickness)
    if packing.dim == 3 and thickness != 1.0:
        raise ModelError(f"{owner}: thickness is for planar systems, got {thickness:g} m for spheres")
    if density is not None:
        return packing.volumes * positive(owner, "density", density) * thickness
    if is_list(mass):
        masses = np.array(vector(owner, "mass", mass, len(packing)))
        if masses.min(initial=math.inf) <= 0.0:
            raise ModelError(f"{owner}: mass must be positive, got {masses.min():g} kg")
        return masses
    return np.full(len(packing), positive(owner, "mass", mass))
