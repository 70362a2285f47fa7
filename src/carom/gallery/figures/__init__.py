"""Published figures of the cases: one file a case. What draws is opened when a figure is asked for."""
