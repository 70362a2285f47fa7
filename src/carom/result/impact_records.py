"""Log of the contacts of a run: one record per contact from onset to separation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from carom.result.name_lookup import name_of
from carom.typing import ElementLike

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class ImpactRecord:
    """One contact from onset to separation.

    Parameters
    ----------
    contact
        name of the contact.
    t_start, t_end
        times of onset and of the end of the contact force (or of the run) [s].
    approach_speed
        indentation rate at the onset [m/s].
    separation_speed
        separation speed of the bodies [m/s]; 0 if they did not separate.
    peak_force
        largest normal force [N].
    max_indentation
        largest indentation [m].
    energy_lost
        energy dissipated by the normal force [J].
    friction_loss
        energy dissipated by friction [J].
    compressions
        number of maxima of the indentation.
    initial_indentation
        indentation at the onset [m]: zero up to rounding if the onset was located; positive if the
        shapes overlapped at the start of the run or if a step passed the onset.
    finished
        False if the bodies were in contact at the end of the run.
    impulse
        impulse of the normal force [N s]; None in compliant runs. In non-smooth runs ``peak_force`` is the
        largest impulse of a step divided by the step size.
    """

    contact: str
    t_start: float
    t_end: float
    approach_speed: float
    separation_speed: float
    peak_force: float
    max_indentation: float
    energy_lost: float
    friction_loss: float
    compressions: int
    initial_indentation: float
    finished: bool
    impulse: float | None = None

    def __repr__(self) -> str:
        end = "" if self.finished else ", in contact at the end"
        return (
            f"<ImpactRecord {self.contact!r}: t = {self.t_start:.6g} … {self.t_end:.6g} s, "
            f"{self.approach_speed:.4g} → {self.separation_speed:.4g} m/s, peak {self.peak_force:.4g} N{end}>"
        )

    @property
    def restitution(self) -> float:
        """Ratio of separation speed to approach speed [-]; NaN for a contact that starts at rest."""
        return self.separation_speed / self.approach_speed if self.approach_speed > 0.0 else math.nan

    @property
    def duration(self) -> float:
        """Duration of the contact [s]."""
        return self.t_end - self.t_start

    @property
    def persistent(self) -> bool:
        """True for a persistent contact: more than one compression, or still in contact at the end of the run.

        In a non-smooth run an impact has no duration, so a contact with a duration is persistent.
        """
        return not self.finished or self.compressions > 1 or (self.impulse is not None and self.duration > 0.0)

    @property
    def lasting(self) -> bool:
        """Former name of `persistent`."""
        warnings.warn("ImpactRecord.lasting: renamed; use persistent", DeprecationWarning, stacklevel=2)
        return self.persistent


UNITS = {
    "contact": "", "t_start": "s", "t_end": "s", "approach_speed": "m/s", "separation_speed": "m/s", "peak_force": "N",
    "max_indentation": "m", "energy_lost": "J", "friction_loss": "J", "compressions": "1", "initial_indentation": "m",
    "finished": "1", "impulse": "N s",
}  # fmt: skip
"""Unit of each field of an impact; at a limit of an angle, lengths are angles [rad] and forces torques [N m]."""


class ImpactTable(tuple[ImpactRecord, ...]):
    """All impacts of a run, in the order of their onset.

    ``parts`` are the names of the contacts that an element consists of, by its name.
    """

    parts: dict[str, tuple[str, ...]]

    def __new__(
        cls, impacts: Iterable[ImpactRecord] = (), parts: Mapping[str, tuple[str, ...]] | None = None
    ) -> ImpactTable:
        """Return the impacts sorted by onset."""
        table = super().__new__(cls, sorted(impacts, key=lambda impact: (impact.t_start, impact.contact)))
        table.parts = dict(parts or {})
        return table

    def of(self, contact: ElementLike) -> ImpactTable:
        """Return the impacts of one contact and of its contact points, given by its name or as an object."""
        name = name_of(contact)
        names = {name, *self.parts.get(name, ())}
        return ImpactTable((impact for impact in self if impact.contact in names), self.parts)

    def columns(self) -> dict[str, list[Any]]:
        """Return one list per field, for tables and files."""
        return {field.name: [getattr(impact, field.name) for impact in self] for field in fields(ImpactRecord)}

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a DataFrame with one row per impact: the fields of `ImpactRecord`, and restitution [-]; SI units."""
        from carom.result.export import import_optional

        table = {**self.columns(), "restitution": [impact.restitution for impact in self]}
        table["impulse"] = [math.nan if impulse is None else impulse for impulse in table["impulse"]]
        frame = import_optional("pandas").DataFrame(table)
        frame.attrs["units"] = {**UNITS, "restitution": "1"}
        return frame

    def _repr_html_(self) -> str:
        """Return a table and a picture for notebooks."""
        from carom.plot.notebook import impacts_html

        return impacts_html(self)

    def __repr__(self) -> str:
        if not self:
            return "<ImpactTable: no impacts>"
        contacts = len({impact.contact for impact in self})
        return (
            f"<ImpactTable: {len(self)} impacts of {contacts} {'contact' if contacts == 1 else 'contacts'}, "
            f"t = {self[0].t_start:.6g} … {self[-1].t_start:.6g} s>"
        )

    def __str__(self) -> str:
        head = ("contact", "start [s]", "duration [s]", "approach [m/s]", "separation [m/s]", "restitution",
                "peak force [N]", "indentation [m]", "energy lost [J]")  # fmt: skip
        rows = [
            (i.contact, f"{i.t_start:.9g}", f"{i.duration:.4g}" + ("" if i.finished else " …"),
             f"{i.approach_speed:.5g}", f"{i.separation_speed:.5g}", f"{i.restitution:.4g}", f"{i.peak_force:.5g}",
             f"{i.max_indentation:.4g}", f"{i.energy_lost + i.friction_loss:.4g}")
            for i in self
        ]  # fmt: skip
        widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                         for row in [head, *rows])  # fmt: skip
