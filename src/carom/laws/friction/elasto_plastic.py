"""Elastic–plastic friction: a tangential spring that sticks without creep."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.errors import ModelError
from carom.kernels import FRICTION, jit, kernel, record
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT, FrictionLaw, direction, store_matrix

PARAMS = record("mu stiffness damping breakaway")  # [-], σ₀ [N/m], σ₁ [N s/m], b [-]


@jit
def plastic_fraction(p, limit, tension):
    """Return α, the fraction of the velocity along z that slips [-], for μ N and σ₀ |z| [N].

    It is 0 below b μ N, rises smoothly to 1 at μ N, and continues with the slope 1 to less than 2 where the spring is
    overloaded because N decreased: z then becomes shorter. It is bounded, so that N may vanish.
    """
    if tension <= p.breakaway * limit:
        return 0.0
    if tension >= limit:
        return 2.0 - limit / tension
    x = tension / limit
    s = (x - p.breakaway) / (1.0 - p.breakaway)
    return x * s * s * (3.0 - 2.0 * s)


@jit
def plastic_slope(p, limit, tension):
    """Return the derivatives of α by σ₀ |z| and by μ N [1/N]."""
    if tension <= p.breakaway * limit:
        return 0.0, 0.0
    if tension >= limit:
        return limit / tension / tension, -1.0 / tension
    x = tension / limit
    s = (x - p.breakaway) / (1.0 - p.breakaway)
    slope = s * s * (3.0 - 2.0 * s) + 6.0 * x * s * (1.0 - s) / (1.0 - p.breakaway)
    return slope / limit, -slope * x / limit


@jit
def store_slip_derivatives(alpha, by_size, v_t, v_s, u_t, u_s, w, size, by_velocity, by_state):
    """Store the derivatives of v − α max(u·v, 0) u by v and by z = |z| u; ``by_size`` is ∂α/∂|z| [1/m].

    Where w = u·v is zero, they are the mean of loading and unloading.
    """
    fraction = 1.0 if w > 0.0 else 0.0
    if w == 0.0:
        fraction = 0.5
    a = fraction * alpha
    store_matrix(by_velocity, 1.0 - a * u_t * u_t, -a * u_t * u_s, -a * u_s * u_t, 1.0 - a * u_s * u_s)
    for k in range(4):
        by_state[k] = 0.0
    if size == 0.0 or fraction == 0.0:
        return
    across_t = a * (v_t - w * u_t) / size
    across_s = a * (v_s - w * u_s) / size
    along = fraction * w * by_size
    turn = a * w / size
    radial_t = along * u_t + across_t
    radial_s = along * u_s + across_s
    store_matrix(
        by_state, -u_t * radial_t - turn * u_s * u_s, -u_t * radial_s + turn * u_t * u_s,
        -u_s * radial_t + turn * u_t * u_s, -u_s * radial_s - turn * u_t * u_t,
    )  # fmt: skip


@jit
def limit_columns(matrix, g_t, g_s, magnitude, limit):
    """Turn ∂G/∂x into −∂(κ G)/∂x for a force G that is limited to μ N, κ = min(1, μ N/|G|); N is constant."""
    if magnitude <= limit:
        for k in range(4):
            matrix[k] = -matrix[k]
        return
    ratio = limit / magnitude
    e_t = g_t / magnitude
    e_s = g_s / magnitude
    for k in range(2):
        radial = e_t * matrix[k] + e_s * matrix[2 + k]
        matrix[k] = -ratio * (matrix[k] - radial * e_t)
        matrix[2 + k] = -ratio * (matrix[2 + k] - radial * e_s)


@jit
def store_derivatives(p, law_input, limit, size, alpha, w, u_t, u_s, g_t, g_s, out):
    """Store the derivatives of `elasto_plastic`."""
    v_t = law_input.v_t
    v_s = law_input.v_s
    by_tension, by_limit = plastic_slope(p, limit, p.stiffness * size)
    slip = max(w, 0.0)
    out.rate_by_normal[0] = -p.mu * by_limit * slip * u_t
    out.rate_by_normal[1] = -p.mu * by_limit * slip * u_s
    if alpha > 1.0:  # The damping acts on the velocity that does not slip.
        by_tension = 0.0
        by_limit = 0.0
    by_velocity = out.force_by_velocity
    by_state = out.force_by_state
    store_slip_derivatives(
        min(alpha, 1.0), p.stiffness * by_tension, v_t, v_s, u_t, u_s, w, size, by_velocity, by_state
    )
    for k in range(4):
        diagonal = 1.0 if k == 0 or k == 3 else 0.0
        by_velocity[k] = p.damping * by_velocity[k]
        by_state[k] = p.stiffness * diagonal + p.damping * by_state[k]
    magnitude = math.sqrt(g_t * g_t + g_s * g_s)
    limit_columns(by_velocity, g_t, g_s, magnitude, limit)
    limit_columns(by_state, g_t, g_s, magnitude, limit)
    normal_t = -p.damping * p.mu * by_limit * slip * u_t
    normal_s = -p.damping * p.mu * by_limit * slip * u_s
    if magnitude > limit:
        e_t = g_t / magnitude
        e_s = g_s / magnitude
        radial = e_t * normal_t + e_s * normal_s
        normal_t = p.mu * e_t + limit / magnitude * (normal_t - radial * e_t)
        normal_s = p.mu * e_s + limit / magnitude * (normal_s - radial * e_s)
    out.force_by_normal[0] = -normal_t
    out.force_by_normal[1] = -normal_s
    by_tension, by_limit = plastic_slope(p, limit, p.stiffness * size)
    store_slip_derivatives(
        alpha, p.stiffness * by_tension, v_t, v_s, u_t, u_s, w, size, out.rate_by_velocity, out.rate_by_state
    )


@kernel(FRICTION, PARAMS, FRICTION_INPUT, FRICTION_OUTPUT)
def elasto_plastic(p, law_input, out):
    """Evaluate F = −(σ₀ z + σ₁ (v − α u·v u)), limited to μ N, and ż = v − α u·v u while u·v > 0, u = z/|z|."""
    v_t = law_input.v_t
    v_s = law_input.v_s
    z_t = law_input.z_t
    z_s = law_input.z_s
    limit = p.mu * max(law_input.normal_force, 0.0)
    size = math.sqrt(z_t * z_t + z_s * z_s)
    u_t, u_s = direction(z_t, z_s, size)
    w = u_t * v_t + u_s * v_s
    slip = max(w, 0.0)
    alpha = plastic_fraction(p, limit, p.stiffness * size)
    z_dot_t = v_t - alpha * slip * u_t
    z_dot_s = v_s - alpha * slip * u_s
    damped = min(alpha, 1.0) * slip
    g_t = p.stiffness * z_t + p.damping * (v_t - damped * u_t)
    g_s = p.stiffness * z_s + p.damping * (v_s - damped * u_s)
    magnitude = math.sqrt(g_t * g_t + g_s * g_s)
    ratio = 1.0
    if magnitude > limit:
        ratio = limit / magnitude
    out.force_t = -ratio * g_t
    out.force_s = -ratio * g_s
    out.z_dot_t = z_dot_t
    out.z_dot_s = z_dot_s
    out.stored_energy = 0.5 * p.stiffness * size * size
    out.stored_power = p.stiffness * (z_t * z_dot_t + z_s * z_dot_s)
    if law_input.needs_derivatives:
        store_derivatives(p, law_input, limit, size, alpha, w, u_t, u_s, g_t, g_s, out)


class ElastoPlastic(FrictionLaw):
    """Tangential spring between two stick points that slips at μ N: bodies at rest do not creep.

    While the bodies stick, the force is −(σ₀ z + σ₁ v) with the deflection z of the contact, ż = v. ``stiffness`` σ₀
    [N/m] and ``damping`` σ₁ [N s/m] belong to the contact, so that a stuck force does not depend on N. From
    ``breakaway`` b on (σ₀ |z| = b μ N, 0 ≤ b < 1) a part of the velocity along z slips, at μ N all of it:
    ż = v − α (u·v) u for u·v > 0 and u = z/|z|, and ż = v while the spring unloads. With x = σ₀ |z|/(μ N) and
    s = (x − b)/(1 − b), α is 0 below b, x s² (3 − 2s) up to x = 1, and 2 − 1/x where N decreased below σ₀ |z|/μ. The
    damping acts on v − min(α, 1) (u·v) u, and the force is limited to μ N, so that it is μ N in steady sliding.

    The energy ½ σ₀ z² is elastic energy of the contact; it is lost where the contact ends. All motions dissipate.
    Choose σ₀ near the normal stiffness of the contact (2/3 to 1 of it for spheres, after Mindlin), σ₁ near
    √(σ₀ m) for a body of mass m that shall come to rest without oscillations. Valid for dry friction with one
    coefficient; a Stribeck effect is not part of the law. In a plane the law is isotropic.

    Examples
    --------
    >>> import carom as cm
    >>> friction = cm.friction.ElastoPlastic(0.3, stiffness=1e6)
    >>> round(friction.coefficient(1.0), 4)
    0.3
    >>> round(friction.force(100.0, 0.0, state=1e-5), 6)  # stuck: 1e6 N/m times 1e-5 m, for any normal force
    -10.0
    """

    name = "elasto_plastic"
    formula = "F = −(σ₀ z + σ₁ ż), |F| ≤ μ N, ż = v − α(σ₀ |z|/(μ N)) (u·v) u for u·v > 0, u = z/|z|"
    reference = (
        "P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, Single state elastoplastic friction models, IEEE Trans. "
        "Automatic Control 47 (2002) 787–792; P.A. Cundall, O.D.L. Strack, A discrete numerical model for granular "
        "assemblies, Géotechnique 29 (1979) 47–65"
    )
    arguments = ("coefficient", "stiffness", "damping", "breakaway")
    kernel = elasto_plastic
    params = PARAMS
    has_state = True

    def __init__(self, coefficient: float, stiffness: float, damping: float = 0.0, breakaway: float = 0.7):
        self.mu = non_negative("ElastoPlastic", "coefficient", coefficient)
        self.stiffness = positive("ElastoPlastic", "stiffness", stiffness)
        self.damping = non_negative("ElastoPlastic", "damping", damping)
        self.breakaway = finite_float("ElastoPlastic", "breakaway", breakaway)
        if not 0.0 <= self.breakaway < 1.0:
            raise ModelError(f"ElastoPlastic: breakaway must lie in [0, 1), got {self.breakaway:g}")

    @property
    def top_speed(self) -> float:
        """Upper speed limit of the plot [m/s]."""
        return 1e-2

    def _steady(self, speed: np.ndarray) -> np.ndarray:
        return np.where(speed > 0.0, self.mu, 0.0)
