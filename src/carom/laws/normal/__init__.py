"""Normal forces of contact, one law a file."""
