"""Compiled models: named records, arrays and kernel addresses, built from a model here and nowhere else."""
