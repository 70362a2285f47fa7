"""Contacts as they happened: one record for each time two bodies met."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from carom.result.lookup import name_of


@dataclass(frozen=True)
class Impact:
    """One contact from its beginning to its end.

    Parameters
    ----------
    contact : name of the contact.
    t_start, t_end : when it began and when its force ended (or the run did) [s].
    approach_speed : rate of indentation at the beginning [m/s].
    separation_speed : speed with which the bodies parted [m/s]; 0 where they did not.
    peak_force : largest normal force [N].
    max_indentation : largest indentation [m].
    energy_lost : what the normal force dissipated [J].
    friction_loss : what friction dissipated [J].
    compressions : how often the indentation rose to a maximum.
    initial_indentation : indentation at the beginning [m]: zero up to rounding where the onset was located, positive
        where shapes overlapped at the start of the run or a step began too deep.
    finished : False when the bodies were still in contact at the end of the run.
    impulse : of the normal force [N s]; None in compliant runs. In non-smooth ones ``peak_force`` is the largest
        impulse of a step over its length.
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

    @property
    def restitution(self) -> float:
        """Separation speed over approach speed; not a number for a contact that began at rest."""
        return self.separation_speed / self.approach_speed if self.approach_speed > 0.0 else math.nan

    @property
    def duration(self) -> float:
        """[s]"""
        return self.t_end - self.t_start

    @property
    def lasting(self) -> bool:
        """Whether the bodies stayed together: not one compression and rebound, but several, or to the end.

        An impact of a non-smooth run takes no time, so that one which does is lasting.
        """
        return not self.finished or self.compressions > 1 or (self.impulse is not None and self.duration > 0.0)


class Impacts(tuple[Impact, ...]):
    """All impacts of a run, in the order in which they began."""

    __slots__ = ()

    def __new__(cls, impacts: Iterable[Impact] = ()) -> Impacts:
        return super().__new__(cls, sorted(impacts, key=lambda impact: (impact.t_start, impact.contact)))

    def of(self, contact: Any) -> Impacts:
        """Those of one contact, by its name or itself."""
        name = name_of(contact)
        return Impacts(impact for impact in self if impact.contact == name)

    def columns(self) -> dict[str, list[Any]]:
        """One list for each number, for tables and files."""
        return {field.name: [getattr(impact, field.name) for impact in self] for field in fields(Impact)}

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
