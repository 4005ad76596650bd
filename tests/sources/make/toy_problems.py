"""Problems in the form of HumanEval and EvalPlus, and models that solve some of them."""

from __future__ import annotations

import hashlib

__all__ = ["MODELS", "PROBLEMS", "SAMPLES", "completion"]

MODELS = {"small": 0.25, "large": 0.65}
SAMPLES = 3
OPERATIONS = {"add": "x + y", "sub": "x - y", "mul": "x * y", "low": "min(x, y)", "top": "max(x, y)", "mod": "x % y"}


def problem(name: str, expression: str) -> dict:
    """One problem; its additional tests are the ones that a solution for small numbers fails."""
    return {
        "task_id": f"HumanEval/{list(OPERATIONS).index(name)}",
        "entry_point": name,
        "prompt": f'def {name}(x, y):\n    """Return {expression}."""\n',
        "canonical_solution": f"    return {expression}\n",
        "test": f"def check(f):\n    for x, y in ((1, 2), (5, 3)):\n        assert f(x, y) == {expression}\n",
        "base_input": [[1, 2], [5, 3]],
        "plus_input": [[100, 7], [13, 200]],
        "contract": "",
        "atol": 0,
    }


def completion(model: str, problem: dict, sample: int) -> str:
    """Right, wrong, or right for small numbers only."""
    digest = hashlib.sha256(f"{model}|{problem['task_id']}|{sample}".encode()).digest()
    draw = int.from_bytes(digest[:8], "big") / 2**64
    if draw < MODELS[model]:
        return str(problem["canonical_solution"])
    if draw < MODELS[model] + 0.15:
        return "    if max(x, y) > 50:\n        return None\n" + str(problem["canonical_solution"])
    return "    return None\n"


PROBLEMS = [problem(*each) for each in OPERATIONS.items()]
