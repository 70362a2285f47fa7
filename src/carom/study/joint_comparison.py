"""Comparison of an ideal, dry, lubricated and worn joint in the same mechanism."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import non_negative, short_repr
from carom.errors import ModelError
from carom.init_arguments import constructor_signature
from carom.model.registry import CLEARANCE_JOINTS
from carom.model.replacement import with_replacement
from carom.model.system import System
from carom.progress import Progress
from carom.result.joint_diagnosis import FILM, JointDiagnosis, diagnose_joint
from carom.result.name_lookup import name_of
from carom.result.result import Result
from carom.scene.html_table import table
from carom.study.compare import Comparison, VariantRun
from carom.study.study_model import BuiltModel, FixedModel, StudyModelLike, as_study_model
from carom.study.sweep_result import align_columns, short_text
from carom.typing import ElementLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IDEAL, DRY, LUBRICATED, WORN = "ideal", "dry", "lubricated", "worn"
"""Names of the variants."""
SURFACE = ("lubricant", "roughness", "wear")
"""Arguments of a joint that a dry unworn one does not have."""


class JointComparison(Comparison):
    """Runs of a mechanism with variants of one joint: "ideal", "dry", "lubricated", "worn".

    It is a `Comparison` whose rows describe the joint: shares of the modes, impacts, losses of contact, reactions.
    ``start`` [s] omits the transient.

    Examples
    --------
    >>> import carom as cm
    >>> comparison = cm.compare_joint("quick_return", "rocker pivot", t_end=0.02)
    >>> list(comparison.results)
    ['ideal', 'dry']
    """

    def __init__(self, name: str, joint: str, results: Mapping[str, Result], left_out: Mapping[str, str], start: float):
        super().__init__(name, results, left_out, IDEAL, ())
        self.joint, self.start = joint, start

    @property
    def diagnoses(self) -> dict[str, JointDiagnosis]:
        """Diagnosis of each variant with clearance."""
        return {
            label: diagnose_joint(result, self.joint, start=self.start)
            for label, result in self.results.items()
            if result[self.joint].kind in CLEARANCE_JOINTS
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one mapping per variant: diagnosis of the joint, its reactions relative to the ideal ones, losses."""
        ideal = self.results[IDEAL]
        inside = ideal.t >= self.start
        t, force = ideal.t[inside], ideal[self.joint].force[inside]
        largest = float(np.max(force))
        mean = float(np.trapezoid(force, t) / (t[-1] - t[0])) if t[-1] > t[0] else largest
        diagnoses = self.diagnoses
        blank: dict[str, Any] = dict.fromkeys(next(iter(diagnoses.values())).facts())
        for label, result in self.results.items():
            facts = blank | {"largest force [N]": largest, "mean force [N]": mean}
            if label in diagnoses:
                facts = dict(diagnoses[label].facts())
            ratio = facts["largest force [N]"] / largest if largest > 0.0 else None
            energy = result.energy
            yield {
                "variant": label,
                **facts,
                "largest / ideal force": ratio,
                "thinnest film [m]": self._thinnest_film(result),
                "worn volume [m³]": self._worn_volume(result),
                "energy lost [J]": float(energy.dissipated[-1] + energy.friction[-1]),
                "energy drift": energy.drift,
            }

    def __str__(self) -> str:
        lines = align_columns([[short_text(value) for value in row] for row in self._columns()])
        return "\n".join([*lines, *(f"{label} left out: {reason}" for label, reason in self.left_out.items())])

    def _columns(self) -> list[list[Any]]:
        """Return the rows as columns, with the name of each quantity in front."""
        rows = list(self.rows())
        return [[name, *(row[name] for row in rows)] for name in rows[0]]

    def _worn_volume(self, result: Result) -> float | None:
        """Return the volume that both bodies have lost in the run [m³]; None without wear."""
        record = result.wear.get(self.joint)
        return None if record is None else float(np.sum(record.volumes[-1] - record.volumes[0]))

    def _thinnest_film(self, result: Result) -> float | None:
        """Return the thinnest film of the run [m]; None without a lubricant."""
        film = self.joint + FILM
        return float(np.min(result[film].film_thickness[result.t >= self.start])) if film in result else None

    def plot(self, *what: str, **options: Any) -> Figure:
        """Plot reactions and orbits of all variants (`plot_joint_comparison`), or the series ``what`` of all runs."""
        if what:
            return super().plot(*what, **options)
        from carom.plot.joint_comparison import plot_joint_comparison

        return plot_joint_comparison(self.results, self.joint, **{"start": self.start, **options})

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the comparison and the run of its last variant as one HTML file; ``options`` of `write_report`."""
        from carom.plot.notebook import figure_html

        headings, *rows = self._columns()
        content = table(headings, [[_cell(value) for value in row] for row in rows]) + figure_html(
            self.plot(look="light")
        )
        last, result = list(self.results.items())[-1]
        title = {"title": f"{self.name}: joint {self.joint}"}
        sections = {f"Variants of {self.joint}; the animation shows {last}": content}
        return Path(result.report(path, **{**title, **options, "sections": sections}))


def _cell(value: Any) -> Any:
    """Return a value that a table can show."""
    return float(value) if isinstance(value, (float, np.floating)) else value


def compare_joint(
    case: StudyModelLike,
    joint: ElementLike,
    t_end: float | None = None,
    *,
    lubricant: Any = None,
    wear: Any = None,
    start: float = 0.0,
    progress: bool | Callable[[float], Any] | None = None,
    **options: Any,
) -> JointComparison:
    """Run a mechanism with variants of one joint with clearance and compare them.

    The variants are: "ideal", an ideal joint in its place, in a system assembled anew; "dry", the joint without
    lubricant and wear; "lubricated", with ``lubricant`` or that of the joint; "worn", with ``wear`` or that of the
    joint. The last two exist only where a lubricant or wear is given. ``case`` is a system, a gallery case or its name,
    or a model file; ``options`` are those of `simulate`; ``start`` [s] omits the transient of the diagnosis. A variant
    that cannot run is left out and its error message is stored.

    Examples
    --------
    >>> import carom as cm
    >>> oil = cm.lubrication.LongBearing(viscosity=0.4, length=0.02)
    >>> comparison = cm.compare_joint("quick_return", "rocker pivot", t_end=0.01, lubricant=oil)
    >>> list(comparison.results)
    ['ideal', 'dry', 'lubricated']
    """
    name = name_of(joint)
    model = as_study_model(case).build({})
    system = model.system
    if not isinstance(system, System):
        raise ModelError(f"compare_joint: {model.name} has generalised coordinates and no joints; use a System")
    element = system[name]
    if type(element).__name__ not in CLEARANCE_JOINTS:
        raise ModelError(f"compare_joint: {element.label} is not a joint with clearance, which is what it compares")
    non_negative("compare_joint", "start", start)
    run_options = {**model.options, **options, **({} if t_end is None else {"t_end": t_end})}
    if "t_end" not in run_options:
        raise ModelError("compare_joint: t_end is missing; set the end time of the run [s], for example t_end=1.0")
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    systems = variants(system, name, lubricant, wear)
    with Progress(f"joint {name}", len(systems), progress, "{task.completed:.0f} of {task.total:.0f} runs") as bar:
        for k, (label, variant) in enumerate(systems.items(), 1):
            outcome = VariantRun(FixedModel(BuiltModel(f"{model.name}, {label}", variant, run_options)))({})
            if isinstance(outcome, Result):
                results[label] = outcome
            else:
                left_out[label] = outcome
            bar(k)
    if IDEAL not in results or len(results) == 1:
        raise ModelError(f"compare_joint: no variant of {model.name} can run: {next(iter(left_out.values()))}")
    return JointComparison(model.name, name, results, left_out, start)


def variants(system: System, name: str, lubricant: Any = None, wear: Any = None) -> dict[str, System]:
    """Return the systems with variants of a joint, by name.

    Examples
    --------
    >>> import carom as cm
    >>> from carom.study.joint_comparison import variants
    >>> list(variants(cm.gallery.quick_return().system, "crank pin"))
    ['ideal', 'dry']
    """
    joint = system[name]
    given = {"lubricant": lubricant, "wear": wear}
    known = constructor_signature(type(joint)).parameters
    for key, value in given.items():
        if value is not None and key not in known:
            raise ModelError(f"compare_joint: {joint.label} takes no {key}, got {short_repr(value)}; leave it out")
    current = joint.keywords()
    surface = {key: value if value is not None else current.get(key) for key, value in given.items()}
    systems = {IDEAL: with_replacement(system, name, lambda old: old.ideal_joint()).assemble()}
    systems[DRY] = _with_surface(system, name, {})
    if surface["lubricant"] is not None:
        changes = {"lubricant": surface["lubricant"], "roughness": current.get("roughness")}
        systems[LUBRICATED] = _with_surface(system, name, changes)
    if surface["wear"] is not None:
        systems[WORN] = _with_surface(system, name, {"wear": surface["wear"]})
    return systems


def _with_surface(system: System, name: str, surface: Mapping[str, Any]) -> System:
    """Return the system with the surface of a joint: its lubricant and wear; without changes the system itself."""
    current = system[name].keywords()
    wanted = {key: value for key, value in surface.items() if value is not None}
    if wanted == {key: current[key] for key in SURFACE if current.get(key) is not None}:
        return system

    def replace(old: Any) -> Any:
        first, second = old.markers()
        rest = {key: value for key, value in old.keywords().items() if key not in ("a", "b", "at", "name", *SURFACE)}
        return type(old)(first, second, **rest, **wanted, name=name)

    return with_replacement(system, name, replace)
