"""Designs with known optima."""

import math

import pytest

import carom as cm


def dropped_ball(stiffness: float = 1e5, mass: float = 0.5, height: float = 0.5) -> tuple[cm.System, dict]:
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", mass, 1e-3, position=(0.0, height + 0.05)))
    law = cm.laws.Linear(stiffness)
    system.add(cm.Contact(cm.Sphere(ball, 0.05), cm.Plane(system.ground), law=law, name="pad"))
    return system, {"t_end": 0.5}


def test_target_speed():
    """v² = 2 g h."""
    best = cm.optimize(dropped_ball, {"impacts[0].approach_speed": 2.5}, {"height": (0.1, 0.9)})
    assert best["height"] == pytest.approx(2.5**2 / (2 * 9.81), rel=1e-8)
    assert best.converged
    assert best.runs <= 8
    assert best.objective < 1e-15
    assert repr(best).startswith("<Optimum: height=0.318552, objective=")


def test_softest_pad_within_its_thickness():
    """The softer the pad, the smaller the force, until the ball reaches its bottom: ½ k d² = m g (h + d)."""
    depth = 0.02
    best = cm.optimize(
        dropped_ball, "pad.normal_force.max", {"stiffness": (2e5, 1e3, 1e7)},
        constraints={"pad.indentation.max": (-math.inf, depth)},
    )  # fmt: skip
    exact = 2 * 0.5 * 9.81 * (0.5 + depth) / depth**2
    assert best["stiffness"] == pytest.approx(exact, rel=1e-5)
    assert best.outputs["pad.indentation.max"] == pytest.approx(depth, rel=1e-5)
    assert best.objective == pytest.approx(exact * depth, rel=1e-5)


def test_largest_transfer_of_energy():
    """A sphere gives all its energy to one of the same mass: m₂ = m₁ maximises ½ m₂ v₂²."""

    def spheres(mass: float = 0.2) -> tuple[cm.System, dict]:
        system = cm.System()
        left = system.add(cm.Body("left", 0.3, 1e-5, position=(-0.021, 0.0), velocity=(1.5, 0.0)))
        right = system.add(cm.Body("right", mass, 1e-5, position=(0.021, 0.0)))
        contact = cm.Contact(cm.Sphere(left, 0.02), cm.Sphere(right, 0.02), law=cm.laws.Hertz(1e9), name="touch")
        system.add(contact)
        return system, {"t_end": 0.01}

    best = cm.optimize(spheres, "left.vx", ["mass"], [(0.1, 1.0)], maximize=True)
    assert best["mass"] == pytest.approx(0.1, rel=1e-6)  # the lightest one slows it least
    best = cm.optimize(spheres, {"left.vx": 0.0}, {"mass": (0.1, 1.0)})
    assert best["mass"] == pytest.approx(0.3, rel=1e-7)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (({"pad.normal_force.max": "soft"}, {"stiffness": (1e4, 1e6)}), "target of pad"),
        ((3.0, {"stiffness": (1e4, 1e6)}), "objective must be"),
        (("ball.vy", ["stiffness"]), "bounds are missing"),
        (("ball.vy", ["stiffness"], [(1, 2), (3, 4)]), "one pair of bounds"),
        (("impacts.count", {"stiffness": (1e4, 1e6)}), "a count is constant"),
    ],
)
def test_invalid_requests(arguments, text):
    with pytest.raises(cm.ModelError, match=text):
        cm.optimize(dropped_ball, *arguments)
