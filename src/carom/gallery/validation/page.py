"""The validation problems as a page: Markdown, or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from carom.gallery.validation.run import Validated
from carom.io.atomic_write import atomic_write
from carom.report import words
from carom.report.page import filled, own

FORMATS = (".html", ".md")


def write_validation(done: Sequence[Validated], path: Path) -> Path:
    """Write ``path``, HTML or Markdown as its ending says."""
    text = html(done) if path.suffix == ".html" else f"# Validation\n\n{markdown(done)}"
    with atomic_write(path, path.suffix) as part:
        part.write_text(text, encoding="utf-8")
    return path


def verdict(done: Sequence[Validated]) -> str:
    """In one sentence."""
    failed = [one.name for one in done if not one.passed]
    count = f"{sum(len(one.findings) for one in done)} comparisons of {len(done)} problems"
    return f"{count}: {'all within their bounds' if not failed else 'failed: ' + ', '.join(failed)}."


def markdown(done: Sequence[Validated]) -> str:
    """A table of all comparisons, and below it what each problem is, with its reference."""
    rows = []
    for one in done:
        for k, finding in enumerate(one.findings):
            head = f"[{one.title}](#{one.name})" if k == 0 else ""
            off = f"{finding.error:.2g}" if finding.passed else f"**{finding.error:.2g}**"
            rows.append(f"| {head} | {_cell(finding.what)} | {one.against} | {off} | {finding.bound:.2g} |")
        if one.failure is not None:
            rows.append(f"| [{one.title}](#{one.name}) | **{_cell(one.failure)}** | {one.against} | | |")
    table = "\n".join(["| problem | compared | with | off by | bound |", "|---|---|---|---:|---:|", *rows])
    parts = [
        f'<a id="{one.name}"></a>\n\n**{one.title}.** {one.description.replace("``", "`")} *{one.reference}.* '
        f"`carom validate {one.name}`"
        for one in done
    ]
    return "\n\n".join([verdict(done), table, *parts]) + "\n"


def html(done: Sequence[Validated]) -> str:
    """A page that opens without a network."""
    seconds = sum(one.seconds for one in done)
    colour = "good" if all(one.passed for one in done) else "bad"
    return filled("reproduce.html", {
        "title": "Validation",
        "style": own("report.css"),
        "head": f'<p><b class="{colour}">{escape(verdict(done))}</b> {seconds:.0f} s of work.</p>',
        "table": "",
        "body": "".join(map(_section, done)),
        "foot": escape(words.versions()),
    })  # fmt: skip


def _section(one: Validated) -> str:
    rows = [(finding.what, finding.error, finding.bound, finding.passed) for finding in one.findings]
    table = words.table(("compared", "off by", "bound", "passed"), rows) if rows else ""
    word, colour = ("passed", "good") if one.passed else ("failed", "bad")
    failure = f'<p class="note">{escape(one.failure)}</p>\n' if one.failure is not None else ""
    about = (
        f"<p>{escape(one.description.replace('``', ''))}</p>\n"
        f'<p><b class="{colour}">{word}</b>, against: {escape(one.against)}. <i>{escape(one.reference)}</i>. '
        f"<code>carom validate {escape(one.name)}</code>, {one.seconds:.1f} s.</p>\n"
    )
    return words.section(one.title, about + failure + table)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
