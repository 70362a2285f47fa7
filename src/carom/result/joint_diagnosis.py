"""Diagnosis of a joint with clearance: modes, impacts by direction, losses of contact, orbit and reaction."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from carom.argument_checks import integer, non_negative, positive
from carom.errors import ModelError
from carom.model.registry import CLEARANCE_JOINTS
from carom.result.contact_spans import force_impulse, joined_spans
from carom.result.impact_records import ImpactRecord
from carom.result.name_lookup import name_of
from carom.result.plain_data import FloatArray
from carom.result.result import Result
from carom.result.series import ElementSeries
from carom.short_form import ShortRepr
from carom.typing import ElementLike

MODES = ("free flight", "impact", "following contact")
"""Modes of a joint with clearance; in an impact the bodies compress each other once, in following contact repeatedly
or until the end of the run."""
FILM = " film"
"""Ending of the name of the film of lubricant in a joint."""
REACTION = ("fx", "fy", "fz")
"""Components of the force of a contact or joint."""


@dataclass(frozen=True, eq=False, repr=False)
class JointDiagnosis(ShortRepr):
    """Behaviour of a joint with clearance in a run.

    Parameters
    ----------
    name
        name of the joint.
    spans
        mode, start [s] and end [s] of successive parts of the run, which they cover completely.
    t
        (m,) onset times of the impacts [s]; contacts that follow are not among them.
    direction
        (m,) directions of the impacts [rad]: where the journal strikes the bearing, in axes of the bearing;
        for a joint without a journal in global axes.
    impulse
        (m,) impulses of the normal force [N s]; NaN if fewer than four nodes of the run are in the impact.
    approach_speed
        (m,) [m/s].
    times
        (n,) times of the nodes [s].
    reaction
        (n, 2 or 3) force of the joint on its second body at the nodes, of contact and film [N]; it compares with
        the reaction of an ideal joint.
    orbit
        (n, 2) position of the journal's centre in axes of the bearing [m]; None for a joint without a journal.
    clearance
        radial clearance [m]; None for a joint without a journal.
    sector_impulse
        (2, sectors) impulse of the normal force on equal sectors of the bearing from −π to π [N s]: in
        impacts, and in following contact.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.02)
    >>> diagnosis = cm.diagnose_joint(result, "rocker pivot")
    >>> {mode: round(share, 2) for mode, share in diagnosis.shares.items()}
    {'free flight': 1.0, 'impact': 0.0, 'following contact': 0.0}
    """

    name: str
    spans: tuple[tuple[str, float, float], ...]
    t: FloatArray
    direction: FloatArray
    impulse: FloatArray
    approach_speed: FloatArray
    times: FloatArray
    reaction: FloatArray
    orbit: FloatArray | None
    clearance: float | None
    sector_impulse: FloatArray

    @property
    def shares(self) -> dict[str, float]:
        """Share of time of each mode; they sum to 1."""
        total = self.spans[-1][2] - self.spans[0][1]
        durations = {mode: math.fsum(b - a for kind, a, b in self.spans if kind == mode) for mode in MODES}
        return {mode: duration / total if total > 0.0 else 0.0 for mode, duration in durations.items()}

    @property
    def losses(self) -> FloatArray:
        """Times at which following contact is lost [s]."""
        ends = [end for mode, _, end in self.spans[:-1] if mode == MODES[2]]
        return np.array(ends)

    @property
    def flights(self) -> FloatArray:
        """Durations of the free flights [s]."""
        return np.array([end - start for mode, start, end in self.spans if mode == MODES[0]])

    @property
    def force(self) -> FloatArray:
        """Magnitude of the reaction [N]."""
        return np.asarray(np.linalg.norm(self.reaction, axis=1))

    @property
    def mean_force(self) -> float:
        """Mean of the magnitude of the reaction over time [N]."""
        duration = float(self.times[-1] - self.times[0])
        return float(np.trapezoid(self.force, self.times)) / duration if duration > 0.0 else float(self.force[0])

    def facts(self) -> dict[str, float | int | None]:
        """Return the figures of a table: shares of time, impacts, losses of contact, impulses, forces."""
        known = self.impulse[~np.isnan(self.impulse)]
        eccentricity = None
        if self.orbit is not None and self.clearance:
            eccentricity = float(np.max(np.linalg.norm(self.orbit, axis=1))) / self.clearance
        return {
            **{f"{mode} [%]": 100.0 * share for mode, share in self.shares.items()},
            "impacts": len(self.t),
            "losses of contact": len(self.losses),
            "longest flight [s]": float(np.max(self.flights, initial=0.0)),
            "largest impulse [N s]": float(np.max(known)) if len(known) else None,
            "largest force [N]": float(np.max(self.force)),
            "mean force [N]": self.mean_force,
            "largest eccentricity / clearance": eccentricity,
        }


def diagnose_joint(result: Result, joint: ElementLike, *, sectors: int = 36, start: float = 0.0) -> JointDiagnosis:
    """Return the diagnosis of a joint with clearance, from ``start`` [s] on to omit the transient.

    Modes come from the log of contacts, so they do not depend on the nodes of the run. Impulses of compliant runs are
    integrals over the nodes: they need a run that stores every step (no ``output=``).

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.quick_return().run(t_end=0.05)
    >>> diagnosis = cm.diagnose_joint(result, "rocker pivot")
    >>> len(diagnosis.t) == sum(not impact.persistent for impact in result.impacts.of("rocker pivot"))
    True
    """
    owner, name = "diagnose_joint", name_of(joint)
    series = result[joint]
    if not isinstance(series, ElementSeries) or series.kind not in CLEARANCE_JOINTS:
        joints = clearance_joints(result)
        advice = f"choose from {', '.join(map(repr, joints))}" if joints else "the result has none"
        raise ModelError(f"{owner}: {name!r} is not a joint with clearance; {advice}")
    integer(owner, "sectors", sectors, 4, 720)
    begin = max(float(result.t[0]), non_negative(owner, "start", start))
    if not begin < result.t[-1]:
        raise ModelError(f"{owner}: start must be before the end of the run, {result.t[-1]:g} s, got {begin:g} s")
    records = [record for record in result.impacts.of(joint) if record.t_end > begin]
    impacts = [record for record in records if not record.persistent]
    direction = _directions(result, series, impacts)
    impulse = np.array([_impulse(result, record) for record in impacts])
    first = int(np.searchsorted(result.t, begin, side="left"))
    orbit = _orbit(series)
    return JointDiagnosis(
        name=name,
        spans=_mode_spans(records, begin, float(result.t[-1])),
        t=np.array([record.t_start for record in impacts]),
        direction=direction,
        impulse=impulse,
        approach_speed=np.array([record.approach_speed for record in impacts]),
        times=result.t[first:],
        reaction=_reaction(result, series)[first:],
        orbit=None if orbit is None else orbit[first:],
        clearance=_clearance(series),
        sector_impulse=_sectors(result, series, records, sectors, (direction, impulse)),
    )


def clearance_joints(result: Result) -> list[str]:
    """Return the names of the joints with clearance of a result.

    Examples
    --------
    >>> import carom as cm
    >>> from carom.result.joint_diagnosis import clearance_joints
    >>> clearance_joints(cm.gallery.falling_ball().run())
    []
    """
    return [info.name for info in result.elements if info.kind in CLEARANCE_JOINTS]


def strobe_times(result: Result, period: float, start: float = 0.0) -> FloatArray:
    """Return the times of a section once per ``period`` [s] from ``start`` [s] to the end of the run.

    Examples
    --------
    >>> import carom as cm
    >>> from carom.result.joint_diagnosis import strobe_times
    >>> strobe_times(cm.gallery.falling_ball().run(), 0.25).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    positive("section", "period", period)
    last = float(result.t[-1])
    count = math.floor((last - start) / period * (1.0 + 1e-12))
    return np.minimum(start + period * np.arange(count + 1), last)


def _mode_spans(records: list[ImpactRecord], begin: float, end: float) -> tuple[tuple[str, float, float], ...]:
    """Return the modes of a run in order; following contact has precedence over an impact of another part."""
    impacts = joined_spans(record for record in records if not record.persistent)
    following = joined_spans(record for record in records if record.persistent)
    limits = np.unique([begin, end, *(t for span in (*impacts, *following) for t in span)])
    limits = limits[(limits >= begin) & (limits <= end)]
    middle = 0.5 * (limits[:-1] + limits[1:])
    mode = np.where(_inside(following, middle), 2, np.where(_inside(impacts, middle), 1, 0))
    first = np.flatnonzero(np.diff(mode, prepend=-1))
    last = np.append(first[1:], len(mode))
    return tuple((MODES[mode[a]], float(limits[a]), float(limits[b])) for a, b in zip(first, last, strict=True))


def _inside(spans: list[tuple[float, float]], t: FloatArray) -> np.ndarray:
    """Return True for the times within one of the spans, which are in order and do not overlap."""
    if not spans:
        return np.zeros(len(t), dtype=bool)
    starts, ends = np.array(spans).T
    k = np.searchsorted(starts, t, side="right") - 1
    return (k >= 0) & (t <= ends[np.maximum(k, 0)])


def _parts(series: ElementSeries) -> tuple[str, ...]:
    """Return the names of the contacts of a joint."""
    return series.info.parts or (series.name,)


def _has_orbit(series: ElementSeries) -> bool:
    return {"ex", "ey"} <= set(series.names)


def _orbit(series: ElementSeries) -> FloatArray | None:
    """Return the position of the journal's centre in axes of the bearing [m]."""
    return np.column_stack([series.ex, series.ey]) if _has_orbit(series) else None


def _clearance(series: ElementSeries) -> float | None:
    """Return the radial clearance [m], from the eccentricity and the indentation."""
    if {"eccentricity", "indentation"} <= set(series.names):
        return float(np.median(series.eccentricity - series.indentation))
    return None


def _pointing(series: ElementSeries, part: ElementSeries) -> tuple[FloatArray, FloatArray]:
    """Return two components of the direction in which the second body touches the first, over time."""
    if _has_orbit(series):
        return series.ex, series.ey
    number = part.name.removeprefix(f"{series.name} ")
    ends = (f"e{number}x", f"e{number}y")
    if set(ends) <= set(series.names):
        return getattr(series, ends[0]), getattr(series, ends[1])
    sign = _first_sign(series, part)
    return sign * part.nx, sign * part.ny


def _first_sign(series: ElementSeries, part: ElementSeries) -> float:
    """Return 1 if the first body of a contact is that of its joint, −1 if it is the second one."""
    return 1.0 if part.info.members[0] == series.info.members[0] else -1.0


def _directions(result: Result, series: ElementSeries, impacts: list[ImpactRecord]) -> FloatArray:
    """Return the directions of impacts at their onset [rad]."""
    if not impacts:
        return np.zeros(0)
    onsets = result.sample([record.t_start for record in impacts])
    angles = {name: _angle(onsets[series.name], onsets[name]) for name in {record.contact for record in impacts}}
    return np.array([angles[record.contact][k] for k, record in enumerate(impacts)])


def _angle(series: ElementSeries, part: ElementSeries) -> FloatArray:
    """Return the angle of the direction in which the second body touches the first, over time [rad]."""
    x, y = _pointing(series, part)
    return np.asarray(np.arctan2(y, x))


def _impulse(result: Result, record: ImpactRecord) -> float:
    """Return the impulse of an impact [N s], logged or integrated over the nodes."""
    if record.impulse is not None:
        return record.impulse
    return force_impulse(result.t, result[record.contact].normal_force, record.t_start, record.t_end)


def _reaction(result: Result, series: ElementSeries) -> FloatArray:
    """Return the force on the second body at the nodes [N], of contacts and film."""
    axes = REACTION[: result.dim]
    total = np.zeros((len(result.t), result.dim))
    for name in _parts(series):
        part = result[name]
        force_on_first = np.column_stack([getattr(part, axis) for axis in axes])
        total -= _first_sign(series, part) * force_on_first
    if series.name + FILM in result:
        film = result[series.name + FILM]
        total[:, 0] += film.radial_force * series.nx - film.tangential_force * series.ny
        total[:, 1] += film.radial_force * series.ny + film.tangential_force * series.nx
    return total


def _sectors(
    result: Result, series: ElementSeries, records: list[ImpactRecord], count: int, hits: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return the impulse on each sector of the bearing [N s], of impacts and of following contact."""
    edges = np.linspace(-math.pi, math.pi, count + 1)
    direction, impulse = hits
    table = np.zeros((2, count))
    known = ~np.isnan(impulse)
    table[0] = np.histogram(direction[known], edges, weights=impulse[known])[0]
    t = result.t
    width = 0.5 * (np.diff(t, prepend=t[0]) + np.diff(t, append=t[-1]))
    for name in _parts(series):
        part = result[name]
        lasting = np.zeros(len(t), dtype=bool)
        for record in records:
            if record.contact == name and record.persistent:
                lasting |= (t >= record.t_start) & (t <= record.t_end)
        weights = (part.normal_force * width)[lasting]
        table[1] += np.histogram(_angle(series, part)[lasting], edges, weights=weights)[0]
    return table
