"""Figures: series over time, the energy ledger, contacts and impacts, the mechanism itself. They need no window."""

from carom.plot.bifurcation import plot_bifurcation
from carom.plot.compare import plot_comparison
from carom.plot.contact import plot_contact
from carom.plot.corners import plot_corners
from carom.plot.energy import plot_energy
from carom.plot.impacts import plot_impacts
from carom.plot.loop import plot_loop
from carom.plot.mechanism import plot_mechanism
from carom.plot.orbit import plot_orbit
from carom.plot.overview import plot_overview
from carom.plot.phase import plot_phase
from carom.plot.restitution import plot_restitution
from carom.plot.section import plot_section
from carom.plot.series import plot_result
from carom.plot.steps import plot_steps
from carom.plot.style import save_figure, use
from carom.plot.sweep import plot_sweep

__all__ = [
    "plot_bifurcation",
    "plot_comparison",
    "plot_contact",
    "plot_corners",
    "plot_energy",
    "plot_impacts",
    "plot_loop",
    "plot_mechanism",
    "plot_orbit",
    "plot_overview",
    "plot_phase",
    "plot_restitution",
    "plot_result",
    "plot_section",
    "plot_steps",
    "plot_sweep",
    "save_figure",
    "use",
]
