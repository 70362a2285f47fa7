"""The validation problems as a page: Markdown, or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from carom.gallery.validation.runner import ValidationResult
from carom.io.whole import whole
from carom.report import words
from carom.report.page import filled, own

FORMATS = (".html", ".md")


def write_validation(done: Sequence[ValidationResult], path: Path) -> Path:
    """Write ``path``, HTML or Markdown as its ending says."""
    text = html(done) if path.suffix == ".html" else f"# Validation\n\n{markdown(done)}"
    with whole(path, path.suffix) as part:
        part.write_text(text, encoding="utf-8")
    return path


def verdict(done: Sequence[ValidationResult]) -> str:
    """In one sentence."""
    failed = [one.name for one in done if not one.passed]
    count = f"{sum(len(one.check_results) for one in done)} comparisons of {len(done)} problems"
    return f"{count}: {'all within their bounds' if not failed else 'failed: ' + ', '.join(failed)}."


def markdown(done: Sequence[ValidationResult]) -> str:
    """A table of all comparisons, and below it what each problem is, with its reference."""
    rows = []
    for one in done:
        for k, check in enumerate(one.check_results):
            head = f"[{one.title}](#{one.name})" if k == 0 else ""
            off = f"{check.error:.2g}" if check.passed else f"**{check.error:.2g}**"
            rows.append(f"| {head} | {_cell(check.quantity)} | {one.against} | {off} | {check.bound:.2g} |")
        if one.failure is not None:
            rows.append(f"| [{one.title}](#{one.name}) | **{_cell(one.failure)}** | {one.against} | | |")
    table = "\n".join(["| problem | compared | with | off by | bound |", "|---|---|---|---:|---:|", *rows])
    parts = [
        f'<a id="{one.name}"></a>\n\n**{one.title}.** {one.description.replace("``", "`")} *{one.reference}.* '
        f"`carom validate {one.name}`"
        for one in done
    ]
    return "\n\n".join([verdict(done), table, *parts]) + "\n"


def html(done: Sequence[ValidationResult]) -> str:
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


def _section(one: ValidationResult) -> str:
    rows = [(check.quantity, check.error, check.bound, check.passed) for check in one.check_results]
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
