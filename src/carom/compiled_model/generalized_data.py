"""Compiled form of a GeneralizedSystem: the arrays and kernel addresses that compiled code reads."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from carom.compiled_model.model_data import ModelData, take_user_error
from carom.kernels.interpreted import array_address
from carom.mechanics import generalized_stepping, kkt_lu
from carom.mechanics.model_record import JACOBIAN_BLOCK, SETTINGS
from carom.model.generalized_kernels import GeneralizedKernels
from carom.model.generalized_system import GeneralizedSystem

N_SAMPLES = 12
"""Number of states near the start at which the power of the forces is evaluated."""
APPLIED_WORK = 1e-6
"""Fraction of the power of all forces above which a part of it comes from forces without a potential [-]."""


@lru_cache(maxsize=20)
def has_applied_work(functions: GeneralizedKernels, start: tuple[tuple[float, ...], tuple[float, ...]]) -> bool:
    """Return True if the forces do work near the ``start`` (q, u) that the potential does not contain."""
    random = np.random.default_rng(0)
    q0, u0 = map(np.array, start)
    n = len(q0)
    for k in range(N_SAMPLES):
        q = q0 + (k % 2) * 1e-3 * random.normal(size=n) * (1.0 + np.abs(q0))
        u = u0 + random.normal(size=n) * (1.0 + np.abs(u0))
        t = 0.1 * (k // 4) * random.uniform()
        power = u @ functions.force(t, q, u)
        rates = [energy_rate(functions, t, q, u, shift / np.abs(u).max()) for shift in (1e-5, 5e-6)]
        applied, resolution = abs(power + rates[1]), 10.0 * abs(rates[0] - rates[1])
        if np.isfinite(applied) and applied > APPLIED_WORK * (abs(power) + abs(rates[1])) + resolution:
            return True
    for kernel in functions.user_kernels:
        kernel.forget()  # The functions may be undefined at a sample.
    return False


def energy_rate(functions: GeneralizedKernels, t: float, q: np.ndarray, u: np.ndarray, dt: float) -> float:
    """Return u·Ṁ u/2 + V̇ [W] along the motion by central differences over ``dt`` [s]."""
    assert functions.potential is not None
    energy = 0.0
    for sign in (-1.0, 1.0):
        shifted = (t + sign * dt, q + sign * dt * u, u)
        mass = functions.mass(*shifted).reshape(len(q), len(q))
        energy += sign * (0.5 * u @ mass @ u + functions.potential(*shifted)[0])
    return float(energy / (2.0 * dt))


class GeneralizedData(ModelData):
    """Compiled form of a GeneralizedSystem; ``model`` is the record that kernels receive."""

    def __init__(self, system: GeneralizedSystem):
        self.system = system
        self.functions = functions = system.compiled()
        for kernel in functions.user_kernels:
            kernel.forget()  # an exception of an earlier run
        super().__init__()
        n, count, rows = system.freedom, system.contact_count, system.directions * (system.freedom + 1)
        self.model.n_velocities, self.model.n_contacts = n, count
        sizes = {
            "rhs_motion": n, "acceleration": n, "residual_motion": n, "rhs_constraint": 1, "lam": 1,
            "residual_constraint": 1, "nu": 1, "gamma_c": 1, "force_power": 2, "gaps": count + 1, "mass": n,
        }  # fmt: skip
        for field, size in sizes.items():
            self.set_array(field, np.zeros(size))
        self.set_array("settings", SETTINGS.zeros())
        self.settings.proximal_iterations = 1
        self.workspace = {
            "mass_matrix": np.zeros(n * n),
            "directions": np.zeros(count * rows + 1),
            "gap_state": np.zeros(generalized_stepping.GAP_STATE.size + 2 * n),
            "q_shifted": np.zeros(n),
            "mass_matrix_shifted": np.zeros(n * n),
        }
        table = generalized_stepping.GENERALIZED.zeros()
        for field, array in self.workspace.items():
            table[field] = array_address(array)
        table["direction_size"] = rows
        start = tuple(map(float, system.q0)), tuple(map(float, system.u0))
        table["has_applied_work"] = functions.potential is None or has_applied_work(functions, start)
        if functions.potential is not None:
            table["potential_kernel"] = functions.potential.address
        table["mass_kernel"] = functions.mass.address
        table["force_kernel"] = functions.force.address
        if functions.gaps is not None and functions.directions is not None:
            table["gap_kernel"] = functions.gaps.address
            table["direction_kernel"] = functions.directions.address
        self.set_array("generalized", table)
        self.model.factorise_kernel = self.address(generalized_stepping.factorise_mass_matrix)
        self.model.solve_kernel = self.address(generalized_stepping.solve_with_mass_matrix)
        self.y0 = np.array([*system.q0, *system.u0])

    def use_implicit(self, stiffness: np.ndarray) -> None:
        """Use the solver of implicit steps, which subtracts ``stiffness`` from the mass matrix."""
        n = self.system.freedom
        mass = self.functions.mass(0.0, self.y0[:n], self.y0[n:]).reshape(n, n)
        fields = {
            "matrix": np.zeros((n, n)), "pivots": np.zeros(n, np.int64), "workspace": np.zeros(n),
            "scale": 1.0 / np.sqrt(np.diagonal(mass)), "full_mass": self.workspace["mass_matrix"],
            "stiffness": stiffness,
        }  # fmt: skip
        self.use_solver(kkt_lu, fields)
        self.set_array("Phi_q", np.zeros(1))
        self.set_array("jacobian_blocks", JACOBIAN_BLOCK.zeros())

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, or None."""
        return take_user_error(self.functions.user_kernels)
