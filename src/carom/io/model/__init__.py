"""Model files: YAML text for everything a `System` holds, and back."""
