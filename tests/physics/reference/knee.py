"""Knee in the sagittal plane: femur fixed, tibia (x, y, φ), four ligaments, contact by the common normal of two graphs.

Femur y = f(x), solid above; tibia ξ = h(η) in its own axes, solid below. Contact points x = a on the femur and η = b on
the tibia solve (tangents parallel, distance along the normal); the force acts along that one line, so which of the
two points carries it does not matter.
"""

from __future__ import annotations

import numpy as np

from .contact_problem import PowerLaw, Problem
from .contact_run import Run
from .knee_values import TIMES
from .laws import damping_factor

FEMUR = ("-0.04014", "0.247621", "6.889185", "270.4456", "8589.942")  # y = Σ c_k x^k
TIBIA = ("0.213373", "-0.0456051", "1.073446")  # ξ = Σ c_k η^k
MASS, INERTIA, RESTITUTION = "3.75", "0.0165", 0.6
START = ("-0.2016", "-0.1749", "35.21")  # x, y, φ in degrees
YOUNG, POISSON = 5e6, 0.46
PULSE, DURATION, DECAY = "50", "0.1", "4.73"
LIGAMENTS = (  # femur point (global), tibia point (ξ, η), free length, stiffness
    ("-0.033", "-0.017", "0.213", "-0.009", "0.0438", "3.5e7"),
    ("-0.019", "-0.014", "0.210", "0.035", "0.0332", "3.0e7"),
    ("-0.023", "-0.014", "0.163", "0.008", "0.0784", "1.5e7"),
    ("-0.025", "-0.019", "0.178", "0.025", "0.0562", "1.5e7"),
)


class Knee:
    """Geometry and forces in one precision."""

    def __init__(self, real=np.longdouble):
        self.real = real
        self.femur = [real(c) for c in FEMUR]
        self.tibia = [real(c) for c in TIBIA]
        self.mass, self.inertia = real(MASS), real(INERTIA)
        self.ligaments = [tuple(real(v) for v in row) for row in LIGAMENTS]
        self.pi = 4 * np.arctan(real(1))
        x, y, degrees = (real(v) for v in START)
        self.start = np.array([x, y, degrees * self.pi / 180, 0, 0, 0], dtype=real)
        self.guess = (real("-0.042"), real("0.025"))  # the other common normals lie far off the bones
        self.memory: tuple = (None, None)

    def common_normal(self, x, y, phi):
        """(a, b, gap, normal out of the femur, lever of the contact line about the tibia's centre)."""
        f0, f1, f2, f3, f4 = self.femur
        h0, h1, h2 = self.tibia
        s, c = np.sin(phi), np.cos(phi)
        a, b = self.guess
        last = None
        for _ in range(60):
            fa = f0 + a * (f1 + a * (f2 + a * (f3 + a * f4)))
            f_1 = f1 + a * (2 * f2 + a * (3 * f3 + a * 4 * f4))
            f_2 = 2 * f2 + a * (6 * f3 + a * 12 * f4)
            hb, h_1, h_2 = h0 + b * (h1 + b * h2), h1 + 2 * b * h2, 2 * h2
            px, py = x + c * hb - s * b, y + s * hb + c * b
            tx, ty = c * h_1 - s, s * h_1 + c
            ux, uy = c * h_2, s * h_2
            dx, dy = px - a, py - fa
            g1 = ty - f_1 * tx
            g2 = dx + dy * f_1
            j11, j12 = -f_2 * tx, uy - f_1 * ux
            j21, j22 = -1 - f_1 * f_1 + dy * f_2, tx + ty * f_1
            det = j11 * j22 - j12 * j21
            da, db = (g1 * j22 - g2 * j12) / det, (j11 * g2 - j21 * g1) / det
            a, b = a - da, b - db
            size = abs(da) + abs(db)
            if last is not None and (size == 0 or (size < 1e-12 and size >= last)):
                break
            last = size
        self.guess = (a, b)
        length = np.sqrt(1 + f_1 * f_1)
        nx, ny = f_1 / length, -1 / length
        gap = dx * nx + dy * ny
        return a, b, gap, (nx, ny), (px - x) * ny - (py - y) * nx

    def touching(self, pose):
        key = tuple(pose)
        if self.memory[0] != key:
            self.memory = (key, self.common_normal(*pose))
        return self.memory[1]

    def radii(self, a, b):
        """Radii of curvature at the contact points, the concave tibia's negative."""
        _, f1, f2, f3, f4 = self.femur
        slope = f1 + a * (2 * f2 + a * (3 * f3 + a * 4 * f4))
        bend = 2 * f2 + a * (6 * f3 + a * 12 * f4)
        tilt = self.tibia[1] + 2 * b * self.tibia[2]
        return np.sqrt(1 + slope**2) ** 3 / bend, -(np.sqrt(1 + tilt**2) ** 3) / (2 * self.tibia[2])

    def stiffness(self):
        """K from the radii at the start (9.134e5)."""
        a, b, *_ = self.common_normal(*self.start[:3])
        femur, tibia = self.radii(a, b)
        sigma = (1 - self.real(repr(POISSON)) ** 2) / self.real(YOUNG)
        return 4 / (6 * sigma) * np.sqrt(1 / (1 / femur + 1 / tibia))

    def pulse(self, t):
        end = self.real(DURATION)
        if t >= end:
            return self.real(0)
        return self.real(PULSE) * np.exp(-self.real(DECAY) * (t / end) ** 2) * np.sin(self.pi * t / end)

    def touch(self, t, y):
        _, _, gap, (nx, ny), lever = self.touching(y[:3])
        return [(-gap, -(nx * y[3] + ny * y[4] + lever * y[5]))]

    def ligament_forces(self, y):
        """Force and moment of the four ligaments on the tibia, and the tension and stretch of each."""
        s, c = np.sin(y[2]), np.cos(y[2])
        fx = fy = moment = self.real(0)
        tensions, stretches = [], []
        for px, py, xi, eta, free, k in self.ligaments:
            qx, qy = c * xi - s * eta, s * xi + c * eta
            dx, dy = px - y[0] - qx, py - y[1] - qy
            length = np.sqrt(dx * dx + dy * dy)
            stretch = length - free
            tension = k * stretch * stretch if stretch > 0 else self.real(0)
            tensions.append(tension)
            stretches.append(stretch)
            ux, uy = tension * dx / length, tension * dy / length
            fx, fy, moment = fx + ux, fy + uy, moment + qx * uy - qy * ux
        return fx, fy, moment, tensions, stretches

    def rates(self, t, y, forces):
        fx, fy, moment, _, _ = self.ligament_forces(y)
        push = self.pulse(t)
        fx, fy = fx + push * np.sin(y[2]), fy - push * np.cos(y[2])  # along −η
        if forces[0] != 0:
            _, _, _, (nx, ny), lever = self.touching(y[:3])
            fx, fy, moment = fx + forces[0] * nx, fy + forces[0] * ny, moment + forces[0] * lever
        return np.array([y[3], y[4], y[5], fx / self.mass, fy / self.mass, moment / self.inertia])


def initial(real=np.longdouble) -> dict[str, float]:
    """Gap, contact points, radii and stiffness in the starting pose."""
    knee = Knee(real)
    a, b, gap, (nx, ny), _ = knee.common_normal(*knee.start[:3])
    femur, tibia = knee.radii(a, b)
    names = ("femur_x", "tibia_eta", "gap", "normal_x", "normal_y", "femur_radius", "tibia_radius", "stiffness")
    values = (a, b, gap, nx, ny, femur, tibia, knee.stiffness())
    tensions = [float(v) for v in knee.ligament_forces(knee.start)[3]]
    return dict(zip(names, (float(v) for v in values))) | {"tensions": tensions}


def energy(state, stiffness: float) -> float:
    """Kinetic energy, ligaments k Δl³/3 and elastic contact 2K δ^2.5/5: constant after the pulse for the Hertz law."""
    knee = Knee(np.float64)
    y = np.asarray(state, float)
    stretches = knee.ligament_forces(y)[4]
    ligaments = sum(row[5] * max(dl, 0.0) ** 3 / 3.0 for row, dl in zip(knee.ligaments, stretches))
    depth = max(-knee.common_normal(*y[:3])[2], 0.0)
    kinetic = 0.5 * (float(MASS) * (y[3] ** 2 + y[4] ** 2) + float(INERTIA) * y[5] ** 2)
    return float(kinetic + ligaments + 0.4 * stiffness * depth**2.5)


def solve(
    law: str = "hertz",
    restitution: float = RESTITUTION,
    times=TIMES,
    cut: bool = False,
    stiffness: float | None = None,
    tolerance: float = 1e-11,
    columns: int = 6,
    real=np.float64,
) -> dict:
    """Contacts, and tibia state, contact force and indentation at `times` (the end of the pulse is a stop of its own).

    `cut` sets a negative contact force to zero (it never happens here).
    """
    knee = Knee(real)
    k = knee.stiffness() if stiffness is None else real(stiffness)
    contact = Problem(
        knee.touch,
        knee.rates,
        [PowerLaw(k, real(damping_factor(law, restitution)), cut)],
        scale=np.array([1e-3, 1e-3, 1e-2, 0.1, 0.1, 1.0]),
        contact_time=1e-3,
        max_step=0.01,
        marks=lambda t, y: knee.ligament_forces(y)[4],
    )
    run = Run(contact, knee.start, tolerance=tolerance, columns=columns, real=real)
    stops = sorted({*map(float, times), float(DURATION)})
    for t in stops:
        run.to(real(repr(t)))
    kept = [n for n, t in enumerate(stops) if t in set(map(float, times))]
    return {
        "impacts": run.table(),
        "cuts": [[float(t) for t in impact.cuts] for impact in run.impacts],
        "times": np.array([stops[n] for n in kept]),
        "states": np.array([run.states[n] for n in kept], float),
        "force": np.array([float(run.forces[n][0]) for n in kept]),
        "indentation": np.array([-float(knee.common_normal(*run.states[n][:3])[2]) for n in kept]),
        "steps": run.steps,
        "evaluations": run.evaluations,
    }
