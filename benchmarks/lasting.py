"""Systems whose contacts last, for the benchmarks: stacks, rolling and sliding bodies."""

from __future__ import annotations

import carom as cm

HALF, MASS = 0.05, 1.0
"""Half side [m] and mass [kg] of a box."""


def five_rigid_boxes() -> cm.System:
    """Return five cubes on each other at rest, for ``simulate(system, 5.0, method="nonsmooth", step=1e-3)``."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="five rigid boxes")
    below: cm.Plane | cm.Box = cm.Plane(system.ground)
    for k in range(5):
        inertia = (MASS * (2.0 * HALF) ** 2 / 6.0,) * 3
        body = system.add(cm.Body(f"box {k}", MASS, inertia, (0.0, 0.0, HALF * (2 * k + 1))))
        box = cm.Box(body, (HALF, HALF, HALF))
        system.add(cm.Contact(box, below, impact=cm.ImpactLaw(0.0, friction=0.5), name=f"touch {k}"))
        below = box
    return system
