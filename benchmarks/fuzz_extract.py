"""Feed mutated documents to decoder, extractor and PDF worker:
`python benchmarks/fuzz_extract.py [--minutes 30] [--seed 1] [--keep FOLDER]`.

Starts from the labelled set and the article pages, cuts, repeats, swaps and flips pieces of its files, and looks for
crashes, hangs, growth without bound, and results that break a promise. Ends with status 1 if it
found any; the document that showed it is kept.
"""

import argparse
import json
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "article_set"))

from pages import pages

from research_eval.tool.fetch.decode import decode
from research_eval.tool.fetch.extraction import is_light
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.fetch.reader import MAX_CHARS, read_here
from research_eval.tool.fetch.slice import boundary_at
from research_eval.tool.fetch.worker import Worker, WorkerError

OWN = Path(__file__).parents[1] / "datasets" / "fetch"
SLOW_S = 5
MAX_BYTES = 400_000
TYPES = (
    "text/html",
    "text/html; charset=utf-8",
    "application/pdf",
    "application/xml",
    "text/plain",
    "application/json",
    "",
    "application/rss+xml",
)
LABELS = (
    "utf-8",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
    "utf-16le",
    "windows-1252",
    "koi8-r",
    "replacement",
    "x-user-defined",
)
TOKENS = (
    b"<div>",
    b"</div>",
    b"<table><tr><td>",
    b"</table>",
    b"<a href='",
    b"<pre>",
    b"<li>",
    b"<ul>",
    b"<svg>",
    b"<math>",
    b"<template>",
    b"<!--",
    b"-->",
    b"<script>",
    b"</script>",
    b"<select><option>",
    b"<style>.a{",
    b"&#xd800;",
    b"&#0;",
    b"\x00",
    b"\xff\xfe",
    b"\x1b$B",
    b"\x1b(B",
    b"]]>",
    b"<![CDATA[",
    b"<b><p>",
    b"<a><a>",
    b"<frameset>",
    b"<base href=//[>",
    b"<h1>",
    b"<sup>",
    b"<code>`",
    b"<td colspan=99999 rowspan=99999>",
    b"<ol start=99999999999999999999>",
    b"<img alt=']' src='http://[::'>",
    b" style='display:none'",
    b" class='sr-only'",
    b" class='comment-list author-bio gallery'",
    b" itemprop='articleBody'",
    b"<div><h3>Related articles</h3>",
    b"<h2>Comments</h2><a>Reply</a><a>Reply</a>",
    b"<figure><img src=a><figcaption>",
    b"endstream",
    b"/Kids [2 0 R]",
    b"/Length 99999999",
    b"obj<<",
    b"xref",
    b"\xf0\x9f\x87\xa9",
    b"\xe2\x80\x8d",
    b"\xed\xa0\x80",
)


class HangError(Exception):
    """A document took too long."""


def mutate(rng: random.Random, seeds: list[bytes]) -> bytes:
    """Return a document made of pieces of others."""
    body = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 2, 4, 8, 32))):
        place = rng.randrange(len(body) + 1)
        action = rng.randrange(7)
        if action == 0:
            del body[place : place + rng.randrange(200)]
        elif action == 1:
            body[place:place] = rng.choice(TOKENS) * rng.choice((1, 1, 2, 50, 3000))
        elif action == 2:
            for _ in range(rng.randrange(1, 20)):
                if body:
                    body[rng.randrange(len(body))] = rng.randrange(256)
        elif action == 3:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            body[place:place] = other[start : start + rng.randrange(2000)]
        elif action == 4:
            piece = bytes(body[place : place + rng.randrange(1, 100)])
            body[place:place] = piece * rng.choice((2, 10, 500))
        elif action == 5:
            body = body[: rng.randrange(len(body) + 1)]
        else:
            body[place:place] = rng.randbytes(rng.randrange(100))
        del body[MAX_BYTES:]
    return bytes(body)


def check(page: ExtractedPage) -> None:
    """Fail if `page` breaks a promise."""
    assert len(page.content) <= MAX_CHARS, "content is too long"
    page.model_dump_json().encode()
    assert not any("\ud800" <= char <= "\udfff" for char in page.content), "lone surrogate"
    assert page.citable == (page.evidence == "ok" and page.error is None), (
        "citable contradicts the rest"
    )
    place, parts = 0, []
    while place < len(page.content):
        end = boundary_at(page.content, place + 997)
        assert end > place, "a slice stands still"
        parts.append(page.content[place:end])
        place = end
    assert "".join(parts) == page.content, "slices do not add up"


def limited(task: Callable[[], None]) -> None:
    """Run `task`, but not for ever."""

    def stop(*_: object) -> None:
        raise HangError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SLOW_S)
    try:
        task()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def one(
    rng: random.Random, seeds: list[bytes], worker: Worker, tally: Counter[str]
) -> tuple[bytes, str]:
    """Try one document; return it and what went wrong, or nothing."""
    body = mutate(rng, seeds)
    content_type, url = rng.choice(TYPES), "https://fuzz.example/a"
    try:
        if is_light(body, url=url, content_type=content_type):
            limited(lambda: check(read_here(body, url=url, content_type=content_type, headers={})))
            limited(
                lambda: (
                    decode(
                        body, content_type=f"text/html; charset={rng.choice(LABELS)}"
                    ).text.encode("utf-8", "replace")
                    and None
                )
            )
            tally["in this process"] += 1
        else:
            answer = worker.ask({"url": url, "content_type": content_type, "headers": {}}, body)
            check(ExtractedPage.model_validate_json(answer))
            tally["in the worker"] += 1
    except WorkerError:
        tally["worker ended within its limits"] += 1
    except HangError:
        return body, f"took more than {SLOW_S} s of CPU"
    except Exception as exc:  # noqa: BLE001 - whatever it is, it is what we look for
        return body, f"{type(exc).__name__}: {exc}"
    return body, ""


def main() -> int:
    """Try documents until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    seeds = [path.read_bytes() for path in sorted((OWN / "files").iterdir())]
    seeds += [page.html.encode() for page in pages()]
    worker, tally, faults = Worker(), Counter[str](), Counter[str]()
    end = time.monotonic() + 60 * options.minutes
    memory = 0
    while time.monotonic() < end:
        body, fault = one(rng, seeds, worker, tally)
        if fault:
            faults[fault[:200]] += 1
            if options.keep is not None and faults[fault[:200]] == 1:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{len(faults)}.bin").write_bytes(body)
        if sum(tally.values()) == 2000:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory if memory else 0
    worker.close()
    print(
        json.dumps(
            {
                "minutes": options.minutes,
                "seed": options.seed,
                **tally,
                "faults": dict(faults),
                "grown_kb": grown,
            },
            indent=1,
        )
    )
    return 1 if faults or grown > 500_000 else 0


if __name__ == "__main__":
    sys.exit(main())
