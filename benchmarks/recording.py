"""CPU that a turn costs to record, by its number, in a long conversation with large tool results.

    python benchmarks/recording.py                       # 100 turns, results of 20 kB
    python benchmarks/recording.py --turns 50 --limit 3  # exit 1 if the last costs over 3 times the tenth

A conversation is sent again whole with every turn; a turn's cost is that of the transport alone: to
make its request canonical, to scrub it, and to save the exchange.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx2

from research_eval.cassette import ModelCassettes, Redactor
from research_eval.clock import SystemClock
from research_eval.schema import TrialKey

WORDS = Path(argparse.__file__).read_text(encoding="utf-8").split()
SECRETS = {f"KEY_{n}": f"sk-proj-of-nobody-{n:020d}" for n in range(3)}


def result(turn: int, size: int) -> str:
    words = random.Random(turn).choices(WORDS, k=size // 4)
    return " ".join(words)[:size]


def answer(request: httpx2.Request) -> httpx2.Response:
    del request
    return httpx2.Response(200, json={"choices": [{"message": {"content": "go on"}}]})


async def record(folder: Path, turns: int, size: int) -> list[float]:
    """Return the CPU milliseconds of each turn."""
    cassette = ModelCassettes(folder, mode="record", redactor=Redactor(SECRETS))
    session = cassette.session(TrialKey("case", "one", 1), SystemClock())
    transport = session.transport(httpx2.MockTransport(answer))
    messages: list[dict[str, object]] = [{"role": "user", "content": "What?"}]
    spent = []
    for turn in range(1, turns + 1):
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "fetch"}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": result(turn, size)}
        )
        body = json.dumps(
            {"messages": messages, "model": "m", "temperature": 0},
            ensure_ascii=False,
            separators=(",", ":"),
        ).encode()
        request = httpx2.Request(
            "POST",
            "https://m.example/v1/chat/completions",
            content=body,
            headers={"content-type": "application/json"},
        )
        began = time.process_time()
        response = await transport.handle_async_request(request)
        await response.aread()
        await response.aclose()
        spent.append(1000 * (time.process_time() - began))
    session.close()
    return spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=None)
    options = parser.parse_args()
    runs = []
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(asyncio.run(record(Path(folder), options.turns, options.size)))
    spent = [statistics.median(times) for times in zip(*runs, strict=True)]
    for turn in sorted({1, 10, options.turns // 2, options.turns}):
        print(f"turn {turn}: {spent[turn - 1]:.1f} ms CPU")
    # neighbours as well: a single turn is at the mercy of the machine
    tenth, last = statistics.median(spent[7:12]), statistics.median(spent[-5:])
    print(f"the last to the tenth: {last / tenth:.1f}")
    return 1 if options.limit is not None and last > options.limit * tenth else 0


if __name__ == "__main__":
    sys.exit(main())
