"""Evaluation of the functions of a system in generalised coordinates at nodes."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.mechanics.generalized_stepping import GENERALIZED_NODES, evaluate_nodes


def evaluate_generalized_nodes(tables: GeneralizedData, accelerating: bool = False, **arrays: np.ndarray) -> None:
    """Fill ``poses`` and ``rates`` of the bodies, and ``signals`` and ``energies`` if they are given, at nodes.

    The arrays are contiguous, with one row per node ``t``, ``nodes``; signals and energies must be zero. Without them,
    a node is a state q, u. An ``accelerating`` node ends with the accelerations of the coordinates.
    """
    system, functions = tables.system, tables.functions
    kernels = {"body_kernel": functions.bodies, "body_rate_kernel": functions.body_rates}
    if "signals" in arrays:
        kernels |= {"mass_kernel": functions.mass, "potential_kernel": functions.potential}
        kernels |= {"gap_kernel": functions.gaps, "direction_kernel": functions.directions}
    f, n_bodies = system.freedom, len(system.bodies)
    workspace = np.zeros(max(f * f, system.contact_count * system.directions * (f + 1), 3 * n_bodies * (f + 1), 1))
    table = GENERALIZED_NODES.new(
        n_nodes=len(arrays["t"]),
        freedom=f,
        n_contacts=system.contact_count,
        n_directions=system.directions,
        n_bodies=n_bodies,
        node_size=arrays["nodes"].shape[1],
        n_signals=arrays["signals"].shape[1] if "signals" in arrays else 0,
        has_accelerations=accelerating,
        **{name: kernel.address for name, kernel in kernels.items() if kernel is not None},
    )
    GENERALIZED_NODES.connect(table, arrays | {"workspace": workspace})
    evaluate_nodes.call(table)
