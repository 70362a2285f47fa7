"""Applied forces: one file an element, its description and its compiled physics side by side."""
