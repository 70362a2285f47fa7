"""Runs of a case with other contact laws or onset methods, for figures that compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from carom.errors import ModelError, suppress_warnings
from carom.result.result import Result

if TYPE_CHECKING:
    from carom.gallery.case import Case

AUTHORS = {
    "hertz": "Hertz",
    "hunt_crossley": "Hunt–Crossley",
    "herbert_mcwhannell": "Herbert–McWhannell",
    "lee_wang": "Lee–Wang",
    "lankarani_nikravesh": "Lankarani–Nikravesh",
    "gonthier": "Gonthier et al.",
    "zhiying_qishao": "Zhiying–Qishao",
    "flores": "Flores et al.",
    "hu_guo": "Hu–Guo",
}
"""Labels of the laws in legends."""

DISSIPATIVE_LAWS = (
    "hunt_crossley", "herbert_mcwhannell", "lee_wang", "lankarani_nikravesh", "gonthier", "zhiying_qishao", "flores",
)  # fmt: skip
"""Dissipative laws compared by Machado et al. (2012)."""


def runs_with_laws(
    factory: Callable[..., Case], laws: Iterable[str], contact: str, finished: tuple[Case, Result], **options: Any
) -> dict[str, Result]:
    """Run a case with each of ``laws``; return the results by the label of the law.

    ``factory`` builds the case from the name of a law; ``options`` are passed to the run. The case and result in
    ``finished`` are used for their own law. Laws that do not allow the restitution of the case are left out.
    """
    case, result = finished
    runs = {}
    for name in laws:
        with suppress_warnings():
            try:
                variant = factory(name)
            except ModelError:
                continue
            is_finished = variant.system[contact].law == case.system[contact].law
            runs[AUTHORS[name]] = result if is_finished else variant.run(**options)
    return runs


ONSETS = {
    "event": "onset located as a root",
    "reject": "steps rejected (procedure 2)",
    "interpolate": "steps cut (procedure 1)",
    "none": "no control of the onset",
}
"""Labels of the onset methods in legends."""


def runs_with_onsets(
    factory: Callable[[str], Case], onsets: Iterable[str], result: Result, **options: Any
) -> dict[str, Result]:
    """Run a case with each of ``onsets`` to the end of ``result``, which is used for its own onset method."""
    with suppress_warnings():
        return {
            ONSETS[onset]: result
            if result.settings["onset"] == onset
            else factory(onset).run(t_end=float(result.t[-1]), **options)
            for onset in onsets
        }


def onset_method(result: Result) -> str:
    """Return the onset method of ``result``, or "event" for a run without onset control."""
    onset = str(result.settings["onset"])
    return "event" if onset == "none" else onset
