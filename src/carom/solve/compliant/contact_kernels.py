"""Event kernels by the fields of the record `INTEGRATION`, and their compilation ahead of a run."""

from __future__ import annotations

from carom.kernels import Kernel
from carom.kernels.background_compilation import compile_ahead
from carom.model.system import System
from carom.solve.compliant import contact_extrema, contact_transitions, event_detection, rk_loop, run_start
from carom.solve.compliant.records import EVENT, INTERPOLATE, NONE, REJECT

ONSETS = {"event": EVENT, "reject": REJECT, "interpolate": INTERPOLATE, "none": NONE}
"""Onset methods by name."""

EVENT_KERNELS = {
    "detect_event_kernel": event_detection.detect_events,
    "evaluate_event_kernel": event_detection.evaluate_event,
    "apply_event_kernel": contact_transitions.apply_event,
    "update_extrema_kernel": contact_extrema.update_extrema,
    "read_extremum_kernel": contact_extrema.read_extremum,
    "contact_error_kernel": contact_extrema.contact_error_norm,
    "update_modes_kernel": contact_transitions.update_modes,
    "onset_depth_kernel": contact_extrema.onset_depth,
}

WITHOUT_LOCATION = (contact_transitions.update_modes, contact_extrema.onset_depth)
"""Kernels of runs without event location."""


def kernels_of(onset: str) -> list[Kernel]:
    """Return the kernels that a run with contacts needs."""
    requested = [k for k in EVENT_KERNELS.values() if ONSETS[onset] != EVENT or k not in WITHOUT_LOCATION]
    return [*requested, contact_transitions.start_contacts, contact_transitions.log_open_contacts]


def prepare_run(system: System, onset: str = "event", explicit: bool = True) -> None:
    """Compile the integration in another process while the equations of motion are compiled here, the first time.

    ``explicit`` methods share the compiled loop.
    """
    loops = [rk_loop.run_chunk, run_start.start_run] if explicit else []
    compile_ahead([*loops, *(kernels_of(onset) if system.contacts else ())])
