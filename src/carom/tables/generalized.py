"""From a GeneralizedSystem to the arrays and addresses that compiled code reads."""

from __future__ import annotations

import numpy as np

from carom.kernels import Kernel
from carom.mechanics import block as slot
from carom.mechanics import generalized as general
from carom.mechanics import pivoted
from carom.model.generalized import GeneralFunctions, GeneralizedSystem

SAMPLES = 12
OTHER_WORK = 1e-6
"""Fraction of the power of all forces above which a part of it comes from forces without a potential."""


def has_other_work(functions: GeneralFunctions, system: GeneralizedSystem) -> bool:
    """Return whether the forces do work near the start that the potential does not account for."""
    n, random = system.freedom, np.random.default_rng(0)
    q0, u0 = np.array(system.q0), np.array(system.u0)
    for k in range(SAMPLES):
        q = q0 + (k % 2) * 1e-3 * random.normal(size=n) * (1.0 + np.abs(q0))
        u = u0 + random.normal(size=n) * (1.0 + np.abs(u0))
        t = 0.1 * (k // 4) * random.uniform()
        power = u @ functions.force(t, q, u)
        rates = [energy_rate(functions, t, q, u, shift / np.abs(u).max()) for shift in (1e-5, 5e-6)]
        other, resolved = abs(power + rates[1]), 10.0 * abs(rates[0] - rates[1])
        if np.isfinite(other) and other > OTHER_WORK * (abs(power) + abs(rates[1])) + resolved:
            return True
    for kernel in functions.user_kernels:
        kernel.forget()  # a sample may lie where a function is not defined
    return False


def energy_rate(functions: GeneralFunctions, t: float, q: np.ndarray, u: np.ndarray, by: float) -> float:
    """Return u·Ṁ u/2 + V̇ [W] along the motion, by differences over ``by`` [s]."""
    assert functions.potential is not None
    energy = 0.0
    for sign in (-1.0, 1.0):
        there = (t + sign * by, q + sign * by * u, u)
        mass = functions.mass(*there).reshape(len(q), len(q))
        energy += sign * (0.5 * u @ mass @ u + functions.potential(*there)[0])
    return float(energy / (2.0 * by))


class GeneralTables:
    """One system in generalised coordinates, ready for compiled code; keeps every array and kernel alive."""

    def __init__(self, system: GeneralizedSystem):
        self.system = system
        self.functions = functions = system.compiled()
        for kernel in functions.user_kernels:
            kernel.forget()  # what it may have raised in an earlier run
        self.arrays: dict[int, np.ndarray] = {}
        self.kernels: list[Kernel] = [general.factor, general.solve]
        self.implicit: list[np.ndarray] = []
        self.block = np.zeros(slot.SIZE, np.int64)
        n, count, rows = system.freedom, system.contact_count, system.directions * (system.freedom + 1)
        self.block[[slot.VELOCITIES, slot.CONTACTS]] = n, count
        sizes = {
            slot.TOP: n, slot.ACCELERATION: n, slot.RESIDUAL_TOP: n, slot.BOTTOM: 1, slot.MULTIPLIERS: 1,
            slot.RESIDUAL_BOTTOM: 1, slot.NU: 1, slot.GAMMA: 1, slot.POWER: 2, slot.GAPS: count + 1, slot.MASS: n,
        }  # fmt: skip
        for place, size in sizes.items():
            self.put(place, np.zeros(size))
        settings = np.zeros(8)
        settings[slot.SWEEPS] = 1.0
        self.put(slot.SETTINGS, settings)
        self.own = {
            general.MATRIX: np.zeros(n * n),
            general.ROWS_OF_DIRECTIONS: np.zeros(count * rows + 1),
            general.SURVEYED: np.zeros(2 + 2 * n),
            general.SHIFTED: np.zeros(n),
            general.SHIFTED_MATRIX: np.zeros(n * n),
        }
        table = np.zeros(general.SLOTS, np.int64)
        for place, array in self.own.items():
            table[place] = array.ctypes.data
        table[general.ROW_COUNT] = rows
        table[general.BOOKED] = functions.potential is None or has_other_work(functions, system)
        if functions.potential is not None:
            table[general.POTENTIAL_KERNEL] = functions.potential.address
        table[general.MASS_KERNEL] = functions.mass.address
        table[general.FORCE_KERNEL] = functions.force.address
        if functions.gaps is not None and functions.directions is not None:
            table[general.GAP_KERNEL] = functions.gaps.address
            table[general.DIRECTION_KERNEL] = functions.directions.address
        self.put(slot.GENERAL, table)
        self.block[slot.FACTOR_ADDRESS] = general.factor.address
        self.block[slot.SOLVE_ADDRESS] = general.solve.address
        self.y0 = np.array([*system.q0, *system.u0])

    def use_implicit(self, stiffness: np.ndarray) -> None:
        """For steps that are implicit in the forces: ``stiffness`` is subtracted from the mass matrix."""
        n = self.system.freedom
        mass = self.functions.mass(0.0, self.y0[:n], self.y0[n:]).reshape(n, n)
        self.implicit = [np.zeros((n, n)), np.zeros(n, np.int64), np.zeros(n), 1.0 / np.sqrt(np.diagonal(mass)),
                         self.own[general.MATRIX], stiffness]  # fmt: skip
        self.put(slot.SOLVER, np.array([array.ctypes.data for array in self.implicit], np.int64))
        self.put(slot.JAC, np.zeros(1))
        self.put(slot.LINK_TABLE, np.zeros(3, np.int64))
        self.block[slot.FACTOR_ADDRESS] = pivoted.factor.address
        self.block[slot.SOLVE_ADDRESS] = pivoted.solve.address

    def put(self, place: int, array: np.ndarray) -> None:
        """An array into a slot of the block; it lives as long as these tables."""
        self.arrays[place] = array
        self.block[place] = array.ctypes.data

    def __getitem__(self, place: int) -> np.ndarray:
        return self.arrays[place]

    def user_error(self) -> BaseException | None:
        """What one of the functions raised inside compiled code, if one did."""
        for kernel in self.functions.user_kernels:
            error = kernel.error
            if error is not None:
                kernel.forget()
                error.add_note(f"raised in a function of {kernel.owner}")
                return error
        return None
