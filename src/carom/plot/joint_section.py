"""Section of a report on joints with clearance: table, and a figure of each."""

from __future__ import annotations

from carom.plot.joint_diagnosis import plot_joint
from carom.plot.notebook import figure_html
from carom.result.joint_diagnosis import clearance_joints, diagnose_joint
from carom.result.result import Result
from carom.scene.html_table import table

MAX_PICTURES = 6
"""Largest number of joints with a figure; the table lists all of them."""
TITLE = "Joints with clearance"


def joint_sections(result: Result) -> dict[str, str]:
    """Return the section with modes, impacts and reactions of all joints with clearance; nothing without any."""
    names = clearance_joints(result)
    if not names or not result.t[-1] > result.t[0]:
        return {}
    facts = [diagnose_joint(result, name).facts() for name in names]
    rows = [(quantity, *(row[quantity] for row in facts)) for quantity in facts[0]]
    pictures = [figure_html(plot_joint(result, name, look="light")) for name in names[:MAX_PICTURES]]
    return {TITLE: table(("joint", *names), rows) + "".join(pictures)}
