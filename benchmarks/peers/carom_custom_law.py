"""Cost of a user's law in carom: two spheres, with the built-in law and with one in Python."""

from __future__ import annotations

from functools import partial

import carom as cm
from carom_two_spheres import model, run
from measured import best, say
from problems import TwoSpheres as P

STIFFNESS, DAMPING = P.stiffness, P.damping


def written(indentation: float, rate: float) -> float:
    return STIFFNESS * indentation**1.5 * (1.0 + DAMPING * rate)


def main() -> None:
    # As many steps as the other programs take, so that the law is what counts.
    options = {"integrator": "rk4", "max_step": 1e-7, "onset": "none"}
    for way, law in (("built-in", None), ("Python function, compiled", cm.laws.custom(written))):
        system = model(law)
        run(system, **options)
        seconds, (steps, restitution) = best(partial(run, system, **options))
        say(way, "rk4, step 1e-07", seconds, steps, restitution=restitution)


if __name__ == "__main__":
    main()
