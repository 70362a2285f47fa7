"""Pages of lubricants: the force of each film over the eccentricity, beside those of the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from carom.laws.lubrication import LUBRICANTS
from generators.page_figures import BLUE, FAINT, RED, keep, picture, sheet
from generators.page_text import Entry, block, markdown, own_docstring, page, signature, summary

TITLE = "Lubricants"
INTRO = "Films of oil in journal bearings: `cm.RevoluteClearance(…, lubricant=…)` has one of them."
VISCOSITY, LENGTH = 0.02, 0.01
SIZES = {"radius": 0.01, "clearance": 1e-4, "speed": 100.0}
CODE = """import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
rotor = system.add(cm.Body("rotor", mass=2.0, inertia=1e-4, angular_velocity=100.0))
pin = cm.RevoluteClearance(
    system.ground,
    rotor,
    at=(0.0, 0.0),
    journal_radius=10.0e-3,
    bearing_radius=10.1e-3,
    law=cm.laws.Hertz(stiffness=1e10),
    lubricant=cm.lubrication.{name}(viscosity=0.02, length=0.01),
    name="pin",
)
system.add(pin)
result = cm.simulate(system, t_end=0.05)
result["pin film"].eccentricity_ratio[-1], result["pin film"].power_loss[-1]
"""


def names() -> list[str]:
    return list(LUBRICANTS)


def make(name: str, folder: Path) -> Entry:
    kind = LUBRICANTS[name]
    ratio = np.linspace(0.0, 0.8, 161)
    with sheet(7.2, 3.0) as figure:
        for axes, part, colour, label in zip(figure.subplots(1, 2), (0, 1), (BLUE, RED), ("radial", "tangential")):
            for other, law in LUBRICANTS.items():
                if other != name:
                    axes.plot(ratio, law(VISCOSITY, LENGTH).force(eccentricity=ratio, **SIZES)[part], color=FAINT)
            axes.plot(ratio, kind(VISCOSITY, LENGTH).force(eccentricity=ratio, **SIZES)[part], color=colour, lw=2.0)
            axes.set_xlabel("eccentricity ratio [-]")
            axes.set_ylabel(f"{label} force [N]")
    keep(figure, folder / name)
    return Entry(name, name, summary(own_docstring(kind)), page(
        name,
        signature(f"cm.lubrication.{name}", kind),
        markdown(own_docstring(kind)),
        picture(name, f"Force of the film {name} over the eccentricity"),
        "*Force on the journal in steady rotation; grey: the other films. Bearing: 0.02 Pa s, radius and length 10 mm, "
        "clearance 0.1 mm, 100 rad/s.*",
        block(CODE.format(name=name)),
    ))  # fmt: skip
