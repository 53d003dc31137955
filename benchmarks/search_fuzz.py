"""Feed mutated answers to every search parser, and odd queries to the local index, for some time.

Run: python benchmarks/search_fuzz.py SECONDS [SEED]
It stops at the first crash, hang or unbounded result, and prints the case so that it can become a
test; otherwise it prints how many cases were tried.
"""

import asyncio
import json
import random
import resource
import sys
import time
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from research_eval.fault.body import MUTATIONS
from research_eval.tool.search import WIRES, SearchError, WireAnswer, read_answer
from research_eval.tool.search.corpus import Corpus, CorpusSearchProvider
from research_eval.tool.search.query import split_sites, tidy_query

LIMIT_S = 5.0
ODD: list[Any] = [
    None, True, False, 0, -1, 10**30, 1e308, float("inf"), "", " ", "\x00", "\ud800", "\u202e",
    "https://", "https://[", "http://\ud83d", "https://a.example/" + "x" * 9000, "javascript:1",
    "//duckduckgo.com/l/?uddg=%", "<strong>" * 500, "&" * 3000 + ";", "&#x110000;", [], {}, [[]],
    {"url": []}, ["a"] * 50, "Mon, 99 Foo 2026", "1" * 5000,
]  # fmt: skip


def samples() -> Any:
    """Return the module of the contract tests that holds one good answer of each API."""
    path = Path(__file__).parent.parent / "tests" / "contract" / "search_samples.py"
    spec = spec_from_file_location("search_samples", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: not found")
    module = module_from_spec(spec)
    sys.modules["search_samples"] = module
    spec.loader.exec_module(module)
    return module


def mutated_value(value: Any, rng: random.Random, depth: int = 0) -> Any:
    """Return a JSON value with some parts replaced, dropped, doubled or nested."""
    roll = rng.random()
    if roll < 0.06:
        return rng.choice(ODD)
    if roll < 0.07 and depth < 3:
        return [value] * rng.randrange(1, 40)
    if isinstance(value, dict):
        kept = {
            k: mutated_value(v, rng, depth + 1) for k, v in value.items() if rng.random() > 0.04
        }
        if rng.random() < 0.05:
            kept[rng.choice(["error", "errors", "detail", "message", "code", "type"])] = rng.choice(
                ODD
            )
        return kept
    if isinstance(value, list):
        return [
            mutated_value(item, rng, depth + 1)
            for item in value
            for _ in range(rng.choice([1, 1, 1, 1, 0, 2]))
        ]
    if isinstance(value, str) and roll < 0.2:
        at = rng.randrange(len(value) + 1)
        return value[:at] + str(rng.choice(ODD)) + value[at:]
    return value


def mutated_bytes(body: bytes, rng: random.Random) -> bytes:
    """Return bytes with a few flipped, cut, inserted or repeated."""
    data = bytearray(body)
    for _ in range(rng.randrange(1, 9)):
        at = rng.randrange(len(data) + 1)
        roll = rng.randrange(4)
        if roll == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif roll == 1:
            del data[at : at + rng.randrange(60)]
        elif roll == 2:
            data[at:at] = rng.choice(
                [b"<", b'"', b"&", b"\xff", b"{", b"[" * 5000, b"</div>", b"\xed\xa0\x80"]
            )
        else:
            data[at:at] = data[max(0, at - 40) : at] * rng.randrange(1, 30)
    return bytes(data)


def answer_for(sample: Any, errors: list[Any], rng: random.Random) -> WireAnswer:
    """Return a mutated answer of one provider."""
    body = sample.full
    if errors and rng.random() < 0.3:
        told = rng.choice(errors).body
        body = told.encode() if isinstance(told, str) else json.dumps(told).encode()
    if rng.random() < 0.6 and body.startswith((b"{", b"[")):
        body = json.dumps(mutated_value(json.loads(body), rng)).encode()
    else:
        body = mutated_bytes(body, rng)
    status = rng.choice(
        [200, 200, 200, 200, 202, 204, 302, 400, 401, 403, 422, 429, 432, 500, 503, 599, 100]
    )
    names = [
        "retry-after",
        "date",
        "x-ratelimit-reset",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
    ]
    values = [
        "",
        "1",
        "1, 2",
        "x",
        "-5",
        "9" * 400,
        "Mon, 02 Mar 2026 10:00:00 GMT",
        "\u0661",
        "1e9",
        ", ,",
    ]
    headers = {name: rng.choice(values) for name in names if rng.random() < 0.4}
    return WireAnswer(status, headers, body)


def checked_refusal(exc: SearchError) -> str:
    """Return the kind of a refusal whose message can be shown."""
    assert len(str(exc)) < 1000, "an endless message"
    str(exc).encode()
    return exc.kind


def check_answer(name: str, answer: WireAnswer) -> str:
    """Read one answer and hold the parser to its promises."""
    wire = WIRES[name]
    try:
        hits = read_answer(wire, answer)
    except SearchError as exc:
        return checked_refusal(exc)
    wire.pause_s(answer)
    for hit in hits:
        hit.model_dump_json().encode()
        assert len(hit.title) + len(hit.snippet) + len(hit.url) < 10_000, "an endless hit"
        assert hit.url.lower().startswith(("http://", "https://")), "an odd address"
        assert hit.rank >= 1, "an odd rank"
    return "read" if hits else "empty"


def odd_query(rng: random.Random) -> str:
    """Return a query of odd pieces."""
    pieces = [
        '"',
        "NEAR(",
        "site:",
        "-site:x.y",
        "site:a.example/x",
        "*",
        "潮汐",
        "海",
        "café",
        "\ud800",
        "AND",
        "OR",
        ")",
        "^a",
        "{a b}:",
        "tide",
        "\x00",
        "a" * 900,
    ]
    return rng.choice([" ", ""]).join(rng.choice(pieces) for _ in range(rng.randrange(1, 14)))


def main(seconds: float, seed: int) -> None:
    """Fuzz until the time is over."""
    rng, module, counts = random.Random(seed), samples(), Counter[str]()
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        rows = [
            {"url": f"https://a.example/{n}", "title": f"tide {n}", "text": f"潮汐 café {n} " * 9}
            for n in range(40)
        ]
        (Path(folder) / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        corpus = CorpusSearchProvider(Corpus(Path(folder)))
        while time.monotonic() - began < seconds:
            name = rng.choice(sorted(WIRES))
            errors = [refused for refused in module.ERRORS if refused.provider == name]
            answer = answer_for(module.SAMPLES[name], errors, rng)
            query = odd_query(rng)
            case_began = time.process_time()
            try:
                counts[check_answer(name, answer)] += 1
                split_sites(tidy_query(query, max_chars=400)).text.encode()
                for kind in ("empty", "no_urls", "duplicates", "malformed"):
                    MUTATIONS[kind](answer.body[:100_000])
                try:
                    asyncio.run(corpus.search(query, 5))
                except SearchError:
                    counts["query refused"] += 1
                spent = time.process_time() - case_began
                assert spent < LIMIT_S, f"{spent:.1f} s for one case"
            except BaseException:
                print(
                    f"seed {seed}, provider {name}, status {answer.status}, headers {answer.headers}"
                )
                print(f"body {answer.body[:3000]!r}\nquery {query!r}")
                raise
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    total = sum(counts[kind] for kind in counts if kind != "query refused")
    print(
        f"{total} cases in {seconds:.0f} s, peak memory {memory:.0f} MB: {dict(counts.most_common())}"
    )


if __name__ == "__main__":
    main(
        float(sys.argv[1]) if len(sys.argv) > 1 else 60.0,
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
