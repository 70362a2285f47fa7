"""Systems in the user's own generalised coordinates, given by plain Python functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from carom.argument_checks import non_negative, short_repr
from carom.errors import ModelError
from carom.init_arguments import Sealed
from carom.kernels.derivatives import Rows, Slope, slopes_kernel
from carom.kernels.state_functions import Function, GeneralKernel, values_kernel
from carom.kernels.user_functions import captured, name_of
from carom.laws.impact_law import ImpactLaw
from carom.model.generalized_checks import (
    check_affine,
    check_jacobian,
    check_mass,
    constant,
    each_impact,
    named,
    numbers,
    shape_text,
    table,
    taken,
)


@dataclass(frozen=True)
class GeneralFunctions:
    """The compiled functions of a system with f coordinates, n contacts and d directions a contact.

    Each is a kernel of (t, q, u). ``mass`` writes M row by row, ``force`` h, ``gaps`` the n gaps. ``directions``
    writes, for every contact, d rows (normal, then tangents) of f + 1 numbers w, w̃, so that γ = w·u + w̃. ``bodies``
    writes x, y, angle of each body, ``body_rates`` a row of f + 1 numbers for each of these. None: there is none.
    """

    mass: GeneralKernel
    force: GeneralKernel
    potential: GeneralKernel | None
    gaps: GeneralKernel | None
    directions: GeneralKernel | None
    bodies: GeneralKernel | None
    body_rates: GeneralKernel | None

    @property
    def user_kernels(self) -> list[GeneralKernel]:
        """All of them: a run asks for what they raised."""
        return [kernel for kernel in vars(self).values() if kernel is not None]


class GeneralizedSystem(Sealed):
    """A system M(q, t) u̇ = h(q, u, t) + Σ w λ with q̇ = u, in f coordinates of the user's choice.

    ``q0``, ``u0`` are the state at the start. ``mass`` is the (f, f) matrix M or a function that gives it; ``force``
    the vector h: gyroscopic terms, weights, springs, everything but contacts. ``gaps`` gives the gaps g_N [m] of n
    contacts (one function, or a list with a function a contact), negative where they overlap; ``impact`` says what
    happens where they close (one `ImpactLaw`, or a list of n).

    ``slips``, needed for friction, gives one tangential direction a contact, n numbers, or two, an (n, 2) array: as
    velocities γ_T(q, u, t), linear in u, when it takes u, and else as displacements g_T(q, t), whose rates they are.
    ``potential`` [J] is for the energy ledger; h contains its force already. Other work of h is booked as applied work.
    ``gap_jacobian`` (n, f) and ``slip_jacobian`` (n, f) or (n, 2, f) are found by differentiation, exact to rounding,
    unless they are given.

    ``bodies`` shows the motion: name -> function that gives (x, y, angle), or (function, mass, inertia).
    ``coordinates`` and ``contacts`` name the coordinates and the gaps.

    Functions take what they name, of ``q``, ``u`` and ``t`` in any order, and return a number, a tuple (fastest), a
    list or an array. They are compiled when a run first needs them. A ball above a table that swings:

        GeneralizedSystem(
            q0=[1.0], u0=[0.0], mass=[[2.0]], force=[-2.0 * 9.81],
            gaps=lambda q, t: q[0] - 0.1 * math.sin(5.0 * t), impact=ImpactLaw(restitution=0.8))

    Notation: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, sections 2 and 6.
    """

    dim = 2
    assignable = {"q0": numbers, "u0": numbers}
    change_advice = "build a new GeneralizedSystem instead"

    def __init__(
        self,
        q0: Any,
        u0: Any,
        mass: Any,
        force: Any,
        gaps: Any = None,
        *,
        slips: Any = None,
        impact: ImpactLaw | Sequence[ImpactLaw] | None = None,
        potential: Callable[..., Any] | None = None,
        gap_jacobian: Any = None,
        slip_jacobian: Any = None,
        bodies: Mapping[str, Any] | None = None,
        coordinates: Sequence[str] | None = None,
        contacts: Sequence[str] | None = None,
        name: str = "system",
    ):
        if not isinstance(name, str) or not name:
            raise ModelError(f"GeneralizedSystem: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        self.q0: tuple[float, ...] = q0
        self.freedom = len(self.q0)
        if self.freedom == 0:
            raise ModelError(f"{self.label}: q0 must have at least one coordinate")
        self.u0: tuple[float, ...] = u0
        self.coordinates = named(self.label, "coordinates", coordinates, self.freedom, "q{}")
        self._take_dynamics(mass, force, potential)
        self._take_gaps(gaps, gap_jacobian, impact, contacts)
        self._take_slips(slips, slip_jacobian)
        self._take_bodies(bodies)
        self.names = (*self.coordinates, *self.contacts, *self.bodies)
        for k, given in enumerate(self.names):
            if given in self.names[:k]:
                raise ModelError(f"{self.label}: the name {given!r} is there twice; each coordinate, contact and body "
                                 "needs its own")  # fmt: skip
        self._compiled: GeneralFunctions | None = None
        self._used: dict[int, tuple[Any, Function]] = {}  # functions as compiled, and the values they captured
        self._written: Mapping[str, Any] | None = None  # functions that write their results themselves
        self.derivation: Mapping[str, Any] | None = None  # the expressions it was derived from

    def to_yaml(self, path: str | os.PathLike[str] | None = None, run: Mapping[str, Any] | None = None) -> str:
        """The system as a model file, as `System.to_yaml`; one that is made of Python functions has none."""
        from carom.io.model.model_writer import write

        return write(self, path, run)

    @classmethod
    def from_lagrangian(
        cls,
        coordinates: Sequence[Any],
        kinetic: Any,
        potential: Any,
        gaps: Sequence[Any] = (),
        *,
        q0: Any,
        u0: Any,
        slips: Sequence[Any] = (),
        velocities: Sequence[Any] | None = None,
        forces: Sequence[Any] | None = None,
        parameters: Mapping[Any, float] | None = None,
        time: Any = None,
        impact: ImpactLaw | Sequence[ImpactLaw] | None = None,
        bodies: Mapping[str, Any] | None = None,
        contacts: Sequence[str] | None = None,
        name: str = "system",
    ) -> GeneralizedSystem:
        """The system from SymPy expressions, by Lagrange's equations of the second kind.

        ``coordinates`` are symbols, or ``dynamicsymbols``; ``velocities`` the symbols of their rates (for a symbol
        ``x`` the usual one is ``x_dot``; of ``dynamicsymbols`` the derivative serves as well). ``kinetic`` T and
        ``potential`` V are the energies [J], ``gaps`` and ``slips`` lists of expressions: slips are tangential
        displacements, or velocities where they contain velocities, and pairs where a contact has two directions.
        ``forces`` are generalised forces that no potential gives. ``parameters`` are symbols (or their names) with
        their values, ``time`` the symbol of time. ``bodies`` is name -> (x, y, angle), or ((x, y, angle), mass,
        inertia). A pendulum that hits a wall:

            x, v, m, l, g = sympy.symbols("x v m l g")
            GeneralizedSystem.from_lagrangian(
                [x], m * (l * v) ** 2 / 2, -m * g * l * sympy.cos(x), [l * sympy.sin(x)], velocities=[v],
                q0=[1.0], u0=[0.0], parameters={m: 1.0, l: 0.5, g: 9.81}, impact=ImpactLaw(restitution=0.7))
        """
        from carom.model.lagrange_equations import derive

        arguments, written, told = derive(
            coordinates, kinetic, potential, gaps,
            slips=slips, velocities=velocities, forces=forces, parameters=parameters, time=time, bodies=bodies,
            name=name,
        )  # fmt: skip
        system = cls(q0, u0, **arguments, impact=impact, contacts=contacts, name=name)
        system._written, vars(system)["derivation"] = written, told
        return system

    def _check_assignment(self, key: str, value: Any) -> Any:
        return numbers(self.label, key, value, vars(self).get("freedom"))

    @property
    def label(self) -> str:
        return f"GeneralizedSystem {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self.label}: {self.freedom} coordinates, {self.contact_count} contacts>"

    @property
    def directions(self) -> int:
        """Directions a contact has: 1 (normal), 2 or 3 with tangents."""
        return 1 + self._tangents

    # ---- what it is given

    def _take_dynamics(self, mass: Any, force: Any, potential: Any) -> None:
        f = self.freedom
        self._mass = self._function("mass", mass, "qt", [(f, f)] if f > 1 else [(1, 1), (1,), ()])
        self._force = self._function("force", force, "qut", [(f,)] if f > 1 else [(1,), ()])
        self._potential = None if potential is None else self._function("potential", potential, "qt", [(), (1,)])
        check_mass(self.label, self.coordinates, self._start(self._mass).reshape(f, f))
        self._check_finite("force", self._force, self.coordinates)
        if self._potential is not None:
            self._check_finite("potential", self._potential, ("",))

    def _take_gaps(self, gaps: Any, jacobian: Any, impact: Any, contacts: Any) -> None:
        self._gaps = [] if gaps is None else self._functions("gaps", gaps, "qt")
        n = self.contact_count = sum(function.count for function in self._gaps)
        self.contacts = named(self.label, "contacts", contacts, n, "contact {}")
        self.impacts = each_impact(self.label, impact, self.contacts)
        at = 0
        for function in self._gaps:
            self._check_finite("the gap", function, self.contacts[at:])
            at += function.count
        if n == 0 and jacobian is not None:
            raise ModelError(f"{self.label}: gap_jacobian without gaps; give the gap of each contact, too")
        shapes: list[tuple[int, ...]] = [(n, self.freedom)]
        if 1 in shapes[0]:
            shapes.append((n * self.freedom,))
        self._gap_jacobian = None if jacobian is None else self._function("gap_jacobian", jacobian, "qt", shapes)
        check_jacobian("gap_jacobian", self._gaps, self._gap_jacobian, self.coordinates, self.q0, self.u0)

    def _take_slips(self, slips: Any, jacobian: Any) -> None:
        n, f = self.contact_count, self.freedom
        if n == 0 and (slips is not None or jacobian is not None):
            raise ModelError(f"{self.label}: slips without gaps; give the gap of each contact, too")
        self._slips = [] if slips is None else self._functions("slips", slips, "qut")
        self._slip_jacobian = None
        self._tangents = 0
        if slips is not None:
            count = sum(function.count for function in self._slips)
            form = table(self.label, self._slips[0].sample).shape
            one_each = len(self._slips) == n if not callable(slips) else n == 1 or form[:1] == (n,)
            if count not in (n, 2 * n) or not one_each:
                raise ModelError(f"{self.label}: slips must give {n} numbers or an array ({n}, 2), one or two "
                                 f"directions for each contact, got {shape_text(form)}")  # fmt: skip
            self._tangents = count // n
            at = 0
            for function in self._slips:
                self._check_finite("the slip", function, [self.contacts[k // self._tangents] for k in range(at, count)])
                check_affine(function, self.q0, self.u0)
                at += function.count
                if at % self._tangents:
                    raise ModelError(f"{self.label}: slips must all have the same number of directions, got "
                                     f"{[function.count for function in self._slips]} from the functions")  # fmt: skip
        if jacobian is not None:
            per = [self._tangents] if self._tangents else [1, 2]
            shapes = [shape for m in per for shape in ([(n, m, f), (n, f)] if m == 1 else [(n, m, f)])]
            self._slip_jacobian = self._function("slip_jacobian", jacobian, "qt", shapes)
            self._tangents = self._slip_jacobian.count // (n * f)
            check_jacobian("slip_jacobian", self._slips, self._slip_jacobian, self.coordinates, self.q0, self.u0)
        for contact, impact in zip(self.contacts, self.impacts, strict=True):
            if not self._tangents and (impact.friction > 0.0 or impact.tangential_restitution > 0.0):
                raise ModelError(f"{self.label}: {contact!r} has {impact!r}, which needs a tangential direction; "
                                 "give slips")  # fmt: skip

    def _take_bodies(self, bodies: Mapping[str, Any] | None) -> None:
        if bodies is not None and not isinstance(bodies, Mapping):
            raise ModelError(f"{self.label}: bodies must be a dict, name -> function that gives (x, y, angle), "
                             f"got {short_repr(bodies)}")  # fmt: skip
        self.bodies = named(self.label, "bodies", tuple(bodies or ()), len(bodies or ()), "")
        self.inertias: dict[str, tuple[float, float]] = {}
        """Mass [kg] and inertia [kg m²] of the bodies that have them; for information."""
        self._places = []
        for name, value in (bodies or {}).items():
            function, *numbers = value if isinstance(value, (tuple, list)) else (value,)
            if numbers:
                if len(numbers) != 2:
                    raise ModelError(f"{self.label}: body {name!r} must be a function, or (function, mass, inertia), "
                                     f"got {short_repr(value)}")  # fmt: skip
                owner = f"{self.label}: body {name!r}"
                self.inertias[name] = (
                    non_negative(owner, "mass", numbers[0]),
                    non_negative(owner, "inertia", numbers[1]),
                )
            self._places.append(self._function(f"body {name!r}", function, "qt", [(3,)]))
            self._check_finite(f"body {name!r}", self._places[-1], ("x", "y", "angle"))

    def _functions(self, what: str, given: Any, allowed: str) -> list[Function]:
        """Gaps or slips: one function for all of them, or a list with one for each contact."""
        if callable(given):
            return [self._function(what, given, allowed, None)]
        if not isinstance(given, (list, tuple)) or not all(callable(function) for function in given) or not given:
            raise ModelError(f"{self.label}: {what} must be a function or a list of functions, got {short_repr(given)}")
        shapes = [(), (1,)] if what == "gaps" else [(), (1,), (2,)]
        return [self._function(f"{what}[{k}]", function, allowed, shapes) for k, function in enumerate(given)]

    def _function(self, what: str, given: Any, allowed: str, shapes: Sequence[tuple[int, ...]] | None) -> Function:
        """A function of some of q, u and t, tried once at the start, or a constant array."""
        owner = f"{self.label}: {what}"
        fixed = not callable(given)
        if fixed:
            given = constant(table(owner, given))
        takes = taken(owner, given, allowed)
        state = {"q": self._fixed(self.q0), "u": self._fixed(self.u0), "t": 0.0}
        try:
            sample = getattr(given, "py_func", given)(**{key: state[key] for key in takes})
        except Exception as trouble:
            raise ModelError(f"{owner}: {name_of(given)!r} raised {type(trouble).__name__} at the start (q0, u0, "
                             f"t = 0): {trouble}") from trouble  # fmt: skip
        shape = table(owner, sample).shape
        if shapes is None:
            shapes = [shape] if len(shape) < 2 or (len(shape) == 2 and what == "slips") else [(shape[0],)]
        if shape not in shapes or 0 in shape:
            wanted = " or ".join(shape_text(shape) for shape in shapes)
            raise ModelError(f"{owner}: must give {wanted}, got {shape_text(shape)}: {sample!r}")
        return Function(self.label, given, takes, sample, self.freedom, fixed)

    def _fixed(self, values: Sequence[float]) -> np.ndarray:
        """A state that functions may read only."""
        array = np.array(values)
        array.flags.writeable = False
        return array

    def _start(self, function: Function) -> np.ndarray:
        return function.numbers(np.array(self.q0), np.array(self.u0), 0.0)

    # ---- what must hold at the start

    def _check_finite(self, what: str, function: Function, names: Sequence[str]) -> None:
        for value, name in zip(self._start(function), names, strict=False):
            if not np.isfinite(value):
                raise ModelError(f"{self.label}: {what}{f' of {name!r}' if name else ''} must be finite, got {value} "
                                 "at the start (q0, u0, t = 0)")  # fmt: skip

    # ---- what a run uses

    def compiled(self) -> GeneralFunctions:
        """The compiled functions; each is kept while the values that the user's functions captured stay the same."""
        if self._written is not None:
            self._compiled = self._compiled or self._compile_written(self._written)
            return self._compiled
        before, self._used = self._used, {}
        for function in self._all():
            values = _captured(function.function)
            known = before.get(id(function))
            same = known is not None and values is not None and known[0] == values
            self._used[id(function)] = known if known is not None and same else (values, function.fresh())
        kept = {place for place, known in self._used.items() if before.get(place) is known}
        if self._compiled is None or len(kept) < len(self._used):
            self._compiled = self._compile(kept)
        return self._compiled

    def _all(self) -> list[Function]:
        single = (self._mass, self._force, self._potential, self._gap_jacobian, self._slip_jacobian)
        return [*(function for function in single if function), *self._gaps, *self._slips, *self._places]

    def _compile(self, kept: set[int]) -> GeneralFunctions:
        """All kernels, those of functions that are ``kept`` as they were."""
        d, n, start = self.directions, self.contact_count, np.array(self.q0)

        def own(function: Function | None) -> Function | None:
            return None if function is None else self._used[id(function)][1]

        def kernel(what: str, functions: Sequence[Function | None], rows: list[Slope] | None = None) -> Any:
            present = [function for function in functions if function is not None]
            if not present:
                return None
            if self._compiled is not None and all(id(function) in kept for function in present):
                return getattr(self._compiled, what)
            if rows is None:
                return values_kernel(self.label, all_own(present))
            return slopes_kernel(self.label, rows, 3 * len(self._places) if what == "body_rates" else n * d, start)

        def all_own(functions: Sequence[Function]) -> list[Function]:
            return [self._used[id(function)][1] for function in functions]

        directions = _slopes(all_own(self._gaps), own(self._gap_jacobian), Rows(0, 1, d))
        if d > 1:
            directions += _slopes(all_own(self._slips), own(self._slip_jacobian), Rows(1, d - 1, d))
        rates = _slopes(all_own(self._places), None, Rows(0, 3, 3))
        return GeneralFunctions(
            mass=kernel("mass", [self._mass]),
            force=kernel("force", [self._force]),
            potential=kernel("potential", [self._potential]),
            gaps=kernel("gaps", self._gaps),
            directions=kernel(
                "directions", [*self._gaps, *self._slips, self._gap_jacobian, self._slip_jacobian], directions
            ),
            bodies=kernel("bodies", self._places),
            body_rates=kernel("body_rates", self._places, rates),
        )

    def _compile_written(self, written: Mapping[str, Any]) -> GeneralFunctions:
        f, d, bodies = self.freedom, self.directions, len(self.bodies)
        sizes = {
            "mass": f * f,
            "force": f,
            "potential": 1,
            "gaps": self.contact_count,
            "directions": self.contact_count * d * (f + 1),
            "bodies": 3 * bodies,
            "body_rates": 3 * bodies * (f + 1),
        }
        kernels = {what: _kernel(f, size, written[what]) if size else None for what, size in sizes.items()}
        return GeneralFunctions(**kernels)  # type: ignore[arg-type]


@cache
def _kernel(freedom: int, outputs: int, written: Any) -> GeneralKernel:
    """Compiled once for all systems with the same formula."""
    return GeneralKernel("GeneralizedSystem.from_lagrangian", freedom, outputs, written, written)


def _slopes(functions: Sequence[Function], jacobian: Function | None, rows: Rows) -> list[Slope]:
    """Derivatives of functions whose numbers follow each other in ``rows``."""
    if len(functions) == 1:
        return [Slope(functions[0], rows, jacobian)]
    slopes = [] if jacobian is None else [Slope(None, rows, jacobian)]
    at = 0
    for function in functions:
        place = Rows(rows(at), rows.each, rows.stride)
        slopes.append(Slope(function, place, only_time=jacobian is not None))
        at += function.count
    return slopes


def _captured(function: Any) -> Any:
    """The outer values of a function; an object, which runs as Python, is itself."""
    return captured(function) if hasattr(getattr(function, "py_func", function), "__code__") else id(function)
