"""Systems in generalised coordinates, defined by Python functions.

`generalized_functions` evaluates the functions in the initial state, `generalized_kernels` holds the compiled ones, and
`lagrange_equations` derives them from energies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from carom.argument_checks import non_negative, short_repr
from carom.deprecation import deprecated_arguments
from carom.errors import ModelError
from carom.init_arguments import Sealed
from carom.kernels.captured_values import captured
from carom.kernels.derivatives import Derivative, Rows, derivatives_kernel
from carom.kernels.state_functions import Function, values_kernel
from carom.laws.impact_law import ImpactLaw
from carom.model.generalized_checks import (
    as_array,
    as_vector,
    check_affine,
    check_jacobian,
    check_mass,
    check_names,
    impact_of_each,
    shape_text,
)
from carom.model.generalized_functions import InitialState
from carom.model.generalized_kernels import GeneralizedKernels, compile_generated, derivatives
from carom.typing import GridLike, VectorLike

UserFunction: TypeAlias = Callable[..., float | VectorLike | Sequence[VectorLike] | Sequence[Sequence[VectorLike]]]
"""Function of some of ``q``, ``u`` and ``t``, by these names."""

Expression: TypeAlias = Any
"""SymPy expression; SymPy has no types."""


class GeneralizedSystem(Sealed):
    """System M(q, t) u̇ = h(q, u, t) + Σ w λ with q̇ = u, in f generalised coordinates q.

    ``q0`` and ``u0`` are the initial state. ``mass`` is the (f, f) matrix M or a function that returns it; ``force`` is
    the vector h of gyroscopic terms, weights, springs and all other forces except those of contacts. ``gaps`` returns
    the gaps g_N [m] of n contacts (one function, or a list with one function per contact), negative in penetration;
    ``impact`` is the impact law of all contacts, or a list of n.

    ``tangential``, required for friction, returns one tangential direction per contact as n numbers, or two as an
    (n, 2) array: velocities γ_T(q, u, t), linear in u, if it has the argument u, else displacements g_T(q, t), whose
    rates are the velocities. ``potential`` [J] is used for the energy ledger; h contains its force already. Other work
    of h counts as applied work. ``gap_jacobian`` (n, f) and ``tangential_jacobian`` (n, f) or (n, 2, f) are computed by
    differentiation, exact to rounding, unless they are set.

    ``bodies`` defines bodies for output: name -> function that returns (x, y, angle), or (function, mass, inertia).
    ``coordinates`` and ``contacts`` are the names of the coordinates and of the gaps.

    Functions have any of the arguments ``q``, ``u`` and ``t``, in any order, and return a number, a tuple (fastest), a
    list or an array. They are compiled when a run first needs them.

    Notation: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, sections 2 and 6.

    A sphere above a plate that oscillates with 5 rad/s:

    >>> import math
    >>> import carom as cm
    >>> system = cm.GeneralizedSystem(
    ...     q0=[1.0],
    ...     u0=[0.0],
    ...     mass=[[2.0]],
    ...     force=[-2.0 * 9.81],
    ...     gaps=lambda q, t: q[0] - 0.1 * math.sin(5.0 * t),
    ...     impact=cm.ImpactLaw(restitution=0.8),
    ...     coordinates=["height"],
    ... )
    >>> system
    <GeneralizedSystem 'system': 1 coordinates, 1 contacts>
    """

    dim = 2
    assignable = {"q0": as_vector, "u0": as_vector}
    change_advice = "build a new GeneralizedSystem instead"

    @deprecated_arguments(renamed={"slips": "tangential", "slip_jacobian": "tangential_jacobian"})
    def __init__(
        self,
        q0: VectorLike | float,
        u0: VectorLike | float,
        mass: UserFunction | VectorLike | Sequence[VectorLike] | float,
        force: UserFunction | VectorLike | float,
        gaps: UserFunction | Sequence[UserFunction] | None = None,
        *,
        tangential: UserFunction | Sequence[UserFunction] | None = None,
        impact: ImpactLaw | Sequence[ImpactLaw] | None = None,
        potential: UserFunction | None = None,
        gap_jacobian: UserFunction | Sequence[VectorLike] | VectorLike | None = None,
        tangential_jacobian: UserFunction | Sequence[VectorLike] | GridLike | None = None,
        bodies: Mapping[str, UserFunction | tuple[UserFunction, float, float]] | None = None,
        coordinates: Sequence[str] | None = None,
        contacts: Sequence[str] | None = None,
        name: str = "system",
    ):
        if not isinstance(name, str) or not name:
            raise ModelError(f"GeneralizedSystem: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        self.q0: tuple[float, ...] = q0  # type: ignore[assignment]
        self.freedom = len(self.q0)
        if self.freedom == 0:
            raise ModelError(f"{self.label}: q0 must have at least one coordinate")
        self.u0: tuple[float, ...] = u0  # type: ignore[assignment]
        self.coordinates = check_names(self.label, "coordinates", coordinates, self.freedom, "q{}")
        self._set_dynamics(mass, force, potential)
        self._set_gaps(gaps, gap_jacobian, impact, contacts)
        self._set_tangential(tangential, tangential_jacobian)
        self._check_friction()
        self._set_bodies(bodies)
        self.names = (*self.coordinates, *self.contacts, *self.bodies)
        for k, item in enumerate(self.names):
            if item in self.names[:k]:
                raise ModelError(f"{self.label}: the name {item!r} is used twice; coordinates, contacts and bodies "
                                 "must have different names")  # fmt: skip
        self._compiled: GeneralizedKernels | None = None
        self._used: dict[int, tuple[Any, Function]] = {}
        """Compiled functions, with the values that the user functions captured at that time."""
        self._generated: Mapping[str, Any] | None = None
        """Functions generated from Lagrange's equations."""
        self.derivation: Mapping[str, Any] | None = None
        """Expressions from which the system was derived."""

    def to_yaml(self, path: str | os.PathLike[str] | None = None, run: Mapping[str, Any] | None = None) -> str:
        """Return the system as the text of a model file, as `System.to_yaml`; write it to ``path`` if set.

        Only systems of `from_lagrangian` have a text: Python functions cannot be written to a file.
        """
        from carom.io.model.model_writer import write

        return write(self, path, run)

    @classmethod
    @deprecated_arguments(renamed={"slips": "tangential"})
    def from_lagrangian(
        cls,
        coordinates: Sequence[Expression],
        kinetic: Expression,
        potential: Expression,
        gaps: Sequence[Expression] = (),
        *,
        q0: VectorLike | float,
        u0: VectorLike | float,
        tangential: Sequence[Expression] = (),
        velocities: Sequence[Expression] | None = None,
        forces: Sequence[Expression] | None = None,
        parameters: Mapping[Expression, float] | None = None,
        time: Expression = None,
        impact: ImpactLaw | Sequence[ImpactLaw] | None = None,
        bodies: Mapping[str, Any] | None = None,
        contacts: Sequence[str] | None = None,
        name: str = "system",
    ) -> GeneralizedSystem:
        """Return the system of SymPy expressions, by Lagrange's equations of the second kind.

        ``coordinates`` are symbols or ``dynamicsymbols``; ``velocities`` are the symbols of their rates (default:
        ``x_dot`` for a symbol ``x``, the derivative for ``dynamicsymbols``). ``kinetic`` T and ``potential`` V are the
        energies [J]; ``gaps`` and ``tangential`` are lists of expressions. A tangential expression is a displacement,
        or a velocity if it contains velocities; use pairs for contacts with two tangential directions. ``forces`` are
        generalised forces without potential. ``parameters`` are symbols (or their names) with their values, ``time`` is
        the symbol of time. ``bodies`` is name -> (x, y, angle), or ((x, y, angle), mass, inertia).

        A pendulum that hits a wall:

        >>> import carom as cm
        >>> import sympy
        >>> x, v, m, l, g = sympy.symbols("x v m l g")
        >>> system = cm.GeneralizedSystem.from_lagrangian(
        ...     [x],
        ...     m * (l * v) ** 2 / 2,
        ...     -m * g * l * sympy.cos(x),
        ...     [l * sympy.sin(x)],
        ...     velocities=[v],
        ...     q0=[1.0],
        ...     u0=[0.0],
        ...     parameters={m: 1.0, l: 0.5, g: 9.81},
        ...     impact=cm.ImpactLaw(restitution=0.7),
        ... )
        >>> system.freedom, system.contacts
        (1, ('contact 1',))
        """
        from carom.model.lagrange_equations import derive

        arguments, generated, derivation = derive(
            coordinates,
            kinetic,
            potential,
            gaps,
            tangential=tangential,
            velocities=velocities,
            forces=forces,
            parameters=parameters,
            time=time,
            bodies=bodies,
            name=name,
        )
        system = cls(q0, u0, **arguments, impact=impact, contacts=contacts, name=name)
        system._generated, vars(system)["derivation"] = generated, derivation
        return system

    def _check_assignment(self, key: str, value: Any) -> tuple[float, ...]:
        return as_vector(self.label, key, value, vars(self).get("freedom"))

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"GeneralizedSystem {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self.label}: {self.freedom} coordinates, {self.contact_count} contacts>"

    @property
    def directions(self) -> int:
        """Directions per contact: 1 (normal), 2 or 3 with tangents."""
        return 1 + self._tangents

    # ---- Arguments

    def _set_dynamics(self, mass: Any, force: Any, potential: Any) -> None:
        """Set mass matrix, force and potential; raise unless they are valid in the initial state."""
        f = self.freedom
        self._mass = self._initial_state.function("mass", mass, "qt", [(f, f)] if f > 1 else [(1, 1), (1,), ()])
        self._force = self._initial_state.function("force", force, "qut", [(f,)] if f > 1 else [(1,), ()])
        self._potential = (
            None if potential is None else self._initial_state.function("potential", potential, "qt", [(), (1,)])
        )
        check_mass(self.label, self.coordinates, self._initial_state.values(self._mass).reshape(f, f))
        self._initial_state.check_finite("force", self._force, self.coordinates)
        if self._potential is not None:
            self._initial_state.check_finite("potential", self._potential, ("",))

    def _set_gaps(self, gaps: Any, jacobian: Any, impact: Any, contacts: Any) -> None:
        """Set gaps, their Jacobian, impact laws and names; raise unless they are valid in the initial state."""
        self._gaps = [] if gaps is None else self._initial_state.functions("gaps", gaps, "qt")
        n = self.contact_count = sum(function.count for function in self._gaps)
        self.contacts = check_names(self.label, "contacts", contacts, n, "contact {}")
        self.impacts = impact_of_each(self.label, impact, self.contacts)
        first = 0
        for function in self._gaps:
            self._initial_state.check_finite("gap", function, self.contacts[first:])
            first += function.count
        if n == 0 and jacobian is not None:
            raise ModelError(f"{self.label}: gap_jacobian requires gaps; set gaps=")
        shapes: list[tuple[int, ...]] = [(n, self.freedom)]
        if 1 in shapes[0]:
            shapes.append((n * self.freedom,))
        self._gap_jacobian = (
            None if jacobian is None else self._initial_state.function("gap_jacobian", jacobian, "qt", shapes)
        )
        check_jacobian("gap_jacobian", self._gaps, self._gap_jacobian, self.coordinates, self.q0, self.u0)

    def _set_tangential(self, tangential: Any, jacobian: Any) -> None:
        """Set tangential directions and their Jacobian; raise unless they are valid in the initial state."""
        n, f = self.contact_count, self.freedom
        if n == 0 and (tangential is not None or jacobian is not None):
            raise ModelError(f"{self.label}: tangential requires gaps; set gaps=")
        self._tangential = [] if tangential is None else self._initial_state.functions("tangential", tangential, "qut")
        self._tangential_jacobian = None
        self._tangents = 0 if tangential is None else self._count_tangents(one_function=callable(tangential))
        if jacobian is not None:
            counts = [self._tangents] if self._tangents else [1, 2]
            shapes = [shape for m in counts for shape in ([(n, m, f), (n, f)] if m == 1 else [(n, m, f)])]
            what = "tangential_jacobian"
            self._tangential_jacobian = self._initial_state.function(what, jacobian, "qt", shapes)
            self._tangents = self._tangential_jacobian.count // (n * f)
            check_jacobian(what, self._tangential, self._tangential_jacobian, self.coordinates, self.q0, self.u0)

    def _count_tangents(self, one_function: bool) -> int:
        """Check the tangential functions in the initial state; return the number of tangents per contact."""
        n = self.contact_count
        count = sum(function.count for function in self._tangential)
        shape = as_array(self.label, self._tangential[0].sample).shape
        one_per_contact = n == 1 or shape[:1] == (n,) if one_function else len(self._tangential) == n
        if count not in (n, 2 * n) or not one_per_contact:
            raise ModelError(f"{self.label}: tangential must return {n} numbers or an array ({n}, 2), one or two "
                             f"directions per contact, got {shape_text(shape)}")  # fmt: skip
        tangents = count // n
        first = 0
        for function in self._tangential:
            contacts = [self.contacts[k // tangents] for k in range(first, count)]
            self._initial_state.check_finite("tangential direction", function, contacts)
            check_affine(function, self.q0, self.u0)
            first += function.count
            if first % tangents:
                counts = [function.count for function in self._tangential]
                raise ModelError(f"{self.label}: tangential must have the same number of directions for all contacts, "
                                 f"got {counts} from the functions")  # fmt: skip
        return tangents

    def _check_friction(self) -> None:
        """Raise if an impact law requires tangential directions that are not defined."""
        for contact, impact in zip(self.contacts, self.impacts, strict=True):
            if not self._tangents and (impact.friction > 0.0 or impact.tangential_restitution > 0.0):
                raise ModelError(f"{self.label}: {contact!r} has {impact!r}, which requires a tangential direction; "
                                 "set tangential=")  # fmt: skip

    def _set_bodies(self, bodies: Any) -> None:
        """Set the bodies for output; raise unless they are valid in the initial state."""
        if bodies is not None and not isinstance(bodies, Mapping):
            raise ModelError(f"{self.label}: bodies must be a dict, name -> function that returns (x, y, angle), "
                             f"got {short_repr(bodies)}")  # fmt: skip
        self.bodies = check_names(self.label, "bodies", tuple(bodies or ()), len(bodies or ()), "")
        self.inertias: dict[str, tuple[float, float]] = {}
        """Mass [kg] and inertia [kg m²] of bodies, if defined; for information only."""
        self._poses = []
        for name, value in (bodies or {}).items():
            function, *inertia = value if isinstance(value, (tuple, list)) else (value,)
            if inertia:
                if len(inertia) != 2:
                    raise ModelError(f"{self.label}: body {name!r} must be a function, or (function, mass, inertia), "
                                     f"got {short_repr(value)}")  # fmt: skip
                owner = f"{self.label}: body {name!r}"
                self.inertias[name] = (
                    non_negative(owner, "mass", inertia[0]),
                    non_negative(owner, "inertia", inertia[1]),
                )
            self._poses.append(self._initial_state.function(f"body {name!r}", function, "qt", [(3,)]))
            self._initial_state.check_finite(f"body {name!r}", self._poses[-1], ("x", "y", "angle"))

    @property
    def _initial_state(self) -> InitialState:
        """Initial state, in which the functions are checked."""
        return InitialState(self.label, self.q0, self.u0)

    # ---- Compilation

    def compiled(self) -> GeneralizedKernels:
        """Return the compiled functions; each is reused until a value that its user function captured changes."""
        if self._generated is not None:
            self._compiled = self._compiled or compile_generated(
                self._generated, self.freedom, self.contact_count, self.directions, len(self.bodies)
            )
            return self._compiled
        previous, self._used = self._used, {}
        for function in self._all_functions():
            values = _captured_values(function.function)
            known = previous.get(id(function))
            unchanged = known is not None and values is not None and known[0] == values
            self._used[id(function)] = known if known is not None and unchanged else (values, function.fresh())
        reused = {key for key, known in self._used.items() if previous.get(key) is known}
        if self._compiled is None or len(reused) < len(self._used):
            self._compiled = self._compile(reused)
        return self._compiled

    def _all_functions(self) -> list[Function]:
        """Return all functions of the system."""
        single = (self._mass, self._force, self._potential, self._gap_jacobian, self._tangential_jacobian)
        return [*(function for function in single if function), *self._gaps, *self._tangential, *self._poses]

    def _compile(self, reused: set[int]) -> GeneralizedKernels:
        """Return all kernels; those of functions in ``reused`` are the previous ones."""
        d, n, q0 = self.directions, self.contact_count, np.array(self.q0)

        def current(function: Function | None) -> Function | None:
            return None if function is None else self._used[id(function)][1]

        def all_current(functions: Sequence[Function]) -> list[Function]:
            return [self._used[id(function)][1] for function in functions]

        def kernel(what: str, functions: Sequence[Function | None], rows: list[Derivative] | None = None) -> Any:
            present = [function for function in functions if function is not None]
            if not present:
                return None
            if self._compiled is not None and all(id(function) in reused for function in present):
                return getattr(self._compiled, what)
            if rows is None:
                return values_kernel(self.label, all_current(present))
            return derivatives_kernel(self.label, rows, 3 * len(self._poses) if what == "body_rates" else n * d, q0)

        directions = derivatives(all_current(self._gaps), current(self._gap_jacobian), Rows(0, 1, d))
        if d > 1:
            jacobian = current(self._tangential_jacobian)
            directions += derivatives(all_current(self._tangential), jacobian, Rows(1, d - 1, d))
        contact_functions = [*self._gaps, *self._tangential, self._gap_jacobian, self._tangential_jacobian]
        return GeneralizedKernels(
            mass=kernel("mass", [self._mass]),
            force=kernel("force", [self._force]),
            potential=kernel("potential", [self._potential]),
            gaps=kernel("gaps", self._gaps),
            directions=kernel("directions", contact_functions, directions),
            bodies=kernel("bodies", self._poses),
            body_rates=kernel("body_rates", self._poses, derivatives(all_current(self._poses), None, Rows(0, 3, 3))),
        )


def _captured_values(function: Any) -> Any:
    """Return the values that a function captured; the identity of an object that is not a Python function."""
    return captured(function) if hasattr(getattr(function, "py_func", function), "__code__") else id(function)
