"""Evaluation of the nodes of a run: accelerations, signals, energies, and the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from carom.compiled_model.body_kind import principal_axes
from carom.compiled_model.mutable_state import mutable_arrays
from carom.compiled_model.system_data import SystemData
from carom.joints.driver import Driver
from carom.joints.spatial_constraints import axis_angle
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.joints.stop_gaps import nearest_revolution
from carom.kernels.interpreted import Row, address_of_argument
from carom.mechanics.contact_records import N_STORED, SEPARATED, STORED_HISTORY
from carom.mechanics.model_record import CONTACT_LOSS, QUADRATURES
from carom.mechanics.output_kernels import N_ENERGIES, NODES, evaluate_nodes
from carom.result.column_info import BodyInfo, ElementInfo
from carom.result.energy import Energy
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.contact_signals import Poses, complete_signals, element_info, family_of
from carom.solve.drawing_builder import deferred_drawing_data
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import NodeBatch, ResultMetadata, result_of, with_prefix
from carom.solve.step_rates import set_step_rates


class NodeValues:
    """Derivatives y', signals and energies at nodes; ``t_next`` is the time of the node after them [s]."""

    def __init__(
        self, mechanism: ModelEvaluator, t: np.ndarray, y: np.ndarray, remembered: np.ndarray, t_next: float | None
    ):
        tables = mechanism.tables
        self.ydot = np.zeros_like(y)
        self.signals = np.zeros((len(t), tables.output.n_columns))
        self.energies = np.zeros((len(t), N_ENERGIES))
        arrays = {
            "t": before_jumps(t, t_next), "y": np.ascontiguousarray(y), "stored": np.ascontiguousarray(remembered),
            "ydot": self.ydot, "signals": self.signals, "energies": self.energies,
        }  # fmt: skip
        for part in parts_with_inputs(tables, arrays["t"]):
            evaluate_nodes.call(nodes_record(mechanism, {name: array[part] for name, array in arrays.items()}))


def parts_with_inputs(tables: SystemData, t: np.ndarray) -> Iterator[slice]:
    """Yield the parts of the times ``t`` [s] between which inputs or wear change the model, which is set to each."""
    for worn in parts_with_wear(tables, t):
        if tables.inputs is None:
            yield worn
            continue
        for part, state in tables.inputs.history.parts(t[worn]):
            tables.inputs.apply(tables, state, float(t[worn][part.start]))
            yield slice(worn.start + part.start, worn.start + part.stop)


def parts_with_wear(tables: SystemData, t: np.ndarray) -> Iterator[slice]:
    """Yield the parts of the times ``t`` [s] between which worn surfaces change, with the model set to each."""
    if tables.wear is None:
        yield slice(0, len(t))
        return
    for part, state in tables.wear.parts(t):
        tables.wear.apply(tables, state)
        yield part


def nodes_record(mechanism: ModelEvaluator, arrays: dict[str, np.ndarray]) -> Row:
    """Return the record `NODES` of an evaluation with tables of nodes: ``arrays`` by their fields."""
    tables, stored_size = mechanism.tables, arrays["stored"].shape[1]
    nodes = NODES.new(
        n_nodes=len(arrays["t"]),
        n_states=arrays["y"].shape[1],
        n_signals=arrays["signals"].shape[1],
        n_observers=len(tables.output.rows),
        n_stored_contacts=min(tables.model.n_contacts, stored_size // N_STORED),
        stored_size=stored_size,
        velocity_offset=tables.kind.velocity_offset,
        rate_kernel=tables.node_kernel,
        model=address_of_argument(tables.model),
    )
    constants = {"mass": tables.mass, "observers": tables.output.rows, "points": tables.joint_points}
    NODES.connect(nodes, {**arrays, **constants})
    return nodes


class SystemNodeEvaluator:
    """Evaluator of the nodes of a system (see `NodeEvaluator`).

    A node is a state, followed by the stored histories of the contacts, if any, and, if ``accelerating``, by the
    accelerations of a run with rigid contacts that is smooth between its events. ``integrate_work`` integrates the
    works of the energy balance from their powers, where no integrator did; all nodes are then one batch. ``mechanism``
    belongs to the evaluator from here on.
    """

    def __init__(self, mechanism: ModelEvaluator, accelerating: bool = False, integrate_work: bool = False):
        tables = mechanism.tables
        self.mechanism = self.reacting = mechanism
        self.accelerating, self.integrate_work = accelerating, integrate_work
        if tables.rigid:
            mechanism.prepare_reactions()
            tables.model.reference_orientation = 0  # every node has its own
        elif mechanism.redundant:  # accelerations from the independent rows, reactions of least norm from all
            self.reacting = mechanism.copy()
            self.reacting.prepare_reactions()
        self.metadata = ResultMetadata(
            mechanism.system.name,
            mechanism.system.dim,
            tuple(BodyInfo(body.name, body.mass, inertia_of(body)) for body in mechanism.system.bodies),
            element_infos(mechanism),
            smooth=not tables.rigid or accelerating,
            sketch=deferred_drawing_data(mechanism.system),
        )
        self.min_nodes, self.needs_next_time = 1 if self.metadata.smooth else 2, True
        self.last_node = np.full(1 + mechanism.n, np.nan)
        self.turns = np.full((len(tables.output.periodic_angles), TURN_NUMBERS), np.nan)

    def prepare(self) -> None:
        """Compile the evaluation before the first node."""
        self.mechanism.tables.node_kernel  # noqa: B018
        evaluate_nodes.address  # noqa: B018

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by evaluations."""
        arrays = {"last_node": self.last_node, "turns": self.turns}
        arrays |= with_prefix("model", mutable_arrays(self.mechanism.tables))
        if self.reacting is not self.mechanism:
            arrays |= with_prefix("reactions", mutable_arrays(self.reacting.tables))
        return arrays

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""
        mechanism, n = self.mechanism, self.mechanism.n
        size, first = mechanism.tables.size, mechanism.tables.quadrature_offset
        t = np.ascontiguousarray(t, float)
        end = nodes.shape[1] - n * self.accelerating
        y, remembered = np.array(nodes[:, :size], float, order="C"), np.ascontiguousarray(nodes[:, size:end], float)
        seen = NodeValues(mechanism, t, y, remembered, t_next)
        ydot = seen.ydot
        if mechanism.tables.rigid:
            if self.accelerating:
                ydot[:, n : 2 * n] = nodes[:, end:]
            else:
                set_step_rates(t, y[:, n : 2 * n], self.last_node, ydot[:, n : 2 * n])
        elif self.reacting is not mechanism:
            seen = NodeValues(self.reacting, t, y, remembered, t_next)
        self.count_turns(t, y, seen.signals)
        self.last_node[:] = [t[-1], *y[-1, n : 2 * n]]
        if self.integrate_work:
            y[:, first:] = integrals(t, ydot[:, first:])
        q, v, a = motion_of(mechanism, y, ydot)
        complete_contacts(mechanism, t, q, remembered, seen.signals)
        energies = all_energies(mechanism.tables, y, seen.energies)
        if mechanism.tables.wear is not None:  # elastic energy that left with the removed material
            energies[:, Energy.names().index("dissipated")] += mechanism.tables.wear.energy_losses(
                before_jumps(t, t_next)
            )
        return NodeBatch(t, q, v, a, with_inputs(mechanism.tables, t, t_next, seen.signals), energies)

    def motion_at(self, node: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities of a result at one node, which need no evaluation of the model."""
        y = node[None, : self.mechanism.tables.size]
        q, v, _ = motion_of(self.mechanism, y, y)
        return q, v

    def count_turns(self, t: np.ndarray, y: np.ndarray, signals: np.ndarray) -> None:
        """Add whole turns to angles that are known up to whole turns.

        Driven angles follow their motion; those about an axis fixed in both bodies follow the integral of the angular
        velocity along it; others follow their rate.
        """
        turn = 2.0 * np.pi
        for periodic, known in zip(self.mechanism.tables.output.periodic_angles, self.turns, strict=True):
            place, joint, driver = periodic.column, periodic.joint, periodic.driver
            angle, rate = signals[:, place], signals[:, place + 1]
            axis = driver is None and joint.coordinates.get("angle") is axis_angle
            turned = turned_about(self.mechanism, y, joint) if axis else np.zeros(len(t))
            if np.isnan(known[FIRST_ANGLE]):
                first = angle[0]
                if periodic.limits is not None:
                    first += nearest_revolution(first, periodic.limits.pair)
                known[:] = first, turned[0], t[0], angle[0], rate[0], 0.0
            if driver is not None:
                tables, expected = self.mechanism.tables, np.zeros(len(t))
                for part in parts_with_inputs(tables, t):
                    expected[part] = tables.prescribed(driver, t[part])
            elif axis:
                expected = known[FIRST_ANGLE] + turned - known[FIRST_TURNED]
            else:
                times, angles, rates = (
                    np.concatenate([[last], column])
                    for last, column in zip(known[LAST_TIME:SUM_OF_STEPS], (t, angle, rate), strict=True)
                )
                steps = np.diff(angles)
                steps += turn * np.round((0.5 * np.diff(times) * (rates[1:] + rates[:-1]) - steps) / turn)
                sums = np.cumsum([known[SUM_OF_STEPS], *steps])[1:]
                known[LAST_TIME:] = t[-1], angle[-1], rate[-1], sums[-1]
                expected = known[FIRST_ANGLE] + sums
            angle += turn * np.round((expected - angle) / turn)


TURN_NUMBERS = 6
FIRST_ANGLE, FIRST_TURNED, LAST_TIME, LAST_ANGLE, LAST_RATE, SUM_OF_STEPS = range(TURN_NUMBERS)
"""Columns of `turns`: the state of the counting between two batches."""


def all_energies(tables: SystemData, y: np.ndarray, energies: np.ndarray) -> np.ndarray:
    """Return the columns of the energy balance at nodes, from the states and the energies of the system [J]."""
    first = tables.quadrature_offset
    work = {name: y[:, first + QUADRATURES.index(name)] for name in QUADRATURES}
    losses = y[:, first + QUADRATURES.size :][:, : CONTACT_LOSS.size * len(tables.contacts)]
    return np.column_stack([
        energies,
        work["dissipated"] + losses[:, CONTACT_LOSS.index("normal") :: CONTACT_LOSS.size].sum(axis=1),
        losses[:, CONTACT_LOSS.index("friction") :: CONTACT_LOSS.size].sum(axis=1),
        work["driver_work"],
        work["applied_work"],
    ])  # fmt: skip


def make_result(
    observer: SystemNodeEvaluator,
    t: np.ndarray,
    y: np.ndarray,
    stats: dict[str, Any],
    outcome: Outcome,
    message: str,
    settings: dict[str, Any],
    impacts: Sequence[ImpactRecord] = (),
) -> Result:
    """Evaluate every node once more and describe what the columns are."""
    return result_of(observer.metadata, observer.evaluate(t, y), stats, outcome, message, settings, impacts)


def turned_about(mechanism: ModelEvaluator, y: np.ndarray, joint: Any) -> np.ndarray:
    """∫ (ω_b − ω_a)·z dt, z the axis of a hinge, from the coordinates that belong to the angular velocities."""
    total = np.zeros(len(y))
    markers = SPATIAL_MARKERS.unpack(joint.parameters)
    for body, axis, sign in zip(joint.members, ("z_a", "z_b"), (-1.0, 1.0), strict=True):
        home = mechanism.tables.velocity_index(body)
        if home >= 0:
            along = principal_axes(body.inertia)[1].T @ markers[axis]
            total += sign * (y[:, home + 3 : home + 6] @ along)
    return total


def inertia_of(body: Any) -> Any:
    """As a result keeps it: a number in the plane, the nine of the tensor row by row in space."""
    return body.inertia if body.dim == 2 else tuple(part for row in body.inertia for part in row)


def motion_of(mechanism: ModelEvaluator, y: np.ndarray, ydot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coordinates, velocities and accelerations of a result, body by body.

    A spatial body has position and unit quaternion, velocity and angular velocity along the body's own axes, and their
    rates.
    """
    n, kind = mechanism.n, mechanism.tables.kind
    v, a = y[:, n : 2 * n], ydot[:, n : 2 * n]
    if kind.n_orientation == 0:
        return y[:, :n], v, a
    q, v, a = np.zeros((len(y), 7 * n // kind.n_velocities)), v.copy(), a.copy()
    for k, body in enumerate(mechanism.system.bodies):
        first, own = kind.n_velocities * k, 2 * n + kind.n_orientation * k
        turning = slice(first + 3, first + 6)
        q[:, 7 * k : 7 * k + 3] = y[:, first : first + 3]
        q[:, 7 * k + 3 : 7 * k + 7], v[:, turning] = kind.in_body_axes(body.inertia, y[:, own : own + 4], v[:, turning])
        _, a[:, turning] = kind.in_body_axes(body.inertia, y[:, own : own + 4], a[:, turning])
    return q, v, a


def with_inputs(tables: SystemData, t: np.ndarray, t_next: float | None, signals: np.ndarray) -> np.ndarray:
    """Return the signals with a column for each input."""
    if tables.inputs is None:
        return signals
    return np.column_stack([signals, tables.inputs.history.values(tables.inputs.inputs, before_jumps(t, t_next))])


def element_infos(mechanism: ModelEvaluator) -> tuple[ElementInfo, ...]:
    """Return the description of the columns of all elements and inputs."""
    tables = mechanism.tables
    families = ["driver" if isinstance(joint, Driver) else "joint" for joint in tables.joints]
    families += ["force"] * len(tables.forces)
    families += [family_of(element) for element in (*tables.contacts, *tables.compounds)]
    first, inputs = tables.output.n_columns, tables.system.inputs
    return (
        *(
            element_info(element, family, shown)
            for element, family, shown in zip(tables.elements, families, tables.output.columns, strict=True)
        ),
        *(
            ElementInfo(u.name, "Input", "input", (), ("value",), (u.unit,), (first + k, first + k + 1))
            for k, u in enumerate(inputs)
        ),
    )


def complete_contacts(
    mechanism: ModelEvaluator,
    t: np.ndarray,
    q: np.ndarray,
    remembered: np.ndarray,
    signals: np.ndarray,
) -> None:
    """Complete the signals of contacts that follow from others, and the modes."""
    tables = mechanism.tables
    columns = tables.output.columns[len(tables.joints) + len(tables.forces) :]
    for k, (contact, shown) in enumerate(zip(tables.contacts, columns, strict=False)):
        own = signals[:, shown.start : shown.stop]
        touching = (
            remembered[:, k * N_STORED + STORED_HISTORY.index("mode")] != SEPARATED
            if remembered.shape[1]
            else own[:, 0] > 0.0
        )
        own[:, contact.signals.index("contact_mode")] = touching
    for stops in tables.output.stop_columns:
        for place, sign in ((stops.lower, 1.0), (stops.upper, -1.0)):
            if place is not None:
                force = columns[place].start + columns[place].names.index("normal_force")
                signals[:, stops.column] += sign * signals[:, force]
    poses = Poses(tables.kind, mechanism.system.bodies, q)
    complete_signals(tables.contacts, tables.compounds, columns, poses, signals)


def before_jumps(t: np.ndarray, t_next: float | None = None) -> np.ndarray:
    """Return the times of evaluation: the first of two nodes with the same time belongs to the state before it."""
    is_first = np.zeros(len(t), bool)
    is_first[:-1] = t[:-1] == t[1:]
    is_first[-1:] = t[-1:] == t_next
    return np.where(is_first, np.nextafter(t, -np.inf), t) if is_first.any() else t


def integrals(t: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the running integrals of the columns by Simpson's rule."""
    if len(t) < 3:
        return np.zeros_like(rates)
    from scipy.integrate import cumulative_simpson

    return cumulative_simpson(rates, x=t, axis=0, initial=0.0)
