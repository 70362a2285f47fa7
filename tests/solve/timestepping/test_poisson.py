"""Poisson's law against Newton's, and both against impacts worked out by hand."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import carom as cm
from solve.timestepping.scenes import ball_above_floor, rod, run, two_discs, world

HALF, MASS = 0.5, 1.0
SOLVERS = ("lemke", "enumeration", "alart-curnier", "pgs")


def falling_rod(angle, velocity, spin, impact) -> cm.System:
    """A slender rod whose rear end is about to hit the floor."""
    system = world((0.0, 0.0))
    at = (0.0, HALF * math.sin(angle) + 1e-6)
    body = rod(system, "rod", at, HALF, MASS, angle=angle, velocity=velocity, angular_velocity=spin)
    system.add(cm.Contact(cm.Point(body, (-HALF, 0.0)), cm.Plane(system.ground), impact=impact, name="floor"))
    return system


def strike(angle, velocity, spin, impact, **options) -> tuple[np.ndarray, cm.Result]:
    r = run(falling_rod(angle, velocity, spin, impact), 4e-6, step=1e-8, **options)
    return np.array([r["rod"].vx[-1], r["rod"].vy[-1], r["rod"].omega[-1]]), r


class ByHand:
    """One planar contact: ξ = G P + b with 0 ≤ ξ_N ⟂ P_N ≥ 0, −P_T ∈ μ (P_N + p) Sgn ξ_T, by trying its states."""

    def __init__(self, angle, velocity, spin):
        x, y = -HALF * math.cos(angle), -HALF * math.sin(angle)
        self.w = np.array([[0.0, 1.0, x], [-1.0, 0.0, y]])  # normal (0, 1), tangent (−1, 0), at the lever (x, y)
        self.inverse = np.diag([1.0 / MASS, 1.0 / MASS, 3.0 / (MASS * HALF**2)])
        self.u = np.array([*velocity, spin])
        self.g = self.w @ self.inverse @ self.w.T
        self.before = self.w @ self.u

    def solutions(self, b, mu, p=0.0):
        g = self.g
        tries = [np.linalg.solve(g, -b), np.array([0.0, -b[1] / g[1, 1]])]
        for side in (-1.0, 1.0):
            normal = -(b[0] - side * mu * p * g[0, 1]) / (g[0, 0] - side * mu * g[0, 1])
            tries += [np.array([normal, -side * mu * (normal + p)]), np.array([0.0, -side * mu * p])]
        return [impulse for impulse in tries if self.solves(impulse, b, mu, p)]

    def solves(self, impulse, b, mu, p):
        xi, limit = self.g @ impulse + b, mu * (impulse[0] + p)
        normal = impulse[0] >= -1e-12 and xi[0] >= -1e-12 and abs(impulse[0] * xi[0]) < 1e-12
        within = abs(impulse[1]) <= limit + 1e-12
        rubs = abs(xi[1]) < 1e-12 or abs(impulse[1] + math.copysign(limit, xi[1])) < 1e-12
        return normal and within and rubs

    def after(self, impact):
        """Velocities (vx, vy, ω) after the impact."""
        if impact.law == "newton":
            b = self.before * (1.0 + np.array([impact.restitution, impact.tangential_restitution]))
            (total,) = unique(self.solutions(b, impact.friction))
        else:
            (first,) = unique(self.solutions(self.before, impact.friction))
            p = impact.restitution * first[0]
            given = np.array([p, 0.0])
            b = self.before + self.g @ (first + given) + [0.0, impact.tangential_restitution * self.before[1]]
            (second,) = unique(self.solutions(b, impact.friction, p))
            total = first + given + second
        return self.u + self.inverse @ self.w.T @ total

    def energy(self, u):
        return 0.5 * float(u @ np.linalg.solve(self.inverse, u))


def unique(found):
    return [one for k, one in enumerate(found) if all(np.abs(one - other).max() > 1e-9 for other in found[:k])]


def random_impacts(count):
    rng = np.random.default_rng(7)
    while count:
        angle, spin = rng.uniform(0.1, 1.5), rng.uniform(-1.0, 1.0)
        velocity = (rng.uniform(-4.0, 4.0), rng.uniform(-2.0, -0.5))
        if velocity[1] - HALF * math.cos(angle) * spin < -0.2:
            count -= 1
            yield angle, velocity, spin, rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.2)


@pytest.mark.filterwarnings("ignore:.*created:carom.CaromWarning")
@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_oblique_impacts_of_a_rod(law):
    """Slip, stick and slip reversal, as worked out by hand; Poisson's law never creates energy here."""
    reversals = 0
    for angle, velocity, spin, restitution, friction in random_impacts(60):
        impact = cm.ImpactLaw(restitution, friction, law=law)
        hand = ByHand(angle, velocity, spin)
        expected = hand.after(impact)
        found, r = strike(angle, velocity, spin, impact)
        np.testing.assert_allclose(found, expected, atol=1e-5)
        gained = hand.energy(expected) - hand.energy(hand.u)
        assert r.stats["energy_created"] == pytest.approx(max(gained, 0.0), abs=1e-5)
        if law == "poisson":
            assert gained < 1e-12
        reversals += hand.before[1] * (hand.w @ expected)[1] < -1e-6
    assert law == "newton" or reversals > 0


KANE = (0.9, (1.0, -1.0), 0.0, 0.9, 0.5)
"""An impact in which Newton's law with friction gives back more than there was (Kane's paradox)."""


@pytest.mark.parametrize("scheme", ["midpoint", "moreau", "theta"])
def test_newtons_law_creates_energy_in_kanes_impact_and_says_so(scheme):
    angle, velocity, spin, restitution, friction = KANE
    impact = cm.ImpactLaw(restitution, friction)
    hand = ByHand(angle, velocity, spin)
    gained = hand.energy(hand.after(impact)) - hand.energy(hand.u)
    assert gained > 0.02
    with pytest.warns(cm.CaromWarning, match=r"contacts created 0\.0278 J in 1 steps"):
        found, r = strike(angle, velocity, spin, impact, scheme=scheme)
    np.testing.assert_allclose(found, hand.after(impact), atol=1e-5)
    assert r.stats["energy_created"] == pytest.approx(gained, rel=1e-3)
    assert r.stats["energy_creating_steps"] == 1
    assert r.energy.drift < 1e-10


@pytest.mark.parametrize("solver", SOLVERS)
def test_poissons_law_does_not(solver):
    """Whichever solver: sweeps have phases of compression and expansion, too."""
    angle, velocity, spin, restitution, friction = KANE
    impact = cm.ImpactLaw(restitution, friction, law="poisson")
    with warnings.catch_warnings():
        warnings.simplefilter("error", cm.CaromWarning)
        found, r = strike(angle, velocity, spin, impact, solver=solver)
    np.testing.assert_allclose(found, ByHand(angle, velocity, spin).after(impact), atol=1e-5)
    assert r.energy.total[-1] < r.energy.total[0]
    assert r.stats["energy_created"] == 0.0


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_without_friction_both_laws_agree_on_one_contact(restitution):
    results = [run(two_discs(cm.ImpactLaw(restitution, law=law)), 0.15, step=1e-4) for law in ("newton", "poisson")]
    np.testing.assert_allclose(results[0].v, results[1].v, atol=1e-13)


def test_ball_that_strikes_two_touching_ones():
    """Compression brings all three to v/3 by impulses 2/3 and 1/3 m v; expansion adds ε = 1/2 of each: 0, v/2, v/2.

    Newton's law asks for u1 − u0 = v/2 and u2 = u1, with the momentum u0 + u1 + u2 = v: the same.
    """
    for law in ("newton", "poisson"):
        system = world((0.0, 0.0))
        balls = [
            system.add(cm.Body(f"ball {k}", 1.0, 1.0, position=(0.2 * k - (1e-3 if k == 0 else 0.0), 0.0),
                               velocity=(1.0 if k == 0 else 0.0, 0.0)))
            for k in range(3)
        ]  # fmt: skip
        for k in (0, 1):
            pair = (cm.Sphere(balls[k], 0.1), cm.Sphere(balls[k + 1], 0.1))
            system.add(cm.Contact(*pair, impact=cm.ImpactLaw(0.5, law=law)))
        r = run(system, 3e-3, step=1e-4)
        np.testing.assert_allclose([r[ball].vx[-1] for ball in balls], [0.0, 0.5, 0.5], atol=1e-12)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_lasting_contact_rests_under_either_law(law):
    system = ball_above_floor(0.5, 0.05)
    system.contacts[0].impact = cm.ImpactLaw(0.5, 0.3, law=law)
    r = run(system, 2.0)
    assert r["floor"].normal_force[-1] == pytest.approx(9.81, rel=1e-9)
    assert abs(r["ball"].vy[-1]) < 1e-12


def test_tangential_restitution_in_two_phases():
    """Enough friction: γ_T⁺ = −ε_T γ_T⁻, γ_N⁺ = −ε_N γ_N⁻ for a disc, whose directions do not act on each other."""
    for law in ("newton", "poisson"):
        r = run(two_discs(cm.ImpactLaw(0.6, 5.0, 0.5, law)), 0.15, step=1e-4)
        hit = int(np.argmax(r["touch"].normal_force > 0.0))
        slide = r["touch"].sliding_velocity
        assert slide[hit] == pytest.approx(-0.5 * slide[hit - 1], rel=2e-3)
        assert r.impacts[0].restitution == pytest.approx(0.6, abs=1e-12)
