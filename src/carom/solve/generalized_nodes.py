"""Evaluation of the functions of a system in generalised coordinates at nodes."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.mechanics.generalized_stepping import GENERALIZED_NODES, evaluate_nodes


def evaluate_generalized_nodes(tables: GeneralizedData, **arrays: np.ndarray) -> None:
    """Fill ``energies``, and ``poses``, ``rates`` and ``contacts`` if they are given, at the nodes ``t`` and ``y``.

    The arrays are contiguous, with one row per node; contacts need their ``forces``.
    """
    system, functions = tables.system, tables.functions
    kernels = {"mass_kernel": functions.mass, "potential_kernel": functions.potential}
    if "contacts" in arrays:
        kernels |= {"gap_kernel": functions.gaps, "direction_kernel": functions.directions}
    if "poses" in arrays:
        kernels |= {"body_kernel": functions.bodies, "body_rate_kernel": functions.body_rates}
    f, n_bodies = system.freedom, len(system.bodies)
    workspace = np.zeros(max(f * f, system.contact_count * system.directions * (f + 1), 3 * n_bodies * (f + 1), 1))
    nodes = GENERALIZED_NODES.new(
        n_nodes=len(arrays["t"]),
        freedom=f,
        n_contacts=system.contact_count,
        n_directions=system.directions,
        n_bodies=n_bodies,
        **{name: kernel.address for name, kernel in kernels.items() if kernel is not None},
    )
    GENERALIZED_NODES.connect(nodes, arrays | {"workspace": workspace})
    evaluate_nodes.call(nodes)
