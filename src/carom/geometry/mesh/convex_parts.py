"""Approximate convex decomposition of solids, by CoACD (Wei et al. 2022)."""

from __future__ import annotations

import numpy as np

from carom.errors import ModelError

CONCAVITY = 0.02
"""Largest concavity of a part, relative to the size of the mesh [-]."""
SEED = 1


def convex_parts(owner: str, vertices: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Return the vertices of convex parts [m] that together approximate a closed mesh."""
    try:
        import coacd
    except ImportError:
        raise ModelError(f"{owner}: decompose=True needs CoACD: pip install 'carom[mesh]'") from None
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(vertices, faces), threshold=CONCAVITY, seed=SEED)
    return [np.asarray(points, float) for points, _ in parts]
