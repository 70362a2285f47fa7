"""Integration from event to event: smooth motion with contacts closed or open, impacts, changes of contact between."""
