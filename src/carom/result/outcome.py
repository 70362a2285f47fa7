"""How a run ended."""

import enum


class Outcome(enum.Enum):
    """How a run ended; the value of each member is the sentence a person reads."""

    FINISHED = "The run reached its end."
    INTERRUPTED = "The run was stopped by the user; everything computed up to then is kept."
    NOT_FINITE = "A state or acceleration became infinite or not a number."
    STEP_UNDERFLOW = "The step size fell below what the clock can resolve."
    STALLED = "The run makes no progress: more and more steps and events fall into one moment."
    SINGULAR = "The joints lock or lose their hold: the constraint Jacobian lost rank."
    APART = "Joints came apart; take constraints='projection', another alpha and beta, or shorter steps."
    NO_IMPULSES = "The contact problem of a step has no solution that any solver could find."
    NOT_CONVERGED = "The iteration did not converge."

    def __str__(self) -> str:
        return self.value

    @property
    def ok(self) -> bool:
        """True only when the run reached its end."""
        return self is Outcome.FINISHED
