"""Cases by an author who had not seen the gate's own: most were labelled before the gate was read.

Left out are the cases whose label its author called doubtful, and the limits that docs/gate.md names.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from research_eval.gate import CitationGate, extract_citations
from research_eval.ledger import SourceRegistry, url_key

FILE = Path(__file__).parent.parent / "data/gate/second_author.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def _verdict(case: dict[str, Any]) -> object:
    ledger = SourceRegistry.from_urls(case["fetched"], case["searched"])
    return sorted({one.kind for one in CitationGate().check(case["text"], ledger).violations})


def _cites(case: dict[str, Any]) -> object:
    return list(dict.fromkeys(citation.url for citation in extract_citations(case["text"])))


def _is_same(case: dict[str, Any]) -> object:
    return url_key(case["a"]) == url_key(case["b"])


def _label(case: dict[str, Any]) -> object:
    label = case["label"]
    if case["kind"] in {"fab", "honest"}:
        return [] if label in ("pass", ["pass"]) else sorted(label)
    return label


@pytest.mark.parametrize(
    ("kind", "rule", "least"),
    [("fab", _verdict, 450), ("honest", _verdict, 210), ("extract", _cites, 50), ("key", _is_same, 95)],
)  # fmt: skip
def test_every_label_holds(kind: str, rule: Callable[[dict[str, Any]], object], least: int) -> None:
    cases = [case for case in CASES if case["kind"] == kind]
    wrong = [(case["id"], found) for case in cases if (found := rule(case)) != _label(case)]

    assert wrong == []
    assert len(cases) >= least
