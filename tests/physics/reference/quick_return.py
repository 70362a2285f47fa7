"""Quick-return mechanism with four clearance joints, the two sliding joints and the driven crank eliminated.

Coordinates: rocker (x, y, θ), block along the rocker (s, from the rocker's centre of mass; it turns with the rocker),
coupler (x, y, φ), slider x. With u along and v across the rocker the rocker and block obey
    m3 a·u = F3·u                      m4 (a·u + s'' − s θ'²) = F4·u
    m3 a·v + m4 b = (F3 + F4)·v        (J3 + J4) θ'' + s m4 b = M3 + s F4·v,   b = a·v + 2 s' θ' + s θ''.
Frictionless contact acts along the line of centres, so which part is journal or bearing does not matter.
"""

from __future__ import annotations

import numpy as np

from .contact_problem import PowerLaw, Problem
from .contact_run import Run
from .laws import damping_factor
from .materials import STEEL, hertz_stiffness

CRANK, ROCKER, COUPLER, PIVOT, LINE, SPEED, GRAVITY = "0.1", "0.5", "0.12", "-0.25", "0.25", 3, "9.81"
MASSES = ("1.00", "0.50", "0.24", "0.50")  # rocker, block, coupler, slider
INERTIAS = ("0.100", "0.025", "0.012")  # rocker, block, coupler
CLEARANCE, RESTITUTION = "0.0005", 0.9
STIFFNESS = hertz_stiffness(0.0095, -0.0100, *STEEL)  # R_eff 0.19 m, 6.61e10
JOINTS = ("ground-rocker", "crank-block", "rocker-coupler", "coupler-slider")

# Every impact up to 0.065 s: joint, start, approach speed, end, separation speed. From quick_return_quad.cpp at
# tolerance 1e-22; at 1e-21 the times change by less than 2e-17 s and the speeds by less than 2e-14 of themselves.
IMPACTS = (
    (3, 0.0100922500953117, 0.099085637790883, 0.0102260361853399, 0.090390465417237),
    (0, 0.0101026276328880, 0.098983299812509, 0.0103379617204025, 0.088748212766428),
    (1, 0.0101152272579399, 0.098760467716209, 0.0103030200526553, 0.091756081480497),
    (0, 0.0228574183021505, 0.046307038264605, 0.0231284316368604, 0.042105482935908),
    (1, 0.0264076271262089, 0.092356285189523, 0.0266801462142585, 0.083637721706066),
    (0, 0.0279599572311247, 0.071733589676005, 0.0282127934556901, 0.065520103801288),
    (3, 0.0286076064630222, 0.089725698726392, 0.0287440140677335, 0.081830595233234),
    (2, 0.0317018783962376, 0.040888646644575, 0.0318492934870844, 0.037271024164694),
    (1, 0.0362882826982784, 0.021196446815825, 0.0366363437328207, 0.018930219931411),
    (2, 0.0374171829377436, 0.058937112838035, 0.0375540355195687, 0.053663493508782),
    (1, 0.0393135881555461, 0.018531280580317, 0.0397291247150571, 0.016112546412534),
    (0, 0.0411211951469424, 0.071631244713571, 0.0413796163556080, 0.065187847155740),
    (1, 0.0420739112905413, 0.014507625065460, 0.0424668759591453, 0.013543137780288),
    (3, 0.0421838114979690, 0.056439612781371, 0.0423320042918444, 0.051668926354367),
    (2, 0.0425177803290380, 0.048648810206305, 0.0426631966434737, 0.044097962959071),
    (1, 0.0429580295960796, 0.007858842873540, 0.0433878092075115, 0.007022543542496),
    (1, 0.0441371238665231, 0.007187916457934, 0.0446992389135632, 0.004084849036420),
    (2, 0.0443544614575070, 0.043648283430320, 0.0445031640410671, 0.039585701312509),
    (3, 0.0450964920144180, 0.085651585923816, 0.0452233587292417, 0.078569865044057),
    (1, 0.0452528995606045, 0.004129419656448, 0.0456512954125968, 0.012640046654486),
    (2, 0.0453103825811741, 0.111470583071638, 0.0454310853666585, 0.099862942732797),
    (3, 0.0455122801028378, 0.077917196135228, 0.0456398853508698, 0.071390988008544),
    (2, 0.0463829392667462, 0.021828049734948, 0.0465507508332738, 0.019784105932638),
    (1, 0.0478114774504502, 0.012043743128107, 0.0481285870374421, 0.010831592796717),
    (2, 0.0493413040001425, 0.018649173436708, 0.0497111777936386, 0.030395873004985),
    (0, 0.0494247887130935, 0.067002868682555, 0.0496918138653767, 0.055409323431586),
    (1, 0.0497141164989630, 0.034450102716740, 0.0499653888588334, 0.030760221617538),
    (2, 0.0516636407888418, 0.025446887870645, 0.0518302720396108, 0.022907269346060),
    (2, 0.0535848136978080, 0.022932808656454, 0.0537565388214744, 0.020685529802751),
    (1, 0.0537373710358107, 0.024690170262358, 0.0540671945313587, 0.021368112029423),
    (1, 0.0566656251373223, 0.018233657634369, 0.0570737073631396, 0.016045990339967),
    (0, 0.0576265686794381, 0.054896212646260, 0.0579004232127912, 0.049952363336848),
    (1, 0.0588271980867161, 0.012280419404480, 0.0592677777723679, 0.011230327224372),
    (3, 0.0635697582350855, 0.100492726240645, 0.0636979428087053, 0.091646488420654),
    (2, 0.0643508470875925, 0.072856791637552, 0.0644838514744848, 0.066395342169977),
)
# How an impact answers to the data: change of start (s) and relative change of approach speed per relative change of
# the stiffness K and of the damping factor A = 3 (1 − c²)/4. Ten digits in K leave seven in the last approach speed.
SENSITIVITY = {  # impact: (start by K, speed by K, start by A, speed by A)
    5: (-9.9e-5, 0.013, -8.7e-4, 0.0098),
    10: (-1.3e-3, -0.50, 1.0e-3, -1.7),
    15: (-2.4e-3, 1.9, 1.3e-3, 19.0),
    20: (-0.13, -290.0, -0.49, -1150.0),
    25: (-0.028, -81.0, -0.10, -335.0),
    30: (0.27, 116.0, 1.0, 425.0),
    35: (0.34, 640.0, 1.0, 2200.0),
}
SLIDER = {  # t: x, velocity of the slider
    0.01: (0.298561632266238, -0.168109376108000),
    0.02: (0.296878232383944, -0.168343665402678),
    0.03: (0.295182279856434, -0.177772401674447),
    0.04: (0.293404555839690, -0.177772401674447),
    0.05: (0.291167535598761, -0.272148696824854),
    0.06: (0.288446048630512, -0.272148696824854),
    0.065: (0.287136744252589, -0.234576903266194),
}


def ideal(angle=0, real=np.longdouble) -> np.ndarray:
    """State of the mechanism without clearance at a crank angle (driven at 3 rad/s); the start is at angle 0."""
    r, length, l, pivot, line = (real(v) for v in (CRANK, ROCKER, COUPLER, PIVOT, LINE))
    half, angle = real(1) / 2, real(angle)
    pin = r * np.array([np.cos(angle), np.sin(angle)])
    pin_rate = SPEED * r * np.array([-np.sin(angle), np.cos(angle)])
    # rocker from its pivot through the crank pin
    reach = np.sqrt(pin[0] ** 2 + (pin[1] - pivot) ** 2)
    u = np.array([pin[0], pin[1] - pivot]) / reach
    v = np.array([-u[1], u[0]])
    slide, turn = pin_rate @ u, pin_rate @ v / reach
    foot = np.array([real(0), pivot])
    tip, tip_rate = foot + length * u, turn * length * v
    # coupler from the tip to the line
    rise = line - tip[1]
    run = np.sqrt(l * l - rise * rise)
    phi = np.arctan2(rise, run)
    phi_rate = -tip_rate[1] / run
    middle = tip + half * np.array([run, rise])
    middle_rate = tip_rate + half * phi_rate * np.array([-rise, run])
    slider, slider_rate = tip[0] + run, tip_rate[0] - phi_rate * rise
    centre = half * length
    places = [*(foot + centre * u), np.arctan2(u[1], u[0]), reach - centre, *middle, phi, slider]
    speeds = [*(turn * centre * v), turn, slide, *middle_rate, phi_rate, slider_rate]
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
        th, s, ph, w3, vs = y[2], y[3], y[6], y[10], y[11]
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
    tolerance: float = 1e-12,
    columns: int = 7,
    real=np.longdouble,
    measure: bool = False,
) -> dict:
    """Impacts (start, joint, approach speed …) up to t_end, and states (coordinates as in the module) at `times`.

    In long double about 15 s to 0.065 s, with starts within 3e-11 s and speeds within 3e-8 of IMPACTS. `measure` adds
    peak forces and largest indentations; `cut` sets negative forces to zero (none occurs).
    """
    model = QuickReturn(real)
    contact = Problem(
        model.touch,
        model.rates,
        [PowerLaw(real(STIFFNESS), real(damping_factor(law, restitution)), cut) for _ in JOINTS],
        scale=np.array([1e-6] * 8 + [0.1] * 8),
        contact_time=1e-5,
        max_step=2e-3,
    )
    run = Run(contact, ideal(0, real), tolerance=tolerance, columns=columns, real=real, measure=measure)
    for t in (*times, t_end):
        run.to(real(repr(float(t))))
    return {
        "impacts": run.table(),
        "cuts": [[float(t) for t in impact.cuts] for impact in run.impacts],
        "states": np.array(run.states, float),
        "steps": run.steps,
        "evaluations": run.evaluations,
    }
