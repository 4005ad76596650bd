"""A headless Chromium for the tests of the page, and the pages it opens.

Where there is no browser these tests are skipped; EXACTPERM_BROWSER=required makes that a failure.
"""

import os
import shutil

import numpy as np
import pytest

import exactperm as xp
from report_pages import ODD, answers

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def missing(what):
    if os.environ.get("EXACTPERM_BROWSER") == "required":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed: pip install -e '.[browser]'")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing(f"there is no browser; one of {', '.join(PROGRAMS)} would do")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def violations():
    """What axe-core finds on a page: the rule, and the elements that break it."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("axe-core is not installed: pip install -e '.[browser]'")
    axe = Axe()

    def found(page):
        results = axe.run(page).response
        assert len(results["passes"]) > 10  # it has looked
        return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in results["violations"]]

    return found


@pytest.fixture(scope="session")
def comparisons():
    """What the pages are about, by name."""
    gold = np.random.default_rng(0).poisson(3, 80)
    counts = {
        name: {"tp": hits, "fp": np.arange(80) % 3, "fn": gold - hits}
        for name, hits in (("A", gold * 3 // 4), ("B", gold // 2), ("C", gold - gold % 2))
    }
    return {
        "five": xp.compare(answers("EDCBA", 200, seed=3)),
        "odd": xp.compare(answers(ODD, 300)),
        "pair": xp.compare(answers(["old", "new"], 60)),
        "base": xp.compare(answers("XYZ", 100), baseline="Y", alternative="greater"),
        "metrics": xp.compare(counts, metric=["f1", "precision"]),
    }


@pytest.fixture(scope="session")
def files(comparisons, tmp_path_factory):
    """The pages that are looked at, by name."""
    folder = tmp_path_factory.mktemp("reports")
    for name, comparison in comparisons.items():
        comparison.to_html(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in comparisons}


@pytest.fixture
def look(browser, files):
    """Open a page by name; at the end of the test it must have said, run and asked for nothing on the side."""
    contexts, said, asked = [], [], []

    def opened(name, **options):
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 800}, **options})
        contexts.append(context)
        url = files[name].as_uri()
        context.route("**/*", lambda route: route.continue_() if route.request.url == url else route.abort())
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url) if request.url != url else None)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []
    assert asked == []
