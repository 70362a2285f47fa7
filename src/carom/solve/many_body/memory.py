"""Memory of a run of many bodies: estimate before the run, and comparison with the memory of the machine."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from carom.compiled_model.body_kind import KINDS
from carom.errors import ModelError
from carom.geometry.pairs.registry import pair
from carom.model.contact_group import ContactGroup
from carom.model.system import System
from carom.result.energy import Energy
from carom.solve.checkpointing import CHUNK_NUMBERS
from carom.solve.many_body.records import (
    CANDIDATE_PAIR,
    NEIGHBOUR_ENTRY,
    PAIR_HISTORY,
    PAIR_NODE_DATA,
    PAIR_STATE,
    PAIR_WRENCH,
)

BYTES_PER_BODY = 1100
"""Compiled model of a body with one shape and the workspace of a node; 880 were measured with a million spheres."""
BYTES_PER_RUN = 60_000_000
"""Compiled code and modules of a run."""
FILE_BYTES_PER_BODY = 10_000
"""Model text and checkpoint of a run that is written to a file, measured with 20 000 spheres."""
PAIRS_PER_BODY = 5
"""Pairs of the neighbour list per body of a dense packing of spheres; 3.4 were measured in a settled box."""
RESERVE = 1.2
"""Length of the arrays of a neighbour list relative to its pairs."""
COPIES_OF_LISTS = 2
"""Neighbour lists while one is rebuilt."""
BYTES_PER_PAIR = 16 + NEIGHBOUR_ENTRY.dtype.itemsize + PAIR_HISTORY.dtype.itemsize
"""A pair in the arrays that each list has; pairs that keep a state have a `PAIR_STATE` besides."""
BYTES_OF_FORCES = 8 + PAIR_NODE_DATA.dtype.itemsize + PAIR_WRENCH.dtype.itemsize
"""A pair in the arrays that both lists share."""
COPIES_OF_NODES = 2
"""Nodes in memory at the end of a run: as rows of the run, and as columns of the result."""


@dataclass(frozen=True)
class MemoryEstimate:
    """Estimated memory of a run of many bodies, beside that of the system itself.

    Parameters
    ----------
    bodies, pairs, nodes
        memory of the compiled bodies, of the neighbour lists and of the output nodes [bytes].
    n_nodes
        number of output nodes.
    """

    bodies: int
    pairs: int
    nodes: int
    n_nodes: int

    @property
    def total(self) -> int:
        """Sum of all parts [bytes]."""
        return self.bodies + self.pairs + self.nodes

    def __str__(self) -> str:
        return (
            f"{size_text(self.total)} (bodies {size_text(self.bodies)}, pairs {size_text(self.pairs)}, "
            f"{self.n_nodes} nodes {size_text(self.nodes)})"
        )


def memory_of_run(system: System, n_nodes: int, is_streamed: bool) -> MemoryEstimate:
    """Return the estimated memory of a run with ``n_nodes`` output nodes, in memory or streamed to a file."""
    n_bodies, kind = len(system.bodies), KINDS[system.dim]
    numbers = n_bodies * (kind.n_coordinates + 2 * kind.n_velocities) + len(Energy.names())
    numbers += sum(len(element.signals) for element in (*system.contacts, *system.compounds))
    kept = COPIES_OF_NODES * n_nodes * numbers
    if is_streamed:
        kept = min(kept, 3 * (CHUNK_NUMBERS + numbers))
    row_bytes = BYTES_PER_PAIR + (PAIR_STATE.dtype.itemsize if keeps_states(system) else 0)
    pairs = max((list_bytes(group, row_bytes) for group in (*system.groups, *system.small_groups)), default=0.0)
    return MemoryEstimate(
        bodies=BYTES_PER_RUN + n_bodies * (BYTES_PER_BODY + (FILE_BYTES_PER_BODY if is_streamed else 0)),
        pairs=int(n_bodies * PAIRS_PER_BODY * pairs),
        nodes=8 * kept,
        n_nodes=n_nodes,
    )


def list_bytes(group: ContactGroup, row_bytes: int) -> float:
    """Return the mean memory of two shapes of a group in the neighbour lists [bytes], for ``row_bytes`` per pair.

    Shapes with several contact points take a row for each; pair kernels may have a warm start besides.
    """
    row_bytes = int(RESERVE * (COPIES_OF_LISTS * row_bytes + BYTES_OF_FORCES) + 1.3 * CANDIDATE_PAIR.dtype.itemsize)
    sides = (group.shapes, group.shapes if group.self_contact else group.others)
    one, two = (Counter(shape.kind for shape in side) for side in sides)
    n_pairs, total = 0, 0.0
    for a, b in group.example_pairs():
        count = one[a.kind] * two[b.kind]
        pairing = pair(group.label, a, b)
        n_warm = len(pairing.warm_start) * (1 if pairing.shares_warm_start else pairing.contact_points)
        total += count * (pairing.contact_points * row_bytes + RESERVE * COPIES_OF_LISTS * 8 * n_warm)
        n_pairs += count
    return total / max(n_pairs, 1)


def keeps_states(system: System) -> bool:
    """Return True if the contacts of a group keep a state: unloading curve, friction state or rolling resistance."""
    return any(
        group.rolling is not None
        or (group.law is not None and group.law.has_unloading_curve)
        or (group.friction is not None and group.friction.has_state)
        for group in (*system.groups, *system.small_groups)
    )


def check_memory(estimate: MemoryEstimate, is_streamed: bool) -> None:
    """Raise if a run needs more memory than the machine has available."""
    available = available_memory()
    if available is None or estimate.total <= available:
        return
    advice = "increase the interval output="
    if not is_streamed:
        advice = 'write the run to a file (stream="run.h5"), ' + advice
    if estimate.bodies + estimate.pairs > available:
        advice = "reduce the number of bodies"
    raise ModelError(f"simulate: the run needs about {estimate}, but {size_text(available)} are available; {advice}")


def available_memory() -> int | None:
    """Return the memory that this process can still use [bytes]; None if it is unknown."""
    limits = [limit for limit in (_meminfo(), _control_group()) if limit is not None]
    if limits:
        return min(limits)
    with suppress(AttributeError, ValueError, OSError):  # other systems: a process may use all of the memory
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _meminfo() -> int | None:
    """Return the available memory that Linux reports [bytes]."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return None


def _control_group() -> int | None:
    """Return the memory left in the control group of a container [bytes]."""
    folder = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # "max" is no number: there is no limit
        limit = int((folder / "memory.max").read_text("ascii"))
        return max(limit - int((folder / "memory.current").read_text("ascii")), 0)
    return None


def size_text(size: float) -> str:
    """Return a size [bytes] as text."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"
