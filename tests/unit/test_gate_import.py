"""What judges answers is light: it loads no tables, no statistics, no plots and no library of a model."""

import subprocess
import sys

import pytest

HEAVY = {
    "asyncio",
    "httpx",
    "httpx2",
    "jinja2",
    "matplotlib",
    "numpy",
    "openai",
    "pandas",
    "pydantic_ai",
    "rich",
    "scipy",
    "selectolax",
    "statsmodels",
    "vcr",
}


@pytest.mark.parametrize(
    "code",
    [
        "from research_eval.gate import load_gate; load_gate('default')",
        (
            "from research_eval import SourceRegistry, assert_cites_only_opened; "
            "assert_cites_only_opened('(https://a.example/x)', SourceRegistry.from_urls(['https://a.example/x']))"
        ),
    ],
    ids=["gate", "assertion"],
)
def test_it_loads_nothing_heavy(code):
    told = f"{code}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"

    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert set(done.stdout.split()) & HEAVY == set()
