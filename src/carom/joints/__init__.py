"""Ideal joints and drivers: one file an element, its description and its compiled physics side by side."""
