"""Result with one node: a system as it is now, for drawings before a run."""

from __future__ import annotations

import numpy as np

from carom.model.system import System
from carom.result.column_info import BodyInfo
from carom.result.energy import Energy
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.drawing_builder import deferred_drawing_data


def snapshot(system: System) -> Result:
    """Return positions and velocities of a system at t = 0, without signals and energies."""
    planar = system.dim == 2
    q = [(*body.position, *((body.angle,) if planar else body.orientation)) for body in system.bodies]
    v = [(*body.velocity, *np.atleast_1d(body.angular_velocity)) for body in system.bodies]
    columns_q, columns_v = np.ravel(q)[None, :], np.ravel(v)[None, :]
    return Result(
        name=system.name, dim=system.dim, t=[0.0], q=columns_q, v=columns_v, a=np.zeros_like(columns_v),
        signals=np.zeros((1, 0)), ledger=Energy.from_columns(np.zeros((1, len(Energy.names())))),
        bodies=tuple(BodyInfo(body.name, body.mass, 0.0) for body in system.bodies), elements=(), stats={},
        outcome=Outcome.FINISHED, message="The system before a run.", settings={},
        sketch=deferred_drawing_data(system),
    )  # fmt: skip
