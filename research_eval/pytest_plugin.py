"""Fixtures for tests of one's own agent: a gate, and a ledger made from URLs."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from research_eval.gate import Gate
    from research_eval.ledger import SourceRegistry

__all__ = ["citation_gate", "make_ledger", "pytest_addoption"]

MakeLedger = Callable[..., "SourceRegistry"]
"""Makes a ledger from `fetched`, `searched`, `failed` and `given` URLs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses the gate."""
    group = parser.getgroup("research-eval")
    group.addoption(
        "--citation-gate",
        default="default",
        help="gate of the `citation_gate` fixture: a name, name@version or dotted path",
    )


@pytest.fixture
def citation_gate(request: pytest.FixtureRequest) -> "Gate":
    """Return the gate that `--citation-gate` names."""
    from research_eval.gate import load_gate  # noqa: PLC0415  # pytest loads this for every project

    return load_gate(str(request.config.getoption("--citation-gate")))


@pytest.fixture
def make_ledger() -> MakeLedger:
    """Return a function that makes a ledger: `make_ledger(fetched=[...], searched=[...])`.

    `failed` and `given` are lists as well.
    """
    from research_eval.gate.source import ledger_from_urls  # noqa: PLC0415  # see above

    return ledger_from_urls
