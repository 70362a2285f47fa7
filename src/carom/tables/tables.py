"""From a System to the arrays and addresses that compiled code reads."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.bounds import ball_around
from carom.geometry.element import Element
from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.joints.motion import ConstantSpeed
from carom.kernels import call_motion, jit, offset
from carom.kernels.address import first
from carom.kernels.user import UserKernel
from carom.mechanics import block as slot
from carom.mechanics import contacts as touch
from carom.mechanics import motion as equations
from carom.mechanics import spatial
from carom.mechanics.observe import CONTACT_SIGNALS, COORDINATE, EFFORT, FORCE_SIGNALS, OBSERVER_COLUMNS, REACTION
from carom.model.compound import Compound
from carom.model.contact import Contact
from carom.model.system import System
from carom.tables.kinds import KINDS
from carom.tables.linear import choose_solver

_REAL = ctypes.POINTER(ctypes.c_double)
_WHOLE = ctypes.POINTER(ctypes.c_int64)


def _real(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_REAL)


def _whole(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_WHOLE)


@jit
def _follow(address, times, par, values):
    """A motion and its first two derivatives at all ``times``."""
    for k in range(times.size):
        call_motion(address, times[k], first(par), offset(first(values), 3 * k))


SCRATCH = 64
"""Numbers of OUT that every model has, for motions and coordinates."""


class Signals:
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


class Tables:
    """One model, ready for compiled code. Holds every array and kernel alive; ``block`` is what kernels are given.

    ``rigid``: contacts are gaps to be kept open, and exert no force; multipliers stand behind the state in y.
    """

    def __init__(self, system: System, rigid: bool = False):
        if not system.bodies:
            raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")
        self.system = system
        self.rigid = rigid
        self.arrays: dict[int, np.ndarray] = {}
        self.kernels: list[Any] = []
        self.solver_arrays: list[Any] = []
        self.block = np.zeros(slot.SIZE, np.int64)
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
        self.put(slot.SETTINGS, np.array([0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]))
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
        self.y0 = np.zeros(self.quadratures + slot.QUADRATURES + slot.LOSSES * len(self.contacts) + kept)
        self.y0[: self.quadratures] = [*q, *v, *own]
        self.size = len(self.y0)
        self.block[slot.OWN_STATES] = len(own)
        self.block[slot.STATE_SIZE] = self.size

    def write_back(self, y: np.ndarray) -> None:
        """Give the bodies the positions and velocities of ``y``."""
        n, width, own = self.velocities, self.kind.width, self.kind.own
        if own:
            spatial.absorb.compiled.ctypes(_real(y), _whole(self.block))
        for k, body in enumerate(self.system.bodies):
            mine = slice(width * k, width * (k + 1))
            self.kind.write_back(body, y[:n][mine], y[n : 2 * n][mine], y[2 * n + own * k : 2 * n + own * (k + 1)])

    # ---- arrays

    def put(self, place: int, array: np.ndarray) -> np.ndarray:
        """An array into a slot of the block; it lives as long as these tables."""
        self.arrays[place] = array = np.ascontiguousarray(array)
        self.block[place] = array.ctypes.data
        return array

    def __getitem__(self, place: int) -> np.ndarray:
        """The array in a slot of the block."""
        return self.arrays[place]

    def address(self, kernel: Any) -> int:
        """Address of a kernel, which lives as long as these tables."""
        self.kernels.append(kernel)
        return int(kernel.address)

    def _fill_elements(self) -> None:
        joints = np.zeros((len(self.joints), slot.COLUMNS), np.int64)
        forces = np.zeros((len(self.forces), slot.COLUMNS), np.int64)
        row = jac = 0
        out = SCRATCH
        for entry, joint in zip(joints, self.joints, strict=True):
            entry[slot.KERNEL] = self.address(joint.kernel)
            self._common(entry, joint)
            entry[slot.FIRST_ROW] = row
            entry[slot.ROW_COUNT] = joint.rows
            entry[slot.FIRST_JAC] = jac
            row += joint.rows
            jac += joint.rows * len(joint.members) * self.kind.width
            if joint.motion is not None:
                entry[slot.MOTION_KERNEL] = self.address(joint.motion.compiled(joint.label, self.record))
                entry[slot.PERIODIC] = joint.turns_counted
        for entry, force in zip(forces, self.forces, strict=True):
            entry[slot.KERNEL] = self.address(force.kernel)
            self._common(entry, force)
            entry[slot.FIRST_OUT] = out
            out += self.kind.width * len(force.members) + slot.SIGNALS + len(force.signals)
            self._members.append(0 if force.function is None else self.address(force.function.compile(self.record)))
            self._homes.append(-1)
        self.rows = row
        self.jac_size = jac
        self.out_size = out
        self.put(slot.JOINT_TABLE, joints)
        self.put(slot.FORCE_TABLE, forces)
        counts = {slot.BODY_COUNT: len(self.system.bodies), slot.VELOCITIES: self.velocities, slot.ROWS: row}
        counts |= {slot.JOINTS: len(joints), slot.FORCES: len(forces)}
        for place, count in counts.items():
            self.block[place] = count

    def _fill_contacts(self) -> None:
        table = np.zeros((len(self.contacts), touch.CONTACT_COLUMNS), np.int64)
        memory: list[float] = []
        own = self.turning
        for entry, contact in zip(table, self.contacts, strict=True):
            pairing, law, friction = contact.pairing, contact.law, contact.friction
            entry[touch.PAIR_KERNEL] = self.address(pairing.kernel)
            entry[touch.FIRST_BODY], entry[touch.SECOND_BODY] = (self.place[id(s.body)] for s in pairing.shapes)
            entry[touch.FIRST_HOME], entry[touch.SECOND_HOME] = (self.home(s.body) for s in pairing.shapes)
            entry[touch.PAIR_PAR] = self._parameters(pairing.parameters)
            entry[touch.FIRST_MEMORY] = len(memory)
            memory += [float(value) for value in pairing.memory]
            whirls = any(contact.turns_with(shape) for shape in contact.shapes)
            entry[touch.FLAGS] = pairing.swapped * touch.SWAPPED + whirls * touch.WHIRLS
            entry[touch.OWN_STATE] = entry[touch.BOUNDS] = entry[touch.ROLLING_PAR] = -1
            if contact.rolling is not None:
                entry[touch.ROLLING_PAR] = self._parameters(contact.rolling.parameters)
            bounds = [ball_around(shape) for shape in pairing.shapes] if contact.in_space else [None]
            if all(bounds) and any(shape.kind != "Sphere" for shape in pairing.shapes):
                entry[touch.BOUNDS] = self._parameters(n for ball in bounds if ball for n in (*ball[0], ball[1]))
            if law is not None and not self.rigid:
                entry[touch.LAW_KERNEL] = self.address(law.compiled(contact.label, self.record))
                entry[touch.LAW_PAR] = self._parameters(law.parameters)
                entry[touch.FLAGS] += law.has_unloading_curve * touch.UNLOADS + law.tension * touch.PULLS
            if friction is not None and not self.rigid:
                entry[touch.FRICTION_KERNEL] = self.address(friction.compiled(contact.label, self.record))
                entry[touch.FRICTION_PAR] = self._parameters(friction.parameters)
                if friction.has_state:
                    entry[touch.OWN_STATE] = own
                    own += self.kind.touching.FRICTION_STATES
        self.put(slot.CONTACT_TABLE, table)
        self.put(slot.MEMORY, np.array([*memory, 0.0]))
        self.put(slot.SAVED_MEMORY, np.array([*memory, 0.0]))
        self.block[slot.MEMORY_COUNT] = len(memory)
        records = np.zeros((len(table) + 1, touch.RECORD))
        records[:, touch.MODE] = touch.PRESENT
        self.put(slot.RECORDS, records)
        self.put(slot.SEEN, np.zeros((len(table) + 1, touch.SEEN_SIZE)))
        self.put(slot.SCRATCH, np.zeros(touch.SCRATCH_SIZE))
        self.block[slot.CONTACTS] = len(table)
        self.put(slot.GAPS, np.zeros(len(table) + 1))
        if len(table) and not self.rigid:
            self.block[slot.CONTACT_KERNEL] = self.address(self.kind.touching.load_contacts)
            self.block[slot.GLANCE_KERNEL] = self.address(self.kind.touching.glance)

    def _parameters(self, numbers: Iterable[float]) -> int:
        """Put numbers behind those of the elements before; returns their place."""
        place = len(self._par)
        self._par += [float(value) for value in numbers]
        return place

    def _common(self, entry: np.ndarray, element: Element) -> None:
        entry[slot.FIRST_MEMBER] = len(self._members)
        entry[slot.MEMBER_COUNT] = len(element.members)
        entry[slot.FIRST_PAR] = self._parameters(element.parameters)
        self._members += [self.place[id(body)] for body in element.members]
        self._homes += [self.home(body) for body in element.members]

    def home(self, body: Any) -> int:
        """First velocity of a body; −1 for the ground."""
        return (self.place[id(body)] // self.kind.stride - 1) * self.kind.width if self.place[id(body)] else -1

    def _fill_masses(self) -> None:
        mass = np.array([m for body in self.system.bodies for m in self.kind.masses(body)])
        self.mass = mass.copy()  # as given; the solver may lend inertia to point masses that nothing turns
        self.put(slot.MASS, mass)
        self.put(slot.INVERSE_MASS, np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0))
        gravity = self.system.gravity
        self.put(slot.WEIGHT, np.array([w for body in self.system.bodies for w in self.kind.weight(body, gravity)]))

    def _fill_links(self) -> None:
        links = []
        for entry, joint in zip(self[slot.JOINT_TABLE], self.joints, strict=True):
            for r in range(joint.rows):
                for k in range(len(joint.members)):
                    home = self._homes[entry[slot.FIRST_MEMBER] + k]
                    jac = entry[slot.FIRST_JAC] + (r * len(joint.members) + k) * self.kind.width
                    if home >= 0:
                        row = entry[slot.FIRST_ROW] + r
                        links += [(row, jac + d, home + d) for d in range(0, self.kind.width, slot.TRIPLE)]
        self.links = np.array(links, np.int64).reshape(-1, 3)
        self.put(slot.LINK_TABLE, self.links)
        self.block[slot.LINKS] = len(links)

    def _fill_observers(self) -> None:
        observers = []
        self.signals: list[Signals] = []
        self.angles: list[tuple[int, Joint, Joint | None]] = []  # columns known but for turns, whose, what drives them
        drivers = {joint.key: joint for joint in self.joints if isinstance(joint, Driver)}
        end = 0
        for k, joint in enumerate(self.joints):
            shown = Signals(end)
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
            shown = Signals(end)
            observers.append((FORCE_SIGNALS, k, shown.add(force.signals, force.units), len(force.signals)))
            self.signals.append(shown)
            end = shown.stop
        for k, contact in enumerate(self.contacts):
            shown = Signals(end)
            count = contact.signals.index("mode")  # those before it are seen, those behind follow from them
            observers.append((CONTACT_SIGNALS, k, shown.add(contact.signals, contact.units), count))
            self.signals.append(shown)
            end = shown.stop
        for compound in self.compounds:
            shown = Signals(end)
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
        self.put(slot.BODIES, bodies)
        for place in (slot.PHI, slot.NU, slot.GAMMA, slot.BOTTOM, slot.MULTIPLIERS, slot.RESIDUAL_BOTTOM,
                      slot.REACTIONS):  # fmt: skip
            self.put(place, np.zeros(m))
        for place in (slot.TOP, slot.ACCELERATION, slot.RESIDUAL_TOP):
            self.put(place, np.zeros(n))
        self.put(slot.JAC, np.zeros(max(self.jac_size, 1)))
        self.put(slot.OUT, np.zeros(self.out_size))
        self.put(slot.STATE, np.zeros(self.size))
        self.put(slot.POWER, np.zeros(2))

    def _finish_motions(self) -> None:
        """Numbers of the motions, which may start from where their coordinate is now."""
        self.put(slot.MEMBERS, np.array(self._members, np.int64))
        self.put(slot.HOMES, np.array(self._homes, np.int64))
        self.put(slot.PAR, np.array(self._par, float))
        starts: list[float] = []
        for entry, joint in zip(self[slot.JOINT_TABLE], self.joints, strict=True):
            if joint.motion is not None:
                entry[slot.MOTION_PAR] = len(self._par) + len(starts)
                numbers = [float(value) for value in joint.motion.parameters(self._value(entry))]
                starts += numbers + [0.0] * (2 - len(numbers))  # `freeze` needs room for two
        self.put(slot.PAR, np.array([*self._par, *starts], float))

    def _value(self, entry: np.ndarray) -> float:
        """Present value of the row that a motion drives."""
        equations.load.compiled.ctypes(_real(self.y0), _whole(self.block))
        bodies = self[slot.BODIES]
        out = np.zeros(2 + 3 * self.kind.width)
        kernel = next(k for k in self.kernels if k.address == entry[slot.KERNEL])
        kernel.compiled.ctypes(
            _real(bodies),
            _whole(self[slot.MEMBERS][entry[slot.FIRST_MEMBER] :]),
            _real(self[slot.PAR][entry[slot.FIRST_PAR] :]),
            _real(out),
            _real(out[2:]),
            _real(out[1:]),
        )
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
        for entry, joint in zip(self[slot.JOINT_TABLE], self.joints, strict=True):
            if joint.motion is not None:
                value = self.prescribed(joint, np.array([t]))[0]
                entry[slot.MOTION_KERNEL] = self.address(ConstantSpeed.kernel)
                self[slot.PAR][entry[slot.MOTION_PAR] :][:2] = value, 0.0

    def prescribed(self, joint: Joint, times: np.ndarray) -> np.ndarray:
        """The motion of a joint or driver at ``times``."""
        entry = self[slot.JOINT_TABLE][next(k for k, known in enumerate(self.joints) if known is joint)]
        par, values = self[slot.PAR][entry[slot.MOTION_PAR] :], np.zeros((len(times), 3))
        _follow(int(entry[slot.MOTION_KERNEL]), np.ascontiguousarray(times, float), par, values)
        return values[:, 0].copy()

    def stabilise(self, alpha: float, beta: float) -> None:
        """Baumgarte's feedback of Φ̇ and Φ."""
        self[slot.SETTINGS][[slot.ALPHA, slot.BETA]] = alpha, beta

    def regularise(self, epsilon: float, sweeps: int) -> None:
        """The proximal term on the multipliers, and how often it is removed again."""
        self[slot.SETTINGS][[slot.REGULARISATION, slot.SWEEPS]] = epsilon, sweeps

    def row_owner(self, row: int) -> Joint:
        """The joint that a constraint equation belongs to."""
        starts = self[slot.JOINT_TABLE][:, slot.FIRST_ROW]
        ends = starts + self[slot.JOINT_TABLE][:, slot.ROW_COUNT]
        return self.joints[int(np.flatnonzero((starts <= row) & (row < ends))[0])]
