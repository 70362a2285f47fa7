"""Pages of profiles: the outline of each, with its corners."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import carom as cm
from carom.geometry.profiles.registry import PROFILES
from generators.page_figures import BLUE, RED, keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Profiles"
INTRO = (
    "Outlines of planar parts, in their own axes. `cm.Curve(body, profile)` places one on a body, "
    "`cm.Polygon(body, profile)` one with straight sides."
)
TABLE = """angles = np.linspace(0.0, 2.0 * np.pi, 37)
lifts = 0.005 * (1.0 - np.cos(2.0 * angles))
"""
EXAMPLES = {
    "SpurGear": "cm.profiles.SpurGear(17, 2e-3, backlash=1e-4)",
    "Cam": 'cm.profiles.Cam(angles, lifts, base_radius=0.03, follower="roller", roller_radius=0.01)',
    "GenevaWheel": "cm.profiles.GenevaWheel(4, 0.1, pin_radius=0.005)",
    "GenevaDriver": "cm.profiles.GenevaDriver(cm.profiles.GenevaWheel(4, 0.1, pin_radius=0.005))",
    "Ratchet": "cm.profiles.Ratchet(12, 0.04, 0.05)",
    "Pawl": "cm.profiles.Pawl(0.04, 0.006)",
    "CycloidDisc": "cm.profiles.CycloidDisc(11, 0.05, pin_radius=0.005, eccentricity=0.002)",
    "RoundedRectangle": "cm.profiles.RoundedRectangle(0.04, 0.02, radius=0.003)",
    "OutOfRound": "cm.profiles.OutOfRound(0.01, [(2, 4e-4, 0.3), (3, 2e-4, 0.0)])",
}


def names() -> list[str]:
    return list(PROFILES)


def make(name: str, folder: Path) -> Entry:
    kind, code = PROFILES[name], EXAMPLES[name]
    head = f"import numpy as np\n\nimport carom as cm\n\n{TABLE}" if "angles" in code else "import carom as cm\n"
    scope: dict[str, object] = {}
    exec(f"{head}\nprofile = {code}", scope)
    profile = scope["profile"]
    assert isinstance(profile, cm.profiles.Profile)
    body = cm.Body("part", 1.0, 1.0)
    shape: cm.Curve | cm.Polygon
    shape = cm.Polygon(body, profile) if profile.radius > 0.0 else cm.Curve(body, profile)
    with sheet(4.6, 4.2) as figure:
        axes = figure.subplots()
        axes.fill(*shape.outline(3000).T, facecolor="#dbe6f2", edgecolor=BLUE, lw=1.2)
        corners = np.array(profile.points)[list(profile.corners)]
        if len(corners):
            axes.plot(*corners.T, ".", color=RED, ms=3)
        axes.set_aspect("equal")
        axes.set_xlabel("x [m]")
        axes.set_ylabel("y [m]")
    keep(figure, folder / name)
    shape_name = type(shape).__name__
    return Entry(name, name, summary(own_docstring(kind)), page(
        name,
        signature(f"cm.profiles.{name}", kind),
        markdown(own_docstring(kind)),
        picture(name, f"The profile {name}"),
        "*The profile below; points mark the ends of its pieces.*",
        block(
            f"{head}\nprofile = {code}\n"
            f'part = cm.Body("part", mass=0.1, inertia=1e-4)\nshape = cm.{shape_name}(part, profile)'
        ),
    ))  # fmt: skip
