"""Signals of contacts in a result: their columns, and those that follow from others and from the motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from carom.compiled_model.output_columns import OutputColumns
from carom.geometry.rotation import matrix_of
from carom.model.body import Body
from carom.model.contact import Contact
from carom.result.column_info import ElementInfo


def element_info(element: Any, family: str, columns: OutputColumns) -> ElementInfo:
    """Return the description of the columns of an element."""
    return ElementInfo(
        name=element.name or "",
        kind=type(element).__name__,
        family=family,
        members=tuple("ground" if body is None else body.name for body in element.members),
        signals=tuple(columns.names),
        units=tuple(columns.units),
        columns=(columns.start, columns.stop),
        parts=tuple(part.name for part in getattr(element, "parts", ())),
    )


def family_of(element: Any) -> str:
    """Return the family of a contact or of an element that consists of contacts."""
    return "contact" if isinstance(element, Contact) else "joint"


class ContactColumns:
    """Columns of contact points and of the elements that consist of them, from ``first_column`` on."""

    def __init__(self, contacts: Sequence[Contact], compounds: Sequence[Any], first_column: int = 0):
        self.contacts, self.compounds = contacts, compounds
        self.columns: list[OutputColumns] = []
        column = first_column
        for element in (*contacts, *compounds):
            self.columns.append(OutputColumns(column))
            self.columns[-1].add(element.signals, element.units)
            column = self.columns[-1].stop
        self.n_columns = column - first_column

    def infos(self, first_column: int) -> Iterator[ElementInfo]:
        """Yield the description of the columns, which begin at ``first_column`` of a result."""
        shifted = ContactColumns(self.contacts, self.compounds, first_column)
        for element, columns in zip((*self.contacts, *self.compounds), shifted.columns, strict=True):
            yield element_info(element, family_of(element), columns)


class Poses:
    """Poses of bodies over time, from the coordinates ``q`` of a result (nodes × numbers)."""

    def __init__(self, kind: Any, bodies: Sequence[Body], q: np.ndarray):
        self.kind, self.q, self.width = kind, q, kind.n_coordinates
        self.first = {id(body): self.width * k for k, body in enumerate(bodies)}

    def pose(self, body: Any) -> np.ndarray:
        """Return the coordinates of a body; those of the ground are constant."""
        first = self.first.get(id(body))
        if first is None:
            return np.tile(self.kind.ground_pose, (len(self.q), 1))
        return self.q[:, first : first + self.width]

    def turn(self, body: Any) -> np.ndarray:
        """Return angles of a planar body, rotation matrices of a spatial one."""
        return self.pose(body)[:, 2] if self.width == 3 else matrix_of(self.pose(body)[:, 3:])


def complete_signals(
    contacts: Sequence[Contact],
    compounds: Sequence[Any],
    columns: Sequence[OutputColumns],
    poses: Poses,
    signals: np.ndarray,
) -> None:
    """Fill the columns of contacts behind their mode, and those of the elements that consist of contacts."""
    own = [signals[:, shown.start : shown.stop] for shown in columns]
    for contact, column in zip(contacts, own, strict=False):
        if column.shape[1] > contact.signals.index("contact_mode") + 1:
            state = poses.pose if contact.needs_poses else poses.turn
            contact.complete(column, *(state(body) for body in contact.members))
    place = {id(contact): column for contact, column in zip(contacts, own, strict=False)}
    for compound, column in zip(compounds, own[len(contacts) :], strict=True):
        parts = [place[id(part)] for part in compound.parts]
        if isinstance(compound, Contact):
            compound.sum_up(column, parts)
        else:
            compound.complete(column, parts, *(poses.pose(body) for body in compound.members))
