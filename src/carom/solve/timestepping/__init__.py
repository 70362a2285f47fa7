"""Time stepping of non-smooth dynamics: schemes, active contacts, impulses, contact log."""
