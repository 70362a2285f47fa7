"""From a System to the arrays and addresses that compiled code reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.compiled_model.linear_solver import choose_solver
from carom.compiled_model.model_data import ModelData
from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.bounding_sphere import bounding_sphere
from carom.geometry.element import Element
from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.joints.prescribed_motion import ConstantSpeed
from carom.kernels import call_motion, jit, offset
from carom.kernels.pointers import first
from carom.kernels.user_functions import UserKernel
from carom.mechanics import equations_of_motion as equations
from carom.mechanics import planar_contacts as touch
from carom.mechanics import spatial_body
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, STATIC
from carom.mechanics.element_output import N_FORCE_OUTPUT
from carom.mechanics.model_record import (
    CONTACT_LOSS,
    FORCE_ELEMENT,
    JACOBIAN_BLOCK,
    JOINT_ELEMENT,
    QUADRATURES,
    SETTINGS,
    TRIPLE,
)
from carom.mechanics.output_kernels import (
    CONTACT_SIGNALS,
    COORDINATE,
    EFFORT,
    FORCE_SIGNALS,
    OBSERVER_COLUMNS,
    REACTION,
)
from carom.model.compound import Compound
from carom.model.contact import Contact
from carom.model.system import System


@jit
def _follow(address, times, par, values):
    """A motion and its first two derivatives at all ``times``."""
    for k in range(times.size):
        call_motion(address, times[k], first(par), offset(first(values), 3 * k))


SCRATCH = 64
"""Numbers of OUT that every model has, for motions and coordinates."""


class OutputColumns:
    """Names, units and columns of what one element shows in a result."""

    def __init__(self, start: int):
        self.start = start
        self.names: list[str] = []
        self.units: list[str] = []

    def add(self, names: Iterable[str], units: Iterable[str]) -> int:
        """Take more columns; returns the first one's place."""
        place = self.start + len(self.names)
        self.names += names
        self.units += units
        return place

    @property
    def stop(self) -> int:
        return self.start + len(self.names)


class SystemData(ModelData):
    """One model, ready for compiled code; ``model`` is the record that kernels are given.

    ``rigid``: contacts are gaps to be kept open, and exert no force; multipliers stand behind the state in y.
    """

    def __init__(self, system: System, rigid: bool = False):
        if not system.bodies:
            raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")
        self.system = system
        self.rigid = rigid
        super().__init__()
        self.kind = KINDS[system.dim]
        self.place = {id(system.ground): 0, id(None): 0}
        self.place |= {id(body): (k + 1) * self.kind.stride for k, body in enumerate(system.bodies)}
        names = ["ground", *(body.name for body in system.bodies)]
        self.record = np.dtype([(name, self.kind.record) for name in names])
        self.velocities = self.kind.width * len(system.bodies)
        self.kind.fill(self)
        self.joints: list[Joint] = list(system.joints)
        self.forces: list[Force] = list(system.forces)
        self.contacts: list[Contact] = list(system.contacts)
        self.compounds: list[Compound | Contact] = list(system.compounds)
        self.elements: list[Element] = [*self.joints, *self.forces, *self.contacts, *self.compounds]
        self._start()
        self._members: list[int] = []
        self._homes: list[int] = []
        self._par: list[float] = []
        self._fill_elements()
        self._fill_contacts()
        self._fill_masses()
        self._fill_links()
        self._fill_observers()
        self._workspace()
        self.put("settings", SETTINGS.zeros())
        self.settings.proximal_iterations, self.settings.min_pivot_ratio = 1, 1.0
        self._finish_motions()
        choose_solver(self)

    # ---- the state

    def _start(self) -> None:
        parts = [self.kind.start(body) for body in self.system.bodies]
        q, v, own = ([value for part in parts for value in part[k]] for k in range(3))
        self.turning = len(own)
        states = sum(contact.friction is not None and contact.friction.has_state for contact in self.contacts)
        own += [0.0] * (0 if self.rigid else self.kind.touching.FRICTION_STATES * states)
        kept = sum(joint.rows for joint in self.joints) if self.rigid else 0
        self.quadratures = 2 * len(q) + len(own)
        self.y0 = np.zeros(self.quadratures + QUADRATURES.size + CONTACT_LOSS.size * len(self.contacts) + kept)
        self.y0[: self.quadratures] = [*q, *v, *own]
        self.size = len(self.y0)
        self.model.n_extra_states = len(own)
        self.model.n_states = self.size

    def write_back(self, y: np.ndarray) -> None:
        """Give the bodies the positions and velocities of ``y``."""
        n, width, own = self.velocities, self.kind.width, self.kind.own
        if own:
            spatial_body.update_orientation.call(y, self.model)
        for k, body in enumerate(self.system.bodies):
            mine = slice(width * k, width * (k + 1))
            self.kind.write_back(body, y[:n][mine], y[n : 2 * n][mine], y[2 * n + own * k : 2 * n + own * (k + 1)])

    # ---- arrays

    def _fill_elements(self) -> None:
        joints = JOINT_ELEMENT.zeros(len(self.joints))
        forces = FORCE_ELEMENT.zeros(len(self.forces))
        row = jac = 0
        out = SCRATCH
        for entry, joint in zip(joints, self.joints, strict=True):
            entry["kernel"] = self.address(joint.kernel)
            self._common(entry, joint)
            entry["first_row"] = row
            entry["n_rows"] = joint.rows
            entry["jacobian_offset"] = jac
            row += joint.rows
            jac += joint.rows * len(joint.members) * self.kind.width
            if joint.motion is not None:
                entry["motion_kernel"] = self.address(joint.motion.compiled(joint.label, self.record))
                entry["is_angle"] = joint.drives_periodic_angle
        for entry, force in zip(forces, self.forces, strict=True):
            entry["kernel"] = self.address(force.kernel)
            self._common(entry, force)
            entry["output_offset"] = out
            out += self.kind.width * len(force.members) + N_FORCE_OUTPUT + len(force.signals)
            self._members.append(0 if force.function is None else self.address(force.function.compile(self.record)))
            self._homes.append(-1)
        self.rows = row
        self.jac_size = jac
        self.out_size = out
        self.put("joints", joints)
        self.put("forces", forces)
        counts = {"n_bodies": len(self.system.bodies), "n_velocities": self.velocities, "n_constraints": row}
        counts |= {"n_joints": len(joints), "n_forces": len(forces)}
        for place, count in counts.items():
            setattr(self.model, place, count)

    def _fill_contacts(self) -> None:
        table = CONTACT.zeros(len(self.contacts))
        memory: list[float] = []
        own = self.turning
        for entry, contact in zip(table, self.contacts, strict=True):
            pairing, law, friction = contact.pairing, contact.law, contact.friction
            entry["pair_kernel"] = self.address(pairing.kernel)
            entry["body_a"], entry["body_b"] = (self.place[id(s.body)] for s in pairing.shapes)
            entry["velocity_a"], entry["velocity_b"] = (self.home(s.body) for s in pairing.shapes)
            entry["pair_params"] = self._parameters(pairing.parameters)
            entry["warm_start_offset"] = len(memory)
            memory += [float(value) for value in pairing.warm_start]
            whirls = any(contact.turns_with(shape) for shape in contact.shapes)
            entry["is_swapped"], entry["gap_depends_on_rotation"] = pairing.swapped, whirls
            entry["friction_state_offset"] = entry["bounding_spheres"] = entry["rolling_params"] = -1
            if contact.rolling is not None:
                entry["rolling_params"] = self._parameters(contact.rolling.parameters)
            bounds = [bounding_sphere(shape) for shape in pairing.shapes] if contact.in_space else [None]
            if all(bounds) and any(shape.kind != "Sphere" for shape in pairing.shapes):
                entry["bounding_spheres"] = self._parameters(n for ball in bounds if ball for n in (*ball[0], ball[1]))
            if law is not None and not self.rigid:
                entry["law_kernel"] = self.address(law.compiled(contact.label, self.record))
                entry["law_params"] = self._parameters(law.parameters)
                entry["has_unloading_curve"], entry["is_adhesive"] = law.has_unloading_curve, law.tension
            if friction is not None and not self.rigid:
                entry["friction_kernel"] = self.address(friction.compiled(contact.label, self.record))
                entry["friction_params"] = self._parameters(friction.parameters)
                if friction.has_state:
                    entry["friction_state_offset"] = own
                    own += self.kind.touching.FRICTION_STATES
        self.put("contacts", table)
        self.put("warm_start", np.array([*memory, 0.0]))
        self.put("warm_start_accepted", np.array([*memory, 0.0]))
        self.model.n_warm_start = len(memory)
        records = CONTACT_HISTORY.zeros(len(table) + 1)
        records["mode"] = STATIC
        self.put("contact_history", records)
        self.put("contact_state", CONTACT_STATE.zeros(len(table) + 1))
        self.put("workspace", np.zeros(touch.SCRATCH_SIZE))
        self.model.n_contacts = len(table)
        self.put("gaps", np.zeros(len(table) + 1))
        if len(table) and not self.rigid:
            self.model.contact_forces_kernel = self.address(self.kind.touching.load_contacts)
            self.model.contact_in_step_kernel = self.address(self.kind.touching.glance)

    def _parameters(self, numbers: Iterable[float]) -> int:
        """Put numbers behind those of the elements before; returns their place."""
        place = len(self._par)
        self._par += [float(value) for value in numbers]
        return place

    def _common(self, entry: np.ndarray, element: Element) -> None:
        entry["first_body"] = len(self._members)
        entry["n_bodies"] = len(element.members)
        entry["params_offset"] = self._parameters(element.parameters)
        self._members += [self.place[id(body)] for body in element.members]
        self._homes += [self.home(body) for body in element.members]

    def home(self, body: Any) -> int:
        """First velocity of a body; −1 for the ground."""
        return (self.place[id(body)] // self.kind.stride - 1) * self.kind.width if self.place[id(body)] else -1

    def _fill_masses(self) -> None:
        mass = np.array([m for body in self.system.bodies for m in self.kind.masses(body)])
        self.mass = mass.copy()  # as given; the solver may lend inertia to point masses that nothing turns
        self.put("mass", mass)
        self.put("inverse_mass", np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0))
        gravity = self.system.gravity
        self.put("gravity_force", np.array([w for body in self.system.bodies for w in self.kind.weight(body, gravity)]))

    def _fill_links(self) -> None:
        links = []
        for entry, joint in zip(self["joints"], self.joints, strict=True):
            for r in range(joint.rows):
                for k in range(len(joint.members)):
                    home = self._homes[entry["first_body"] + k]
                    jac = entry["jacobian_offset"] + (r * len(joint.members) + k) * self.kind.width
                    if home >= 0:
                        row = entry["first_row"] + r
                        links += [(row, jac + d, home + d) for d in range(0, self.kind.width, TRIPLE)]
        self.put("jacobian_blocks", np.array(links, JACOBIAN_BLOCK.dtype))
        self.model.n_jacobian_blocks = len(links)

    def _fill_observers(self) -> None:
        observers = []
        self.signals: list[OutputColumns] = []
        self.angles: list[tuple[int, Joint, Joint | None]] = []  # columns known but for turns, whose, what drives them
        drivers = {joint.key: joint for joint in self.joints if isinstance(joint, Driver)}
        end = 0
        for k, joint in enumerate(self.joints):
            shown = OutputColumns(end)
            coordinates = dict(joint.coordinates)
            if isinstance(joint, Driver):
                coordinates = {joint.coordinate_name: joint.driven}
            for name, coordinate in coordinates.items():
                place = shown.add((name, f"{name}_rate"), (coordinate.unit, coordinate.rate_unit))
                observers.append((COORDINATE, k, place, self.address(coordinate.kernel)))
                if coordinate.periodic:
                    driver = joint if isinstance(joint, Driver) else drivers.get((id(joint), name))
                    self.angles.append((place, joint, driver))
            if isinstance(joint, Driver):
                unit = "N m" if joint.driven.unit == "rad" else "N"
                observers.append((EFFORT, k, shown.add(("effort", "power"), (unit, "W")), 0))
            observers.append((REACTION, k, shown.add(self.kind.reaction, self.kind.reaction_units), 0))
            self.signals.append(shown)
            end = shown.stop
        for k, force in enumerate(self.forces):
            shown = OutputColumns(end)
            observers.append((FORCE_SIGNALS, k, shown.add(force.signals, force.units), len(force.signals)))
            self.signals.append(shown)
            end = shown.stop
        for k, contact in enumerate(self.contacts):
            shown = OutputColumns(end)
            count = contact.signals.index("mode")  # those before it are seen, those behind follow from them
            observers.append((CONTACT_SIGNALS, k, shown.add(contact.signals, contact.units), count))
            self.signals.append(shown)
            end = shown.stop
        for compound in self.compounds:
            shown = OutputColumns(end)
            shown.add(compound.signals, compound.units)
            self.signals.append(shown)
            end = shown.stop
        self.signal_count = end
        self.observers = np.array(observers, np.int64).reshape(-1, OBSERVER_COLUMNS)
        held = [joint.points[min(len(joint.points) - 1, 1)] for joint in self.joints]
        self.points = np.array(held, float).reshape(-1, self.system.dim)

    def _workspace(self) -> None:
        n, m = self.velocities, max(self.rows, 1)
        bodies = np.zeros((len(self.system.bodies) + 1, self.kind.stride))
        bodies[0] = self.kind.ground()
        self.put("bodies", bodies)
        for place in ("Phi", "nu", "gamma_c", "rhs_constraint", "lam", "residual_constraint",
                      "projection_impulses"):  # fmt: skip
            self.put(place, np.zeros(m))
        for place in ("rhs_motion", "acceleration", "residual_motion"):
            self.put(place, np.zeros(n))
        self.put("Phi_q", np.zeros(max(self.jac_size, 1)))
        self.put("element_output", np.zeros(self.out_size))
        self.put("trial_state", np.zeros(self.size))
        self.put("force_power", np.zeros(2))

    def _finish_motions(self) -> None:
        """Numbers of the motions, which may start from where their coordinate is now."""
        self.put("body_offsets", np.array(self._members, np.int64))
        self.put("velocity_indices", np.array(self._homes, np.int64))
        self.put("params", np.array(self._par, float))
        starts: list[float] = []
        for entry, joint in zip(self["joints"], self.joints, strict=True):
            if joint.motion is not None:
                entry["motion_params_offset"] = len(self._par) + len(starts)
                numbers = [float(value) for value in joint.motion.parameters(self._value(entry))]
                starts += numbers + [0.0] * (2 - len(numbers))  # `freeze` needs room for two
        self.put("params", np.array([*self._par, *starts], float))

    def _value(self, entry: np.ndarray) -> float:
        """Present value of the row that a motion drives."""
        equations.load.call(self.y0, self.model)
        bodies = self["bodies"]
        out = np.zeros(2 + 3 * self.kind.width)
        kernel = next(k for k in self.kernels if k.address == entry["kernel"])
        offsets, params = self["body_offsets"][entry["first_body"] :], self["params"][entry["params_offset"] :]
        kernel.call(bodies, offsets, params, out, out[2:], out[1:])
        return float(out[0])

    # ---- what the solvers ask for

    @property
    def rate(self) -> int:
        return self.address(equations.rate)

    @property
    def observed_rate(self) -> int:
        """What a result is made of at every node."""
        return self.address(self.kind.stepping.look if self.rigid else equations.rate)

    @property
    def careful_rate(self) -> int:
        return self.address(equations.careful_rate)

    @property
    def tangential(self) -> int:
        return self.address(equations.tangential)

    @property
    def project(self) -> int:
        return self.address(equations.project)

    @property
    def normalise(self) -> int:
        return self.address(equations.normalise)

    @property
    def breaks(self) -> list[float]:
        """Times at which prescribed motions change their form."""
        return sorted({t for joint in self.joints if joint.motion is not None for t in joint.motion.breaks})

    @property
    def user_kernels(self) -> list[UserKernel]:
        return [kernel for kernel in self.kernels if isinstance(kernel, UserKernel)]

    def freeze(self, t: float) -> None:
        """Hold every prescribed motion at its value at time ``t``, for analyses of a system at rest."""
        for entry, joint in zip(self["joints"], self.joints, strict=True):
            if joint.motion is not None:
                value = self.prescribed(joint, np.array([t]))[0]
                entry["motion_kernel"] = self.address(ConstantSpeed.kernel)
                self["params"][entry["motion_params_offset"] :][:2] = value, 0.0

    def prescribed(self, joint: Joint, times: np.ndarray) -> np.ndarray:
        """The motion of a joint or driver at ``times``."""
        entry = self["joints"][next(k for k, known in enumerate(self.joints) if known is joint)]
        par, values = self["params"][entry["motion_params_offset"] :], np.zeros((len(times), 3))
        _follow(int(entry["motion_kernel"]), np.ascontiguousarray(times, float), par, values)
        return values[:, 0].copy()

    def stabilise(self, alpha: float, beta: float) -> None:
        """Baumgarte's feedback of Φ̇ and Φ."""
        self.settings.baumgarte_alpha, self.settings.baumgarte_beta = alpha, beta

    def regularise(self, epsilon: float, sweeps: int) -> None:
        """The proximal term on the multipliers, and how often it is removed again."""
        self.settings.proximal, self.settings.proximal_iterations = epsilon, sweeps

    def row_owner(self, row: int) -> Joint:
        """The joint that a constraint equation belongs to."""
        starts = self["joints"]["first_row"]
        ends = starts + self["joints"]["n_rows"]
        return self.joints[int(np.flatnonzero((starts <= row) & (row < ends))[0])]
