"""Messages of the Python interface as the command line puts them."""

import pytest

from exactperm.cli.errors import in_flags, one_line_errors


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("use method='control-variate' or 'monte-carlo'", "use --method control-variate or 'monte-carlo'"),
        (
            "systems['A'] has 1 missing; nan_policy=\"omit\" drops",
            "A has 1 missing; --missing omit drops",
        ),
        ("alpha must be between 0 and 1, not 5", "--alpha must be between 0 and 1, not 5"),
        ("n_resamples must be a positive integer", "--samples must be a positive integer"),
        ("as in metric='fbeta(beta=2)'", 'as in --metric "fbeta(beta=2)"'),
        ("a metric is named twice; the alpha male", "a metric is named twice; the alpha male"),
    ],
)
def test_in_flags(message, expected):
    assert in_flags(message) == expected


def test_what_this_package_did_not_say_is_a_bug():
    with pytest.raises(ValueError, match="invalid literal"), one_line_errors():
        int("x")
