"""The compiled functions that watch contacts, and what a run needs to be compiled."""

from __future__ import annotations

from carom.kernels import Kernel
from carom.kernels.ahead import compile_ahead
from carom.model.system import System
from carom.solve.compliant import desk as places
from carom.solve.compliant import events, extremes, loop, transitions

ONSETS = {"event": places.EVENT, "reject": places.REJECT, "interpolate": places.INTERPOLATE, "none": places.NONE}
"""How the beginning of a contact is found."""

WATCHERS = (
    events.watch,
    events.aim,
    transitions.switch,
    extremes.measure,
    extremes.read,
    extremes.weigh,
    transitions.settle,
    extremes.depth,
)
"""In the order of their places on the desk."""

UNLOCATED = (transitions.settle, extremes.depth)
"""Needed by runs that do not locate events."""


def kernels_of(onset: str) -> list[Kernel]:
    """What a run needs that has contacts."""
    watchers = [kernel for kernel in WATCHERS if ONSETS[onset] != places.EVENT or kernel not in UNLOCATED]
    return [*watchers, transitions.start, transitions.finish]


def prepare_run(system: System, onset: str = "event", explicit: bool = True) -> None:
    """Have the integration compiled elsewhere while the equations of motion are compiled here, the first time.

    ``explicit`` methods share the compiled loop.
    """
    loops = [loop.run] if explicit else []
    compile_ahead([*loops, *(kernels_of(onset) if system.contacts else ())])
