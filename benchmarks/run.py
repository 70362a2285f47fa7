"""carom's speed, on this machine: the bars of the design, then the same problems in its peers. `make bench`.

`python benchmarks/run.py [--bars | --peers] [--only PROBLEM …] [--docs] [--from FILE]`: one half only, or some problems
again; the page docs/benchmarks.md and its figures, too; all from an earlier build/bench.json instead of measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

import compare
import tables

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "bench.json"
CONSOLE = Console()


def machine() -> dict[str, Any]:
    """Return the machine and the versions that the numbers belong to."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return {
        "processor": model, "cores": os.cpu_count(), "system": platform.platform(terse=True),
        "python": platform.python_version(), "date": time.strftime("%Y-%m-%d"), "load": os.getloadavg()[0],
    }  # fmt: skip


def measure(bars_too: bool, peers_too: bool, only: Sequence[str]) -> dict[str, Any]:
    """Both halves; what there is goes to build/bench.json on the way, where the other half stays."""
    results: dict[str, Any] = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    results["machine"] = machine()

    def keep() -> None:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")

    if bars_too:
        import bars

        results["bars_at"] = time.strftime("%H:%M")
        results["bars"] = [{**asdict(row), "held": row.held} for row in bars.measure()]
        CONSOLE.print(tables.bars(results["bars"]))
        keep()
    if peers_too:
        results["peers_at"] = time.strftime("%H:%M")
        found = compare.find(ROOT / "build" / "peers", CONSOLE.log)
        results["programs"] = [{"name": p.name, "version": p.version, "why": p.why} for p in found]
        compare.measure(found, CONSOLE.log, keep, results.setdefault("peers", {}), only or compare.WORK)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--bars", action="store_true", help="carom's own bars alone")
    half.add_argument("--peers", action="store_true", help="the comparison alone")
    parser.add_argument(
        "--only", nargs="+", default=[], choices=compare.WORK, metavar="PROBLEM", help=", ".join(compare.WORK)
    )
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md and its figures")
    parser.add_argument("--from", dest="source", type=Path, help="an earlier build/bench.json")
    chosen = parser.parse_args()
    if chosen.source:
        results = json.loads(chosen.source.read_text(encoding="utf-8"))
    else:
        results = measure(not (chosen.peers or chosen.only), not chosen.bars, chosen.only)
    if "peers" in results and not chosen.bars:
        for table in tables.peers(results):
            CONSOLE.print(table)
    if chosen.docs:
        import page

        page.write(results, ROOT / "docs")
    missed = [row for row in (*results.get("bars", ()), *tables.ratios(results)) if not row["held"]]
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
