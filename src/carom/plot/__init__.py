"""Figures of runs: time series, energy, contacts, impacts, drawings of the mechanism, animations. No window opens."""

from carom.plot.animation import animate
from carom.plot.bifurcation import plot_bifurcation
from carom.plot.compare import plot_comparison
from carom.plot.contact_history import plot_contact
from carom.plot.energy import plot_energy
from carom.plot.hysteresis_loop import plot_loop
from carom.plot.impacts import plot_impacts
from carom.plot.joint_comparison import plot_joint_comparison
from carom.plot.joint_diagnosis import plot_impact_rose, plot_joint, plot_joint_modes
from carom.plot.mechanism import plot_mechanism, plot_system
from carom.plot.orbit import plot_orbit
from carom.plot.overview import plot_overview
from carom.plot.phase_portrait import plot_phase
from carom.plot.poincare_section import plot_section
from carom.plot.restitution import plot_restitution
from carom.plot.slider_corners import plot_corners
from carom.plot.step_sizes import plot_steps
from carom.plot.style import save_figure, use
from carom.plot.sweep import plot_sweep
from carom.plot.time_series import plot_result
from carom.plot.worn_profile import plot_wear

__all__ = [
    "animate",
    "plot_bifurcation",
    "plot_comparison",
    "plot_contact",
    "plot_corners",
    "plot_energy",
    "plot_impact_rose",
    "plot_impacts",
    "plot_joint",
    "plot_joint_comparison",
    "plot_joint_modes",
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
    "plot_system",
    "plot_wear",
    "save_figure",
    "use",
]
