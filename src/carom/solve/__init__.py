"""Methods that advance a model in time, and analyses of a mechanism at one position."""
