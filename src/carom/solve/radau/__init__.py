"""Implicit method Radau IIA of order 5 for compliant contact that lasts."""
