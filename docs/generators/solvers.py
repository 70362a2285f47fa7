"""Reference pages of the contact solvers: time and residual over the number of contacts."""

from __future__ import annotations

import inspect
import time as clock
from functools import cache
from pathlib import Path

import numpy as np

import carom as cm
from carom.solve.contact_problem import alart_curnier, enumeration, lemke, projected_gauss_seidel
from carom.solve.contact_problem.registry import FALLBACKS, SOLVERS
from generators.page_figures import BLUE, FAINT, keep, picture, sheet
from generators.page_text import Entry, block, markdown, page, summary

TITLE = "Contact solvers"
INTRO = (
    'Solvers for the impulses of a time step: `cm.simulate(…, method="nonsmooth", solver=…)`, or alone: '
    "`cm.lcp.contact(…, method=…)`. The [theory](../../theory.md#the-contact-problem) states the problem."
)
MODULES = {"lemke": lemke, "enumeration": enumeration, "alart-curnier": alart_curnier, "pgs": projected_gauss_seidel}
COUNTS = (1, 2, 4, 8, 16, 32, 64)
MAX_COUNT = {"enumeration": 4}


def names() -> list[str]:
    return list(SOLVERS)


def make(name: str, folder: Path) -> Entry:
    text = markdown(inspect.getdoc(MODULES[name]) or "") if name in MODULES else markdown(SOLVERS[name].__doc__ or "")
    with sheet(8.0, 3.4) as figure:
        left, right = figure.subplots(1, 2)
        for other, (counts, seconds, residuals) in measurements().items():
            is_current = other == name
            style = {"color": BLUE if is_current else FAINT, "lw": 1.8 if is_current else 0.9, "ms": 4}
            left.loglog(counts, 1e6 * np.array(seconds), "o-", **style)
            left.annotate(
                other,
                (counts[-1], 1e6 * seconds[-1]),
                xytext=(-2, 5),
                textcoords="offset points",
                fontsize=7,
                color=style["color"],
                ha="right",
            )
            right.loglog(counts, np.maximum(residuals, 1e-17), "o-", **style)
            right.annotate(
                other,
                (counts[-1], max(residuals[-1], 1e-17)),
                xytext=(-2, 5),
                textcoords="offset points",
                fontsize=7,
                color=style["color"],
                ha="right",
            )
        left.set_ylabel("time of one problem [µs]")
        right.set_ylabel("residual [m/s]")
        for axes in (left, right):
            axes.set_xlabel("contacts")
    keep(figure, folder / name)
    example = (
        "import carom as cm\n\n"
        "G = [[3.8, 0.0], [0.0, 13.3]]    # a sphere on the floor: Wᵀ M⁻¹ W [1/kg]\n"
        f'cm.lcp.contact(G, [-3.7, 0.5], friction=0.2, method="{name}")'
    )
    fallbacks = ", ".join(f'`"{other}"`' for other in FALLBACKS.get(name, ()))
    return Entry(name, f'"{name}"', summary(text), page(
        f'"{name}"', text, f"If it finds no solution, {fallbacks} are tried." if fallbacks else "",
        picture(name, f"Time and residual of {name} over the number of contacts"),
        "*Random 2D problems with friction 0.3, called from Python; the time includes the call. Grey: the other "
        "solvers.*",
        block(example),
    ))  # fmt: skip


@cache
def measurements() -> dict[str, tuple[list[int], list[float], list[float]]]:
    """Return, by solver, numbers of contacts, times [s] and residuals [m/s]: medians of a few problems each."""
    rng = np.random.default_rng(3)
    problems = {count: [random_problem(rng, count) for _ in range(3)] for count in COUNTS}
    results = {}
    for name in SOLVERS:
        counts = [count for count in COUNTS if count <= MAX_COUNT.get(name, COUNTS[-1])]
        seconds, median_residuals = [], []
        for count in counts:
            times, residuals = [], []
            for G, b in problems[count]:
                cm.lcp.contact(G, b, 0.3, method=name)
                start = clock.perf_counter()
                P = cm.lcp.contact(G, b, 0.3, method=name)
                times.append(clock.perf_counter() - start)
                residuals.append(residual(G, b, P))
            seconds.append(float(np.median(times)))
            median_residuals.append(float(np.median(residuals)))
        results[name] = (counts, seconds, median_residuals)
    return results


def random_problem(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return G [1/kg] and b [m/s] of a random 2D problem."""
    W = rng.standard_normal((2 * count, 2 * count + 3))
    return W @ W.T / W.shape[1], rng.standard_normal(2 * count)


def residual(G: np.ndarray, b: np.ndarray, P: np.ndarray) -> float:
    """Return the residual of the proximal equations [m/s]."""
    xi = G @ P + b
    normal = P[::2] - np.maximum(P[::2] - xi[::2], 0.0)
    bound = 0.3 * P[::2]
    tangent = P[1::2] - np.clip(P[1::2] - xi[1::2], -bound, bound)
    return float(max(np.abs(normal).max(), np.abs(tangent).max()))
