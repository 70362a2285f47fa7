"""Pages of shapes: the gap in the plane around them, point by point."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import carom as cm
from carom.geometry.closest_points import evaluate
from carom.geometry.pairs.base import NO_CONTACT
from carom.geometry.pairs.registry import pair, partners_of
from carom.geometry.pose import pose_of
from carom.geometry.shapes.registry import SHAPES
from generators.page_figures import keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Shapes"
INTRO = "Surfaces of bodies. A shape is fixed on a body, in body axes; two shapes form a `Contact`."
TETRAHEDRON = (
    "vertices=[(-0.6, -0.5, -0.4), (0.6, -0.5, -0.4), (0.0, 0.8, -0.4), (0.0, 0.0, 0.7)],\n"
    "    faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]"
)
EXAMPLES = {
    "Point": "cm.Point(body, (0.0, 0.0, 0.0))",
    "Sphere": "cm.Sphere(body, 0.6)",
    "Segment": "cm.Segment(body, (-0.6, 0.0, -0.2), (0.6, 0.0, 0.2), radius=0.2)",
    "Plane": "cm.Plane(body, (0.0, 0.0, -0.2), normal=(0.2, 0.0, 1.0))",
    "Curve": "cm.Curve(body, [(0.7, 0.0), (0.3, 0.6), (-0.3, 0.3), (-0.8, 0.5), (-0.7, -0.4), (0.2, -0.6)], "
    "closed=True)",
    "Polygon": "cm.Polygon(body, [(-0.7, -0.5), (0.7, -0.5), (0.7, 0.6), (0.2, 0.6), (0.0, 0.0), (-0.6, 0.4)], "
    "radius=0.1)",
    "Triangle": "cm.Triangle(body, (-0.7, -0.5, -0.3), (0.7, -0.5, 0.2), (0.0, 0.8, 0.1))",
    "Rectangle": "cm.Rectangle(body, (0.0, 0.0, 0.0), (1.0, 0.0, 0.3), (0.0, 1.0, 0.0), 0.7, 0.5)",
    "Disc": "cm.Disc(body, (0.0, 0.0, 0.0), (0.3, 0.0, 1.0), 0.7)",
    "Cylinder": "cm.Cylinder(body, (0.0, 0.0, 0.0), (0.2, 0.0, 1.0), 0.4, 0.6)",
    "Cone": "cm.Cone(body, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.7, 0.6, end_radius=0.2)",
    "Torus": "cm.Torus(body, (0.0, 0.0, 0.0), (0.0, 0.2, 1.0), 0.6, 0.25)",
    "Box": "cm.Box(body, (0.6, 0.4, 0.3))",
    "Ellipsoid": "cm.Ellipsoid(body, (0.8, 0.5, 0.4), orientation=(0.97, 0.0, 0.25, 0.0))",
    "ConvexHull": "cm.ConvexHull(body, [(-0.8, -0.6, -0.4), (0.8, -0.5, -0.5), (0.1, 0.9, -0.4), (-0.2, 0.0, 0.8), "
    "(0.6, 0.0, 0.4)])",
    "Mesh": f"cm.Mesh(body, {TETRAHEDRON})",
    "Surface": "cm.Surface(body, cm.surfaces.Ellipsoid(0.9, 0.7, 0.5))",
    "Union": "cm.Union(cm.Sphere(body, 0.4, (-0.3, 0.0, 0.1)), cm.Cylinder(body, (0.2, 0.0, 0.0), (1.0, 0.0, "
    "0.0), 0.2, 0.6))",
}
"""Shapes about a metre wide, on ``body``."""
REACH, POINTS = 1.2, 51


def names() -> list[str]:
    return list(SHAPES)


def planar(name: str) -> bool:
    return name in ("Curve", "Polygon")


def make(name: str, folder: Path) -> Entry:
    kind = SHAPES[name]
    code = EXAMPLES[name]
    dim = 2 if planar(name) else 3
    system = cm.System(dim=dim)
    probe = system.add(cm.Body("probe", 1.0, 1.0, position=(0.0,) * dim))
    shape = eval(code, {"cm": cm, "body": system.ground})
    found = pair("docs", cm.Point(probe, (0.0,) * dim), shape, touching=False)
    ticks = np.linspace(-REACH, REACH, POINTS)
    gaps = np.full((POINTS, POINTS), np.nan)
    for row, high in enumerate(ticks):
        for column, wide in enumerate(ticks):
            probe.position = (wide, high) if dim == 2 else (wide, 0.0, high)
            gap = evaluate(found, *(pose_of(one.body) for one in found.shapes))["gap"]
            gaps[row, column] = gap if gap < NO_CONTACT else np.nan
    with sheet(5.2, 4.3) as figure:
        axes = figure.subplots()
        top = 1.2
        field = axes.contourf(ticks, ticks, np.clip(gaps, -top, top), levels=np.linspace(-top, top, 25), cmap="RdBu")
        axes.contour(ticks, ticks, gaps, levels=[1e-9], colors=["#333333"], linewidths=1.5)
        figure.colorbar(field, ax=axes, label="gap [m]", ticks=[-1.2, -0.6, 0.0, 0.6, 1.2])
        axes.set_aspect("equal")
        axes.grid(False)
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]" if dim == 2 else "z [m]")
    keep(figure, folder / name)
    met = sorted(set(partners_of("Sphere" if name == "Point" else name)))
    links = ", ".join(f"[{other}](../shapes/{other}.md)" for other in met)
    plane = "its own plane" if dim == 2 else "the plane y = 0"
    return Entry(name, name, summary(own_docstring(kind)), page(
        name,
        signature(f"cm.{name}", kind),
        markdown(own_docstring(kind)),
        f"It meets {links}." if links else "A Union meets every shape that all its own shapes meet.",
        picture(name, f"Gap around {name}"),
        f"*The gap of a point in {plane} to the shape below; the line is the skin.*",
        block(f"import carom as cm\n\nbody = cm.System(dim={dim}).ground\nshape = {code}"),
    ))  # fmt: skip
