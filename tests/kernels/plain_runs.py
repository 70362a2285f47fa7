"""Short runs of everything that is compiled: microseconds of machine code are a second of plain Python.

As a program it prints what `found` gives, to be run under ``NUMBA_DISABLE_JIT=1``.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
CASES = {
    "two_spheres": {},
    "slider_crank_block": {"t_end": 0.018},
    "quick_return": {"t_end": 0.002},
    "spinning_top": {"t_end": 0.005},
    "cam_follower": {"t_end": 2e-4},
    "knee": {"t_end": 1e-3},
    "chain": {"t_end": 2e-3},
    "parallelogram": {"t_end": 5e-3},
    "differential": {"t_end": 3e-4},
    "box_of_spheres": {"t_end": 2e-5},
    "condyles": {"t_end": 2e-5},
    "bouncing_ball": {"t_end": 0.4, "step": 2e-3},
    "rocking_block": {"t_end": 2e-3},
    "slider_crank_clearance": {"t_end": 1e-4},
    "stick_slip": {"t_end": 0.01},
    "painleve_rod": {"t_end": 2e-3},
    "newtons_cradle": {"t_end": 1e-3},
    "ball_on_incline": {"t_end": 2e-3},
    "dominoes": {"t_end": 1e-4},
    "funnel": {"t_end": 1e-4},
    "ball_on_swinging_disc": {"t_end": 2e-4},
}
INTEGRATORS = {
    "auto": {}, "implicit": {}, "dop853": {}, "tsit5": {}, "rk4": {"max_step": 1e-3}, "adams": {}, "bdf": {},
    "theta": {"method": "nonsmooth", "scheme": "theta", "step": 1e-2},
    "moreau": {"method": "nonsmooth", "scheme": "moreau", "step": 1e-2},
    "event-driven": {"method": "nonsmooth", "scheme": "event-driven"},
}  # fmt: skip
"""Further options of runs of a ball that falls on a floor."""
SOLVERS = ("lemke", "enumeration", "pgs", "alart-curnier")
"""Solvers of the contact problems of discs and balls that slide."""
LINKS = {"massless": 2, "sparse": 24, "bushing": 2, "adams": 2, "bdf": 2}
"""Numbers of bodies that hang on each other: they need solvers of the equations of motion that other runs do not, or
have the steps of SUNDIALS in a loop."""
PRESSED = ("auto", "implicit")
"""Integrators with implicit steps, for balls that stay pressed on a floor."""
EXAMPLES = sorted(str(path.relative_to(DOCS)) for path in (DOCS / "examples").rglob("*.py"))


def case(name: str) -> list[float]:
    import carom as cm

    result = getattr(cm.gallery, name)().run(**CASES[name])
    return [float(len(result.t)), *result.t[1:3].tolist(), *result.q[-1][:60].tolist()]


def drop(name: str) -> list[float]:
    import carom as cm

    options = dict(INTEGRATORS[name])
    if "method" not in options and name != "rk4":
        options["integrator"] = name
    elif name == "rk4":
        options["integrator"] = "rk4"
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 0.5, 1e-4, position=(0.0, 0.022), velocity=(0.3, -1.0)))
    law = cm.laws.Flores(stiffness=1e5, restitution=0.7)
    system.add(
        cm.Contact(
            cm.Sphere(ball, 0.02), cm.Plane(system.ground), law=law, friction=cm.friction.Ambrosio(0.2, 1e-3, 1e-2),
            impact=cm.ImpactLaw(0.7, 0.2),
        )
    )  # fmt: skip
    result = cm.simulate(system, 0.02, **options)
    return [float(len(result.t)), *result.q[-1].tolist()]


def slide(name: str) -> list[float]:
    """Two balls that slide, roll and meet, in the plane and in space, by one of the solvers."""
    import carom as cm

    found: list[float] = []
    for dim in (2, 3):
        up = (0.0,) * (dim - 1)
        system = cm.System(gravity=(*up, -9.81), dim=dim)
        floor = cm.Plane(system.ground)
        for k in range(2):
            centre = (0.19 * k, *up[1:], 0.1)
            body = cm.Body(f"ball {k}", 1.0, 0.004, position=centre, velocity=(1.0 - k, *up[1:], -0.1))
            shape = cm.Sphere(system.add(body), 0.1)
            system.add(cm.Contact(shape, floor, impact=cm.ImpactLaw(0.2, 0.3, 0.1), name=f"{k}"))
        first, second = system.bodies[-2:]
        system.add(cm.Contact(cm.Sphere(first, 0.1), cm.Sphere(second, 0.1), impact=cm.ImpactLaw(0.5, 0.1)))
        result = cm.simulate(system, 3e-3, method="nonsmooth", solver=name, step=1e-3)
        found += result.q[-1].tolist()
    return found


def press(name: str) -> list[float]:
    """A ball that a spring pulls along a floor, in the plane and in space: contact lasts, and steps are implicit."""
    import carom as cm

    values: list[float] = []
    for dim in (2, 3):
        across = (0.0,) * (dim - 1)
        system = cm.System(gravity=(*across, -9.81), dim=dim)
        radius, stiffness = 0.02, 1e9
        height = radius - (9.81 / stiffness) ** (2.0 / 3.0)  # F = K δ^1.5 carries the ball
        ball = system.add(cm.Body("ball", 1.0, 1e-4, position=(*across, height)))
        law, friction = cm.laws.Flores(stiffness, restitution=0.7), cm.friction.Ambrosio(0.2, 1e-3, 1e-2)
        system.add(cm.Contact(cm.Sphere(ball, radius), cm.Plane(system.ground), law=law, friction=friction))
        if dim == 2:  # a joint, so that constraints are a part of the implicit equations
            arm = system.add(cm.Body("arm", 0.1, 1e-4, position=(0.03, height)))
            system.add(cm.Revolute(ball, arm, at=(0.0, height)))
        far = system.ground.point(0.1, *across[1:], height)
        system.add(cm.SpringDamper(far, ball, stiffness=100.0, free_length=0.05, damping=1.0))
        result = cm.simulate(system, 5e-3, integrator=name, rtol=1e-7, atol=1e-9, output=5e-3)
        assert result.outcome.ok
        assert result.stats["implicit_steps"] > 3, result.stats
        values += [float(result.stats["implicit_steps"]), *result.q[-1].tolist()]
    return values


def hang(name: str) -> list[float]:
    """Bodies that hang on each other: by massless rods, by many joints, by bushings; also as SUNDIALS moves them."""
    import carom as cm

    spatial = name == "bushing"
    system = cm.System(gravity=(0.0, 0.0, -9.81) if spatial else (0.0, -9.81), dim=3 if spatial else 2)
    before = system.ground
    for k in range(LINKS[name]):
        mass = 0.0 if name == "massless" and k == 0 else 0.1
        position = (0.1 * k + 0.05, 0.0, 0.0) if spatial else (0.1 * k + 0.05, 0.0)
        body = system.add(cm.Body(f"link {k}", mass, 1e-3 * mass, position=position))
        at = tuple(value - 0.05 * (place == 0) for place, value in enumerate(position))
        if spatial:
            system.add(cm.Bushing(before, body, (1e4, 1e4, 1e4, 20.0, 20.0, 20.0), (10.0,) * 3 + (0.1,) * 3, at))
        else:
            system.add(cm.Revolute(before, body, at=at))
        before = body
    options = {"integrator": name} if name in ("adams", "bdf") else {}
    result = cm.simulate(system, 5e-3, **options)
    return [float(len(result.t)), *result.q[-1].tolist()]


def gaps(name: str) -> list[float]:
    """Return the gaps of a pair while the upper shape moves over the lower one."""
    import carom as cm
    from generators.pairs import code_of, planar

    a, b = name.split("-")
    flat = planar(a, b)
    code_a, code_b = code_of(a, b)
    system = cm.System(dim=2 if flat else 3)
    body = system.add(cm.Body("body", 1.0, 0.1, position=(0.0, 0.65) if flat else (0.0, 0.1, 0.75)))
    upper = eval(code_a, {"cm": cm, "body": body})
    lower = eval(code_b, {"cm": cm, "ground": system.ground})
    found = []
    few = name == "Surface-Surface"  # its search takes seconds here
    for shift, height in ((-0.3, 0.9),) if few else product((-0.9, -0.3, 0.15, 0.6), (0.3, 0.9)):
        body.position = (shift, height) if flat else (shift, 0.1, height)
        near = cm.closest(upper, lower)
        found += [min(near.gap, 1e29), *near.normal]
    return found


def example(name: str) -> list[float]:
    """A program of the docs, over before much has happened."""
    text = re.sub(r"t_end=[0-9.]+", "t_end=0.002", (DOCS / name).read_text(encoding="utf-8"))
    scope: dict[str, object] = {}
    exec(compile(text, name, "exec"), scope)
    return scope["result"].q[-1][:60].tolist()  # type: ignore[attr-defined]


def all_of_them() -> dict[str, Callable[[], list[float]]]:
    if str(DOCS) not in sys.path:
        sys.path.insert(0, str(DOCS))
    from generators.pairs import names

    return {
        **{f"case {name}": partial(case, name) for name in CASES},
        **{f"drop {name}": partial(drop, name) for name in INTEGRATORS},
        **{f"slide {name}": partial(slide, name) for name in SOLVERS},
        **{f"press {name}": partial(press, name) for name in PRESSED},
        **{f"hang {name}": partial(hang, name) for name in LINKS},
        **{f"pair {name}": partial(gaps, name) for name in names()},
        **{f"example {name}": partial(example, name) for name in EXAMPLES},
    }


def main() -> None:
    import numba

    assert numba.config.DISABLE_JIT
    warnings.simplefilter("ignore")
    print(json.dumps({name: compute() for name, compute in all_of_them().items()}))


if __name__ == "__main__":
    main()
