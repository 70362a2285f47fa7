"""Rigid bodies with impacts and dry friction that have a closed form or a quadrature, derived in the docstrings.

Impacts follow Newton's law with Coulomb friction: γ⁺ = −ε γ⁻ at every closed contact that takes an impulse, at least
that where it takes none.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipk, ellipkinc

from .closed_forms import bouncing_ball


def bouncing_ball_heights(height: float, restitution: float, gravity: float, bounces: int) -> dict:
    """`bouncing_ball` and the heights between the impacts: impact k leaves with ε^k √(2 g h) and rises to ε^(2k) h."""
    found = bouncing_ball(height, restitution, gravity, bounces)
    return {**found, "heights": height * restitution ** (2.0 * np.arange(1, bounces + 1))}


def bouncing_ball_state(t, height: float, restitution: float, gravity: float) -> tuple[np.ndarray, np.ndarray]:
    """Height and velocity at the times t, at rest after the Zeno time t0 (1 + ε)/(1 − ε), t0 = √(2h/g).

    The times left to the Zeno time at the impacts are geometric, 2 t0 ε^k/(1 − ε), k = 1, 2, …: with s = t_zeno − t the
    last impact has k = ⌊ln(s (1 − ε)/(2 t0))/ln ε⌋, and the flight since then is v τ − g τ²/2 with v = g t0 ε^k.
    """
    t = np.asarray(t, float)
    first = math.sqrt(2.0 * height / gravity)
    end = first * (1.0 + restitution) / (1.0 - restitution)
    left = np.where(t < end, end - t, 1.0)
    k = np.maximum(np.floor(np.log(left * (1.0 - restitution) / (2.0 * first)) / math.log(restitution)), 0.0)
    since = 2.0 * first * restitution**k / (1.0 - restitution) - left
    speed = gravity * first * restitution**k
    k0 = t < first  # k = 0 is the drop: half a flight
    flying = t < end
    place = np.where(k0, height - 0.5 * gravity * t**2, speed * since - 0.5 * gravity * since**2)
    return np.where(flying, place, 0.0), np.where(flying, np.where(k0, -gravity * t, speed - gravity * since), 0.0)


def row_apart(velocities) -> np.ndarray:
    """Final velocities of equal balls on a line, all with gaps, ε = 1: each impact swaps the velocities of neighbours.

    The set of velocities never changes, and impacts go on until no ball is faster than the next: sorted.
    """
    return np.sort(np.asarray(velocities, float))


def row_touching(balls: int, striking: int, speed: float, restitution: float) -> np.ndarray:
    """Velocities after `striking` touching equal balls meet the others, touching and at rest: one impact of all.

    Newton's law at the meeting contact, u_R − u_L = ε v. At the others γ⁻ = 0, so γ⁺ = 0 where an impulse acts: both
    groups stay whole. With the momentum k v = k u_L + (n − k) u_R:
    u_R = k (1 + ε) v/n,  u_L = [k − (n − k) ε] v/n.
    All impulses are positive (contact i of the left group carries i (v − u_L) m), so this is the solution. For ε = 1 it
    keeps the energy and still is not the cradle's answer (`row_apart`): with n = 3, k = 1: −v/3, 2v/3, 2v/3.
    """
    n, k = balls, striking
    left, right = (k - (n - k) * restitution) * speed / n, k * (1.0 + restitution) * speed / n
    return np.repeat([left, right], [k, n - k])


# Rocking block, width 2b, height 2h, tan α = b/h, R² = b² + h², on corners that do not slip


def rocking_frequency(half_width: float, half_height: float, gravity: float) -> float:
    """p with p² = m g R/I_O = 3 g/(4 R), I_O = 4/3 m R² about a corner."""
    return math.sqrt(0.75 * gravity / math.hypot(half_width, half_height))


def housner_quarter_time(angle: float, alpha: float, p: float) -> float:
    """Time from rest at θ0 to the landing of a slender block: θ'' = −p² (α − θ), α − θ = (α − θ0) cosh p t."""
    return math.acosh(1.0 / (1.0 - angle / alpha)) / p


def rocking_quarter_time(angle: float, alpha: float, p: float) -> float:
    """Return the quarter period of any block [s]: I_O θ'' = −m g R sin(α − θ).

    φ = α − θ obeys φ'' = p² sin φ, so φ'² = 2 p² (cos φ0 − cos φ) = 4 p² (sin² φ/2 − sin² φ0/2). With
    cos φ/2 = κ sin ψ, κ = cos φ0/2, this is p dt = −dψ/√(1 − κ² sin² ψ): t = [K(κ²) − F(ψ1, κ²)]/p
    with κ sin ψ1 = cos α/2.
    """
    kappa = math.cos(0.5 * (alpha - angle))
    return float(ellipk(kappa**2) - ellipkinc(math.asin(math.cos(0.5 * alpha) / kappa), kappa**2)) / p


def rocking(angle: float, alpha: float, p: float, impacts: int) -> dict[str, np.ndarray]:
    """Impact times, speeds before them and amplitudes after them of a block released at rest at 0 < θ0 < α.

    From rest the block lands with ω² = 2 p² [cos(α − θ) − cos α]; the impact multiplies ω by r (`landing_ratio`), so
    cos(α − θ_n) − cos α = r^(2n) [cos(α − θ0) − cos α].
    """
    r = landing_ratio(alpha)
    fall = math.cos(alpha - angle) - math.cos(alpha)
    n = np.arange(impacts + 1)
    amplitudes = alpha - np.arccos(math.cos(alpha) + r ** (2.0 * n) * fall)
    quarters = np.array([rocking_quarter_time(a, alpha, p) for a in amplitudes[:-1]])
    times = np.cumsum(quarters) + np.concatenate(([0.0], np.cumsum(quarters[1:])))
    return {"times": times, "speeds": p * math.sqrt(2.0 * fall) * r ** n[:-1], "amplitudes": amplitudes[1:]}


def landing_ratio(alpha: float) -> float:
    """Housner's r = ω⁺/ω⁻ = 1 − (3/2) sin² α: moment of momentum about the new corner, (4h² − 2b²)/3 ω⁻ = 4/3 R² ω⁺."""
    return 1.0 - 1.5 * math.sin(alpha) ** 2


def landing_friction(alpha: float) -> float:
    """Least μ for a landing without slip, for any ε: |P_T|/P_N = 3 tan α/(4 + tan² α), at most 3/4 (at tan α = 2).

    The centre goes from (Ω h, −Ω b) to (w h, w b + 2 ε Ω b), w = Ω − 3/2 (1 + ε) Ω sin² α (`newton_landing`), so
    |P_T|/P_N = (1 − w/Ω) h/[(1 + 2 ε + w/Ω) b], in which 1 + ε cancels.
    """
    return 3.0 * math.tan(alpha) / (4.0 + math.tan(alpha) ** 2)


def newton_landing(alpha: float, restitution: float) -> dict[str, float]:
    """Landing by Newton's law with both corners closed, without slip: ratio ω⁺/ω⁻ and γ_N⁺/(2 b Ω) of both corners.

    Before: turning about the old corner with Ω, so γ_N⁻ = 0 there and −2 b Ω at the new one; no corner slides. Try an
    impulse at the new corner only, with γ_T⁺ = 0, γ_N⁺ = 2 b ε Ω there. Angular momentum about it, with I_O = 4/3 m R²:
    I_O w − r I_O Ω + 2 m b² ε Ω = 0, hence w = Ω [r − 3/2 ε sin² α]. The old corner leaves with 2 b (w + ε Ω) =
    2 b Ω (1 + ε) r: allowed for r ≥ 0, that is b ≤ √2 h. With ε = 0 this is Housner's impact: his r needs no law of its
    own, only ε = 0, enough friction and a block that is not too flat.
    For r < 0 both corners take impulses: γ_N⁺ = 0 at the old, 2 b ε Ω at the new one, no slip: the block turns back
    about the old corner with ε Ω (stops for ε = 0); P_N of the old corner is (1 + ε) m Ω (b² − 2 h²)/(3 b), ≥ 0 exactly
    for r ≤ 0.
    """
    r = landing_ratio(alpha)
    if r < 0.0:
        return {"ratio": -restitution, "old": 0.0, "new": restitution}
    ratio = r - 1.5 * restitution * math.sin(alpha) ** 2
    return {"ratio": ratio, "old": (1.0 + restitution) * r, "new": restitution}


# Mass on a belt: m x'' = −k x + F, |F| ≤ f = μ N along v_b − v; static friction equals kinetic friction


def belt_phases(
    x: float, v: float, mass: float, stiffness: float, limit: float, belt: float, count: int = 1000
) -> list:
    """Phases (start time, kind, x, v) of the motion; kind = "below" (v < v_b), "above" or "stick". The last has no end.

    With ω² = k/m, d = f/k, the point (x, v/ω) runs clockwise on circles: below the belt's speed about (d, 0), above it
    about (−d, 0). It meets v = v_b ≥ 0 from below at x1 = d − √(ρ² − v_b²/ω²), ρ its distance from the centre, never if
    ρ ≤ v_b/ω. There it sticks if |x1| ≤ d, else it goes on above and comes back at the mirror image −2d − x1.
    Stick carries it at v_b to x = d, in the time (d − x)/v_b; from (d, v_b) the circle about (d, 0) only grazes the
    belt's speed: equal static and kinetic friction end in a harmonic motion of amplitude ≤ v_b/ω, no stick-slip cycle.
    Belt at rest: turning points |x_n| = |x0| − 2 n d every half period until |x_n| ≤ d (`rest_on_floor`).
    """
    omega, d = math.sqrt(stiffness / mass), limit / stiffness
    level, t, phases = belt / omega, 0.0, []
    for _ in range(count):
        if v == belt:
            kind = "stick" if abs(x) <= d and not (belt > 0.0 and x == d) else ("below" if x > 0.0 else "above")
        else:
            kind = "below" if v < belt else "above"
        phases.append((t, kind, x, v))
        if kind == "stick":
            if belt == 0.0:
                break
            t, x = t + (d - x) / belt, d
            continue
        centre = d if kind == "below" else -d
        radius = math.hypot(x - centre, v / omega)
        if kind == "below" and radius <= level:
            break
        reach = math.sqrt(max(radius**2 - level**2, 0.0)) * (-1.0 if kind == "below" else 1.0)
        turned = math.atan2(v / omega, x - centre) - math.atan2(level, reach)  # clockwise
        t += (turned % (2.0 * math.pi) or 2.0 * math.pi) / omega
        x, v = centre + reach, belt
    return phases


def belt_state(t: float, phases: list, mass: float, stiffness: float, limit: float, belt: float) -> tuple[float, float]:
    """x and v at the time t of a motion given by `belt_phases`."""
    omega, d = math.sqrt(stiffness / mass), limit / stiffness
    start, kind, x, v = [phase for phase in phases if phase[0] <= t][-1]
    if kind == "stick":
        return x + belt * (t - start), belt
    centre, angle = (d if kind == "below" else -d), omega * (t - start)
    c, s = math.cos(angle), math.sin(angle)
    return centre + (x - centre) * c + v / omega * s, v * c - (x - centre) * omega * s


def rest_on_floor(x: float, mass: float, stiffness: float, limit: float) -> dict[str, float]:
    """Where and when a mass released at rest at x stops on a floor: n = ⌈(|x|/d − 1)/2⌉ half periods, |x| − 2 n d."""
    d = limit / stiffness
    n = max(math.ceil(0.5 * (abs(x) / d - 1.0)), 0)
    place = (-1.0) ** n * (abs(x) - 2.0 * n * d)
    return {"x": math.copysign(1.0, x) * place, "t": n * math.pi * math.sqrt(mass / stiffness), "half_cycles": n}


# Painlevé's rod: length 2 l, centre (l cos θ, l sin θ) from the end that slides on the plane, J = κ m l²


def rod_coefficients(angle, rate, friction: float, direction: float, mass, half_length, gravity, kappa=1.0 / 3.0):
    """A and b of the end's acceleration away from the plane, A N + b.

    The end has y_P = y − l sin θ; m y'' = N − m g; J θ'' = −l N (cos θ − σ μ sin θ), σ = ±1: friction turns the rod
    upright (σ = +1: the end slides towards −x, away from under the centre of mass) or flat. So
    A = 1/m + l² cos θ (cos θ − σ μ sin θ)/J,  b = l θ'² sin θ − g.
    """
    turn = math.cos(angle) - direction * friction * math.sin(angle)
    return (1.0 + math.cos(angle) * turn / kappa) / mass, half_length * rate**2 * math.sin(angle) - gravity


def rod_regime(a: float, b: float) -> str:
    """Solutions of 0 ≤ N ⟂ A N + b ≥ 0: one with contact, one without, both, or none."""
    if a > 0.0:
        return "contact" if b < 0.0 else "lift-off"
    return "inconsistent" if b < 0.0 else "indeterminate"


def critical_friction(kappa: float = 1.0 / 3.0) -> float:
    """Least μ for which A ≤ 0 at some angle: A = 0 is μ = (κ + 1)/tan θ + κ tan θ, least at tan² θ = (κ + 1)/κ:
    2 √(κ (κ + 1)), 4/3 for the slender rod (at tan θ = 2)."""
    return 2.0 * math.sqrt(kappa * (kappa + 1.0))


def paradox_angles(friction: float, kappa: float = 1.0 / 3.0) -> tuple[float, float]:
    """Angles between which A < 0: κ tan² θ − μ tan θ + κ + 1 = 0."""
    root = math.sqrt(friction**2 - 4.0 * kappa * (kappa + 1.0))
    return math.atan(0.5 * (friction - root) / kappa), math.atan(0.5 * (friction + root) / kappa)


def sliding_rod_rate(start, rate, angle, friction, direction, half_length, gravity, kappa=1.0 / 3.0) -> float:
    """|θ'| at `angle` of a rod that slides, always one way and in contact, from θ' = `rate` at `start`; A > 0 between.

    With N = −b/A, W = θ'² obeys the linear equation dW/dθ = 2 θ'' = 2 k (l W sin θ − g)/(l (κ + k cos θ)),
    k = cos θ − σ μ sin θ: W = e^I [W0 − ∫ 2 g k/(l (κ + k cos θ)) e^(−I) dθ], I = ∫ 2 k sin θ/(κ + k cos θ) dθ.
    Without friction k = cos θ and e^I = (κ + cos² θ0)/(κ + cos² θ): the energy.
    """

    def slope(s):
        k = math.cos(s) - direction * friction * math.sin(s)
        return 2.0 * k / (kappa + k * math.cos(s))

    def exponent(s):
        return quad(lambda z: slope(z) * math.sin(z), start, s, epsabs=1e-13, epsrel=1e-12)[0]

    drop = quad(lambda s: slope(s) * math.exp(-exponent(s)), start, angle, epsabs=1e-13, epsrel=1e-12)[0]
    return math.sqrt(math.exp(exponent(angle)) * (rate**2 - gravity / half_length * drop))


# Sliding


def slide_to_stop(speed: float, friction: float, gravity: float) -> dict[str, float]:
    """Block on a level floor: v' = −μ g, so it stops after v/(μ g) and v²/(2 μ g)."""
    return {"time": speed / (friction * gravity), "distance": speed**2 / (2.0 * friction * gravity)}


def incline_acceleration(slope: float, friction: float, gravity: float) -> float:
    """Down an incline from rest: 0 while tan β ≤ μ (stick: g sin β ≤ μ g cos β), else g (sin β − μ cos β)."""
    return max(gravity * (math.sin(slope) - friction * math.cos(slope)), 0.0)


def slide_to_roll(
    speed: float, spin: float, radius: float, friction: float, gravity: float, kappa: float = 0.5
) -> dict:
    """Round body, J = κ m r², that slides with v − r ω = c until it rolls.

    v' = −μ g sgn c, κ r ω' = μ g sgn c: c falls by μ g (1 + 1/κ) a second, and v + κ r ω is kept. So it rolls after
    t = κ |c|/((1 + κ) μ g) with v = (v0 + κ r ω0)/(1 + κ): 2/3 v0 after v0/(3 μ g) for a solid disc without spin.
    """
    slip = speed - radius * spin
    time = kappa * abs(slip) / ((1.0 + kappa) * friction * gravity)
    final = (speed + kappa * radius * spin) / (1.0 + kappa)
    return {"time": time, "speed": final, "distance": 0.5 * (speed + final) * time}
