"""Pages of pairs: two shapes with their closest points, and the gap while one moves over the other."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import numpy as np

import carom as cm
from carom.geometry.closest_points import closest
from carom.geometry.pairs.registry import PAIRS, pair
from carom.plot.mechanism import PlanarDrawing
from carom.plot.rendered_drawing import RenderedDrawing
from generators.page_figures import BLUE, FAINT, INK, RED, keep, picture, sheet
from generators.page_text import Entry, block, markdown, page
from generators.shapes import TETRAHEDRON

TITLE = "Pairs"
INTRO = (
    "Pairs of shapes and the computation of their closest points. The order of the two shapes is arbitrary; a Point "
    "counts as a Sphere. `cm.closest(a, b)` evaluates a pair without a contact; other pairs raise an error."
)
UPPER = {
    "Sphere": "cm.Sphere(body, 0.3)",
    "Segment": "cm.Segment(body, (-0.5, 0.0, 0.0), (0.5, 0.1, 0.15), radius=0.1)",
    "Disc": "cm.Disc(body, (0.0, 0.0, 0.0), (0.5, 0.2, 1.0), 0.5)",
    "Box": "cm.Box(body, (0.3, 0.25, 0.2), orientation=(0.95, 0.15, 0.2, 0.1))",
    "Triangle": "cm.Triangle(body, (-0.5, -0.4, -0.2), (0.5, -0.4, 0.0), (0.0, 0.5, 0.2))",
    "Rectangle": "cm.Rectangle(body, (0.0, 0.0, 0.0), (1.0, 0.0, 0.3), (0.0, 1.0, 0.0), 0.4, 0.3)",
    "Cylinder": "cm.Cylinder(body, (0.0, 0.0, 0.0), (0.5, 0.3, 1.0), 0.25, 0.3)",
    "Cone": "cm.Cone(body, (0.0, 0.0, 0.0), (0.4, 0.2, -1.0), 0.35, 0.3)",
    "Ellipsoid": "cm.Ellipsoid(body, (0.45, 0.3, 0.2), orientation=(0.95, 0.15, 0.2, 0.1))",
    "ConvexHull": "cm.ConvexHull(body, [(-0.4, -0.3, 0.0), (0.4, -0.3, 0.1), (0.1, 0.4, 0.0), (0.0, 0.0, 0.4), "
    "(0.1, 0.0, -0.3)])",
    "Torus": "cm.Torus(body, (0.0, 0.0, 0.0), (0.3, 0.2, 1.0), 0.4, 0.12)",
    "Plane": "cm.Plane(body, (0.0, 0.0, 0.0), normal=(0.15, 0.0, -1.0))",
    "Mesh": f"cm.Mesh(body, {TETRAHEDRON}, orientation=(0.6, 0.8, 0.0, 0.0))",
    "Surface": "cm.Surface(body, cm.surfaces.Ellipsoid(0.5, 0.35, 0.25))",
    "Polygon": "cm.Polygon(body, [(-0.3, -0.2), (0.35, -0.1), (0.25, 0.2), (0.0, 0.05), (-0.3, 0.2)])",
    "Curve": "cm.Curve(body, [(0.35, 0.0), (0.0, 0.25), (-0.35, 0.0), (0.0, -0.25)], closed=True)",
}
LOWER = {
    "Sphere": "cm.Sphere(ground, 0.4)",
    "Plane": "cm.Plane(ground, (0.0, 0.0, 0.0), normal=(0.2, 0.0, 1.0))",
    "Segment": "cm.Segment(ground, (-0.6, -0.4, 0.0), (0.6, 0.4, 0.0), radius=0.1)",
    "Triangle": "cm.Triangle(ground, (-0.8, -0.6, 0.0), (0.8, -0.6, 0.0), (0.0, 0.8, 0.2))",
    "Rectangle": "cm.Rectangle(ground, (0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (0.0, 1.0, 0.0), 0.6, 0.5)",
    "Disc": "cm.Disc(ground, (0.0, 0.0, 0.0), (-0.2, 0.0, 1.0), 0.6)",
    "Cylinder": "cm.Cylinder(ground, (0.0, 0.0, -0.2), (0.0, 1.0, 0.0), 0.3, 0.6)",
    "Cone": "cm.Cone(ground, (0.0, 0.0, -0.2), (0.0, 0.0, 1.0), 0.6, 0.3, end_radius=0.2)",
    "Torus": "cm.Torus(ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.5, 0.15)",
    "Box": "cm.Box(ground, (0.5, 0.5, 0.2), at=(0.0, 0.0, -0.1))",
    "Ellipsoid": "cm.Ellipsoid(ground, (0.7, 0.5, 0.3), at=(0.0, 0.0, -0.1))",
    "ConvexHull": "cm.ConvexHull(ground, [(-0.7, -0.6, -0.4), (0.7, -0.6, -0.4), (0.0, 0.8, -0.4), (-0.2, 0.0, 0.2), "
    "(0.3, 0.1, 0.1)])",
    "Mesh": f"cm.Mesh(ground, {TETRAHEDRON})",
    "Polygon": "cm.Polygon(ground, [(-0.8, -0.2), (0.8, -0.2), (0.5, 0.2), (0.1, -0.05), (-0.4, 0.15)])",
    "Curve": "cm.Curve(ground, [(-1.2, -0.1), (-0.7, 0.15), (-0.2, -0.1), (0.3, 0.1), (0.8, -0.05), (1.2, 0.1)])",
    "Surface": "cm.Surface(ground, cm.surfaces.FunctionSurface(\n    "
    "lambda u, v: (u, v, 0.25 * (u * u + v * v) - 0.1), "
    "u=(-0.8, 0.8), v=(-0.8, 0.8)))",
}
PLANAR_UPPER = {"Segment": "cm.Segment(body, (-0.5, 0.0), (0.5, 0.1), radius=0.1)"}
PLANAR_LOWER = {"Plane": "cm.Plane(ground, (0.0, 0.0), normal=(0.2, 1.0))"}
"""Shapes whose arguments differ on planar bodies."""
HEIGHT, SHIFT = 0.75, 0.15


def names() -> list[str]:
    return [f"{a}-{b}" for a, b in PAIRS]


def planar(a: str, b: str) -> bool:
    return bool({"Curve", "Polygon"} & {a, b})


def code_of(a: str, b: str) -> tuple[str, str]:
    """Code of the upper and of the lower shape of a pair."""
    if planar(a, b):
        return PLANAR_UPPER.get(a, UPPER[a]), PLANAR_LOWER.get(b, LOWER[b])
    return UPPER[a], LOWER[b]


def make(name: str, folder: Path) -> Entry:
    kinds = tuple(name.split("-"))
    a, b = kinds
    flat = planar(a, b)
    code_a, code_b = code_of(a, b)
    position = (SHIFT, 0.65) if flat else (SHIFT, 0.1, 1.1 if b == "Mesh" else HEIGHT)
    system = cm.System(dim=2 if flat else 3, gravity=(0.0,) * (2 if flat else 3))
    body = system.add(cm.Body("body", 1.0, 0.1, position=position))
    shape_a = eval(code_a, {"cm": cm, "body": body})
    shape_b = eval(code_b, {"cm": cm, "ground": system.ground})
    if shape_a.thin and shape_b.thin:  # they never touch
        system.shapes.update({"upper": shape_a, "lower": shape_b})
    else:
        system.add(cm.Contact(shape_a, shape_b, cm.laws.Hertz(1e6), name="touch"))
    found = closest(shape_a, shape_b)
    run = cm.simulate(system, 1e-5)
    with sheet(8.4, 3.8) as figure:
        figure.get_layout_engine().set(wspace=0.14)  # type: ignore[union-attr]
        drawing: Any = PlanarDrawing(system, run) if flat else RenderedDrawing(system, run)
        left = figure.add_subplot(1, 2, 1, projection=drawing.projection)
        if flat:  # a picture of a planar mechanism is as large as what moves in it
            drawing.low, drawing.high = np.array([-1.2, -0.5]), np.array([1.2, 1.2])
        ends = np.array([found.point_a, found.point_b])
        if flat:
            drawing.draw(left, 0.0, [])
            left.plot(*ends.T, "o-", color=RED, ms=4, lw=1.6, zorder=50)
        else:
            drawing.draw(left, 0.0, [], segments=[ends])
        right = figure.add_subplot(1, 2, 2)
        shifts = np.linspace(-1.0, 1.0, 101)
        gaps = []
        for shift in shifts:
            body.position = (shift, *position[1:])
            gaps.append(closest(shape_a, shape_b).gap)
        body.position = position
        gap = np.where(np.array(gaps) < 1e29, gaps, np.nan)
        right.plot(shifts, gap, color=BLUE)
        right.plot([SHIFT], [found.gap], "o", color=RED, ms=4)
        right.axhline(0.0, color=FAINT, lw=0.8)
        right.set_xlabel("position of the upper shape [m]")
        right.set_ylabel("gap [m]")
        right.tick_params(labelcolor=INK)
    keep(figure, folder / name)
    known = PAIRS[kinds]  # type: ignore[index]
    module = importlib.import_module(known.kernel.function.__module__)
    n_points = pair("docs", shape_a, shape_b, touching=False).contact_points
    dim = 2 if flat else 3
    example = (
        f"import carom as cm\n\nsystem = cm.System(dim={dim})\nground = system.ground\n"
        f'body = system.add(cm.Body("body", mass=1.0, inertia=0.1, position={position}))\n'
        f"a = {code_a}\nb = {code_b}\ncm.closest(a, b).gap          # {found.gap:.6g} m"
    )
    points = "They touch at one point."
    if shape_a.thin and shape_b.thin:
        points = "Neither has a thickness: they have a distance, but no contact."
    elif n_points > 1:
        points = f"They touch at up to {n_points} points at once, each with a contact of its own."
    shapes = f"[{a}](../shapes/{a}.md) and [{b}](../shapes/{b}.md), {n_points} contact point{'s' * (n_points > 1)}"
    return Entry(name, f"{a}–{b}", shapes, page(
        f"{a}–{b}",
        f"Contact of a [{a}](../shapes/{a}.md) with a [{b}](../shapes/{b}.md).",
        markdown(inspect.getdoc(module) or ""),
        points,
        picture(name, f"Closest points of {a} and {b}"),
        "*Left: the closest points, as the kernel computes them. Right: the gap as the upper shape moves along x.*",
        block(example),
    ))  # fmt: skip
