"""Systems for the tests of reports, some of them with names that try to be more than names."""

import numpy as np

LONG = "meta-llama/Llama-3.1-8B-Instruct-" + "finetuned-" * 16 + "v00002"
ODD = (
    "<script>document.title = 'run'</script>",
    "\"double\" & 'single' <img src=x onerror=alert(1)> </script> $title",
    "שלום_עולם 12",
    LONG,
)


def answers(names, items, seed=1):
    """Right and wrong answers of systems of which each is a little better than the one before."""
    draw = np.random.default_rng(seed)
    ease = draw.normal(size=items)
    return {name: (ease + draw.normal(size=items) > 0.5 - 0.25 * i).astype(int) for i, name in enumerate(names)}
