"""Spheres in a box in carom; `carom_spheres.py COUNT FILE` settles them and writes their places for all programs."""

from __future__ import annotations

import sys

import numpy as np

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.solve.many_body.verlet_engine import VerletEngine
from measured import say, timed
from problems import GRAVITY, lattice, overlaps
from problems import Spheres as P

LAWS = {
    "linear spring and damper": cm.laws.KelvinVoigt(P.stiffness, P.damping),
    "Hunt–Crossley": cm.laws.HuntCrossley(1e6, 0.7),
}


FRICTION = cm.friction.Coulomb(P.friction, P.creep)


def box(
    places: np.ndarray,
    side: float | tuple[float, float],
    law: cm.laws.NormalLaw,
    friction: cm.friction.Coulomb = FRICTION,
) -> cm.System:
    """Spheres at ``places`` in a box of four walls and a floor, with one side or two [m]."""
    length, width = side if isinstance(side, tuple) else (side, side)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    inertia = (0.4 * P.mass * P.radius**2,) * 3
    shapes = [
        cm.Sphere(system.add(cm.Body(f"sphere {k}", P.mass, inertia, position=place)), P.radius)
        for k, place in enumerate(places)
    ]
    ground = system.ground
    walls = [
        cm.Plane(ground),
        cm.Plane(ground, normal=(1.0, 0.0, 0.0)),
        cm.Plane(ground, at=(length, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)),
        cm.Plane(ground, normal=(0.0, 1.0, 0.0)),
        cm.Plane(ground, at=(0.0, width, 0.0), normal=(0.0, -1.0, 0.0)),
    ]
    system.add_contacts(shapes, walls, law, friction, name="grains")
    return system


def main() -> None:
    count, file = int(sys.argv[1]), sys.argv[2]
    start, side = lattice(count)
    for way, law in LAWS.items():
        if way == "linear spring and damper":
            fall = cm.simulate(box(start, side, law), P.settle, max_step=P.step, output=P.settle)
            np.save(file, fall.q[-1].reshape(count, 7)[:, :3])
        places = np.load(file)
        engine = VerletEngine(ManyBodyData(box(places, side, law)), 1)
        engine.evaluate(P.step)
        engine.advance(P.window, P.step)
        before = engine.steps
        seconds = min(timed(lambda: engine.advance(P.window, P.step)) for _ in range(5))  # noqa: B023
        steps, touching = (engine.steps - before) // 5, engine.n_touching
        moved = cm.simulate(box(places, side, law), 3 * P.window, max_step=P.step, output=3 * P.window)
        overlap = float(overlaps(moved.q[-1].reshape(count, 7)[:, :3], side).mean()) / P.radius
        say(way, f"step {P.step:.0e}", seconds, steps, contacts=touching, overlap=overlap)
        engine.close()


if __name__ == "__main__":
    main()
