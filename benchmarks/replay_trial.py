"""CPU that the recordings cost a replayed trial: 7 model turns with a growing history, 8 searches and pages.

Prints milliseconds a trial spent in the transports, without the clients above them:

    python benchmarks/replay_trial.py
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path

import httpx
import httpx2

from research_eval.cassette import ModelCassettes, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

TURNS, PAGES, TRIALS = 7, 8, 40
PAGE = "<p>" + "some words of a page, " * 900 + "</p>"
CHAT = "https://model.example/v1/chat/completions"


def turns(trial: int) -> list[bytes]:
    messages = [
        {"role": "system", "content": "Answer with citations. " * 60},
        {"role": "user", "content": f"question {trial}"},
    ]
    bodies = []
    for turn in range(TURNS):
        bodies.append(
            json.dumps({"model": "m", "messages": messages}, separators=(",", ":")).encode()
        )
        messages = [
            *messages,
            {"role": "assistant", "content": f"turn {turn}"},
            {"role": "tool", "content": PAGE[:4000]},
        ]
    return bodies


async def one_trial(web: WebCassettes, model: ModelCassettes, trial: int, networks: tuple) -> float:
    """Return the CPU seconds that the transports took."""
    key = TrialKey("case", "configuration", trial)
    sessions = [cassette.session(key, VirtualClock()) for cassette in (web, model)]
    pages, chat = sessions[0].transport(networks[0]), sessions[1].transport(networks[1])
    requests = [
        httpx.Request("GET", f"https://site-{n}.example/page/{(trial + n) % 20}")
        for n in range(PAGES)
    ]
    posts = [
        httpx2.Request("POST", CHAT, content=body, headers={"content-type": "application/json"})
        for body in turns(trial)
    ]
    began = time.process_time()
    for request in requests:
        await (await pages.handle_async_request(request)).aread()
    for post in posts:
        await (await chat.handle_async_request(post)).aread()
    cost = time.process_time() - began
    for session in sessions:
        session.close()
    return cost


async def run(folder: Path, mode: str, networks: tuple) -> list[float]:
    web, model = (
        WebCassettes(folder / "web", mode=mode),
        ModelCassettes(folder / "model", mode=mode),
    )
    return [await one_trial(web, model, trial, networks) for trial in range(TRIALS)]


def main() -> None:
    page = httpx.MockTransport(lambda _: httpx.Response(200, html=PAGE))
    reply = {"choices": [{"message": {"content": "an answer " * 40}}], "usage": {"total_tokens": 9}}
    chat = httpx2.MockTransport(lambda _: httpx2.Response(200, json=reply))
    with tempfile.TemporaryDirectory() as folder:
        recorded = asyncio.run(run(Path(folder), "record", (page, chat)))
        rounds = [asyncio.run(run(Path(folder), "replay", (None, None))) for _ in range(5)]
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    best = sorted(min(costs) for costs in zip(*rounds, strict=True))
    sent = sum(len(body) for trial in range(TRIALS) for body in turns(trial))
    print(
        f"{TRIALS} trials of {TURNS + PAGES} exchanges; {sent / 1e6:.1f} MB of requests kept in {size / 1e6:.1f} MB with all pages"
    )
    print(
        f"replay {best[len(best) // 2] * 1e3:.2f} ms a trial (median), {best[-1] * 1e3:.2f} ms the slowest"
    )
    print(f"record {sorted(recorded)[len(recorded) // 2] * 1e3:.2f} ms a trial (median)")


if __name__ == "__main__":
    main()
