"""How an event-driven run is left before its end."""

from __future__ import annotations

from carom.result.outcome import Outcome


class Ended(Exception):
    """The run cannot go on: why, and what a user's function raised."""

    def __init__(self, outcome: Outcome, error: BaseException | None = None):
        super().__init__(str(outcome))
        self.outcome, self.error = outcome, error
