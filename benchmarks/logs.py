"""Import a large log as a process of the command line: its size, time and peak memory.

python benchmarks/logs.py [--megabytes 1000] [--suffix json]

The log holds conversations of 64 messages with pages of 8,000 characters: one JSON document, or JSON
Lines with --suffix jsonl. Exits 1 if the process took more than 300 MB.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

MOST_MB = 300
PAGES = 31
WORDS = [
    "tide",
    "harbour",
    "ferry",
    "light",
    "toll",
    "mile",
    "crown",
    "north",
    "sailing",
    "lamp",
    "chart",
    "keeper",
]


def conversation(number: int, rng: random.Random) -> str:
    """Return one conversation: pages that are opened, and an answer that cites one of them."""
    messages: list[dict[str, object]] = [{"role": "user", "content": f"Question {number}?"}]
    for page in range(PAGES):
        name = f"{number}-{page}"
        given = json.dumps({"url": f"https://pages.example/{name}"})
        call = {"id": name, "type": "function", "function": {"name": "fetch", "arguments": given}}
        text = " ".join(rng.choices(WORDS, k=1300))
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": name, "content": text},
        ]
    cited = f"https://pages.example/{number}-0"
    messages.append({"role": "assistant", "content": f"It is so ({cited})."})
    return json.dumps({"id": f"log-{number}", "model": "m", "messages": messages})


def pieces(size: int, *, is_document: bool) -> Iterator[str]:
    """Yield the text of the log."""
    rng, written, number = random.Random(1), 0, 0
    while written < size:
        one = conversation(number, rng)
        before = ("[" if number == 0 else ",") if is_document else ""
        yield f"{before}{one}\n"
        written, number = written + len(one), number + 1
    yield "]\n" if is_document else ""


def main() -> int:
    """Write the log, import it, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--suffix", choices=("json", "jsonl"), default="json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        log, out = Path(name) / f"log.{options.suffix}", Path(name) / "run"
        with log.open("w", encoding="utf-8") as file:
            for piece in pieces(
                options.megabytes * 1_000_000, is_document=options.suffix == "json"
            ):
                file.write(piece)
        size = log.stat().st_size / 1_000_000
        began = time.perf_counter()
        words = ["import", "openai", str(log), "--out", str(out)]
        done = subprocess.run(
            [sys.executable, "-m", "research_eval", *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        took = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak = usage.ru_maxrss * 1024 / 1_000_000
    print(done.stdout.strip() or done.stderr.strip())
    print(
        f"{size:,.0f} MB of {options.suffix}: {took:.0f} s, of them {usage.ru_utime:.0f} s of CPU"
    )
    print(f"peak memory: {peak:.0f} MB, at most {MOST_MB}")
    return int(done.returncode != 0 or peak > MOST_MB)


if __name__ == "__main__":
    sys.exit(main())
