"""Compiled form of a model for time stepping and event-driven runs: bodies and joints, or generalised coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.linear_solver import use_implicit
from carom.compiled_model.mutable_state import mutable_arrays
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.kernels import Kernel
from carom.kernels.interpreted import Row
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.impact_law import IMPACT_LAW_DATA, ImpactLaw
from carom.mechanics import generalized_stepping, spatial_body, stepping
from carom.mechanics.contact_directions import BODIES_PER_CONTACT


@dataclass
class SteppingData:
    """Record, kernels, sizes and initial state of a model with rigid contacts.

    Kernels that the model does not need are None. `gaps_kernel` writes to ``gaps`` [m]. `velocity_indices` contains the
    first velocity of each group of velocities that a contact acts on (−1 for the ground), one row per contact.
    `use_implicit` makes the linear solver subtract an array from the mass matrix; `mutable_arrays` returns the arrays
    that evaluations change.
    """

    source: SystemData | GeneralizedData
    """Owner of the record and of all arrays."""
    record: Row
    """The record `MODEL`."""
    evaluate_kernel: Kernel
    """Forces, constraints and factorised matrix at a state."""
    forces_kernel: Kernel | None
    """Forces at other velocities."""
    constraints_kernel: Kernel | None
    """Constraints at other velocities."""
    project_kernel: Kernel | None
    """Projection of a state onto the joints."""
    gaps_kernel: Kernel
    directions_kernel: Kernel
    gaps: np.ndarray
    start: np.ndarray
    """Initial coordinates and velocities."""
    n_velocities: int
    n_constraints: int
    rows_per_contact: int
    """Number of directions of a contact: normal, tangents, and relative rotation if a contact resists rolling."""
    tangents_per_contact: int
    velocity_indices: np.ndarray
    velocities_per_body: int
    names: Sequence[str]
    """Names of the contacts."""
    impact_laws: Sequence[ImpactLaw]
    """Impact law of each contact."""
    rolling: Sequence[Rolling | None]
    """Rolling resistance of each contact."""
    bodies_are_free: bool
    """True if the mass matrix is diagonal and there are no joints."""
    no_gyroscopic_forces: bool
    """True if all forces do work that the energy balance contains."""
    use_implicit: Callable[[np.ndarray], None]
    mutable_arrays: Callable[[], dict[str, np.ndarray]]
    bodies_kernel: Kernel | None = None
    """Bodies at a state."""
    gap_kernel: Kernel | None = None
    """Gap of one contact for the current bodies."""
    orientation_rate_kernel: Kernel | None = None
    """Rates of the orientations of spatial bodies."""
    update_orientation_kernel: Kernel | None = None
    """Orientations of spatial bodies after an accepted step."""
    reference_orientation: np.ndarray | None = None
    """Orientations of spatial bodies from which their rotation is counted."""
    rotation_lengths: np.ndarray | None = None
    """Lengths that make the relative rotation of each contact a velocity, if a contact resists rolling [m]."""

    @property
    def has_slots(self) -> bool:
        """True if a contact is one of several spots that move (see `carom.mechanics.contact_slots`)."""
        return isinstance(self.source, SystemData) and bool(np.any(self.source["contacts"]["slot_offset"] >= 0))

    @property
    def has_rolling(self) -> bool:
        """True if a contact resists rolling; all contacts have the rows of the relative rotation then."""
        return self.rows_per_contact > 1 + self.tangents_per_contact


def stepping_data(data: SystemData, y: np.ndarray) -> SteppingData:
    """Return the stepping data of a system of bodies and joints with the initial state ``y``."""
    n, m, kind = data.n_velocities, data.n_constraints, data.kind
    rolling = [contact.rolling for contact in data.contacts]
    has_rolling = any(resistance is not None for resistance in rolling)
    indices = [[data.velocity_index(shape.body) for shape in c.pairing.shapes] for c in data.contacts]
    velocity_indices = np.array(indices, np.int64).reshape(-1, BODIES_PER_CONTACT)
    return SteppingData(
        source=data,
        record=data.model,
        evaluate_kernel=stepping.evaluate_and_factorise,
        forces_kernel=stepping.evaluate_forces if data.forces or data.n_orientation else None,
        constraints_kernel=stepping.evaluate_constraints if m else None,
        project_kernel=stepping.project_onto_joints if m else None,
        gaps_kernel=stepping.compute_gaps,
        directions_kernel=kind.rolling_directions_kernel if has_rolling else kind.directions_kernel,
        gaps=data["gaps"],
        start=y[: 2 * n].copy(),
        n_velocities=n,
        n_constraints=m,
        rows_per_contact=kind.rolling_rows_per_contact if has_rolling else kind.rows_per_contact,
        tangents_per_contact=kind.rows_per_contact - 1,
        velocity_indices=velocity_indices,
        velocities_per_body=kind.n_velocities,
        names=[contact.name or "" for contact in data.contacts],
        impact_laws=impact_laws(data),
        rolling=rolling,
        bodies_are_free=m == 0 and bool(np.all(data["mass"] > 0.0)),
        no_gyroscopic_forces=True,
        use_implicit=lambda stiffness: use_implicit_forces(data, stiffness),
        mutable_arrays=lambda: mutable_arrays(data),
        bodies_kernel=stepping.update_bodies,
        gap_kernel=stepping.compute_gap,
        orientation_rate_kernel=spatial_body.orientation_rate if data.n_orientation else None,
        update_orientation_kernel=spatial_body.update_orientation if data.n_orientation else None,
        reference_orientation=data["reference_orientation"] if data.n_orientation else None,
        rotation_lengths=rotation_lengths(data, velocity_indices) if has_rolling else None,
    )


def rotation_lengths(data: SystemData, velocity_indices: np.ndarray) -> np.ndarray:
    """Return the radius of gyration of the two bodies of each contact together [m]; 1 m where inertia is missing."""
    dim, n_body = data.system.dim, data.kind.n_velocities
    lengths = np.ones(len(velocity_indices))
    for k, indices in enumerate(velocity_indices):
        masses = [data.mass[first : first + n_body] for first in indices.tolist() if first >= 0]
        mobility = sum(1.0 / mass[0] for mass in masses if mass[0] > 0.0)
        rotational = sum(1.0 / inertia for mass in masses if (inertia := mass[dim:].mean()) > 0.0)
        if mobility > 0.0 and rotational > 0.0:
            lengths[k] = np.sqrt(mobility / rotational)
    return lengths


def impact_laws(data: SystemData) -> list[ImpactLaw]:
    """Return the impact laws of the contacts; raise if one is missing."""
    laws = []
    for contact in data.contacts:
        if contact.impact is None:
            raise ModelError(
                f"{contact.label}: no impact law; set impact=ImpactLaw(restitution=...) for method='nonsmooth'"
            )
        laws.append(contact.impact)
    return laws


def use_implicit_forces(data: SystemData, stiffness: np.ndarray) -> None:
    """Make the linear solver of a system subtract ``stiffness`` from the mass matrix."""
    if data.has_redundant_constraints:
        raise ModelError(
            f"simulate: scheme='theta' does not support the redundant constraints of system {data.system.name!r}; "
            "use scheme='midpoint' or remove redundant constraints"
        )
    use_implicit(data, stiffness)


def generalized_stepping_data(data: GeneralizedData) -> SteppingData:
    """Return the stepping data of a system in generalised coordinates, where a contact acts on all velocities."""
    system = data.system
    return SteppingData(
        source=data,
        record=data.model,
        evaluate_kernel=generalized_stepping.evaluate_and_factorise,
        forces_kernel=generalized_stepping.evaluate_forces,
        constraints_kernel=None,
        project_kernel=None,
        gaps_kernel=generalized_stepping.compute_gaps,
        directions_kernel=generalized_stepping.contact_directions,
        gaps=data["gaps"],
        start=data.y0.copy(),
        n_velocities=system.freedom,
        n_constraints=0,
        rows_per_contact=system.directions,
        tangents_per_contact=system.directions - 1,
        velocity_indices=np.zeros((system.contact_count, 1), np.int64),
        velocities_per_body=system.freedom,
        names=system.contacts,
        impact_laws=system.impacts,
        rolling=[None] * len(system.impacts),
        bodies_are_free=False,
        no_gyroscopic_forces=False,
        use_implicit=data.use_implicit,
        mutable_arrays=lambda: mutable_arrays(data),
    )


def impact_law_data(laws: Sequence[ImpactLaw], rolling: Sequence[Rolling | None]) -> np.ndarray:
    """Return the table of `IMPACT_LAW_DATA`, with one more row of zeros."""
    table = IMPACT_LAW_DATA.zeros(len(laws) + 1)
    for row, law, resistance in zip(table, laws, rolling, strict=False):
        row["eps_N"], row["mu"], row["eps_T"] = law.restitution, law.friction, law.tangential_restitution
        row["is_poisson"] = law.law == "poisson"
        if resistance is not None:
            row["rolling_lever"], row["spinning_lever"] = resistance.lever, resistance.spinning
    return table
