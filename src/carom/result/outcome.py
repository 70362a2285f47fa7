"""Outcome of a run."""

import enum


class Outcome(enum.Enum):
    """Outcome of a run; the value of each member is the message for the user.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> result.outcome.ok, str(result.outcome)
    (True, 'The run reached its end.')
    """

    FINISHED = "The run reached its end."
    INTERRUPTED = "The run was stopped by the user; the computed part is kept."
    NOT_FINITE = "A position, velocity or acceleration became infinite or NaN."
    STEP_UNDERFLOW = "The step size fell below the resolution of the time."
    STALLED = "The run makes no progress: the number of steps and events at one time is not bounded."
    SINGULAR = "The constraint Jacobian lost rank: the joints are in a singular position."
    CONSTRAINT_DRIFT = (
        "Constraint drift exceeded its limit; use constraints='projection', larger alpha and beta, or a smaller step."
    )
    CONTACT_JUMP = "The indentation of a contact jumped in one step, by more than the motion of its bodies explains."
    CONTACT_UNSOLVED = "No contact solver found a solution of the contact problem of a step."
    NOT_CONVERGED = "The iteration did not converge."
    # Deprecated names, also in files of earlier versions.
    APART = CONSTRAINT_DRIFT
    NO_IMPULSES = CONTACT_UNSOLVED

    def __str__(self) -> str:
        return self.value

    @property
    def ok(self) -> bool:
        """True only if the run reached its end."""
        return self is Outcome.FINISHED
