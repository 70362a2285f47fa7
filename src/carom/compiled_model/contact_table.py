"""Table of the contacts of a system: pairs, laws and the arrays that contacts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.geometry.pairs.foundation import FoundationPairing
from carom.mechanics.contact_records import (
    BOUNDING_SPHERES,
    CONTACT,
    CONTACT_HISTORY,
    CONTACT_STATE,
    CONTACT_WORKSPACE,
    STATIC,
)
from carom.model.contact import Contact
from carom.model.joint_friction import JointFriction

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


def set_contacts(data: SystemData) -> None:
    """Set the table of contacts, their history, state and warm starts."""
    table = CONTACT.zeros(len(data.contacts))
    warm_starts = WarmStarts()
    friction_state_offset = data.n_orientation
    following = [*data.contacts[1:], None][: len(data.contacts)]
    for entry, contact, successor in zip(table, data.contacts, following, strict=True):
        set_pair(data, entry, contact, warm_starts)
        entry["is_last_point"] = successor is None or successor.pairing.shapes is not contact.pairing.shapes
        entry["friction_state_offset"] = -1
        if contact.law is not None and data.with_laws:
            set_normal_law(data, entry, contact)
        if isinstance(contact, JointFriction):
            set_joint_friction(data, entry, contact)
        if contact.friction is not None and (not data.rigid or isinstance(contact, JointFriction)):
            entry["friction_kernel"] = data.address(contact.friction.compiled(contact.label, data.body_dtype))
            entry["friction_params"] = data.add_parameters(contact.friction.parameters)
            if contact.friction.has_state:
                entry["friction_state_offset"] = friction_state_offset
                friction_state_offset += data.kind.contact_kernels.FRICTION_STATES
    data.set_array("contacts", table)
    data.set_array("warm_start", np.array([*warm_starts.numbers, 0.0]))
    data.set_array("warm_start_accepted", np.array([*warm_starts.numbers, 0.0]))
    data.model.n_warm_start = len(warm_starts.numbers)
    history = CONTACT_HISTORY.zeros(len(table) + 1)
    history["mode"] = STATIC
    data.set_array("contact_history", history)
    data.set_array("contact_state", CONTACT_STATE.zeros(len(table) + 1))
    data.set_array("workspace", CONTACT_WORKSPACE.zeros())
    data.model.n_contacts = len(table)
    data.model.n_joint_frictions = sum(isinstance(contact, JointFriction) for contact in data.contacts)
    data.set_array("gaps", np.zeros(len(table) + 1))
    if len(table) and not data.rigid:
        data.model.contact_forces_kernel = data.address(data.kind.contact_kernels.contact_forces)
        data.model.contact_in_step_kernel = data.address(data.kind.contact_kernels.contact_in_step)


class WarmStarts:
    """Numbers that pairs remember between evaluations; the points of one pair may share them."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self._offsets: dict[Any, int] = {}

    def offset_of(self, pairing: Any) -> int:
        """Return the offset of the numbers of a pair, which are added if it does not share known ones."""
        shared = (pairing.shapes, pairing.contact_point > 0)
        if not pairing.shares_warm_start or shared not in self._offsets:
            self._offsets[shared] = len(self.numbers)
            self.numbers += [float(value) for value in pairing.warm_start]
        return self._offsets[shared]


def set_pair(data: SystemData, entry: np.ndarray, contact: Contact, warm_starts: WarmStarts) -> None:
    """Set the fields of the pair of shapes, and of the rolling resistance."""
    pairing = contact.pairing
    entry["pair_kernel"] = data.address(pairing.kernel)
    entry["body_a"], entry["body_b"] = (data.record_offsets[id(s.body)] for s in pairing.shapes)
    entry["velocity_a"], entry["velocity_b"] = (data.velocity_index(s.body) for s in pairing.shapes)
    entry["pair_params"] = data.add_parameters(pairing.parameters)
    entry["warm_start_offset"] = offset = warm_starts.offset_of(pairing)
    entry["slot_offset"] = offset + pairing.slot_offset if pairing.slot_offset >= 0 else -1
    if isinstance(pairing, FoundationPairing):
        entry["is_distributed"], entry["element_area"] = True, pairing.area
    rotates = any(contact.turns_with(shape) for shape in contact.shapes)
    entry["is_swapped"], entry["gap_depends_on_rotation"] = pairing.swapped, rotates
    entry["is_rotational"] = contact.is_rotational
    entry["bounding_spheres"] = entry["rolling_params"] = -1
    if contact.rolling is not None:
        entry["rolling_params"] = data.add_parameters(contact.rolling.parameters)
    bounds = [shape.bounding_sphere() for shape in pairing.shapes] if contact.in_space else [None]
    if all(bounds) and any(shape.kind != "Sphere" for shape in pairing.shapes):
        numbers = [x for sphere in bounds if sphere for x in (*sphere[0], sphere[1])]
        spheres = dict(zip(BOUNDING_SPHERES, numbers, strict=True))
        entry["bounding_spheres"] = data.add_parameters(BOUNDING_SPHERES.pack(**spheres))


def set_normal_law(data: SystemData, entry: np.ndarray, contact: Contact) -> None:
    """Set the fields of the normal force law."""
    law = contact.law
    assert law is not None
    entry["law_kernel"] = data.address(law.compiled(contact.label, data.body_dtype))
    entry["law_params"] = data.add_parameters(contact.law_parameters)
    entry["has_unloading_curve"], entry["is_adhesive"] = law.has_unloading_curve, law.tension


def set_joint_friction(data: SystemData, entry: np.ndarray, contact: JointFriction) -> None:
    """Set the fields of friction in a joint."""
    joint_data = contact.joint.friction_data
    assert joint_data is not None
    entry["joint"] = next(k for k, joint in enumerate(data.joints) if joint is contact.joint)
    entry["force_rows"], entry["moment_row"] = joint_data.force_rows, joint_data.moment_row
    entry["moment_rows"] = joint_data.moment_rows
    entry["is_ball"], entry["radius"] = joint_data.is_ball, 1.0 if joint_data.radius is None else joint_data.radius
    entry["guide_length"] = joint_data.guide_length
    entry["fixed_load"] = -1.0 if joint_data.load is None else joint_data.load
