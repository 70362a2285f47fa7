"""Summary of a result as text."""

from typing import TYPE_CHECKING, Any

from carom.short_form import counted

if TYPE_CHECKING:
    from carom.result.result import Result

_COUNTS = ("steps", "rejected", "evaluations")
_MAX_BODIES = 20  # Rows of the table of bodies, since a model may have ten thousand bodies.


def summary(result: "Result") -> str:
    """Return outcome, time, cost, energy drift and final positions of the bodies as text."""
    lines = [result.name, f"  {result.message or result.outcome}", *_facts(result), *_final_states(result)]
    return "\n".join(lines)


def _facts(result: "Result") -> list[str]:
    """Return one line each for time, cost, contacts and energy."""
    facts = {"time": f"{result.t[0]:.6g} to {result.t[-1]:.6g} s, {len(result.t)} nodes"}
    cost = [f"{result.stats[count]} {count}" for count in _COUNTS if count in result.stats]
    if "wall_time" in result.stats:
        cost.append(f"{_duration(result.stats['wall_time'])} of wall time")
    if cost:
        facts["work"] = ", ".join(cost)
    if implicit_share(result):
        facts["implicit"] = implicit_share(result)
    if "memory" in result.stats:
        facts["memory"] = f"about {result.stats['memory'] / 1e6:.3g} MB"
    if any(element.family == "contact" for element in result.elements):
        facts["contacts"] = _contacts(result)
    facts["energy"] = f"drift {result.energy.drift:.2g} of {result.energy.scale:.4g} J"
    width = max(8, *(len(name) + 1 for name in facts))
    return [f"  {name:<{width}}{fact}" for name, fact in facts.items()]


def _contacts(result: "Result") -> str:
    """Return the number of impacts, and that of the pairs of groups in contact at the last node, as text."""
    groups = [element.name for element in result.elements if element.kind == "ContactGroup"]
    facts = []
    if groups:
        facts.append(f"{sum(int(result[name].contacts[-1]) for name in groups)} in groups at the end")
    if result.impacts or not groups:
        facts.append(counted(len(result.impacts), "impact") + " or persistent contacts")
    return ", ".join(facts)


def implicit_share(result: "Result") -> str:
    """Return the part of the run that implicit steps took as text; empty where there were none."""
    steps = result.stats.get("implicit_steps", 0)
    if not steps:
        return ""
    covered = result.stats["implicit_time"] / max(float(result.t[-1] - result.t[0]), 1e-300)
    return f"{steps} of {result.stats['steps']} steps, {covered:.0%} of the time"


def _final_states(result: "Result") -> list[str]:
    """Return a table of the positions at the last node, one row per body."""
    if not result.bodies:
        return []
    listed = result.bodies[:_MAX_BODIES]
    units, pose = result.series_type.units, result.series_type.pose
    column = 16 if len(pose) == 3 else 13
    width = max(len("final"), *(len(body.name) for body in listed))
    header = f"  {'final':<{width}}" + "".join(f"{f'{name} [{units[name]}]':>{column}}" for name in pose)
    rows = [
        f"  {body.name:<{width}}" + "".join(f"{getattr(result[body.name], name)[-1]:>{column}.6g}" for name in pose)
        for body in listed
    ]
    rest = [f"  … and {len(result.bodies) - _MAX_BODIES} more bodies"] if len(result.bodies) > _MAX_BODIES else []
    return [header, *rows, *rest]


def _duration(seconds: Any) -> str:
    """Return a duration [s] as text with a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
