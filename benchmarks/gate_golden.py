"""Verdicts of each version of a gate over a fixed corpus: a change of verdicts is a new version.

    python benchmarks/gate_golden.py             exit 1 if a gate rules otherwise than its version did
    python benchmarks/gate_golden.py --update    pin versions that are new, or a corpus that has changed

A pinned version is never written over: give the gate another `id`. The digest is over citations,
violations and the words for the model.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from research_eval.gate import CitationGate, Gate, SeedGate
from research_eval.ledger import SourceRegistry

ROOT = Path(__file__).parent.parent
CORPORA = (
    "datasets/gate/cases.jsonl",
    "datasets/gate/renderer.jsonl",
    "tests/data/gate/second_author.jsonl",
)
PINNED = ROOT / "tests" / "data" / "gate" / "golden.json"


def main() -> int:
    """Compare or pin; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    content = [(ROOT / name).read_bytes() for name in CORPORA]
    corpus = hashlib.sha256(b"".join(content)).hexdigest()
    cases = [json.loads(line) for part in content for line in part.splitlines()]
    pinned: dict[str, dict[str, str]] = json.loads(PINNED.read_text(encoding="utf-8"))
    status = 0
    for gate in (CitationGate(), SeedGate()):
        digest = verdicts_digest(gate, cases)
        before = pinned.setdefault(gate.id, {}).get(corpus)
        if before is None and options.update:
            pinned[gate.id][corpus] = digest
        elif before is None:
            print(f"{gate.id}: not pinned for this corpus (--update)")
            status = 1
        elif before != digest:
            print(f"{gate.id} rules otherwise than before: give it a new version")
            status = 1
    if options.update and not status:
        PINNED.write_text(json.dumps(pinned, indent=2) + "\n", encoding="utf-8")
    return status


def verdicts_digest(gate: Gate, cases: list[dict[str, Any]]) -> str:
    """Return a digest of what `gate` says of `cases`."""
    digest = hashlib.sha256()
    for case in cases:
        if "text" in case:
            ledger = SourceRegistry.from_urls(case.get("fetched") or [], case.get("searched") or [])
            verdict = gate.check(case["text"], ledger)
            digest.update(verdict.model_dump_json(exclude={"gate"}).encode())
            digest.update(gate.corrective(verdict).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
