"""Contacts of MuJoCo documents: pairs of geoms that may collide, and their laws."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.shapes import Shape
from carom.io.model.mjcf_document import MjcfDocument
from carom.io.model.mjcf_geoms import Geom
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.model.contact import Contact
from carom.model.system import System

SOLREF, IMPEDANCE = (0.02, 1.0), 0.95
"""Default time constant [s] and damping ratio [-] of soft contacts, and their impedance d_max [-]."""

NamedGeom = tuple[str, Geom, Shape, str]
"""Name of a shape, its geom, the shape, and the name of its MJCF body."""


def add_contacts(
    document: MjcfDocument, system: System, shapes: list[NamedGeom], parents: dict[str, str], static: set[str]
) -> None:
    """Add the contacts of all geoms that may collide, and of the pairs in <contact>."""
    excluded = {frozenset((item.get("body1"), item.get("body2"))) for item in document.root.iterfind("contact/exclude")}
    by_name = {entry[0]: entry for entry in shapes}
    pairs = {}
    for item in document.root.iterfind("contact/pair"):
        ends = [by_name.get(item.get(key, "")) for key in ("geom1", "geom2")]
        if None in ends:
            raise ModelError(f"{document.owner}: contact pair refers to an unknown geom")
        pairs[frozenset(end[0] for end in ends if end)] = document.attributes(item, "main")
    for first, second in combinations(shapes, 2):
        own = pairs.get(frozenset((first[0], second[0])))
        if own is None and not may_collide(document, first, second, parents, static, excluded):
            continue
        if first[2].body is second[2].body:
            continue
        try:
            system.add(contact_of(document, first, second, own or {}))
        except ModelError:
            document.not_imported[f"contacts of {first[1].kind} and {second[1].kind}"] += 1


def may_collide(
    document: MjcfDocument,
    first: NamedGeom,
    second: NamedGeom,
    parents: dict[str, str],
    static: set[str],
    excluded: Any,
) -> bool:
    """Return True if MuJoCo lets two geoms collide: bit masks, not excluded, and not parent and child."""
    one, other = first[3], second[3]
    if one == other or (one in static and other in static) or frozenset((one, other)) in excluded:
        return False
    related = parents.get(one) == other or parents.get(other) == one
    if related and one not in static and other not in static:
        return False
    masks = [
        [int(document.number(geom.attributes, key, 1.0)) for key in ("contype", "conaffinity")]
        for geom in (first[1], second[1])
    ]
    return bool((masks[0][0] & masks[1][1]) | (masks[1][0] & masks[0][1]))


def contact_of(document: MjcfDocument, first: NamedGeom, second: NamedGeom, own: dict[str, str]) -> Contact:
    """Return the contact of two geoms; a spring and damper for the reduced mass, from the reference of the pair.

    MuJoCo's soft contact accelerates by −b v − k r with b = 2/(d τ), k = 1/(d² τ² ζ²), for time constant τ, damping
    ratio ζ and impedance d; negative numbers are −k and −b themselves.
    """
    attributes = [own] if own else [first[1].attributes, second[1].attributes]
    references = [document.numbers(each, "solref", SOLREF, 2) for each in attributes]
    constant, ratio = (float(mean) for mean in np.mean(references, axis=0))
    if constant > 0.0:
        damping, stiffness = 2.0 / (IMPEDANCE * constant), 1.0 / (IMPEDANCE * constant * ratio) ** 2
    else:
        stiffness, damping = -constant / IMPEDANCE**2, -ratio / IMPEDANCE
    mobility = sum(1.0 / body.mass for body in (first[2].body, second[2].body) if body.mass > 0.0)
    mass = 1.0 / mobility if mobility > 0.0 else 1.0
    mu = max(float(document.numbers(each, "friction", [1.0])[0]) for each in attributes)
    if max(int(document.number(each, "condim", 3)) for each in attributes) > 3:
        document.not_imported["rolling and torsional friction"] += 1
    return Contact(
        first[2], second[2], law=KelvinVoigt(mass * stiffness, mass * damping), name=f"{first[0]} – {second[0]}",
        friction=Coulomb(mu) if mu > 0.0 else None, impact=ImpactLaw(restitution=0.0, friction=mu),
    )  # fmt: skip
