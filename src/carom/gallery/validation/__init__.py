"""Problems with known solutions: ``VALIDATIONS["hertz_impact"]()`` computes one and yields its check results.

`runner.validate` computes them all. A new problem is one file and one line here.
"""

from __future__ import annotations

from carom.gallery.cases.ball_on_incline import ball_on_incline
from carom.gallery.cases.bouncing_ball import bouncing_ball
from carom.gallery.cases.n_four_bar import n_four_bar
from carom.gallery.cases.painleve_rod import painleve_rod
from carom.gallery.cases.rocking_block import rocking_block
from carom.gallery.validation.andrews import andrews_squeezer
from carom.gallery.validation.bricard import bricard_mechanism
from carom.gallery.validation.conservation import long_runs
from carom.gallery.validation.convergence_orders import integrator_orders, scheme_orders
from carom.gallery.validation.hertz import hertz_impact
from carom.gallery.validation.hertz_cradle import hertz_cradle
from carom.gallery.validation.law_restitution import restitution_of_laws
from carom.gallery.validation.problem import CLOSED_FORM, SECOND_METHOD, CaseValidation, Validation
from carom.gallery.validation.zeno import zeno_time

VALIDATIONS: dict[str, Validation] = {
    problem.name: problem
    for problem in (
        hertz_impact,
        restitution_of_laws,
        zeno_time,
        CaseValidation(bouncing_ball, CLOSED_FORM),
        hertz_cradle,
        CaseValidation(rocking_block, CLOSED_FORM),
        CaseValidation(painleve_rod, SECOND_METHOD),
        CaseValidation(ball_on_incline, CLOSED_FORM),
        CaseValidation(n_four_bar, SECOND_METHOD),
        bricard_mechanism,
        andrews_squeezer,
        integrator_orders,
        scheme_orders,
        long_runs,
    )
}

__all__ = ["VALIDATIONS", "Validation"]
