"""The same case with other contact laws, for the figures that compare them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from carom.errors import CaromWarning, ModelError
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
"""Laws as a legend names them."""

SEVEN = (
    "hunt_crossley", "herbert_mcwhannell", "lee_wang", "lankarani_nikravesh", "gonthier", "zhiying_qishao", "flores",
)  # fmt: skip
"""The dissipative laws that Machado et al. 2012 compare."""


@contextmanager
def quiet() -> Iterator[None]:
    """No advice about laws and steps that a comparison chose on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        yield


def with_laws(
    maker: Callable[..., Case], laws: Iterable[str], contact: str, given: tuple[Case, Result], **options: Any
) -> dict[str, Result]:
    """Runs of a case with each of ``laws``, by the names of their authors; ``options`` go to the run.

    ``maker`` takes the name of a law. The run that is ``given`` stands for its own law; a law that cannot have the
    restitution of the case is left out.
    """
    case, result = given
    runs = {}
    for name in laws:
        with quiet():
            try:
                other = maker(name)
            except ModelError:
                continue
            same = other.system[contact].law == case.system[contact].law
            runs[AUTHORS[name]] = result if same else other.run(**options)
    return runs


ONSETS = {
    "event": "onset located as a root",
    "reject": "steps rejected (procedure 2)",
    "interpolate": "steps cut (procedure 1)",
    "none": "no control of the onset",
}
"""Ways to find the beginning of a contact, as a legend names them."""


def with_onsets(
    maker: Callable[[str], Case], onsets: Iterable[str], result: Result, **options: Any
) -> dict[str, Result]:
    """Runs of a case with each of ``onsets``, as long as ``result``, which stands for its own."""
    with quiet():
        return {
            ONSETS[onset]: result
            if result.settings["onset"] == onset
            else maker(onset).run(t_end=float(result.t[-1]), **options)
            for onset in onsets
        }


def controlled(result: Result) -> str:
    """The way in which ``result`` found its contacts, or as a root where it did not control that."""
    onset = str(result.settings["onset"])
    return "event" if onset == "none" else onset
