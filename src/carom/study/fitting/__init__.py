"""Parameter identification: least-squares fits of a model to measured data, with confidence intervals."""
