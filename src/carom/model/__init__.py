"""What the user writes: the system and its bodies, which hold the elements together."""
