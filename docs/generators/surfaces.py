"""Parametric surfaces, coloured by their mean curvature."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize

import carom as cm
from carom.geometry.surfaces.registry import SURFACES
from generators.page_figures import keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Parametric surfaces"
INTRO = "Freeform surfaces s(u, v), in their own axes; `cm.Surface(body, surface)` places one on a body."
EXAMPLES = {
    "Sphere": "cm.surfaces.Sphere(1.0)",
    "Ellipsoid": "cm.surfaces.Ellipsoid(1.0, 0.7, 0.5)",
    "Superellipsoid": "cm.surfaces.Superellipsoid(1.0, 0.8, 0.6, 0.5, 0.5)",
    "Torus": "cm.surfaces.Torus(1.0, 0.4)",
    "Cylinder": "cm.surfaces.Cylinder(0.6, 0.8)",
    "Cone": "cm.surfaces.Cone(0.9, 0.3, 0.7)",
    "Paraboloid": "cm.surfaces.Paraboloid(0.8, 1.6, 1.0)",
    "Revolution": "cm.surfaces.Revolution([(0.5, -1.0), (0.9, -0.6), (0.7, 0.0), (0.35, 0.5), (0.45, 1.0)])",
    "BSpline": "cm.surfaces.BSpline(bumps)",
    "HeightMap": "cm.surfaces.HeightMap(ticks, ticks, heights)",
    "Fitted": "cm.surfaces.Fitted(bumps)",
    "FunctionSurface": "cm.surfaces.FunctionSurface(\n    "
    "lambda u, v: (u, v, 0.3 * math.sin(2.0 * u) * math.cos(3.0 * v)), "
    "u=(-1.0, 1.0), v=(-1.0, 1.0))",
}
PREPARED = """ticks = np.linspace(-1.0, 1.0, 9)
x, y = np.meshgrid(ticks, ticks, indexing="ij")
heights = 0.3 * np.sin(2.0 * x) * np.cos(3.0 * y)
bumps = np.stack([x, y, heights], axis=-1)
"""
POINTS = 41


def names() -> list[str]:
    return list(SURFACES)


def make(name: str, folder: Path) -> Entry:
    kind, code = SURFACES[name], EXAMPLES[name]
    head = "import carom as cm\n"
    if "math." in code:
        head = f"import math\n\n{head}"
    if any(word in code for word in ("bumps", "ticks")):
        head = f"import numpy as np\n\n{head}\n{PREPARED}"
    scope: dict[str, object] = {}
    exec(f"{head}\nsurface = {code}", scope)
    surface = scope["surface"]
    assert isinstance(surface, cm.surfaces.ParametricSurface)
    u, v = np.meshgrid(
        *(np.linspace(*span, POINTS) for span in (surface.u_range, surface.v_range)), indexing="ij"
    )  # fmt: skip
    places = surface.point(u, v)
    curvature = 0.5 * sum(cm.surfaces.principal_curvatures(surface, u, v))
    middle = ", ".join(f"{0.5 * sum(span):.4g}" for span in (surface.u_range, surface.v_range))
    low, high = np.nanpercentile(curvature, (4.0, 96.0))
    if high - low < 1e-6:
        low, high = low - 1.0, high + 1.0
    colours = colormaps["viridis"](Normalize(low, high)(curvature))
    with sheet(5.2, 4.0) as figure:
        axes = figure.add_subplot(projection="3d")
        axes.plot_surface(
            *np.moveaxis(places, -1, 0), facecolors=colours, rstride=1, cstride=1, linewidth=0, shade=True
        )
        axes.set_aspect("equal")
        axes.set_xlabel("x")
        axes.set_ylabel("y")
        axes.set_zlabel("z")
        axes.tick_params(labelsize=6)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.pane.set_visible(False)
    keep(figure, folder / name)
    return Entry(name, name, summary(own_docstring(kind)), page(
        name,
        signature(f"cm.surfaces.{name}", kind),
        markdown(own_docstring(kind)),
        picture(name, f"The surface {name}"),
        "*The surface below, coloured by its mean curvature.*",
        block(f"{head}\nsurface = {code}\nsurface.point({middle}), surface.normal({middle})"),
    ))  # fmt: skip
