"""Solvers of contact problems: what they take and what they leave over, by the number of contacts."""

from __future__ import annotations

import inspect
import time as clock
from functools import cache
from pathlib import Path

import numpy as np

import carom as cm
from carom.solve.nonsmooth import alart_curnier, enumeration, gauss_seidel, lemke
from carom.solve.nonsmooth.registry import FALLBACKS, SOLVERS
from making.sheet import BLUE, FAINT, keep, picture, sheet
from making.words import Entry, block, markdown, page, summary

TITLE = "Contact solvers"
INTRO = (
    'How the impulses of a step are found: `cm.simulate(…, method="nonsmooth", solver=…)`, and on their own '
    "`cm.lcp.contact(…, method=…)`. The [theory](../../theory.md#the-contact-problem) has the problem."
)
MODULES = {"lemke": lemke, "enumeration": enumeration, "alart-curnier": alart_curnier, "pgs": gauss_seidel}
COUNTS = (1, 2, 4, 8, 16, 32, 64)
MOST = {"enumeration": 4}


def names() -> list[str]:
    return list(SOLVERS)


def make(name: str, folder: Path) -> Entry:
    text = markdown(inspect.getdoc(MODULES[name]) or "") if name in MODULES else markdown(SOLVERS[name].__doc__ or "")
    with sheet(8.0, 3.4) as figure:
        left, right = figure.subplots(1, 2)
        for other, (counts, seconds, residuals) in measured().items():
            own = other == name
            look = {"color": BLUE if own else FAINT, "lw": 1.8 if own else 0.9, "ms": 4}
            left.loglog(counts, 1e6 * np.array(seconds), "o-", **look)
            left.annotate(
                other,
                (counts[-1], 1e6 * seconds[-1]),
                xytext=(-2, 5),
                textcoords="offset points",
                fontsize=7,
                color=look["color"],
                ha="right",
            )
            right.loglog(counts, np.maximum(residuals, 1e-17), "o-", **look)
            right.annotate(
                other,
                (counts[-1], max(residuals[-1], 1e-17)),
                xytext=(-2, 5),
                textcoords="offset points",
                fontsize=7,
                color=look["color"],
                ha="right",
            )
        left.set_ylabel("time of one problem [µs]")
        right.set_ylabel("residual [m/s]")
        for axes in (left, right):
            axes.set_xlabel("contacts")
    keep(figure, folder / name)
    example = (
        "import carom as cm\n\n"
        "G = [[3.8, 0.0], [0.0, 13.3]]    # a ball on the floor: Wᵀ M⁻¹ W [1/kg]\n"
        f'cm.lcp.contact(G, [-3.7, 0.5], friction=0.2, method="{name}")'
    )
    after = ", ".join(f'`"{other}"`' for other in FALLBACKS.get(name, ()))
    return Entry(name, f'"{name}"', summary(text), page(
        f'"{name}"', text, f"Where it finds nothing, {after} are tried." if after else "",
        picture(name, f"Time and residual of {name} over the number of contacts"),
        "*Random planar problems with friction 0.3, called from Python; time includes the call. Grey: the other "
        "solvers.*",
        block(example),
    ))  # fmt: skip


@cache
def measured() -> dict[str, tuple[list[int], list[float], list[float]]]:
    """By solver: numbers of contacts, seconds and residuals, medians of a few problems each."""
    rng = np.random.default_rng(3)
    problems = {count: [problem(rng, count) for _ in range(3)] for count in COUNTS}
    found = {}
    for name in SOLVERS:
        counts = [count for count in COUNTS if count <= MOST.get(name, COUNTS[-1])]
        seconds, left_over = [], []
        for count in counts:
            times, residuals = [], []
            for G, b in problems[count]:
                cm.lcp.contact(G, b, 0.3, method=name)
                began = clock.perf_counter()
                P = cm.lcp.contact(G, b, 0.3, method=name)
                times.append(clock.perf_counter() - began)
                residuals.append(residual(G, b, P))
            seconds.append(float(np.median(times)))
            left_over.append(float(np.median(residuals)))
        found[name] = (counts, seconds, left_over)
    return found


def problem(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    W = rng.standard_normal((2 * count, 2 * count + 3))
    return W @ W.T / W.shape[1], rng.standard_normal(2 * count)


def residual(G: np.ndarray, b: np.ndarray, P: np.ndarray) -> float:
    """How far the impulses are from a solution, by the proximal equations."""
    xi = G @ P + b
    normal = P[::2] - np.maximum(P[::2] - xi[::2], 0.0)
    bound = 0.3 * P[::2]
    tangent = P[1::2] - np.clip(P[1::2] - xi[1::2], -bound, bound)
    return float(max(np.abs(normal).max(), np.abs(tangent).max()))
