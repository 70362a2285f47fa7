"""Event-driven non-smooth dynamics: smooth phases, impacts, stick–slip transitions."""
