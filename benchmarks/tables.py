"""Results as tables: rows of words, which the terminal and the page both show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

import compare
from precision import Point, front, ratio_at_best, time_for

Results = dict[str, Any]
Rows = list[Sequence[str]]
ROUGH = 1e-2
TARGETS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
NAMES = {"carom": "carom", "exudyn": "Exudyn", "mujoco": "MuJoCo", "siconos": "Siconos"}
KNOWN, ALONE, LOOP = "impacts known", "follower alone", "loop alone"
"""In the name of a way that was told beforehand when impacts happen, of one that was given one coordinate, and of one
without building the model and recording."""
ASIDE = (KNOWN, ALONE, LOOP)
"""Ways that solve an easier problem, or a part of it; they have a line of their own."""
NEVER = "–"


def duration(seconds: float) -> str:
    """With three digits and a unit."""
    if not math.isfinite(seconds):
        return NEVER
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def digits(number: float) -> str:
    """Three of them, without powers of ten."""
    if not math.isfinite(number):
        return NEVER
    return f"{number:.{max(0, 2 - math.floor(math.log10(abs(number))))}f}" if number else "0"


def bar_rows(bars: Iterable[dict[str, Any]]) -> Rows:
    return [
        (
            bar["work"], f"{bar['measured'] * bar['scale']:.3g} {bar['unit']}",
            *((NEVER, NEVER) if bar["bar"] is None else
              (f"≤ {bar['bar'] * bar['scale']:.3g} {bar['unit']}", "yes" if bar["held"] else "NO")),
        )
        for bar in bars
    ]  # fmt: skip


BAR_HEAD = ("work", "measured", "bar", "held")


def ours_and_theirs(results: Results, key: str) -> tuple[list[Point], dict[str, list[Point]]]:
    """The points of carom and of the others; of these those with an easier problem on a line of their own."""
    table = results["peers"]["problems"][key]
    theirs = {}
    for name, lines in table.items():
        if name == "carom":
            continue
        found = compare.points(lines)
        theirs[NAMES[name]] = [point for point in found if not any(easier in point.way for easier in ASIDE)]
        for easier in ASIDE:
            aside = [point for point in found if easier in point.way]
            if aside:
                theirs[f"{NAMES[name]}, {easier}"] = aside
    ours = [point for point in compare.points(table["carom"]) if LOOP not in point.way]
    return ours, {name: found for name, found in theirs.items() if front(found)}


def our_loop(results: Results, key: str) -> list[Point]:
    """The points of carom's compiled loop alone, for problems where that was measured."""
    return [point for point in compare.points(results["peers"]["problems"][key]["carom"]) if LOOP in point.way]


PRECISION_HEAD = (
    "program", *(f"error {target:.0e}" for target in TARGETS), f"carom is faster at {ROUGH:.0e}", "its best error",
    "carom is faster there",
)  # fmt: skip


def precision_rows(results: Results, key: str) -> Rows:
    """CPU time of every program for given accuracies, and the ratio at its best one."""
    ours, theirs = ours_and_theirs(results, key)
    rows: Rows = [
        ("carom", *(duration(time_for(ours, target)) for target in TARGETS), "", f"{front(ours)[-1].error:.1e}", "")
    ]
    loop = our_loop(results, key)
    if loop:
        times = (duration(time_for(loop, target)) for target in TARGETS)
        rows.append((f"carom, {LOOP}", *times, "", f"{front(loop)[-1].error:.1e}", ""))
    for name, found in theirs.items():
        _, ratio = ratio_at_best(ours, found)
        times = (duration(time_for(found, target)) for target in TARGETS)
        rough = time_for(found, ROUGH) / time_for(ours, ROUGH)
        rows.append((name, *times, f"{digits(rough)} ×", f"{front(found)[-1].error:.1e}", f"{digits(ratio)} ×"))
    return rows


def per_step(lines: Iterable[dict[str, Any]], setting: str, way: str = "") -> float:
    """The least CPU seconds of a step with this setting."""
    return min(
        (line["seconds"] / line["steps"] for line in lines if line["setting"] == setting and way in line["way"]),
        default=math.inf,
    )


STEP_HEAD = ("program", "a step of 10 µs", "carom is faster")
STEP = "step 1e-05"


def step_rows(results: Results) -> Rows:
    table = results["peers"]["problems"].get("slider_crank_clearance")
    if table is None:
        return []
    ours = per_step(table["carom"], STEP, "moreau, generalized")
    rows: Rows = [("carom, Moreau and Lemke, generalized coordinates", duration(ours), "")]
    for name, lines in table.items():
        if name != "carom" and lines:
            seconds = per_step(lines, STEP)
            rows.append((f"{NAMES[name]}, its fastest way", duration(seconds), f"{digits(seconds / ours)} ×"))
    return rows


def ratios(results: Results) -> list[dict[str, Any]]:
    """The bars that are ratios to peers, for those peers that there are."""
    if "peers" not in results:
        return []
    found: list[tuple[str, float, float | None]] = []
    problems = results["peers"]["problems"]
    if "slider_crank_block" in problems:
        ours, theirs = ours_and_theirs(results, "slider_crank_block")
        for name, bar in (("Exudyn", 100.0), ("MuJoCo", 20.0)):
            for who in (name, f"{name}, {KNOWN}"):
                if who in theirs:
                    error, ratio = ratio_at_best(ours, theirs[who])
                    # The design asks of runs as anybody would start them; the others are shown beside.
                    asked = bar if who == name else None
                    found.append((f"slider-crank and block, {who}, error {error:.1e}", ratio, asked))
    if "loaded_cam" in problems:
        ours, theirs = ours_and_theirs(results, "loaded_cam")
        for who, bar in (("Exudyn", 1.0), (f"Exudyn, {ALONE}", None)):
            if who in theirs:
                error, ratio = ratio_at_best(ours, theirs[who])
                found.append((f"loaded cam, {who}, error {error:.1e}", ratio, bar))
    boxes = results["peers"].get("five_boxes", {})
    if boxes.get("carom"):
        # MuJoCo's contacts are others, so the design asks for no ratio.
        seconds = boxes["carom"][0]["seconds"]
        found += [
            (f"five boxes, MuJoCo, {line['way']}", line["seconds"] / seconds, None) for line in boxes.get("mujoco", ())
        ]
    arm = results["peers"].get("arm_in_spheres", {})
    if arm.get("carom"):
        seconds = arm["carom"][0]["seconds"]
        found += [
            (f"arm in spheres, MuJoCo, {line['way']}", line["seconds"] / seconds, 1.0) for line in arm.get("mujoco", ())
        ]
    table = problems.get("slider_crank_clearance", {})
    step = per_step(table.get("carom", ()), STEP, "moreau, generalized")
    for name, bar in (("siconos", 10.0), ("mujoco", 2.0)):
        if table.get(name):
            ratio = per_step(table[name], STEP) / step
            found.append((f"slider-crank with clearance, {NAMES[name]}, a step", ratio, bar))
    return [
        {"work": work, "measured": ratio, "bar": bar, "held": bar is None or ratio >= bar} for work, ratio, bar in found
    ]


RATIO_HEAD = ("how many times as fast as", "measured", "bar", "held")


def ratio_rows(results: Results) -> Rows:
    rows: Rows = []
    for row in ratios(results):
        asked = (NEVER, NEVER) if row["bar"] is None else (f"≥ {row['bar']:g} ×", "yes" if row["held"] else "NO")
        rows.append((row["work"], f"{digits(row['measured'])} ×", *asked))
    return rows


SPHERE_HEAD = ("spheres", "program", "a contact and step", "step", "1 s of motion", "mean overlap", "carom is faster")


def sphere_rows(results: Results) -> Rows:
    """Time of a step, and of a second of motion with the step each program takes."""
    rows: Rows = []
    for count, table in results["peers"]["spheres"].items():
        ours = math.inf
        for name, lines in table.items():
            for line in lines:
                step = float(line["setting"].removeprefix("step "))
                each = line["seconds"] / line["steps"]
                second = each / step
                if name == "carom" and math.isinf(ours):  # the first law is the one the others have, too
                    ours = second
                found = line["found"]
                rows.append((
                    count, f"{NAMES[name]}, {line['way']}", duration(each / found["contacts"]), duration(step),
                    duration(second), f"{100.0 * found['overlap']:.2g} % of the radius",
                    "" if name == "carom" else f"{digits(second / ours)} ×",
                ))  # fmt: skip
    return rows


BOXES_HEAD = ("program", "setting", "2 s of motion", "deepest penetration", "creep at the end", "carom is faster")


def boxes_rows(results: Results) -> Rows:
    """Time of the run beside penetration and creep, as the contacts differ; carom's default tolerance is its first."""
    rows: Rows = []
    table = results["peers"].get("five_boxes", {})
    ours = table["carom"][0]["seconds"] if table.get("carom") else math.nan
    for name, lines in table.items():
        for line in lines:
            found = line["found"]
            rows.append((
                f"{NAMES[name]}, {line['way']}", line["setting"], duration(line["seconds"]),
                f"{1e6 * found['penetration']:.3g} µm", f"{1e6 * found['creep']:.2g} µm/s",
                "" if name == "carom" else f"{digits(line['seconds'] / ours)} ×",
            ))  # fmt: skip
    return rows


ARM_HEAD = ("program", "setting", "0.5 s of motion", "deepest penetration", "carom is faster")


def arm_rows(results: Results) -> Rows:
    """Time of the run beside the penetration, as the contacts differ."""
    rows: Rows = []
    table = results["peers"].get("arm_in_spheres", {})
    ours = table["carom"][0]["seconds"] if table.get("carom") else math.nan
    for name, lines in table.items():
        for line in lines:
            rows.append((
                f"{NAMES[name]}, {line['way']}", line["setting"], duration(line["seconds"]),
                f"{1e3 * line['found']['penetration']:.2g} mm",
                "" if name == "carom" else f"{digits(line['seconds'] / ours)} ×",
            ))  # fmt: skip
    return rows


LAW_HEAD = ("program", "law", "a step", "of its built-in law's")


def law_rows(results: Results) -> Rows:
    rows: Rows = []
    for name, lines in results["peers"]["custom_law"].items():
        built_in = lines[0]["seconds"] if lines and lines[0]["way"] == "built-in" else math.nan
        for line in lines:
            share = line["seconds"] / built_in
            each = duration(line["seconds"] / line["steps"])
            rows.append((NAMES[name], line["way"], each, f"{share:.2f} ×" if math.isfinite(share) else NEVER))
    return rows


START_HEAD = ("program", "import", "first run", "later processes")


def start_rows(results: Results) -> Rows:
    return [
        (NAMES[name], *(duration(times.get(key, math.inf)) for key in ("import", "first", "next")))
        for name, times in results["peers"]["start"].items()
    ]


def shown(title: str, head: Sequence[str], rows: Rows) -> Table:
    """A table for the terminal."""
    table = Table(*head, title=escape(title))
    for row in rows:
        table.add_row(*(f"[red]{cell}" if cell == "NO" else escape(cell) for cell in row))
    return table


def bars(found: Iterable[dict[str, Any]]) -> Table:
    return shown("carom: speed", BAR_HEAD, bar_rows(found))


def peers(results: Results) -> list[Table]:
    """All comparisons, for the terminal."""
    made = [
        shown(f"{problem.title}: CPU time at equal accuracy ({problem.measure})", PRECISION_HEAD,
              precision_rows(results, problem.key))
        for problem in compare.PROBLEMS
        if problem.key in results["peers"]["problems"]
    ]  # fmt: skip
    made.append(shown("Slider-crank with clearance, time stepping", STEP_HEAD, step_rows(results)))
    made.append(shown("Five boxes settle into a stack", BOXES_HEAD, boxes_rows(results)))
    made.append(shown("An arm sweeps through 200 spheres", ARM_HEAD, arm_rows(results)))
    made.append(shown("Spheres in a box, one thread", SPHERE_HEAD, sphere_rows(results)))
    made.append(shown("A law written by the user", LAW_HEAD, law_rows(results)))
    made.append(shown("Starting: CPU time of a process", START_HEAD, start_rows(results)))
    made.append(shown("carom and its peers: bars", RATIO_HEAD, ratio_rows(results)))
    return made
