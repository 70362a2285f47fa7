"""Models: the system, its bodies and the elements between them."""
