"""Quality of the gate on the labelled corpus, beside other extractors with the same keys.

    python benchmarks/gate.py            print the table; exit 1 below a floor, 2 for another corpus
    python benchmarks/gate.py --misses   print every case that the default gate gets wrong, too
    python benchmarks/gate.py --update   write new floors; lowers none without --allow-regression
    python benchmarks/gate.py --held-out the table for the cases held apart; only after a change is done
    python benchmarks/gate.py --update --corpus-changed   accept a corpus with another digest

Disputed cases are counted apart and hold no floor.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from gate_peers import linkify_urls, markdown_urls, urls_gate

from research_eval.gate import CitationGate, Gate, SeedGate, extract_citations
from research_eval.gate.seed import seed_citations, seed_key
from research_eval.ledger import KeyFunction, SourceRegistry, url_key

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "datasets" / "gate"
CORPUS = (FOLDER / "cases.jsonl", FOLDER / "renderer.jsonl")
HELD_OUT = (FOLDER / "held_out.jsonl",)
FLOORS = Path(__file__).parent / "floors.json"
TOLERANCE = 0.0005
MEASURES = ("extraction", "honest passed", "fabricated stopped", "keys")

Case = dict[str, Any]


class Contestant(NamedTuple):
    """One way to judge answers."""

    find: Callable[[str], list[str]]
    gate: Gate
    key: KeyFunction


class Tally(NamedTuple):
    """How many cases of one measure were right."""

    right: int
    total: int

    @property
    def share(self) -> float:
        return self.right / self.total if self.total else 1.0


def contestants() -> dict[str, Contestant]:
    """Return all that are compared, by name."""
    return {
        "default": Contestant(
            lambda text: [one.url for one in extract_citations(text)], CitationGate(), url_key
        ),
        "seed": Contestant(
            lambda text: [one.url for one in seed_citations(text)], SeedGate(), seed_key
        ),
        "linkify-it-py": Contestant(linkify_urls, urls_gate(linkify_urls), url_key),
        "markdown-it-py": Contestant(markdown_urls, urls_gate(markdown_urls), url_key),
    }


def measure_of(case: Case) -> str:
    """Return which measure `case` belongs to."""
    if case["kind"] == "gate":
        return "honest passed" if case["expected"] == "pass" else "fabricated stopped"
    return "extraction" if case["kind"] == "extract" else "keys"


def is_right(case: Case, contestant: Contestant) -> bool:
    """Whether `contestant` gives the label of `case`; URLs are compared by key."""
    if case["kind"] == "equivalence":
        return (contestant.key(case["a"]) == contestant.key(case["b"])) == case["same"]
    if case["kind"] == "extract":
        found = dict.fromkeys(map(contestant.key, contestant.find(case["text"])))
        return list(found) == list(dict.fromkeys(map(contestant.key, case["expected_urls"])))
    ledger = SourceRegistry.from_urls(case["fetched"], case["searched"])
    verdict = contestant.gate.check(case["text"], ledger)
    kinds = {violation.kind for violation in verdict.violations}
    return kinds == (set() if case["expected"] == "pass" else set(case["expected"]))


def is_safe(case: Case, contestant: Contestant) -> bool:
    """Whether a case of the gate went the right way: stopped or passed, whatever the reason."""
    ledger = SourceRegistry.from_urls(case["fetched"], case["searched"])
    return contestant.gate.check(case["text"], ledger).passed == (case["expected"] == "pass")


def tallies(cases: Iterable[Case], contestant: Contestant) -> dict[str, Tally]:
    """Return how many of `cases` are right, by measure."""
    right = dict.fromkeys(MEASURES, 0)
    total = dict.fromkeys(MEASURES, 0)
    for case in cases:
        name = measure_of(case)
        judge = is_safe if case["kind"] == "gate" else is_right
        total[name] += 1
        right[name] += judge(case, contestant)
    return {name: Tally(right[name], total[name]) for name in MEASURES}


def load_corpus(files: Iterable[Path] = CORPUS) -> tuple[list[Case], str]:
    """Return the cases and the digest of their files."""
    content = b"".join(file.read_bytes() for file in files)
    return [json.loads(line) for line in content.split(b"\n") if line], hashlib.sha256(
        content
    ).hexdigest()


def main() -> int:
    """Measure, print, compare with the floors; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--allow-regression", action="store_true")
    parser.add_argument("--corpus-changed", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    if options.held_out:
        _print_tables(load_corpus(HELD_OUT)[0])
        return 0
    cases, digest = load_corpus()
    table = _print_tables(cases)
    if options.misses:
        _print_misses(cases)
    measured = {name: table["default"][name].share for name in MEASURES}
    pinned = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.is_file() else None
    if pinned and pinned["corpus"]["sha256"] != digest and not options.corpus_changed:
        print("the corpus is not the one that the floors were set for (--update --corpus-changed)")
        return 2
    fallen = _fallen(measured, pinned["floors"] if pinned else {})
    for name in fallen:
        print(f"below its floor: {name}")
    if options.update and (not fallen or options.allow_regression):
        _write_floors(measured, digest, len(cases))
        return 0
    return 1 if fallen else 0


def _print_tables(cases: list[Case]) -> dict[str, dict[str, Tally]]:
    undisputed = [case for case in cases if not case["contested"]]
    disputed = [case for case in cases if case["contested"]]
    table = {name: tallies(undisputed, one) for name, one in contestants().items()}
    print(f"{len(undisputed)} undisputed cases")
    _print_table(table)
    print(f"\n{len(disputed)} disputed cases, against the first reading's label; no floor")
    _print_table({name: tallies(disputed, one) for name, one in contestants().items()})
    return table


def _print_table(table: dict[str, dict[str, Tally]]) -> None:
    print(f"{'':<16}" + "".join(f"{name:>20}" for name in MEASURES))
    for name, row in table.items():
        cells = (f"{tally.right}/{tally.total} {tally.share:>6.1%}" for tally in row.values())
        print(f"{name:<16}" + "".join(f"{cell:>20}" for cell in cells))


def _print_misses(cases: list[Case]) -> None:
    default = contestants()["default"]
    for case in cases:
        if not is_right(case, default):
            print(
                json.dumps({name: case[name] for name in ("id", "phenomenon", "note", "contested")})
            )


def _fallen(measured: dict[str, float], floors: dict[str, float]) -> list[str]:
    return [name for name, floor in floors.items() if measured.get(name, 0.0) < floor - TOLERANCE]


def _write_floors(measured: dict[str, float], digest: str, number: int) -> None:
    paths = [file.relative_to(ROOT).as_posix() for file in CORPUS]
    corpus = {"paths": paths, "sha256": digest, "cases": number}
    floors = {name: int(share * 10_000) / 10_000 for name, share in measured.items()}
    content = json.dumps({"corpus": corpus, "floors": floors}, indent=2) + "\n"
    FLOORS.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
