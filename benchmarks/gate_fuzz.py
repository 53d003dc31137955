"""Fuzz the gate: mutated answers in, crashes, broken laws and super-linear inputs out.

    python benchmarks/gate_fuzz.py --minutes 30 --seed 1

Every finding is printed as one JSON line; the exit status is 1 if there was any.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from mutation import mutate_text

from research_eval.gate import CitationGate, SeedGate, extract_citations
from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Citation

CORPUS = Path(__file__).parent.parent / "datasets" / "gate" / "cases.jsonl"
TOKENS = [
    "http://", "https://", "HTTPS://", "hTTp://", "https&#58;//", "https:\\/\\/", "ht\u200btps://", "&#104;ttps://",
    "a", "b.c", "example.org", "/", "//", "?", "#", "&", "=", "%", "%2F", "%zz", "%E6", "@", ":", ":80", "..", "/../", "/./",
    "(", ")", "[", "]", "{", "}", "<", ">", "](", "](<", ">)", "![", "]:", "\n[a]: ", "\n[^1]: ", "'", '"', "`", "|",
    "*", "**", "_", "__", "~~", "==", "\\", "\\_", "\\n", "\\u0026", '\\"', "\\(", "&amp;", "&lt;", "&#x2F;", "&nbsp;", "&bogus;",
    " ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u200b", "\u200d", "\u00ad", "\u202e", "\ufeff", "\ufe0f",
    ".", ",", ";", "!", "...", "\u2026", "\u2014", "\u2013", "\u2019", "\u201c", "\u3002", "\u3001", "\uff09", "\u300d", "\u3010", "\u2020",
    "\u65e5\u672c", "\u3092\u53c2\u7167", "\u306e", "\u7684", "\uc740 ", "\u0e44\u0e14\u0e49", "\u0648", "\u00e9", "\u0416", "\U0001f600",
    "[1]", "[^2]", "[1][2]", "<a href=", '<a href="', '">', "</a>", "<!--", "-->", "<br>", "<id>", "{id}", 'xmlns="',
    "\\url{", "\\href{", "url = {", ",1,", "'s ", "git+", "hxxp://", "www.", "[2001:db8::1]", "\ud800", "\x00", "\ue200", "<1::AID-X>", "(SICI)",
]  # fmt: skip
SLOW_SECONDS = 0.2
"""Forty thousand characters that take longer are looked at."""
SLOW_RATIO = 2.8
"""Twice as many characters may take at most this many times as long, on a noisy machine."""


def main() -> int:
    """Fuzz until the time is up; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    seeds = list(_corpus_texts())
    deadline = time.monotonic() + options.minutes * 60
    rounds = findings = 0
    while time.monotonic() < deadline:
        rounds += 1
        text = _mutated(rng, seeds)
        problems = _problems(text, rng)
        if rounds % 40 == 0:
            problems += list(_growth_problems(rng))
        for problem in problems:
            findings += 1
            print(json.dumps({"problem": problem, "text": text[:600]}), flush=True)
    print(json.dumps({"rounds": rounds, "findings": findings, "seed": options.seed}))
    return 1 if findings else 0


def _corpus_texts() -> Iterator[str]:
    if CORPUS.is_file():
        for line in CORPUS.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            yield case.get("text") or f"{case.get('a')} {case.get('b')}"


def _mutated(rng: random.Random, seeds: list[str]) -> str:
    if not seeds or rng.random() < 0.4:
        return _soup(rng, rng.randint(1, 30))
    return mutate_text(rng, seeds, TOKENS, 6)


def _soup(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(TOKENS) for _ in range(length))


def _problems(text: str, rng: random.Random) -> list[str]:
    try:
        return [*_extraction_problems(text), *_verdict_problems(text, rng)]
    except Exception as exc:  # noqa: BLE001  # a crash is what is looked for
        return [f"crash: {type(exc).__name__}: {exc}"]


def _extraction_problems(text: str) -> Iterator[str]:
    last = 0
    for citation in extract_citations(text):
        if not last <= citation.start < citation.end <= len(text):
            yield f"span {citation.start}-{citation.end} after {last}"
        last = citation.end
        if citation.url[:4].lower() != "http":
            yield f"not http: {citation.url!r}"
        others = [url for url in citation.readings if not _is_allowed(citation, url)]
        if citation.form != "bare" and others:
            yield "an explicit destination has several readings"
        for url in (citation.url, *citation.readings):
            key = url_key(url)
            if url_key(key.value) != key:
                yield f"key not idempotent: {url!r}"


def _is_allowed(citation: Citation, reading: str) -> bool:
    """Whether an explicit destination may be read so: by the other scheme, or as a chat's label."""
    return reading[reading.find(":") :] == citation.url[citation.url.find(":") :] or "|" in reading


def _verdict_problems(text: str, rng: random.Random) -> Iterator[str]:
    gate = CitationGate()
    citations = extract_citations(text)
    nothing = gate.check(text, SourceRegistry.from_urls([], []))
    if nothing.passed:
        yield "an empty ledger lets an answer pass"
    opened = [citation.url for citation in citations]
    everything = gate.check(text, SourceRegistry.from_urls(opened, []))
    if citations and not everything.passed:
        yield "blocked although every URL was opened"
    SeedGate().check(text, SourceRegistry.from_urls(opened, []))
    if len(opened) > 1:
        left_out = rng.choice(opened)
        others = [url for url in opened if url_key(url) != url_key(left_out)]
        partial = gate.check(text, SourceRegistry.from_urls(others, []))
        known = {url_key(url) for url in others}
        missing = [
            citation
            for citation in citations
            if not known & {url_key(url) for url in (citation.url, *citation.readings)}
        ]
        if missing and partial.passed:
            yield f"passes without {missing[0].url!r}"


def _growth_problems(rng: random.Random) -> Iterator[str]:
    """Repeat a piece and see whether the cost grows faster than the length."""
    piece = _soup(rng, rng.randint(1, 5))
    head, tail = _soup(rng, rng.randint(0, 3)), _soup(rng, rng.randint(0, 3))

    def run(chars: int) -> float:
        text = head + piece * (chars // len(piece)) + tail
        start = time.process_time()
        extract_citations(text)
        return time.process_time() - start

    if run(40_000) < SLOW_SECONDS:
        return
    ratios = [run(80_000) / run(40_000) for _ in range(3)]
    if min(ratios) > SLOW_RATIO:
        yield f"super-linear, {min(ratios):.1f}x: {head!r} + {piece!r} * n + {tail!r}"


if __name__ == "__main__":
    sys.exit(main())
