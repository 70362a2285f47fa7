"""Registry of gallery cases by name. A new case is one new file in ``cases/``, and its import and name here."""

from __future__ import annotations

from collections.abc import Callable

from carom.gallery.case import Case
from carom.gallery.cases.ball_on_incline import ball_on_incline
from carom.gallery.cases.ball_on_swinging_disc import ball_on_swinging_disc
from carom.gallery.cases.bouncing_ball import bouncing_ball
from carom.gallery.cases.box_of_spheres import box_of_spheres
from carom.gallery.cases.bumper import bumper
from carom.gallery.cases.cam_follower import cam_follower
from carom.gallery.cases.chain import chain
from carom.gallery.cases.condyles import condyles
from carom.gallery.cases.crank_press import crank_press
from carom.gallery.cases.cup_and_marble import cup_and_marble
from carom.gallery.cases.differential import differential
from carom.gallery.cases.dominoes import dominoes
from carom.gallery.cases.double_pendulum import double_pendulum
from carom.gallery.cases.drop_test import drop_test
from carom.gallery.cases.dzhanibekov import dzhanibekov
from carom.gallery.cases.falling_ball import falling_ball
from carom.gallery.cases.five_bar_clearance import five_bar_clearance
from carom.gallery.cases.four_bar import four_bar
from carom.gallery.cases.four_bar_clearance import four_bar_clearance
from carom.gallery.cases.funnel import funnel
from carom.gallery.cases.knee import knee
from carom.gallery.cases.n_four_bar import n_four_bar
from carom.gallery.cases.newtons_cradle import newtons_cradle
from carom.gallery.cases.painleve_rod import painleve_rod
from carom.gallery.cases.parallelogram import parallelogram
from carom.gallery.cases.pendulum import pendulum
from carom.gallery.cases.pendulum_wall import pendulum_wall
from carom.gallery.cases.piston_pin import piston_pin
from carom.gallery.cases.quick_return import quick_return
from carom.gallery.cases.rocking_block import rocking_block
from carom.gallery.cases.slider_crank import slider_crank
from carom.gallery.cases.slider_crank_block import slider_crank_block
from carom.gallery.cases.slider_crank_clearance import slider_crank_clearance
from carom.gallery.cases.spinning_top import spinning_top
from carom.gallery.cases.spring_pendulum import spring_pendulum
from carom.gallery.cases.stick_slip import stick_slip
from carom.gallery.cases.two_spheres import two_spheres
from carom.gallery.cases.worn_slider_crank import worn_slider_crank

__all__ = [  # noqa: RUF022  the order of the documentation
    "pendulum",
    "double_pendulum",
    "chain",
    "spring_pendulum",
    "slider_crank",
    "four_bar",
    "parallelogram",
    "n_four_bar",
    "two_spheres",
    "slider_crank_block",
    "knee",
    "falling_ball",
    "pendulum_wall",
    "quick_return",
    "slider_crank_clearance",
    "worn_slider_crank",
    "piston_pin",
    "four_bar_clearance",
    "crank_press",
    "five_bar_clearance",
    "bouncing_ball",
    "newtons_cradle",
    "rocking_block",
    "stick_slip",
    "painleve_rod",
    "ball_on_swinging_disc",
    "differential",
    "cam_follower",
    "funnel",
    "cup_and_marble",
    "condyles",
    "ball_on_incline",
    "spinning_top",
    "dzhanibekov",
    "dominoes",
    "box_of_spheres",
    "drop_test",
    "bumper",
]

CASES: dict[str, Callable[..., Case]] = {name: globals()[name] for name in __all__}
"""Functions that build a case, by name; all are public names of `carom.gallery`."""
