"""The public surface: what is exported is what is documented, and nothing else by accident."""

import importlib
import pkgutil

import pytest

import exactperm

MODULES = sorted(
    m.name for m in pkgutil.walk_packages(exactperm.__path__, "exactperm.") if not m.name.endswith("__main__")
)

#: the modules that users import from, with the names they find there
PUBLIC = {
    "exactperm.paper": {"convolve_dp", "convolve_fft", "exact_perm_test", "exact_perm_test_m", "monte_carlo"},
    "exactperm.effects": {"Effects"},
    "exactperm.lattice": {"Lattice"},
    "exactperm.region": {"Region", "Runs"},
    "exactperm.result": {"Interval", "NullDistribution", "TestResult", "format_pvalue"},
    "exactperm.engines.base": {"CannotAnswer", "Engine", "Options", "Question", "Tail", "log_fraction"},
    "exactperm.engines.fourier": {"Fourier"},
    "exactperm.metrics": {"Alternative", "Metric", "extract", "get", "names", "options", "summary"},
}
#: what `exactperm` itself must offer; more may come
TOP = {"Effects", "Interval", "Metric", "SamplingWarning", "TestResult", "__version__", "paired_test"}


@pytest.mark.parametrize("name", MODULES)
def test_every_module_declares_what_it_exports(name):
    module = importlib.import_module(name)
    if name.startswith("exactperm.cli") or not hasattr(module, "__all__"):
        is_folder = hasattr(module, "__path__")
        assert is_folder or name.startswith("exactperm.cli"), f"{name} has no __all__"
        return
    assert len(set(module.__all__)) == len(module.__all__)
    for exported in module.__all__:
        assert hasattr(module, exported), f"{name}.__all__ names {exported}, which is not there"


@pytest.mark.parametrize("name", MODULES)
def test_every_module_and_what_it_exports_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for exported in getattr(module, "__all__", []):
        value = getattr(module, exported)
        if callable(value) and getattr(value, "__module__", "").startswith("exactperm"):
            assert value.__doc__, f"{name}.{exported} has no docstring"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names(name):
    assert set(importlib.import_module(name).__all__) == PUBLIC[name]


def test_the_package_itself():
    assert set(exactperm.__all__) >= TOP
    assert set(dir(exactperm)) >= set(exactperm.__all__)
    for exported in exactperm.__all__:
        assert getattr(exactperm, exported) is not None
    assert set(exactperm._HOME) == set(exactperm.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="module 'exactperm' has no attribute 'pared_test'"):
        exactperm.pared_test  # noqa: B018 - that it raises is the point


def test_star_import():
    namespace = {}
    exec("from exactperm import *", namespace)
    assert set(exactperm.__all__) <= set(namespace)
