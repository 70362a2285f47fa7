"""Quick-return mechanism with four clearance joints, the two sliding joints and the driven crank eliminated.

Coordinates: rocker (x, y, θ), block along the rocker (s, from the rocker's centre of mass; it turns with the rocker),
coupler (x, y, φ), slider x. With u along and v across the rocker the rocker and block obey
    m3 a·u = F3·u                      m4 (a·u + s'' − s θ'²) = F4·u
    m3 a·v + m4 b = (F3 + F4)·v        (J3 + J4) θ'' + s m4 b = M3 + s F4·v,   b = a·v + 2 s' θ' + s θ''.
Frictionless contact acts along the line of centres, so which part is journal or bearing does not matter.
"""

from __future__ import annotations

import numpy as np

from .contact_run import PowerLaw, Problem, Run
from .laws import damping_factor
from .materials import STEEL, hertz_stiffness

CRANK, ROCKER, COUPLER, PIVOT, LINE, SPEED, GRAVITY = "0.1", "0.5", "0.12", "-0.25", "0.25", 3, "9.81"
MASSES = ("1.00", "0.50", "0.24", "0.50")  # rocker, block, coupler, slider
INERTIAS = ("0.100", "0.025", "0.012")  # rocker, block, coupler
CLEARANCE, RESTITUTION = "0.0005", 0.9
STIFFNESS = hertz_stiffness(0.0095, -0.0100, *STEEL)  # R_eff 0.19 m, 6.61e10
JOINTS = ("ground-rocker", "crank-block", "rocker-coupler", "coupler-slider")


def ideal_start(real=np.longdouble) -> np.ndarray:
    """State of the mechanism without clearance at crank angle 0."""
    r, length, l, pivot, line = (real(v) for v in (CRANK, ROCKER, COUPLER, PIVOT, LINE))
    half = real(1) / 2
    # rocker through the crank pin (r, 0); the pin moves with (0, 3 r)
    reach = np.sqrt(r * r + pivot * pivot)
    ux, uy = r / reach, -pivot / reach
    vx, vy = real(0), SPEED * r
    slide, turn = vx * ux + vy * uy, (vy * ux - vx * uy) / reach
    theta = np.arctan2(uy, ux)
    tip = np.array([length * ux, pivot + length * uy])
    tip_rate = turn * length * np.array([-uy, ux])
    # coupler from the tip to the line
    rise = line - tip[1]
    run = np.sqrt(l * l - rise * rise)
    phi = np.arctan2(rise, run)
    phi_rate = -tip_rate[1] / run
    middle = tip + half * np.array([run, rise])
    middle_rate = tip_rate + half * phi_rate * np.array([-rise, run])
    slider, slider_rate = tip[0] + run, tip_rate[0] - phi_rate * rise
    centre = half * length
    places = [centre * ux, pivot + centre * uy, theta, reach - centre, *middle, phi, slider]
    speeds = [-turn * centre * uy, turn * centre * ux, turn, slide, *middle_rate, phi_rate, slider_rate]
    return np.array([*places, *speeds], dtype=real)


class QuickReturn:
    """Eccentricities and equations of motion in one precision."""

    def __init__(self, real=np.longdouble):
        self.real = real
        self.m3, self.m4, self.m5, self.m6 = (real(m) for m in MASSES)
        j3, j4, self.j5 = (real(j) for j in INERTIAS)
        self.j34 = j3 + j4
        self.r, self.g, self.c = real(CRANK), real(GRAVITY), real(CLEARANCE)
        self.half3, self.half5 = real(ROCKER) / 2, real(COUPLER) / 2
        self.pivot, self.line = real(PIVOT), real(LINE)

    def eccentricities(self, t, y):
        """(e_x, e_y, rate_x, rate_y) of the four joints, second part relative to the first."""
        x3, y3, th, s, x5, y5, ph, x6, vx3, vy3, w3, vs, vx5, vy5, w5, v6 = y
        angle = SPEED * t
        ca, sa = np.cos(angle), np.sin(angle)
        ux, uy, wx, wy = np.cos(th), np.sin(th), np.cos(ph), np.sin(ph)
        a, b = self.half3, self.half5
        return (
            (x3 - a * ux, y3 - a * uy - self.pivot, vx3 + a * w3 * uy, vy3 - a * w3 * ux),
            (
                x3 + s * ux - self.r * ca,
                y3 + s * uy - self.r * sa,
                vx3 + vs * ux - s * w3 * uy + SPEED * self.r * sa,
                vy3 + vs * uy + s * w3 * ux - SPEED * self.r * ca,
            ),
            (
                x5 - b * wx - x3 - a * ux,
                y5 - b * wy - y3 - a * uy,
                vx5 + b * w5 * wy - vx3 + a * w3 * uy,
                vy5 - b * w5 * wx - vy3 - a * w3 * ux,
            ),
            (x6 - x5 - b * wx, self.line - y5 - b * wy, v6 - vx5 + b * w5 * wy, -vy5 - b * w5 * wx),
        )

    def touch(self, t, y):
        found = []
        for ex, ey, rx, ry in self.eccentricities(t, y):
            size = np.sqrt(ex * ex + ey * ey)
            found.append((size - self.c, (ex * rx + ey * ry) / size if size > 0 else np.sqrt(rx * rx + ry * ry)))
        return found

    def rates(self, t, y, forces):
        th, s, ph, w3, vs, w5 = y[2], y[3], y[6], y[10], y[11], y[14]
        zero = self.real(0)
        push = []  # on the second part of each joint, towards the centre of the first
        for force, (ex, ey, _, _) in zip(forces, self.eccentricities(t, y) if any(forces) else [(0, 0, 0, 0)] * 4):
            if force == 0:
                push.append((zero, zero))
            else:
                size = np.sqrt(ex * ex + ey * ey)
                push.append((-force * ex / size, -force * ey / size))
        (f0x, f0y), (f1x, f1y), (f2x, f2y), (f3x, f3y) = push
        ux, uy = np.cos(th), np.sin(th)
        # rocker: pivot force at −a u, coupler's reaction at +a u
        f3x_, f3y_ = f0x - f2x, f0y - f2y - self.m3 * self.g
        moment = self.half3 * (-(ux * f0y - uy * f0x) - (ux * f2y - uy * f2x))
        f4x, f4y = f1x, f1y - self.m4 * self.g
        along3, across3 = f3x_ * ux + f3y_ * uy, f3y_ * ux - f3x_ * uy
        along4, across4 = f4x * ux + f4y * uy, f4y * ux - f4x * uy
        au = along3 / self.m3
        slide = along4 / self.m4 - au + s * w3 * w3
        # b (m3 + m4) − m3 s θ'' = F·v + 2 m3 s' θ' ;  m4 s b + J θ'' = M + s F4·v
        p = across3 + across4 + 2 * self.m3 * vs * w3
        q = moment + s * across4
        det = (self.m3 + self.m4) * self.j34 + self.m3 * self.m4 * s * s
        b = (p * self.j34 + self.m3 * s * q) / det
        turn = ((self.m3 + self.m4) * q - self.m4 * s * p) / det
        av = b - 2 * vs * w3 - s * turn
        wx, wy = np.cos(ph), np.sin(ph)
        gx, gy = f2x - f3x, f2y - f3y - self.m5 * self.g
        turn5 = self.half5 * (-(wx * f2y - wy * f2x) - (wx * f3y - wy * f3x)) / self.j5
        ax, ay = au * ux - av * uy, au * uy + av * ux
        return np.array([*y[8:], ax, ay, turn, slide, gx / self.m5, gy / self.m5, turn5, f3x / self.m6])


def solve(
    t_end: float = 0.065,
    law: str = "lankarani_nikravesh",
    restitution: float = RESTITUTION,
    times=(),
    cut: bool = False,
    tolerance: float = 1e-13,
    columns: int = 8,
    real=np.longdouble,
    measure: bool = False,
) -> dict:
    """Impacts (start, joint, approach speed …) up to t_end, and states (coordinates as in the module) at `times`."""
    model = QuickReturn(real)
    contact = Problem(
        model.touch,
        model.rates,
        [PowerLaw(real(STIFFNESS), real(damping_factor(law, restitution)), cut) for _ in JOINTS],
        scale=np.array([1e-6] * 8 + [0.1] * 8),
        contact_time=1e-5,
        max_step=2e-3,
    )
    run = Run(contact, ideal_start(real), tolerance=tolerance, columns=columns, real=real, measure=measure)
    for t in (*times, t_end):
        run.to(real(repr(float(t))))
    return {
        "impacts": run.table(),
        "cuts": [[float(t) for t in impact.cuts] for impact in run.impacts],
        "states": np.array(run.states, float),
        "steps": run.steps,
        "evaluations": run.evaluations,
    }
