"""Ideal joints and drivers: one file per element, with its class and its kernels."""
