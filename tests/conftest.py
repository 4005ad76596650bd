"""Hypothesis for a machine whose speed is unknown: no deadlines, and the failing example is printed to be repeated."""

from hypothesis import Phase, settings

settings.register_profile("exactperm", deadline=None, print_blob=True)
settings.load_profile("exactperm")
# for mutation testing: the same few examples each time, and none made smaller once one has failed
settings.register_profile(
    "mutation",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    phases=[Phase.explicit, Phase.generate],
)
