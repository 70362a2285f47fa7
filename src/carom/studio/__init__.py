"""Web page on this computer to choose a model, change its parameters, run it and compare runs."""
