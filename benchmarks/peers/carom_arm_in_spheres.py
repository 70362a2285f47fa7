"""An arm that sweeps through a bed of spheres in carom; the time includes building its tables and its result."""

from __future__ import annotations

import warnings

import carom as cm
from measured import best, say, timed
from problems import GRAVITY
from problems import ArmInSpheres as P


def scene() -> cm.System:
    """Return the system: arm on a driven hinge, spheres above a floor."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="arm in spheres")
    x, y, z = P.pivot
    arm = system.add(cm.Body("arm", P.arm_mass, (P.arm_inertia,) * 3, position=(x + P.arm_half, y, z)))
    hinge = system.add(cm.Revolute(system.ground, arm, at=P.pivot, axis=(0.0, 1.0, 0.0)))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(P.speed)))
    inertia = 0.4 * P.mass * P.radius**2
    spheres = [
        cm.Sphere(system.add(cm.Body(f"sphere {k}", P.mass, (inertia,) * 3, position=place)), P.radius)
        for k, place in enumerate(P.start())
    ]
    blade = cm.Segment(arm, start=(-P.arm_half, 0.0, 0.0), end=(P.arm_half, 0.0, 0.0), radius=P.arm_radius)
    system.add_contacts(
        spheres, [cm.Plane(system.ground), blade], law=cm.laws.HuntCrossley(P.stiffness, P.restitution),
        friction=cm.friction.Coulomb(P.friction), name="contacts",
    )  # fmt: skip
    return system


def run(system: cm.System, output: float) -> tuple[float, cm.Result]:
    results: list[cm.Result] = []
    seconds = timed(lambda: results.append(cm.simulate(system, P.t_end, output=output, progress=False)))
    return seconds, results[0]


def main() -> None:
    warnings.simplefilter("ignore")
    system = scene()
    _, detailed = run(system, 2e-3)
    seconds, result = best(lambda: run(system, 0.05))
    found = {"penetration": float(detailed["contacts"].largest_indentation.max())}
    say("springs and dampers", f"step {P.t_end / result.stats['steps']:.0e}", seconds, result.stats["steps"], **found)


if __name__ == "__main__":
    main()
