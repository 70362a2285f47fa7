"""Small systems for tests of non-smooth runs with many bodies."""

from __future__ import annotations

import carom as cm
from solve.many_body.systems import GRAVITY, RADIUS, add_sphere, box_walls, lattice


def add_rigid_group(system: cm.System, shapes, others=(), *, large=True, impact=None, rolling=None) -> cm.ContactGroup:
    """Add a group of rigid contacts; a ``large`` one is not divided into single contacts, although it has few pairs."""
    group = cm.ContactGroup(shapes, others, impact=impact or cm.ImpactLaw(), name="grains", rolling=rolling)
    if large:
        system.groups.append(group)
    else:
        system.add(group)
    return group


def spatial_system(**options) -> cm.System:
    return cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), **options)


def sphere_on_floor(velocity, spin=(0.0, 0.0, 0.0), *, impact, rolling=None, large=True) -> cm.System:
    """Return a sphere on the plane z = 0."""
    system = spatial_system()
    sphere = add_sphere(system, "ball", (0.0, 0.0, RADIUS), velocity, spin)
    add_rigid_group(system, [sphere], [cm.Plane(system.ground)], impact=impact, rolling=rolling, large=large)
    return system


def rigid_box_of_spheres(count: int, impact: cm.ImpactLaw, rolling=None) -> cm.System:
    """Return spheres that fall into a box."""
    centres, side = lattice(count)
    system = spatial_system(name="box of spheres")
    spheres = [add_sphere(system, f"ball {k}", centre) for k, centre in enumerate(centres)]
    add_rigid_group(system, spheres, box_walls(system, side), impact=impact, rolling=rolling)
    return system


def struck_pendulum(*, large: bool) -> cm.System:
    """Return a double pendulum in the plane, with a spring, that three discs strike."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 0.5, 1e-3, (0.0, -0.1)))
    lower = system.add(cm.Body("lower", 0.3, 1e-3, (0.0, -0.3)))
    system.add(cm.Revolute(system.ground, upper, at=(0.0, 0.0), name="hinge"))
    system.add(cm.Revolute(upper, lower, at=(0.0, -0.2), name="knee"))
    system.add(cm.SpringDamper(system.ground.point(0.3, -0.3), lower, stiffness=50.0, damping=0.5, name="spring"))
    discs = [
        cm.Sphere(system.add(cm.Body(f"disc {k}", 0.1, 5e-6, (-0.08 - 0.03 * k, -0.3), velocity=(2.0, 0.3))), RADIUS)
        for k in range(3)
    ]
    add_rigid_group(system, discs, [cm.Sphere(lower, 0.03)], impact=cm.ImpactLaw(0.5, 0.2), large=large)
    return system


def run(system: cm.System, t_end: float, step: float = 1e-3, **options) -> cm.Result:
    return cm.simulate(system, t_end, method="nonsmooth", step=step, **options)
