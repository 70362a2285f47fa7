"""The model as flat arrays and addresses: nothing else turns descriptions into numbers."""
