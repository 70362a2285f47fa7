"""A chain of pendulum links, one metre and one kilogram in all, released from horizontal."""

from __future__ import annotations

import carom as cm


def chain(links: int) -> cm.System:
    system = cm.System(gravity=(0.0, -9.81), name=f"chain of {links} links")
    length = mass = 1.0 / links
    before = system.ground
    for k in range(links):
        body = cm.Body(f"link {k}", mass, mass * length**2 / 12.0, position=((k + 0.5) * length, 0.0))
        system.add(body)
        system.add(cm.Revolute(before, body, at=(k * length, 0.0)))
        before = body
    return system
