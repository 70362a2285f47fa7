"""The figures and tables of the papers, drawn again, each with the check of its case."""

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

from carom.gallery import CASES
from carom.gallery.case import Case, CheckFailed, Finding
from carom.gallery.compare import quiet
from carom.io.atomic_write import atomic_write
from carom.report import words
from carom.report.page import filled, own

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
"""The papers by the first letter of their figures' ids."""
IDS = re.compile(r"[TNMLC]?[ _]?(table[ _]?)?\d+[a-z]?", re.IGNORECASE)
SLOW = ("slider_crank_clearance", "cup_and_marble", "differential", "ball_on_swinging_disc", "quick_return")
"""Cases that take longest, which begin first."""


@dataclass
class Reproduced:
    """What came out of a case: its figures of the papers by id, and its check."""

    case: str
    title: str = ""
    description: str = ""
    reference: str = ""
    figures: dict[str, str] = field(default_factory=dict)
    """Files by id."""
    findings: list[Finding] = field(default_factory=list)
    failure: str | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.failure is None

    @property
    def verdict(self) -> str:
        """In one sentence."""
        if self.failure is not None:
            return self.failure
        if not self.findings:
            return "nothing compared"
        nearest = max(self.findings, key=lambda finding: finding.share)
        return f"{len(self.findings)} comparisons; the nearest to its bound: {nearest}"


def paper_figures(case: Case) -> list[str]:
    """Ids of a case's figures that stand in a paper."""
    return [name for name in case.figure_names if IDS.fullmatch(name)]


def reproduce_case(name: str, ids: Sequence[str], folder: str) -> Reproduced:
    """Run a case and draw those of its figures that are asked for: by id, by its name, or all where nothing is."""
    began = clock.perf_counter()
    with quiet():
        case = CASES[name]()
        known = paper_figures(case)
        wanted = known if not ids or name in ids else [one for one in known if one in ids]
        done = Reproduced(name, case.title, case.description, case.reference)
        if not wanted:
            return done
        result = case.run()
        try:
            done.findings = case.check(result)
        except CheckFailed as error:
            done.failure = str(error)
        from carom.plot import save_figure

        for one, figure in case.figures(result, *wanted).items():
            done.figures[one] = save_figure(figure, Path(folder) / f"{one}.png").name
    done.seconds = clock.perf_counter() - began
    return done


def reproduce(ids: Sequence[str], folder: Path, processes: int | None = None) -> Iterator[Reproduced]:
    """Every case that has such figures, as each is done; several at a time, in processes of their own."""
    names = sorted(CASES, key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))
    count = min(processes or os.cpu_count() or 1, len(names))
    if count == 1:
        yield from (reproduce_case(name, ids, str(folder)) for name in names)
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(reproduce_case, name, ids, str(folder)) for name in names]
        for future in as_completed(waiting):
            yield future.result()


def write_page(done: Sequence[Reproduced], folder: Path, seconds: float) -> Path:
    """One page with all figures, paper by paper, in the order of their numbers."""
    entries = sorted(
        ((one, item) for item in done for one in item.figures),
        key=lambda entry: (_letter(*entry), "table" in entry[0].lower(), _number(entry[0])),
    )
    rows = [
        (f"#{one}", one, item.case, "passed" if item.passed else "failed", item.verdict) for one, item in entries
    ]  # fmt: skip
    sections = []
    for letter, paper in PAPERS.items():
        own_entries = [(one, item) for one, item in entries if _letter(one, item) == letter]
        if own_entries:
            figures = "".join(_figure(one, item) for one, item in own_entries)
            sections.append(words.section(f"{letter}: {paper}", figures))
    failed = sum(not item.passed for item in done if item.figures)
    word, colour = ("every check passed", "good") if not failed else (f"{failed} cases failed their check", "bad")
    count = f"{len(entries)} figures and tables of {sum(bool(item.figures) for item in done)} cases"
    page = filled("reproduce.html", {
        "title": "The figures of the papers",
        "style": own("report.css"),
        "head": f'<p>{count} in {seconds:.0f} s; <b class="{colour}">{word}</b>.</p>',
        "table": _index(rows),
        "body": "".join(sections),
        "foot": escape(words.versions()),
    })  # fmt: skip
    path = folder / "index.html"
    with atomic_write(path, ".html") as part:
        part.write_text(page, encoding="utf-8")
    return path


def _index(rows: Sequence[tuple[str, str, str, str, str]]) -> str:
    lines = "".join(
        f'<tr><td><a href="{escape(link)}">{escape(one)}</a></td><td>{escape(case)}</td>'
        f'<td class="{"good" if word == "passed" else "bad"}">{word}</td><td>{escape(verdict)}</td></tr>'
        for link, one, case, word, verdict in rows
    )
    head = "".join(f"<th>{name}</th>" for name in ("figure", "case", "check", "in numbers"))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>\n'


def _figure(one: str, item: Reproduced) -> str:
    """A figure with its check."""
    verdict = '<b class="good">passed</b>' if item.passed else '<b class="bad">failed</b>'
    rows = [(finding.what, finding.error, finding.bound, finding.passed) for finding in item.findings]
    table = words.table(("compared", "off by", "bound", "passed"), rows) if rows else ""
    details = f"<details><summary>{len(rows)} comparisons</summary>{table}</details>" if rows else ""
    return (
        f'<figure class="paper" id="{escape(one)}"><h3>{escape(one)} · {escape(item.title)}</h3>\n'
        f'<img src="{escape(item.figures[one])}" alt="{escape(one)}: {escape(item.title)}" loading="lazy">\n'
        f"<figcaption>Check {verdict}: {escape(item.verdict)}. Case <code>{escape(item.case)}</code>, "
        f"{item.seconds:.1f} s.{details}</figcaption></figure>\n"
    )


def _letter(one: str, item: Reproduced) -> str:
    """Of the paper; "table 4" is in that of the other figures of its case."""
    lettered = [name for name in (one, *item.figures) if not name.lower().startswith("table")]
    named = [name for name in lettered if name[:1].upper() in PAPERS]
    return named[0][0].upper() if named else next(iter(PAPERS))


def _number(one: str) -> int:
    return int("".join(re.findall(r"\d+", one)) or 0)
