"""How two shapes meet, one file a pair."""
