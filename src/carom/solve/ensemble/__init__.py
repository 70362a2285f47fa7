"""Many runs of one compiled model, each with other numbers in its tables."""
