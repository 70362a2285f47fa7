"""Descriptions in result files: every dataset states what it holds, and its unit, for readers without carom.

The attributes ``description`` and ``units`` belong to each dataset. The columns of a matrix are listed, with units such
as "crank.x [m]", in the dataset that its attribute ``columns`` names, for instance /columns/q.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.result import series_class

if TYPE_CHECKING:
    import h5py

COLUMNS = "columns"
"""Group with the names of the columns of each matrix, and attribute that refers to them."""
NUL = "\N{SYMBOL FOR NULL}"
"""Shown for the character 0 in a name, which ends a text in HDF5."""
TEXT = "text"
"""Unit of datasets with texts."""
DESCRIPTIONS = {
    "about": ("run: name, dim (2 or 3), outcome, message, stats, settings; one JSON text", TEXT),
    "bodies": ("bodies: name, mass [kg], inertia [kg m^2]; one JSON text per body", TEXT),
    "elements": (
        "joints, forces and contacts: name, kind, bodies (members), signals, units and columns [start, stop) of "
        "/signals; one JSON text per element",
        TEXT,
    ),
    "impacts": (
        "contacts from onset to separation: t_start, t_end [s], approach_speed, separation_speed [m/s], "
        "peak_force [N], max_indentation [m], energy_lost, friction_loss [J], impulse [N s]; one JSON text per contact",
        TEXT,
    ),
    "t": ("times of the nodes; a jump is two nodes at one time", "s"),
    "q": (
        "positions of the centres of mass and orientations (q0 to q3: unit quaternion, scalar first) of the bodies: "
        "one row per node, one column per coordinate",
        "see columns",
    ),
    "v": (
        "velocities and angular velocities (wx, wy, wz: in body axes) of the bodies: one row per node, one column per "
        "component",
        "see columns",
    ),
    "a": ("accelerations of the bodies: one row per node, one column per component", "see columns"),
    "signals": ("signals of joints, forces and contacts: one row per node, one column per signal", "see columns"),
    "energy/kinetic": ("kinetic energy of all bodies, one value per node", "J"),
    "energy/potential": ("potential energy of gravity and springs, one value per node", "J"),
    "energy/elastic": ("elastic energy of contacts, one value per node", "J"),
    "energy/dissipated": ("energy dissipated by dampers and in contacts since the start, one value per node", "J"),
    "energy/friction": ("energy dissipated by friction since the start, one value per node", "J"),
    "energy/driver_work": ("work of drivers since the start, one value per node", "J"),
    "energy/applied_work": ("work of applied forces since the start, one value per node", "J"),
    "resume": ("state of the run for carom.resume, binary", "bytes"),
    "sketch/plain": ("shapes and joints for drawings, one JSON text", TEXT),
}
"""Description and unit of each dataset."""


def write_descriptions(file: h5py.File, dim: int, bodies: Iterable[BodyInfo], elements: Iterable[ElementInfo]) -> None:
    """Write the names of all columns, and description and unit of every dataset of the file."""
    import h5py

    for name, labels in column_labels(dim, bodies, elements).items():
        path = f"{COLUMNS}/{name}"
        texts = [label.replace("\0", NUL) for label in labels]
        file.create_dataset(path, data=texts, shape=(len(labels),), dtype=h5py.string_dtype())
        _describe(file[path], f"names and units of the columns of /{name}", TEXT)
        file[name].attrs[COLUMNS] = f"/{path}"
    for name, (description, unit) in DESCRIPTIONS.items():
        if name in file:
            _describe(file[name], description, unit)
    for name, array in file.get("sketch", {}).items():
        if name != "plain":
            _describe(array, "array of /sketch/plain, coordinates [m] or indices of vertices", "m or 1")


def column_labels(dim: int, bodies: Iterable[BodyInfo], elements: Iterable[ElementInfo]) -> dict[str, list[str]]:
    """Return names with units of the columns of q, v, a and of the signals."""
    series = series_class(dim)
    names = {
        "q": series.pose,
        "v": (*series.vectors["velocity"], *series.vectors["angular_velocity"]),
        "a": (*series.vectors["acceleration"], *series.vectors["angular_acceleration"]),
    }
    listed = list(bodies)
    labels = {
        array: [f"{body.name}.{quantity} [{series.units[quantity]}]" for body in listed for quantity in quantities]
        for array, quantities in names.items()
    }
    signals: dict[int, str] = {}
    for element in elements:
        for column, signal, unit in zip(range(*element.columns), element.signals, element.units, strict=True):
            signals[column] = f"{element.name}.{signal} [{unit}]"
    return {**labels, "signals": [signals.get(k, "") for k in range(max(signals, default=-1) + 1)]}


def _describe(dataset: h5py.Dataset, description: str, unit: str) -> None:
    """Set description and unit of a dataset."""
    dataset.attrs["description"] = description
    dataset.attrs["units"] = unit
