"""Parameters from measurements: least squares between runs of a model and data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, number, share, shown
from carom.study.comparison import Comparison
from carom.study.fitted import Fit
from carom.study.measured import Measured, measured
from carom.study.search import Search
from carom.study.subject import subject
from carom.study.uncertainty import LOSSES
from carom.study.unknowns import unknowns


def fit(
    case: Any,
    data: Any,
    parameters: Mapping[str, Any],
    *,
    sigma: Any = None,
    loss: str = "linear",
    columns: Mapping[str, str | None] | None = None,
    contact: Any = None,
    starts: int = 3,
    scan: int | None = None,
    guard: float = 1.0,
    covariance: str | None = None,
    confidence: float = 0.95,
    **values: Any,
) -> Fit:
    """Find ``parameters`` of ``case`` that make its runs agree with measured ``data``, and how well they are known.

    ``case``: a case by its name, a model file, a system or a function that makes one; ``parameters`` are any values it
    takes, places of its model among them: {"touch.law.stiffness": (1e8, 1e11), "restitution": (0.5, 0, 1)}, as bounds,
    as start and bounds, or as a dict (value, min, max, vary, log). ``values`` are the same for all runs: parameters,
    options of the run, places of the model.

    ``data``: a CSV file, a dict of arrays or a DataFrame with times ``t`` [s] from the start of the run and series by
    the names of results, "block.vx", "touch.normal_force"; or impacts in their order, {"impacts": {"t_start": …,
    "approach_speed": …, "separation_speed": …}}, or a list of their times, of ``contact`` where there are several.
    ``columns`` renames columns, and leaves those out that it gives None.

    ``sigma`` is the noise: a number, "1%" (of the largest value) or an array, for all columns or by column; None takes
    it from the residuals, each column by itself. ``loss``: "linear", or "soft_l1", "huber", "cauchy" where there are
    outliers. ``scan`` runs look for a start, and the search begins at up to ``starts`` places. Samples closer to a
    short impact than ``guard`` sampling intervals are left out of series that jump.

    Intervals are at ``confidence``, from Student's t and the ``covariance``: "classic" (JᵀJ; the default with a given
    ``sigma``) or "sandwich" (noise may differ from sample to sample; the default without). A robust loss has its own.
    """
    one, data = subject(case), measured(data, columns, getattr(contact, "name", contact))
    choice("fit", "loss", loss, tuple(LOSSES))
    choice("fit", "covariance", covariance or "classic", ("classic", "sandwich"))
    confidence = share("fit", "confidence", confidence)
    if "t_end" in values or "output" in values:
        raise ModelError("fit: the data say how long runs are and where they are read; leave out t_end and output")
    looked, held = unknowns("fit", parameters)
    both = sorted({item.name for item in looked} & set(values))
    if both:
        raise ModelError(f"fit: {', '.join(both)} cannot be both given and looked for")
    model = Comparison(one, data, looked, {**values, **held}, guard)
    if len(model.y) <= len(looked):
        count = f"{len(model.y)} measured numbers for {len(looked)} parameters"
        raise ModelError(f"fit: {count}; measure more, or hold some")
    search = Search(model, given_sigma(data, sigma), loss)
    search.look_around(scan)
    search.settle(max(int(starts), 1))
    return search.conclude(covariance, confidence)


def percentage(what: str, text: str) -> float:
    """Return the fraction that a text such as "1%" names."""
    try:
        return float(text.strip()[:-1]) / 100.0
    except ValueError:
        raise ModelError(f"fit: {what} must be a number or a percentage such as '1%', got {shown(text)}") from None


def given_sigma(data: Measured, sigma: Any) -> dict[str, np.ndarray] | None:
    """The noise of every sample by column, out of what was given; None where nothing was."""
    if sigma is None:
        return None
    by_name = sigma if isinstance(sigma, Mapping) else dict.fromkeys(data.columns, sigma)
    lacking = [name for name in data.columns if name not in by_name]
    strange = [name for name in by_name if name not in data.columns]
    if lacking or strange:
        raise ModelError(
            f"fit: sigma must name the columns {', '.join(data.columns)}; "
            + (f"{', '.join(lacking)} is missing" if lacking else f"there is no {', '.join(strange)}")
        )
    made = {}
    for name, values in data.columns.items():
        given = by_name[name]
        if isinstance(given, str) and given.strip().endswith("%"):
            given = percentage(f"sigma of {name}", given) * float(np.nanmax(np.abs(values)))
        each = np.asarray(given, float) if np.ndim(given) else np.full(len(values), number("fit", "sigma", given))
        if each.shape != values.shape or not np.all(each > 0.0):
            wanted = f"positive, one number or {len(values)} of them"
            raise ModelError(f"fit: sigma of {name} must be {wanted}, got {shown(given)}")
        made[name] = each
    return made
