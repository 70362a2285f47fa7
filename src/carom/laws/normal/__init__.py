"""Laws of the normal contact force, one law per file."""
