"""Reproduction of the figures and tables of the papers, each with the check of its case."""

from __future__ import annotations

import os
import re
import time as clock
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from html import escape
from multiprocessing import get_context
from pathlib import Path

from carom.errors import suppress_warnings
from carom.gallery import CASES
from carom.gallery.case import Case, CheckFailed, CheckResult
from carom.io.atomic_write import atomic_write
from carom.report import html_sections
from carom.report.html_page import fill_template, package_file
from carom.scene import html_table

PAPERS = {
    "T": "P. Flores, J. Ambrósio, On the contact detection for contact-impact analysis in multibody systems, "
    "Multibody System Dynamics 24 (2010) 103–122",
    "N": "P. Flores, R. Leine, C. Glocker, Modeling and analysis of planar rigid multibody systems with translational "
    "clearance joints based on the non-smooth dynamics approach, Multibody System Dynamics 23 (2010) 165–190",
    "M": "Z. Zhu, X. Ma, D. Liang, X. Jiang, Y. Liu, C. Lu, F. Zhou, A penalty function-based Modelica library for "
    "multi-body contact collision",
    "L": "M. Machado, P. Flores, J. Ambrósio, A lookup-table-based approach for spatial analysis of contact problems, "
    "Journal of Computational and Nonlinear Dynamics, 2014, doi 10.1115/1.4026894",
    "C": "M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody dynamics: "
    "Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121",
}
"""Papers by the first letter of their figure ids."""
FIGURE_ID = re.compile(r"[TNMLC]?[ _]?(table[ _]?)?\d+[a-z]?", re.IGNORECASE)
SLOW_CASES = ("slider_crank_clearance", "cup_and_marble", "differential", "ball_on_swinging_disc", "quick_return")
"""Cases with the longest computing time, which are started first."""


@dataclass
class ReproducedCase:
    """Figures of a case that appear in papers, with its check."""

    case: str
    title: str = ""
    description: str = ""
    reference: str = ""
    figures: dict[str, str] = field(default_factory=dict)
    """File names by figure id."""
    check_results: list[CheckResult] = field(default_factory=list)
    failure: str | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True if the check passed."""
        return self.failure is None

    @property
    def verdict(self) -> str:
        """Result of the check in one sentence."""
        if self.failure is not None:
            return self.failure
        if not self.check_results:
            return "nothing compared"
        closest = max(self.check_results, key=lambda check: check.bound_fraction)
        return f"{len(self.check_results)} comparisons; closest to its bound: {closest}"


def paper_figures(case: Case) -> list[str]:
    """Return the ids of the figures of a case that appear in a paper."""
    return [name for name in case.figure_names if FIGURE_ID.fullmatch(name)]


def reproduce_case(name: str, ids: Sequence[str], folder: str) -> ReproducedCase:
    """Run a case and draw its requested figures: by id, by the name of the case, or all if ``ids`` is empty."""
    start = clock.perf_counter()
    with suppress_warnings():
        built = CASES[name]()
        available = paper_figures(built)
        requested = available if not ids or name in ids else [figure_id for figure_id in available if figure_id in ids]
        reproduced = ReproducedCase(name, built.title, built.description, built.reference)
        if not requested:
            return reproduced
        result = built.run()
        try:
            reproduced.check_results = built.check(result)
        except CheckFailed as error:
            reproduced.failure = str(error)
        from carom.plot import save_figure

        for figure_id, figure in built.figures(result, *requested).items():
            reproduced.figures[figure_id] = save_figure(figure, Path(folder) / f"{figure_id}.png").name
    reproduced.seconds = clock.perf_counter() - start
    return reproduced


def reproduce(ids: Sequence[str], folder: Path, processes: int | None = None) -> Iterator[ReproducedCase]:
    """Yield the cases as they are finished, computed in parallel processes."""
    names = sorted(CASES, key=lambda name: SLOW_CASES.index(name) if name in SLOW_CASES else len(SLOW_CASES))
    count = min(processes or os.cpu_count() or 1, len(names))
    if count == 1:
        yield from (reproduce_case(name, ids, str(folder)) for name in names)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(reproduce_case, name, ids, str(folder)) for name in names]
        for future in as_completed(futures):
            yield future.result()


def write_page(cases: Sequence[ReproducedCase], folder: Path, seconds: float) -> Path:
    """Write one page with all figures, by paper and number."""
    entries = sorted(
        ((figure_id, case) for case in cases for figure_id in case.figures),
        key=lambda entry: (_paper(*entry), "table" in entry[0].lower(), _number(entry[0])),
    )
    rows = [
        (f"#{figure_id}", figure_id, case.case, "passed" if case.passed else "failed", case.verdict)
        for figure_id, case in entries
    ]
    sections = []
    for letter, paper in PAPERS.items():
        paper_entries = [(figure_id, case) for figure_id, case in entries if _paper(figure_id, case) == letter]
        if paper_entries:
            figures = "".join(_figure(figure_id, case) for figure_id, case in paper_entries)
            sections.append(html_sections.section(f"{letter}: {paper}", figures))
    failed = sum(not case.passed for case in cases if case.figures)
    status, colour = ("every check passed", "good") if not failed else (f"the checks of {failed} cases failed", "bad")
    count = f"{len(entries)} figures and tables of {sum(bool(case.figures) for case in cases)} cases"
    page = fill_template("reproduce.html", {
        "title": "The figures of the papers",
        "style": package_file("report.css"),
        "head": f'<p>{count} in {seconds:.0f} s; <b class="{colour}">{status}</b>.</p>',
        "table": _index(rows),
        "body": "".join(sections),
        "foot": escape(html_sections.versions()),
    })  # fmt: skip
    path = folder / "index.html"
    with atomic_write(path, ".html") as part:
        part.write_text(page, encoding="utf-8")
    return path


def _index(rows: Sequence[tuple[str, str, str, str, str]]) -> str:
    lines = "".join(
        f'<tr><td><a href="{escape(link)}">{escape(figure_id)}</a></td><td>{escape(case)}</td>'
        f'<td class="{"good" if status == "passed" else "bad"}">{status}</td><td>{escape(verdict)}</td></tr>'
        for link, figure_id, case, status, verdict in rows
    )
    head = "".join(f"<th>{name}</th>" for name in ("figure", "case", "check", "result"))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>\n'


def _figure(figure_id: str, case: ReproducedCase) -> str:
    """Return the HTML of a figure with its check."""
    verdict = '<b class="good">passed</b>' if case.passed else '<b class="bad">failed</b>'
    rows = [(check.quantity, check.error, check.bound, check.passed) for check in case.check_results]
    table = html_table.table(("compared", "off by", "bound", "passed"), rows) if rows else ""
    details = f"<details><summary>{len(rows)} comparisons</summary>{table}</details>" if rows else ""
    return (
        f'<figure class="paper" id="{escape(figure_id)}"><h3>{escape(figure_id)} · {escape(case.title)}</h3>\n'
        f'<img src="{escape(case.figures[figure_id])}" loading="lazy" '
        f'alt="{escape(figure_id)}: {escape(case.title)}">\n'
        f"<figcaption>Check {verdict}: {escape(case.verdict)}. Case <code>{escape(case.case)}</code>, "
        f"{case.seconds:.1f} s.{details}</figcaption></figure>\n"
    )


def _paper(figure_id: str, case: ReproducedCase) -> str:
    """Return the letter of the paper; a "table 4" belongs to the paper of the other figures of its case."""
    figure_ids = [name for name in (figure_id, *case.figures) if not name.lower().startswith("table")]
    with_letter = [name for name in figure_ids if name[:1].upper() in PAPERS]
    return with_letter[0][0].upper() if with_letter else next(iter(PAPERS))


def _number(figure_id: str) -> int:
    return int("".join(re.findall(r"\d+", figure_id)) or 0)
