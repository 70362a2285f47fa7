"""A model as time stepping sees it, whether it has bodies and joints or generalised coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.linear_solver import use_implicit
from carom.compiled_model.mutable_state import carried
from carom.errors import ModelError, warn
from carom.kernels import Kernel
from carom.kernels.interpreted import Row
from carom.laws.impact_law import ImpactLaw
from carom.mechanics import generalized_stepping, spatial_body
from carom.solve.model_evaluator import ModelEvaluator


@dataclass
class Stepping:
    """Kernels, sizes and the start of a model.

    ``gaps`` is where `survey` writes. ``places`` are the first velocities of the groups each contact acts on (−1: the
    ground), ``impacts`` what happens where it closes. ``free_bodies``: a diagonal mass matrix and no joints;
    ``plain_forces``: no gyroscopic forces.
    ``use_implicit`` prepares its matrix for implicit steps; ``carried`` gives the arrays that evaluations change.
    ``source`` keeps everything alive.
    """

    source: Any
    record: Row
    prepare: Kernel
    refresh: Kernel | None
    rerow: Kernel | None
    settle: Kernel | None
    survey: Kernel
    direct: Kernel
    gaps: np.ndarray
    start: np.ndarray
    velocities: int
    rows: int
    dim: int
    places: np.ndarray
    width: int
    names: Sequence[str]
    impacts: Sequence[ImpactLaw]
    free_bodies: bool
    plain_forces: bool
    use_implicit: Callable[[np.ndarray], None]
    carried: Callable[[], dict[str, np.ndarray]]
    absorb: Kernel | None = None
    reference: np.ndarray | None = None


def of_system(mechanism: ModelEvaluator, y: np.ndarray) -> Stepping:
    """Bodies, joints and contacts, from state ``y``."""
    tables = mechanism.tables
    impacts = []
    for contact in tables.contacts:
        if contact.impact is None:
            raise ModelError(
                f"{contact.label}: no impact law; set impact=ImpactLaw(restitution=...) for method='nonsmooth'"
            )
        if contact.rolling is not None:
            warn(f"simulate: {contact.label}: rolling resistance is for compliant runs, and has no effect here")
        impacts.append(contact.impact)
    kind = tables.kind.stepping_kernels
    places = np.array([[tables.velocity_index(s.body) for s in c.pairing.shapes] for c in tables.contacts], np.int64)
    return Stepping(
        source=mechanism,
        record=tables.model,
        prepare=kind.evaluate_and_factorise,
        refresh=kind.evaluate_forces if tables.forces or tables.n_orientation else None,
        rerow=kind.evaluate_constraints if mechanism.m else None,
        settle=kind.project_onto_joints if mechanism.m else None,
        survey=kind.compute_gaps,
        direct=kind.contact_directions,
        gaps=tables["gaps"],
        start=y[: 2 * mechanism.n].copy(),
        velocities=mechanism.n,
        rows=mechanism.m,
        dim=kind.ROWS_PER_CONTACT,
        places=places.reshape(-1, kind.BODIES_PER_CONTACT),
        width=tables.kind.n_velocities,
        names=[contact.name or "" for contact in tables.contacts],
        impacts=impacts,
        free_bodies=mechanism.m == 0 and bool(np.all(mechanism.mass > 0.0)),
        plain_forces=True,
        use_implicit=lambda stiffness: implicit_forces(mechanism, stiffness),
        carried=lambda: carried(tables),
        absorb=spatial_body.update_orientation if tables.n_orientation else None,
        reference=tables["reference_orientation"] if tables.n_orientation else None,
    )


def implicit_forces(mechanism: ModelEvaluator, stiffness: np.ndarray) -> None:
    """Have ``stiffness`` subtracted from the mass matrix of a system."""
    if mechanism.redundant:
        raise ModelError(
            f"simulate: scheme='theta' cannot treat the redundant constraints of {mechanism.system.name!r}; "
            "take scheme='midpoint', or remove what is redundant"
        )
    use_implicit(mechanism.tables, stiffness)


def of_general(tables: GeneralizedData) -> Stepping:
    """Generalised coordinates: every contact acts on all of them."""
    system = tables.system
    return Stepping(
        source=tables,
        record=tables.model,
        prepare=generalized_stepping.evaluate_and_factorise,
        refresh=generalized_stepping.evaluate_forces,
        rerow=None,
        settle=None,
        survey=generalized_stepping.compute_gaps,
        direct=generalized_stepping.contact_directions,
        gaps=tables["gaps"],
        start=tables.y0.copy(),
        velocities=system.freedom,
        rows=0,
        dim=system.directions,
        places=np.zeros((system.contact_count, 1), np.int64),
        width=system.freedom,
        names=system.contacts,
        impacts=system.impacts,
        free_bodies=False,
        plain_forces=False,
        use_implicit=tables.use_implicit,
        carried=lambda: carried(tables),
    )
