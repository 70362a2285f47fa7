"""Andrews' squeezer: seven bodies, ten pins, one degree of freedom, 0.03 s.

Data and reference angles at the end from the Test Set for IVP Solvers (Mazzia & Magherini), after Hairer & Wanner,
Solving Ordinary Differential Equations II, VI.9. The mechanism is modelled here from its geometry, not from the
published equations.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

import carom as cm

BETA, THETA, GAMMA = -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449
PHI, DELTA = 0.222668390165885884674473185609, 0.487364979543842550225598953530
OMEGA, EPSILON = -0.222668390165885884674473185609, 1.23054744454982119249735015568
MASS = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E, EA, RR, RA = 28e-3, 115e-4, 2e-2, 1421e-5, 7e-3, 92e-5
SA, SB, SC, SD, TA, TB = 1874e-5, 1043e-5, 18e-3, 2e-2, 2308e-5, 916e-5
U, UA, UB, ZF, ZT, FA = 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033

REFERENCE = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip


def squeezer() -> cm.System:
    bt, pd, oe = BETA + THETA, PHI + DELTA, OMEGA + EPSILON
    centres = (
        (RA * cos(BETA), RA * sin(BETA)),
        (RR * cos(BETA) - DA * cos(bt), RR * sin(BETA) - DA * sin(bt)),
        (B[0] + SA * sin(GAMMA) + SB * cos(GAMMA), B[1] - SA * cos(GAMMA) + SB * sin(GAMMA)),
        (A[0] + ZT * cos(DELTA) + (E - EA) * sin(pd), A[1] + ZT * sin(DELTA) - (E - EA) * cos(pd)),
        (A[0] + TA * cos(DELTA) - TB * sin(DELTA), A[1] + TA * sin(DELTA) + TB * cos(DELTA)),
        (A[0] + U * sin(EPSILON) + (ZF - FA) * cos(oe), A[1] - U * cos(EPSILON) + (ZF - FA) * sin(oe)),
        (A[0] + UA * sin(EPSILON) - UB * cos(EPSILON), A[1] - UA * cos(EPSILON) - UB * sin(EPSILON)),
    )
    angles = (BETA, bt, GAMMA, pd, DELTA, oe, EPSILON)
    system = cm.System(name="squeezer")
    k = [
        system.add(cm.Body(f"K{i + 1}", MASS[i], INERTIA[i], position=centres[i], angle=angles[i])) for i in range(7)
    ]
    crank_end = (RR * cos(BETA), RR * sin(BETA))
    hub = (RR * cos(BETA) - D * cos(bt), RR * sin(BETA) - D * sin(bt))
    knee_5 = (A[0] + ZT * cos(DELTA), A[1] + ZT * sin(DELTA))
    knee_7 = (A[0] + U * sin(EPSILON), A[1] - U * cos(EPSILON))
    pins = (
        (None, 0, (0.0, 0.0)), (0, 1, crank_end), (1, 2, hub), (1, 3, hub), (1, 5, hub),
        (None, 2, B), (3, 4, knee_5), (None, 4, A), (5, 6, knee_7), (None, 6, A),
    )  # fmt: skip
    for a, b, at in pins:
        system.add(cm.Revolute(system.ground if a is None else k[a], k[b], at=at))
    eye = (B[0] + SC * sin(GAMMA) + SD * cos(GAMMA), B[1] - SC * cos(GAMMA) + SD * sin(GAMMA))
    system.add(
        cm.SpringDamper(
            system.ground.point(*C), k[2].point(*k[2].to_local(eye)), stiffness=STIFFNESS, free_length=FREE_LENGTH
        )
    )
    system.add(cm.Torque(k[0], TORQUE))
    return system


def relative_angles(result: cm.Result) -> np.ndarray:
    """(β, Θ, γ, Φ, δ, Ω, ε) at the end, from the bodies' absolute angles."""
    a = [result[f"K{i}"].angle[-1] for i in range(1, 8)]
    return np.array([a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]])


def test_the_squeezer_has_one_degree_of_freedom():
    assert squeezer().degrees_of_freedom == 1


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({}, 3e-9),
        ({"integrator": "dop853", "rtol": 1e-11}, 2e-9),  # what is left is the reference's own last digits
        ({"integrator": "tsit5"}, 3e-9),
        ({"integrator": "adams"}, 1e-7),
        ({"integrator": "bdf"}, 1e-7),
    ],
)
def test_the_squeezer_ends_at_the_published_angles(options, tolerance):
    result = cm.simulate(squeezer(), 0.03, **options)
    assert result.outcome is cm.Outcome.FINISHED
    assert np.abs(relative_angles(result) - REFERENCE).max() < tolerance
    assert result.energy.drift < 1e-8  # the torque's work is in the ledger
