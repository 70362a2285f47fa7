"""Assembly: positions and velocities consistent with the joints, from a rough start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.argument_checks import is_list, short_repr
from carom.errors import ModelError
from carom.model.body import Body
from carom.model.system import System
from carom.solve.compliant.contact_kernels import prepare_run
from carom.solve.model_evaluator import ModelEvaluator

POSITIONS: dict[int, dict[str, tuple[int, ...]]] = {
    2: {"x": (0,), "y": (1,), "angle": (2,), "position": (0, 1)},
    3: {"x": (0,), "y": (1,), "z": (2,), "orientation": (3, 4, 5), "position": (0, 1, 2)},
}
VELOCITIES: dict[int, dict[str, tuple[int, ...]]] = {
    2: {"vx": (0,), "vy": (1,), "angular_velocity": (2,), "omega": (2,), "velocity": (0, 1)},
    3: {"vx": (0,), "vy": (1,), "vz": (2,), "angular_velocity": (3, 4, 5), "omega": (3, 4, 5), "velocity": (0, 1, 2)},
}
ITERATIONS = 100
TOLERANCE = 1e-12


def assemble(system: System, keep: Iterable[Any] = ()) -> None:
    """Solve Φ(q, 0) = 0 and Φ_q v = ν with the least mass-weighted change; values listed in ``keep`` stay fixed."""
    held_q, held_v = held(system, keep)
    prepare_run(system)  # what is assembled is mostly to be run
    mechanism = ModelEvaluator(system)
    y = mechanism.tables.y0.copy()
    solve_positions(mechanism, y, held_q)
    solve_velocities(mechanism, y, held_v)
    mechanism.tables.write_back(y)


def held(system: System, keep: Iterable[Any]) -> tuple[list[int], list[int]]:
    """Return the indices of the coordinates and velocities that stay fixed."""
    q: list[int] = []
    v: list[int] = []
    if isinstance(keep, (str, bytes)) or not is_list(keep):
        raise ModelError(f"assemble: keep must be a list such as [(crank, 'angle'), rod], got {short_repr(keep)}")
    for item in keep:
        body, what = item if isinstance(item, tuple) and len(item) == 2 else (item, None)
        if isinstance(body, str):
            body = system[body]
        if not isinstance(body, Body) or not any(body is known for known in system.bodies):
            raise ModelError(
                f"assemble: keep must list bodies of the system or pairs (body, 'angle'), got {short_repr(item)}"
            )
        width = 3 if body.dim == 2 else 6
        first = width * next(k for k, known in enumerate(system.bodies) if known is body)
        if what is not None and not isinstance(what, str):
            raise ModelError(
                f"assemble: keep must list bodies of the system or pairs (body, 'angle'), got {short_repr(item)}"
            )
        if what is None:
            q += range(first, first + width)
            v += range(first, first + width)
        elif what in POSITIONS[body.dim]:
            q += [first + k for k in POSITIONS[body.dim][what]]
        elif what in VELOCITIES[body.dim]:
            v += [first + k for k in VELOCITIES[body.dim][what]]
        else:
            known = ", ".join((*POSITIONS[body.dim], *VELOCITIES[body.dim]))
            raise ModelError(f"assemble: {what!r} of {body.name!r} cannot be kept; choose from {known}")
    return q, v


def least_change(mechanism: ModelEvaluator, jacobian: Any, residual: np.ndarray, fixed: list[int]) -> np.ndarray:
    """Return the change d of least Σ m d² with Φ_q d = −residual and d = 0 where fixed (m = 1 if massless)."""
    mass = np.where(mechanism.mass > 0.0, mechanism.mass, 1.0)
    weight = 1.0 / np.sqrt(mass)
    weight[fixed] = 0.0
    if mechanism.large:
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import lsqr

        scaled = jacobian @ diags_array(weight)
        return weight * lsqr(scaled, -residual, atol=1e-15, btol=1e-15, iter_lim=20 * mechanism.n)[0]
    scaled = jacobian * weight
    rows = np.linalg.norm(scaled, axis=1)
    rows[rows == 0.0] = 1.0
    return weight * np.linalg.lstsq(scaled / rows[:, None], -residual / rows, rcond=1e-10)[0]


def solve_positions(mechanism: ModelEvaluator, y: np.ndarray, fixed: list[int], t: float = 0.0) -> None:
    """Solve Φ(q, t) = 0 by Gauss–Newton; a step that does not reduce the residual is halved."""
    n = mechanism.n
    size = 1.0 + np.abs(y[:n]).max()
    residual = mechanism.rows(t, y)[0]
    for _ in range(ITERATIONS):
        worst = np.abs(residual).max(initial=0.0)
        if worst <= 1e-15 * size:
            return
        change = least_change(mechanism, mechanism.matrix(t, y), residual, fixed)
        trial, scale = y.copy(), 1.0
        while True:
            trial[:n] = y[:n] + scale * change
            new = mechanism.rows(t, trial)[0]
            if np.linalg.norm(new) < np.linalg.norm(residual) or scale < 1e-4:
                break
            scale *= 0.5
        if worst <= TOLERANCE * size and not np.linalg.norm(new) < 0.5 * np.linalg.norm(residual):
            return  # rounding reached
        y[:], residual = trial, new
        mechanism.update_orientation(y)
        if np.abs(scale * change).max(initial=0.0) <= 1e-14 * size and np.abs(residual).max() > TOLERANCE * size:
            break
    if np.abs(residual).max(initial=0.0) > TOLERANCE * size:
        gaps: dict[str, float] = {}
        for row in np.argsort(-np.abs(residual)):
            gaps.setdefault(mechanism.owner(int(row)), abs(float(residual[row])))
        worst = max(gaps.values())
        names = ", ".join(f"{name!r} ({gap:.3g})" for name, gap in gaps.items() if gap > 0.01 * worst)
        raise ModelError(
            f"System {mechanism.system.name!r} cannot be assembled: joints stay open by {names}; "
            "check lengths and points, start closer, or keep less"
        )


def solve_velocities(mechanism: ModelEvaluator, y: np.ndarray, fixed: list[int], t: float = 0.0) -> None:
    n = mechanism.n
    v = y[n : 2 * n]
    nu = mechanism.rows(t, y)[1]
    jacobian = mechanism.matrix(t, y)
    speed = 1.0 + np.abs(v).max(initial=0.0)
    for _ in range(3):  # the second removes the rounding of the first
        gap = jacobian @ v - nu
        if np.abs(gap).max(initial=0.0) <= 1e-15 * speed:
            break
        v += least_change(mechanism, jacobian, gap, fixed)
    residual = np.abs(jacobian @ v - nu)
    if residual.max(initial=0.0) > 1e-9 * speed:
        names = ", ".join(repr(name) for name in mechanism.owners(np.flatnonzero(residual > 1e-9 * speed)))
        raise ModelError(
            f"System {mechanism.system.name!r}: no velocities satisfy {names} with what is kept; keep fewer velocities"
        )
