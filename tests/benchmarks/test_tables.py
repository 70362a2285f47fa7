"""The tables say what was measured, with whatever programs there are."""

from __future__ import annotations

import math
from typing import Any

import pytest

import compare
import page
import tables


def line(way: str, setting: str, seconds: float, error: float | None, steps: int = 1000, **found: float) -> Any:
    return {"way": way, "setting": setting, "seconds": seconds, "steps": steps, "error": error, "found": found}


def results(*others: str) -> dict[str, Any]:
    """carom takes 2 ms for 1e-6 everywhere; the others a thousand times that for 1e-4."""
    way = "moreau, generalized"
    ours = [line(way, "step 1e-05", 1e-3, 1e-2), line(way, "step 1e-06", 2e-3, 1e-6)]
    theirs = [line("one", "step 1e-05", 1.0, 1e-2), line("one", "step 1e-06", 2.0, 1e-4)]
    table = {"carom": ours, **dict.fromkeys(others, theirs)}
    spheres = {name: [line("springs", "step 1e-04", 0.1, None, 100, contacts=1000, overlap=0.01)] for name in table}
    boxes = {
        "carom": [line("springs", "rtol 1e-08", 0.2, None, 2000, penetration=1.2e-5, creep=1e-10)],
        "mujoco": [line("own", "step 2e-03", 0.01, None, 1000, penetration=1.34e-4, creep=1.1e-5)],
    }
    return {
        "bars_at": "10:00", "peers_at": "10:05",
        "machine": {"date": "today", "processor": "P", "cores": 2, "system": "S", "python": "3", "load": 0.0},
        "programs": [
            {"name": name, "version": "1" if name in table else "", "why": "" if name in table else "no network"}
            for name in tables.NAMES
        ],
        "peers": {
            "problems": {problem.key: table for problem in compare.PROBLEMS},
            "five_boxes": {name: boxes[name] for name in table if name in boxes},
            "spheres": {"1000": spheres},
            "custom_law": {name: [line("built-in", "", 1.0, None), line("own", "", 1.1, None)] for name in table},
            "start": {name: {"import": 0.5} for name in table},
            "notes": [],
        },
    }  # fmt: skip


def test_the_ratio_stands_at_the_best_accuracy_of_the_other():
    rows = {row[0]: row for row in tables.precision_rows(results("exudyn"), "two_spheres")}
    # On carom's line, from 1e-2 in 1 ms to 1e-6 in 2 ms, an error of 1e-4 lies half way.
    assert rows["Exudyn"][-2:] == ("1.0e-04", f"{2.0 / (1e-3 * math.sqrt(2.0)):.0f} ×")
    assert rows["Exudyn"][5] == tables.NEVER
    assert rows["Exudyn"][-3] == "1000 ×"  # at 1e-2
    assert rows["carom"][5] == "2.00 ms"


def test_the_loop_alone_has_a_line_of_its_own_and_does_not_count_as_a_whole_call():
    measured = results("exudyn")
    problem = measured["peers"]["problems"]["two_spheres"] = dict(measured["peers"]["problems"]["two_spheres"])
    whole = {row[0]: row for row in tables.precision_rows(measured, "two_spheres")}
    problem["carom"] = [*problem["carom"], line("dopri5, loop alone", "rtol 1e-06", 1e-4, 1e-6)]
    rows = {row[0]: row for row in tables.precision_rows(measured, "two_spheres")}
    assert rows.pop("carom, loop alone")[1] == "100 µs"
    assert rows == whole


def test_bars_are_held_or_not():
    found = tables.ratios(results("exudyn", "siconos"))
    assert [row["held"] for row in found] == [True, True, True]  # two problems beside Exudyn, one beside Siconos
    assert found[-1]["measured"] == pytest.approx(1000.0)
    slow = results("siconos")
    slow["peers"]["problems"]["slider_crank_clearance"]["siconos"] = [line("one", "step 1e-05", 2e-3, 1e-2)]
    assert [row["held"] for row in tables.ratios(slow)] == [False]


def test_a_way_told_of_impacts_has_a_line_of_its_own():
    measurements = results("mujoco")
    measurements["peers"]["problems"]["slider_crank_block"]["mujoco"] = [
        line("Euler", "step 1e-05", 1.0, 1e-2), line("Euler, impacts known", "step 1e-05", 0.1, 1e-3),
    ]  # fmt: skip
    names = [row[0] for row in tables.precision_rows(measurements, "slider_crank_block")]
    assert names == ["carom", "MuJoCo", "MuJoCo, impacts known"]


def test_a_way_with_an_easier_problem_has_no_bar():
    easier = results("exudyn")
    easier["peers"]["problems"]["loaded_cam"]["exudyn"] = [
        line("bodies and joints, A", "step 1e-05", 1.0, 1e-2), line("follower alone, A", "step 1e-05", 1e-4, 1e-3),
    ]  # fmt: skip
    rows = {row["work"].split(", error")[0]: row for row in tables.ratios(easier)}
    assert rows["loaded cam, Exudyn"]["bar"] == 1.0
    assert rows["loaded cam, Exudyn, follower alone"]["bar"] is None
    assert rows["loaded cam, Exudyn, follower alone"]["measured"] < 1.0


def test_the_page_has_the_boxes_beside_mujoco():
    text = page.written(results("mujoco"))
    assert "## Five boxes settle into a stack\n" in text
    assert "penetration of 12.26 µm" in text  # 5 m g / 4 K
    assert "| MuJoCo, own | step 2e-03 | 10.0 ms | 134 µm | 11 µm/s | 0.0500 × |" in text
    assert "| five boxes, MuJoCo, own | 0.0500 × | – | – |" in text
    earlier = results("mujoco")
    del earlier["peers"]["five_boxes"]
    assert "Five boxes settle" not in page.written(earlier)


def test_tables_show_single_problems():
    measurements = results("mujoco")
    measurements["peers"]["problems"] = {}
    assert [table.row_count for table in tables.peers(measurements)][:2] == [0, 2]  # steps with clearance, boxes
    assert [row["work"] for row in tables.ratios(measurements)] == ["five boxes, MuJoCo, own"]


def test_boxes_state_penetration_and_creep_beside_the_time():
    assert tables.boxes_rows(results("mujoco")) == [
        ("carom, springs", "rtol 1e-08", "200 ms", "12 µm", "0.0001 µm/s", ""),
        ("MuJoCo, own", "step 2e-03", "10.0 ms", "134 µm", "11 µm/s", "0.0500 ×"),
    ]
    row = next(row for row in tables.ratios(results("mujoco")) if row["work"] == "five boxes, MuJoCo, own")
    assert row["measured"] == pytest.approx(0.05)
    assert row["held"]  # other contacts: there is no bar
    earlier = results()
    del earlier["peers"]["five_boxes"]
    assert tables.boxes_rows(earlier) == []


def test_the_page_says_what_could_not_be_had():
    text = page.written(results())
    assert "Not available: Exudyn: no network; MuJoCo: no network; Siconos: no network." in text
    assert "| carom |" in text
    assert "1.10 ×" in text
    assert all(f"## {problem.title}\n" in text for problem in compare.PROBLEMS)


def test_numbers_have_three_digits():
    assert [tables.digits(x) for x in (0.01234, 0.5, 9.876, 123.4, 4321.0, math.inf)] == [
        "0.0123", "0.500", "9.88", "123", "4321", tables.NEVER,
    ]  # fmt: skip
    assert [tables.duration(x) for x in (2.0, 1.5e-3, 20e-6, 3e-9, math.inf)] == [
        "2.00 s", "1.50 ms", "20.0 µs", "3.00 ns", tables.NEVER,
    ]  # fmt: skip
