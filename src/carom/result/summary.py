"""A result in a few lines of text."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carom.result.result import Result

_COUNTS = ("steps", "rejected", "evaluations")
_BODIES = 20  # rows shown; a pile of ten thousand spheres must not fill the screen


def summary(result: "Result") -> str:
    """Outcome, time, work done, energy drift, and where each body ended."""
    lines = [result.name, f"  {result.message or result.outcome}", *_facts(result), *_final_states(result)]
    return "\n".join(lines)


def _facts(result: "Result") -> list[str]:
    facts = {"time": f"{result.t[0]:.6g} to {result.t[-1]:.6g} s, {len(result.t)} nodes"}
    work = [f"{result.stats[count]} {count}" for count in _COUNTS if count in result.stats]
    if "wall_time" in result.stats:
        work.append(f"{_duration(result.stats['wall_time'])} of wall time")
    if work:
        facts["work"] = ", ".join(work)
    if any(element.family == "contact" for element in result.elements):
        facts["contacts"] = f"{len(result.impacts)} impacts or lasting contacts"
    facts["energy"] = f"drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J"
    width = max(8, *(len(name) + 1 for name in facts))
    return [f"  {name:<{width}}{fact}" for name, fact in facts.items()]


def _final_states(result: "Result") -> list[str]:
    """A table, one row a body, at the last node."""
    if not result.bodies:
        return []
    shown = result.bodies[:_BODIES]
    units, pose = result.series_type.units, result.series_type.pose
    column = 16 if len(pose) == 3 else 13
    width = max(len("final"), *(len(body.name) for body in shown))
    header = f"  {'final':<{width}}" + "".join(f"{f'{name} [{units[name]}]':>{column}}" for name in pose)
    rows = [
        f"  {body.name:<{width}}" + "".join(f"{getattr(result[body.name], name)[-1]:>{column}.6g}" for name in pose)
        for body in shown
    ]
    rest = [f"  … and {len(result.bodies) - _BODIES} more bodies"] if len(result.bodies) > _BODIES else []
    return [header, *rows, *rest]


def _duration(seconds: Any) -> str:
    """A time a person can read, from seconds [s]."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
