"""Speed of the gate: verdicts a second against other gates, and cost against length.

    python benchmarks/gate_speed.py [--answers 300] [--max-megabytes 10]

Answers are Markdown of 2 kB with 8 URLs, the ledger has 30 records; a second set mixes Chinese, Japanese
and German with links of six forms, one URL in six with raw letters. A third table tells the cost of
citations that were never opened, against their number and that of the ledger. All gates are measured in turns, in one run,
by processor time; the best of several rounds counts. Ratios hold, absolute figures depend on the
machine. Exits 1 if a ratio is below what is asked for, or the cost grows faster than the length.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from gate_peers import markdown_urls, urls_gate

from research_eval.gate import CitationGate, Gate, SeedGate, extract_citations
from research_eval.ledger import SourceRegistry

LEAST_TO_SEED = 1.1
LEAST_TO_MARKDOWN = 20.0
LEAST_MIXED_TO_SEED = 0.5
"""On mixed text, which the plain gate cuts at the first letter beyond ASCII."""
MOST_GROWTH = 2.0
"""The time for a character in the longest answer against that in the shortest."""
MOST_PER_ITEM_S = 0.001
"""What a citation or a record may cost where nothing was opened."""
ROUNDS = 5
FOLDERS = ["report", "berichte", "data", "news", "docs", "\u62a5\u544a"]
SAID = [
    "\u6ce5\u6c99\u6cbf\u6cb3\u800c\u4e0b\uff0c\u5230\u8fbe\u4e09\u89d2\u6d32\u540e\u6d41\u901f\u51cf\u6162\uff0c\u9897\u7c92\u6c89\u964d\u3002",
    "\u5ddd\u306f\u6ce5\u3092\u904b\u3073\u3001\u6cb3\u53e3\u3067\u6d41\u308c\u304c\u9045\u304f\u306a\u308b\u3068\u7c92\u304c\u6c88\u3080\u3002",
    "Der Fluss tr\u00e4gt Schlamm zum Delta, wo die Str\u00f6mung nachl\u00e4sst und die K\u00f6rner sinken.",
]
LINKS = ["[Quelle]({u})", "({u})", "<{u}>", "{u}\u3002", "[{n}]: {u}", "**{u}**"]
GAPS = ["\n\n", " ", "\n- "]
WORDS = [
    "the",
    "river",
    "carries",
    "silt",
    "down",
    "to",
    "its",
    "delta",
    "where",
    "the",
    "current",
    "slows",
    "and",
    "every",
    "grain",
    "that",
    "was",
    "lifted",
    "in",
    "the",
    "hills",
    "settles",
    "at",
    "last",
    "so",
    "that",
    "new",
    "land",
    "forms",
    "between",
    "the",
    "channels",
]
ANSWER = """## How the delta grew

**Short answer:** {w12} ([river authority]({u0})).

{w14} [{w2}]({u1} "Survey"), *{w3}* and **{w2}**:

- **{w2}:** {w8} ([1]({u2})).
- **{w3}:** {w7}; see `{w1}` and {u3}.
- **{w2}:** {w9} <{u4}>.
    - *{w2}* {w5}, `{w1}`
    - *{w2}* {w6}

| {w1} | {w1} | **{w2}** | {w1} |
| --- | ---: | --- | --- |
| 1931 | 12.4 | {w2} | `{w1}` |
| 1972 | 18.9 | {w2} | *{w1}* |
| 1998 | 19.7 | {w2} | `{w1}` |
| 2016 | 21.0 | {w2} | *{w1}* |

> {w12}

1. {w9}[^a]
2. {w8} **{u5}**
3. {w7} (*{w2}*), {w4}

### What is not known

- {w9}, *{w2}*
- {w8}; **{w1}** {w3}
- {w7}

### Sources

* {w3}, {u6}.
* [{w3}]({u7})

[^a]: {w9}.

{w57}
"""
"""What a research agent writes: headings, lists, a table, links and bare URLs."""


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--max-megabytes", type=float, default=10.0)
    options = parser.parse_args()
    rng = random.Random(20)
    to_seed, to_markdown = _print_ratios([_answer(rng, index) for index in range(options.answers)])
    print("mixed text")
    mixed, _ = _print_ratios([_mixed(rng, index) for index in range(options.answers)])
    is_linear = _print_curve(options.max_megabytes) and _print_unopened()
    is_fast = to_seed >= LEAST_TO_SEED and to_markdown >= LEAST_TO_MARKDOWN
    return 0 if is_fast and mixed >= LEAST_MIXED_TO_SEED and is_linear else 1


def _print_ratios(work: list[tuple[str, SourceRegistry]]) -> tuple[float, float]:
    number = len(work)
    gates: dict[str, Gate] = {
        "default": CitationGate(),
        "seed": SeedGate(),
        "markdown-it-py": urls_gate(markdown_urls),
    }
    best = dict.fromkeys(gates, 0.0)
    for _ in range(ROUNDS):
        for name, gate in gates.items():
            part = work[: max(10, number // 10)] if name == "markdown-it-py" else work
            seconds = _seconds(lambda gate=gate, part=part: _judge(gate, part))
            best[name] = max(best[name], len(part) / seconds)
    for name, rate in best.items():
        print(
            f"{name:<16}{rate:>9.0f} verdicts/s  default is {best['default'] / rate:.2f} times as fast"
        )
    return best["default"] / best["seed"], best["default"] / best["markdown-it-py"]


def _answer(rng: random.Random, index: int) -> tuple[str, SourceRegistry]:
    opened = [
        f"https://www.site{rng.randrange(90)}.example.org/section/{index}/page-{rng.randrange(9999)}"
        for _ in range(30)
    ]
    words = {f"w{n}": " ".join(rng.choices(WORDS, k=n)) for n in range(1, 61)}
    text = ANSWER.format(**words, **{f"u{n}": url for n, url in enumerate(opened)})
    return text, SourceRegistry.from_urls(opened, [])


def _mixed(rng: random.Random, index: int) -> tuple[str, SourceRegistry]:
    opened = [
        f"https://www.site{rng.randrange(90)}.example.org/{rng.choice(FOLDERS)}/{index}/page-{rng.randrange(9999)}"
        for _ in range(30)
    ]
    parts = []
    for number, url in enumerate(opened[:12], start=1):
        said = " ".join(rng.choices(SAID, k=rng.randrange(2, 5)))
        link = rng.choice(LINKS).format(u=url, n=number)
        parts.append(f"{said} {link}{rng.choice(GAPS)}")
    return "".join(parts), SourceRegistry.from_urls(opened, [])


def _print_unopened() -> bool:
    costs = []
    for citations in (10, 100, 1_000, 10_000):
        cells = []
        for records in (10, 100, 1_000, 10_000, 100_000):
            ledger = SourceRegistry.from_urls([_page(index, "p") for index in range(records)], [])
            text = " ".join(f"({_page(index, 'q')})" for index in range(citations))
            seconds = _seconds(lambda text=text, ledger=ledger: CitationGate().check(text, ledger))
            cells.append(f"{seconds:>9.3f} s")
            costs.append(seconds / (citations + records))
        print(f"{citations:>7,} unopened, ledger of 10 to 100,000:{''.join(cells)}")
    return max(costs) <= MOST_PER_ITEM_S


def _page(index: int, name: str) -> str:
    return f"https://site{index % 50}.example.org/{name}/{index}"


def _judge(gate: Gate, work: list[tuple[str, SourceRegistry]]) -> None:
    for text, ledger in work:
        gate.check(text, ledger)


def _print_curve(megabytes: float) -> bool:
    rng = random.Random(21)
    unit = _answer(rng, 0)[0] + "\n\n"
    costs = []
    size = 10_000
    while size <= megabytes * 1_000_000:
        text = unit * (size // len(unit))
        seconds = min(_seconds(lambda text=text: extract_citations(text)) for _ in range(2))
        costs.append(seconds / len(text))
        print(
            f"{len(text):>12,} characters  {seconds:>8.3f} s  {costs[-1] * 1e9:>6.1f} ns/character"
        )
        size *= 10
    return max(costs) <= MOST_GROWTH * min(costs)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
