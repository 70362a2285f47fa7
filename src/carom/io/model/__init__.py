"""Model files: YAML text of a `System`, read and written."""
