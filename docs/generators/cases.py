"""Gallery pages: every case with its figure, parameters and comparisons."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from carom.errors import suppress_warnings
from carom.gallery import CASES
from carom.gallery.case import title_and_description
from carom.gallery.validation.report_page import markdown
from carom.gallery.validation.runner import ValidationResult
from generators.page_figures import keep, picture
from generators.page_text import block, page

SLOW = ("slider_crank_clearance", "cup_and_marble", "differential", "quick_return", "box_of_spheres", "dominoes")
"""Longest cases, which are started first."""


def names() -> list[str]:
    return sorted(CASES, key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))


def make(name: str, folder: Path) -> dict[str, Any]:
    """Run a case, check it, draw it; what the pages show of it."""
    with suppress_warnings():
        case = CASES[name]()
        result = case.run()
        check_results = case.check(result)
        keep(case.figures(result, "overview")["overview"], folder / name)
    title, description = title_and_description(CASES[name])
    found = [{"what": one.quantity, "error": one.error, "bound": one.bound} for one in check_results]
    shown = ", ".join(str(parameter) for parameter in parameters(name))
    text = page(
        title,
        f"`#!python cm.gallery.{name}({shown})`\n{{ .signature }}",
        description.replace("``", "`"),
        picture(name, title),
        f"*{case.reference}*" if case.reference else "",
        block(f"import carom as cm\n\ncase = cm.gallery.{name}()\nresult = case.run()\ncase.check(result)"),
        f"On the command line `carom run {name} --report`. Figures: "
        f"{', '.join(f'`{one}`' for one in case.figure_names)}.",
        "## Compared",
        findings_table(found),
    )
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return {"name": name, "title": title, "findings": found, "method": case.options.get("method", "compliant")}


def parameters(name: str) -> list[inspect.Parameter]:
    """Return the parameters of a case without types."""
    found = inspect.signature(CASES[name]).parameters.values()
    return [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found]


def findings_table(check_results: list[dict[str, Any]]) -> str:
    rows = [
        f"| {one['what'].replace('|', chr(92) + '|')} | {one['error']:.2g} | {one['bound']:.2g} |"
        for one in check_results
    ]
    return "\n".join(["| what | off by | bound |", "|---|---:|---:|", *rows])


def gallery_page(done: dict[str, dict[str, Any]]) -> str:
    """Every case as a card, in the order of the registry."""
    cards = [
        f"-   "
        f"[![{done[name]['title']}]({name}.png#only-light)![{done[name]['title']}]({name}-dark.png#only-dark)]({name}.md)\n\n"
        f"    **[{done[name]['title']}]({name}.md)**\n\n    `{name}` · {done[name]['method']}"
        for name in CASES
    ]
    intro = (
        "Ready-made cases: `cm.gallery.<name>(…)` makes one, `case.run()` simulates it, `case.check(result)` "
        "compares it with theory or "
        "with a second method. `carom run <name>` does all of it."
    )
    return page("Gallery", intro, '<div class="grid cards" markdown>\n\n' + "\n\n".join(cards) + "\n\n</div>")


def validation_page(done: dict[str, dict[str, Any]], problems: list[ValidationResult], opening: str) -> str:
    """The problems with their references, then the comparisons of every case."""
    rows = []
    for name in CASES:
        for k, one in enumerate(done[name]["findings"]):
            link = f"[{name}](gallery/{name}.md)" if k == 0 else ""
            what = one["what"].replace("|", "\\|")
            rows.append(f"| {link} | {what} | {one['error']:.2g} | {one['bound']:.2g} |")
    count = len(rows)
    head = f"{count} comparisons of {len(CASES)} cases; the table is made by running them when this page is built."
    table = "\n".join(["| case | compared | off by | bound |", "|---|---|---:|---:|", *rows])
    return f"{opening.strip()}\n\n## Problems\n\n{markdown(problems)}\n## The gallery\n\n{head}\n\n{table}\n"


def write_findings(done: dict[str, dict[str, Any]], path: Path) -> None:
    path.write_text(json.dumps(done, indent=1, ensure_ascii=False), encoding="utf-8")
