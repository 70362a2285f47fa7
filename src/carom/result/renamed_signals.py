"""Deprecated names of the signals of contacts: in programs, in paths such as "touch.rate", and in result files."""

from dataclasses import replace

from carom.deprecation import warn_deprecated
from carom.result.column_info import ElementInfo

RENAMED_SIGNALS = {"rate": "indentation_rate", "mode": "contact_mode", "sliding_speed": "sliding_velocity"}
"""Old and current names. In 3D the sliding speed is a magnitude and keeps its name."""


def current_signal(info: ElementInfo, name: str) -> str:
    """Return the current name of the signal ``name`` of an element; warn if the name is deprecated."""
    current = RENAMED_SIGNALS.get(name, name)
    if info.family != "contact" or name in info.signals or current not in info.signals:
        return name
    warn_deprecated(f"{info.kind} '{info.name}': signal '{name}'", f"'{current}'")
    return current


def with_current_signals(info: ElementInfo) -> ElementInfo:
    """Return the description of an element from a file, with the current names of its signals."""
    is_current = not set(RENAMED_SIGNALS.values()).isdisjoint(info.signals)
    if info.family != "contact" or is_current:
        return info
    kept = {"sliding_speed"} if "z" in info.signals else set()
    signals = tuple(name if name in kept else RENAMED_SIGNALS.get(name, name) for name in info.signals)
    return replace(info, signals=signals)
