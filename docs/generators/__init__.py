"""Generators of the reference pages: a page and a plot for every registered element and every gallery case."""
