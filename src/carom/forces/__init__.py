"""Applied forces: one file per element, with its class and its kernels."""
