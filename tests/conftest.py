"""Hypothesis for a machine whose speed is unknown: no deadlines, and the failing example is printed to be repeated."""

from hypothesis import settings

settings.register_profile("exactperm", deadline=None, print_blob=True)
settings.load_profile("exactperm")
